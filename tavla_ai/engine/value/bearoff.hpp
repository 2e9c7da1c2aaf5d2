// Exact tables of endings: how many rolls a side needs to bear off, and who wins when both have few checkers left.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "rules/board.hpp"
#include "rules/rules.hpp"
#include "value/last_checkers.hpp"

namespace tavla {

// Changes with everything that makes tables built before unusable: their layout, their meaning, the rules.
constexpr int kBearoffVersion = 1;

// What tables are built for.
struct BearoffShape {
  bool larger_first = false;  // with all men home the larger die is played first
  int points = 8;             // one-sided: the lowest points, at most 8
  int checkers = kCheckers;   // one-sided: on these points, at most 15
  int pair_points = 6;        // two-sided: the lowest points of each side
  int pair_checkers = 8;      // two-sided: on these points, so few that no mars is possible any more
};

// Counts of the points 1 to 8 in bytes, point 1 in the lowest.
using PackedCounts = std::uint64_t;
constexpr PackedCounts kEachByte = 0x0101010101010101u;

constexpr int packed_total(PackedCounts counts) { return static_cast<int>((counts * kEachByte) >> 56); }

// Numbers all positions of up to `checkers` checkers on the lowest `points` points, so that every move leads to
// a smaller number; all borne off is 0. With r(p) for the checkers that are borne off or on the points up to p,
// the number is C(checkers + points, points) − 1 − Σ C(r(p) + p, p + 1) over p from 0 to points − 1.
class BearoffIndex {
 public:
  static constexpr int kMaxPoints = 8;

  BearoffIndex(int points, int checkers);

  std::uint32_t size() const { return size_; }
  // One more than the positions with all checkers on the board.
  std::uint32_t full_size() const { return full_size_; }

  std::uint32_t rank(PackedCounts counts) const { return size_ - 1 - sum(terms_, within(counts)); }

  // The same among positions with all checkers on the board, counted from 1; 0 where one has been borne off.
  std::uint32_t full_rank(PackedCounts counts) const {
    if (packed_total(counts) < checkers_) return 0;
    return full_size_ - 1 - sum(full_terms_, within(counts));
  }

  // Calls visit(counts) for every position in the order of rank.
  template <class Visit>
  void for_each(Visit visit) const {
    PackedCounts counts = 0;
    int total = 0;
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
      visit(counts);
      if (total < checkers_) {
        ++counts;
        ++total;
        continue;
      }
      // No further checker fits: the lowest occupied point empties and the next one gains a checker.
      const int byte = std::countr_zero(counts) / 8;
      const PackedCounts emptied = counts >> (8 * byte) & 0xFF;
      total -= static_cast<int>(emptied) - 1;
      counts -= emptied << (8 * byte);
      if (byte + 1 < kMaxPoints) counts += PackedCounts{1} << (8 * (byte + 1));
    }
  }

 private:
  using Terms = std::array<std::array<std::uint32_t, kCheckers + 1>, kMaxPoints>;

  // Byte p: r(p).
  PackedCounts within(PackedCounts counts) const {
    const auto off = static_cast<PackedCounts>(checkers_ - packed_total(counts));
    return ((counts * kEachByte) << 8) + off * kEachByte;
  }
  static std::uint32_t sum(const Terms& terms, PackedCounts within) {
    std::uint32_t total = 0;
    for (int p = 0; p < kMaxPoints; ++p) total += terms[p][(within >> (8 * p)) & 0xFF];
    return total;
  }

  int checkers_;
  std::uint32_t size_;
  std::uint32_t full_size_;
  Terms terms_{};
  Terms full_terms_{};
};

// Builds tables; progress is called with percents newly done, 100 in all. The same bytes for the same shape.
std::vector<std::uint8_t> build_bearoff(const BearoffShape& shape, const std::function<void(int)>& progress);

// Reads tables that lie in memory which it does not own. Immutable, so threads may share one.
//
// A side's own policy minimises its expected number of rolls, either to bear off all its checkers or to bear off the
// first. Win chances from the two-sided table are exact; those from the one-sided ones
// are exact for these policies, and both sides' mars chances for rolls to the first checker off.
class Bearoff {
 public:
  enum class Source { kOneSided, kTwoSided };

  static constexpr double kOne = 4294967295.0;  // certainty, in the fixed point of all chances stored

  // The distribution of a number of rolls: the chance that more than t are needed is 1 below `first`, then
  // `tail`, then 0.
  struct Rolls {
    int first;
    std::span<const std::uint32_t> tail;

    double more_than(int t) const {
      if (t < first) return 1.0;
      const auto i = static_cast<std::size_t>(t - first);
      return i < tail.size() ? tail[i] / kOne : 0.0;
    }
    int longest() const { return first + static_cast<int>(tail.size()); }
    double mean() const;
  };

  // data: what build_bearoff gave for this shape, 8-byte aligned. Throws RulesError for any other data.
  Bearoff(const BearoffShape& shape, std::span<const std::uint8_t> data);

  const BearoffShape& shape() const { return shape_; }
  std::uint64_t num_positions() const { return index_.size(); }                                  // of a side
  std::uint64_t num_pairs() const { return std::uint64_t{pair_index_.size()} * pair_index_.size(); }

  // Whether the rules bear off as the tables do. Gul Bara's cascades and passed dice make it another game.
  // In Fevga, Plakoto and Tawula nothing that sets them apart can happen with both sides on their lowest points.
  bool fits(const Rules& rules) const {
    return !rules.facts().has_stages && shape_.larger_first == rules.plays_larger_die_first();
  }

  // Whether the tables have this position of the rules' games: not finished; both sides on their lowest points, where
  // they cannot meet, with no checker on the bar or in reserve; or one last checker on each side, wherever they are.
  bool covers(const Rules& rules, const Board& board) const {
    return (covers_race(board) && fits(rules)) || has_last_checkers(rules, board);
  }
  // Whether some position of a side with these counts may be covered, whatever the other side has.
  bool may_cover(const std::int8_t* row) const { return covers_side(row) || LastCheckers::is_last(row); }

  // Fills the probabilities of the rules' scores, best first, for the player who has just moved: side 0 of
  // `after`, side 1 being on roll. The position must be covered.
  Source distribution(const Rules& rules, const Board& after, double* out) const;

  // The same for the player on roll, before the dice, side 0 of `before`.
  Source distribution_on_roll(const Rules& rules, const Board& before, double* out) const;

  // Whether a side's checkers, a row of counts, are all off or on the lowest points and some are left.
  bool covers_side(const std::int8_t* row) const {
    const int on_points = packed_total(packed(row));
    return on_points + row[kOff] == kCheckers && on_points > 0 && on_points <= shape_.checkers;
  }
  // Rolls to bear off all checkers of a covered side, and the first of 15.
  Rolls rolls_to_clear(const std::int8_t* row) const { return rolls(clear_, index_.rank(packed(row))); }
  Rolls rolls_to_first(const std::int8_t* row) const {
    return rolls(first_, row[kOff] > 0 ? 0 : index_.full_rank(packed(row)));
  }

 private:
  bool covers_race(const Board& board) const { return covers_side(board.count[0]) && covers_side(board.count[1]); }
  bool has_last_checkers(const Rules& rules, const Board& board) const {
    return LastCheckers::is_last(board.count[0]) && LastCheckers::is_last(board.count[1]) &&
           LastCheckers::has_rules(rules) && fits(rules);
  }
  // The last checkers of these rules, solved when they are first asked for, in some milliseconds.
  const LastCheckers& last_checkers(const Rules& rules) const;

  // Counts on the points of the one-sided tables; a checker further out is missing.
  PackedCounts packed(const std::int8_t* row) const {
    PackedCounts counts = 0;
    for (int point = BearoffIndex::kMaxPoints; point > 0; --point)
      counts = counts << 8 | static_cast<std::uint8_t>(row[point]);
    return counts & points_mask_;
  }
  Rolls rolls(const std::uint64_t* rows, std::uint32_t rank) const {
    const std::uint64_t row = rows[rank];
    return {static_cast<int>(row >> 32 & 0xFF), {tails_ + static_cast<std::uint32_t>(row), row >> 40}};
  }

  BearoffShape shape_;
  BearoffIndex index_;
  BearoffIndex pair_index_;
  PackedCounts points_mask_;
  PackedCounts pair_mask_;
  // A row: where its tail begins, `first` from bit 32, the tail's length from bit 40.
  const std::uint64_t* clear_ = nullptr;
  const std::uint64_t* first_ = nullptr;
  const std::uint32_t* pairs_ = nullptr;  // [waiting side][side on roll]: the chance that the latter wins
  const std::uint32_t* tails_ = nullptr;

  // By what sets the plays of the rules apart.
  struct Solved {
    std::once_flag once;
    std::unique_ptr<const LastCheckers> endings;
  };
  mutable std::array<Solved, 4> last_checkers_;
};

}  // namespace tavla
