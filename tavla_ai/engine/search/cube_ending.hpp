// Exact values of the last rolls of a game with a cube, from every roll, play and cube action.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/dice.hpp"
#include "rules/plays.hpp"
#include "value/cube.hpp"

namespace tavla {

// Bear-offs with at most four checkers left on both sides. There a side's plays depend on its own checkers alone, and
// neither side loses a gammon.
class CubeEnding {
 public:
  CubeEnding(const Rules& rules, PlayList& plays) : rules_(rules), plays_(plays) {}

  // Whether a board of western backgammon is such an ending.
  static bool covers(const Board& board) {
    int all = 0;
    for (const auto& row : board.count) {
      int own = 0;
      for (int place = 1; place < kCommonPlaces; ++place) {
        if (place > kHome && row[place] > 0) return false;
        own += row[place];
      }
      if (own == 0) return false;
      all += own;
    }
    return all <= kMostCheckers;
  }

  // The value of a position to the side on roll if it does not double now, in the unit of the stakes.
  double rolled(const Board& board, const CubeStakes& stakes) {
    return rolled(row_of(board.count[0]), row_of(board.count[1]), seat_of(stakes));
  }

 private:
  static constexpr int kMostCheckers = 4;
  // Counts of the six home points, four bits each.
  using Row = std::uint32_t;

  // A side and its stakes.
  struct Seat {
    CubeStakes stakes;
    double win;         // worth of a single win, which is also the worth of a double that is passed
    double taken_unit;  // unit of values after a taken double, in the unit before it
    Seat* opponent = nullptr;
    Seat* taken = nullptr;
    std::unordered_map<std::uint64_t, double> known{};
  };

  double rolled(Row mine, Row theirs, Seat& seat) {
    const std::uint64_t key = (std::uint64_t{mine} << 32) | theirs;
    if (const auto known = seat.known.find(key); known != seat.known.end()) return known->second;
    double total = 0;
    const auto& by_roll = after(mine);
    for (const Roll roll : kDistinctRolls) {
      double best = played(by_roll[index_of(roll)][0], theirs, seat);
      for (const Row row : by_roll[index_of(roll)]) best = std::max(best, played(row, theirs, seat));
      total += weight_of(roll) * best;
    }
    return seat.known[key] = total / kNumRolls;
  }

  // The value of a play to its mover; the opponent then doubles if that gains.
  double played(Row mine, Row theirs, Seat& seat) {
    if (mine == 0) return seat.win;
    if (!seat.opponent) seat.opponent = &seat_of(seat.stakes.swapped());
    Seat& other = *seat.opponent;
    double value = rolled(theirs, mine, other);
    if (other.stakes.may_double()) {
      if (!other.taken) other.taken = &seat_of(other.stakes.doubled());
      value = std::max(value, std::min(other.taken_unit * rolled(theirs, mine, *other.taken), other.win));
    }
    return seat.stakes.total() - value;
  }

  // The seats are those of one match, which differ by the side that sees it and by the cube.
  Seat& seat_of(const CubeStakes& stakes) {
    const auto key = std::tuple(stakes.worth, stakes.value, stakes.owner);
    std::unique_ptr<Seat>& seat = seats_[key];
    if (!seat)
      seat = std::make_unique<Seat>(
          Seat{stakes, stakes.value_after(stakes.value) / stakes.unit(), stakes.is_match() ? 1.0 : 2.0});
    return *seat;
  }

  // The checkers that a side can have left after each roll.
  const std::array<std::vector<Row>, kNumDistinctRolls>& after(Row row) {
    auto [found, is_new] = successors_.try_emplace(row);
    if (!is_new) return found->second;
    Board board{};
    int left = 0;
    for (int point = 1; point <= kHome; ++point) {
      board.count[0][point] = static_cast<std::int8_t>((row >> (4 * (point - 1))) & 15);
      left += board.count[0][point];
    }
    board.count[0][kOff] = static_cast<std::int8_t>(kCheckers - left);
    board.count[1][kOff] = kCheckers - 1;
    board.count[1][1] = 1;
    for (const Roll roll : kDistinctRolls) {
      plays_.generate(rules_, board, roll.first, roll.second);
      std::vector<Row>& rows = found->second[index_of(roll)];
      for (int leaf = 0; leaf < plays_.num_leaves(); ++leaf)
        rows.push_back(row_of(plays_.afterstate(leaf, board).count[0]));
      std::sort(rows.begin(), rows.end());
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    }
    return found->second;
  }

  static Row row_of(const std::int8_t* counts) {
    Row row = 0;
    for (int point = 1; point <= kHome; ++point) row |= static_cast<Row>(counts[point]) << (4 * (point - 1));
    return row;
  }

  const Rules& rules_;
  PlayList& plays_;
  std::map<std::tuple<std::vector<double>, std::int64_t, CubeOwner>, std::unique_ptr<Seat>> seats_;
  std::unordered_map<Row, std::array<std::vector<Row>, kNumDistinctRolls>> successors_;
};

}  // namespace tavla
