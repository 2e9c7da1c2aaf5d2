#include "value/bearoff.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/dice.hpp"
#include "rules/families/opposed_hit.hpp"

namespace tavla {
namespace {

// The steps of a race are those of the plain game: without contact all families move alike.
using Steps = OpposedHit<true, false, false>;

// Number of rolls after which the remaining chance is not worth storing.
constexpr std::size_t kMaxLength = 255;

std::uint32_t binomial(int n, int k) {
  std::uint64_t value = 1;
  for (int i = 1; i <= k; ++i) value = value * static_cast<std::uint64_t>(n - k + i) / static_cast<std::uint64_t>(i);
  return static_cast<std::uint32_t>(value);
}

PackedCounts mask_of(int points) { return ~PackedCounts{0} >> (8 * (BearoffIndex::kMaxPoints - points)); }

void check_shape(const BearoffShape& shape) {
  const auto require = [](bool condition, const char* message) {
    if (!condition) throw RulesError(message);
  };
  require(shape.points >= 1 && shape.points <= BearoffIndex::kMaxPoints, "bear-off tables: 1 to 8 points expected");
  require(shape.checkers >= 1 && shape.checkers <= kCheckers, "bear-off tables: 1 to 15 checkers expected");
  require(shape.pair_points >= 1 && shape.pair_points <= kHome && shape.pair_points <= shape.points,
          "bear-off tables: 1 to 6 points expected for pairs, not more than one-sided");
  // With 15 checkers on the board a mars would be possible, of which the pairs know nothing.
  require(shape.pair_checkers >= 1 && shape.pair_checkers <= 9 && shape.pair_checkers <= shape.checkers,
          "bear-off tables: 1 to 9 checkers expected for pairs, not more than one-sided");
}

bool is_home(PackedCounts counts) { return counts >> (8 * kHome) == 0; }

// Calls visit(after) for each way to move one checker by `die`.
template <class Visit>
void for_each_move(PackedCounts counts, int die, Visit visit) {
  static constexpr Turn turn{.open = kPointBits};
  Node node{};
  for (int point = 1; point <= BearoffIndex::kMaxPoints; ++point)
    node.occupied |= static_cast<std::uint32_t>((counts >> (8 * (point - 1)) & 0xFF) != 0) << point;
  for (std::uint32_t found = Steps::sources(turn, node, die, 0); found; found &= found - 1) {
    const int from = std::countr_zero(found);
    PackedCounts after = counts - (PackedCounts{1} << (8 * (from - 1)));
    if (from > die) after += PackedCounts{1} << (8 * (from - die - 1));
    visit(after);
  }
}

// Tells how far the building is, in whole percents.
class Meter {
 public:
  explicit Meter(const std::function<void(int)>& progress) : progress_(progress) {}

  // A part of the work, from one percentage to another, in a number of steps.
  void begin(int from, int to, std::size_t steps) {
    from_ = from;
    to_ = to;
    steps_ = steps;
    done_ = 0;
  }
  void step() {
    const int now = from_ + static_cast<int>(static_cast<std::size_t>(to_ - from_) * ++done_ / steps_);
    if (now == told_) return;
    if (progress_) progress_(now - told_);
    told_ = now;
  }

 private:
  const std::function<void(int)>& progress_;
  int from_ = 0;
  int to_ = 0;
  int told_ = 0;
  std::size_t steps_ = 1;
  std::size_t done_ = 0;
};

std::uint32_t to_fixed(double share) { return static_cast<std::uint32_t>(std::llround(share * Bearoff::kOne)); }

// Builds one table of rolls. rank(counts) numbers its positions, each move leading to a smaller number; 0 is the
// number of those for which nothing is left to do.
template <class Rank>
class RollsBuilder {
 public:
  RollsBuilder(std::uint32_t num_rows, bool larger_first, Rank rank, std::vector<std::uint32_t>& tails)
      : larger_first_(larger_first), rank_(rank), tails_(tails), exact_(num_rows, Exact{0, 0}), mean_(num_rows, 0.0),
        rows_(num_rows, 0) {
    for (int die = 1; die <= 6; ++die) {
      ends_[0][die].resize(num_rows);
      std::iota(ends_[0][die].begin(), ends_[0][die].end(), 0u);
      for (int dice = 1; dice <= 3; ++dice) ends_[dice][die].resize(num_rows);
    }
  }

  // Adds the row of a position, whose moves lead to positions that have been added, and appends its tail.
  void add(PackedCounts counts) {
    const std::uint32_t here = rank_(counts);
    if (here == 0) return;
    list_moves(counts);
    next_.fill(0.0);
    longest_ = 0;
    for (int die = 1; die <= 6; ++die) {
      add_end(weight_of({die, die}), best_end(die, ends_[3][die]));
      for (int dice = 1; dice <= 3; ++dice) ends_[dice][die][here] = best_end(die, ends_[dice - 1][die]);
      for (int smaller = 1; smaller < die; ++smaller)
        add_end(weight_of({die, smaller}), best_end_of_two(die, smaller, larger_first_ && is_home(counts)));
    }
    store(here);
  }

  std::vector<std::uint64_t> take_rows() { return std::move(rows_); }

 private:
  // Parts of the chances below this are left out; they are far below what the tables resolve.
  static constexpr double kNegligible = 0x1p-44;

  // As in Bearoff::Rolls, in full precision; the chances of a row are chances_[begin, begin + length).
  struct Exact {
    std::size_t begin;
    int length;
  };

  void list_moves(PackedCounts counts) {
    for (int die = 1; die <= 6; ++die) {
      num_moves_[die] = 0;
      for_each_move(counts, die, [&](PackedCounts after) { moves_[die][num_moves_[die]++] = rank_(after); });
    }
  }

  // The best end of a move with `die` and then the dice that `then` stands for.
  std::uint32_t best_end(int die, const std::vector<std::uint32_t>& then) const {
    std::uint32_t best = then[moves_[die][0]];
    for (int i = 1; i < num_moves_[die]; ++i) {
      const std::uint32_t end = then[moves_[die][i]];
      if (mean_[end] < mean_[best]) best = end;
    }
    return best;
  }

  std::uint32_t best_end_of_two(int larger, int smaller, bool larger_first) const {
    const std::uint32_t best = best_end(larger, ends_[1][smaller]);
    if (larger_first) return best;
    const std::uint32_t other = best_end(smaller, ends_[1][larger]);
    return mean_[other] < mean_[best] ? other : best;
  }

  // Adds what is needed from an end on, and one roll, to the chances of the position at hand.
  void add_end(double weight, std::uint32_t end) {
    const auto [begin, length] = exact_[end];
    for (int t = 0; t < length; ++t) next_[t + 1] += weight * chances_[begin + t];
    longest_ = std::max(longest_, length + 1);
  }

  // Stores the chances of the position at hand, both exactly and in the fixed point of the tables.
  void store(std::uint32_t here) {
    next_[0] = kNumRolls;
    Exact& row = exact_[here];
    row.begin = chances_.size();
    const std::size_t tail = tails_.size();
    std::uint64_t first = 0;
    for (int t = 0; t < longest_; ++t) {
      const double chance = next_[t] / kNumRolls;
      if (chance < kNegligible) break;
      chances_.push_back(chance);
      ++row.length;
      mean_[here] += chance;
      const std::uint32_t fixed = to_fixed(chance);
      if (tails_.size() == tail && chance * Bearoff::kOne > Bearoff::kOne - 0.5)
        ++first;
      else if (fixed > 0)
        tails_.push_back(fixed);
    }
    rows_[here] = tail | first << 32 | (tails_.size() - tail) << 40;
  }

  bool larger_first_;
  Rank rank_;
  std::vector<std::uint32_t>& tails_;
  std::vector<Exact> exact_;
  std::vector<double> chances_;
  std::vector<double> mean_;
  // By number of dice and die: the best end of playing that number of dice of a kind. With no die nothing changes.
  std::array<std::array<std::vector<std::uint32_t>, 7>, 4> ends_;
  std::vector<std::uint64_t> rows_;
  // Of the position at hand.
  std::array<std::array<std::uint32_t, BearoffIndex::kMaxPoints>, 7> moves_{};
  std::array<int, 7> num_moves_{};
  std::array<double, kMaxLength + 1> next_{};
  int longest_ = 0;
};

// Builds one table of rolls, a row for each position, and appends the rows' tails.
template <class Rank>
std::vector<std::uint64_t> build_rolls(const BearoffIndex& index, std::uint32_t num_rows, bool larger_first, Rank rank,
                                       std::vector<std::uint32_t>& tails, Meter& meter) {
  RollsBuilder<Rank> builder(num_rows, larger_first, rank, tails);
  index.for_each([&](PackedCounts counts) {
    meter.step();
    builder.add(counts);
  });
  return builder.take_rows();
}

// The distinct ends of each position's rolls.
struct Ends {
  std::vector<std::size_t> begin;    // of each position and distinct roll, [size * 21 + 1]
  std::vector<std::uint32_t> ranks;

  std::span<const std::uint32_t> of(std::uint32_t rank, std::size_t roll) const {
    const std::size_t i = std::size_t{rank} * kNumDistinctRolls + roll;
    return {ranks.data() + begin[i], begin[i + 1] - begin[i]};
  }
};

// Replaces positions by all that a move with `die` makes of them; what is borne off stays so.
void advance(std::vector<PackedCounts>& positions, int die) {
  std::vector<PackedCounts> after;
  for (PackedCounts counts : positions) {
    if (counts == 0) after.push_back(0);
    for_each_move(counts, die, [&](PackedCounts moved) { after.push_back(moved); });
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  positions = std::move(after);
}

Ends list_ends(const BearoffIndex& index, bool larger_first) {
  Ends ends;
  ends.begin.push_back(0);
  index.for_each([&](PackedCounts counts) {
    for (const auto [high, low] : kDistinctRolls) {
      std::vector<PackedCounts> found{counts};
      advance(found, high);
      advance(found, low);
      if (high == low) {
        advance(found, high);
        advance(found, high);
      } else if (!(larger_first && is_home(counts))) {
        std::vector<PackedCounts> other{counts};
        advance(other, low);
        advance(other, high);
        found.insert(found.end(), other.begin(), other.end());
      }
      const std::size_t begin = ends.ranks.size();
      for (PackedCounts end : found) ends.ranks.push_back(index.rank(end));
      std::sort(ends.ranks.begin() + static_cast<std::ptrdiff_t>(begin), ends.ranks.end());
      ends.ranks.erase(std::unique(ends.ranks.begin() + static_cast<std::ptrdiff_t>(begin), ends.ranks.end()),
                       ends.ranks.end());
      ends.begin.push_back(ends.ranks.size());
    }
  });
  return ends;
}

// Builds the two-sided table: [waiting side][side on roll], the chance that the latter wins.
std::vector<std::uint32_t> build_pairs(const BearoffIndex& index, bool larger_first, Meter& meter) {
  const std::size_t n = index.size();
  const Ends ends = list_ends(index, larger_first);
  // Row w: for each side on roll the chance that it wins against w waiting; nothing to win against 0.
  std::vector<double> wins(n * n, 0.0);
  std::vector<double> row(n);  // the chance that w wins, on roll, against each side waiting
  std::vector<std::uint32_t> fixed(n * n, 0);
  // Against w waiting a side's best end is the one against which w wins least. Both directions of all pairs with a
  // smaller number are known when w's turn comes, which is what w's own ends need.
  constexpr std::size_t block = 512;
  std::array<double, block> least;
  std::array<double, block> total;
  for (std::uint32_t w = 1; w < n; ++w) {
    for (std::size_t from = 0; from < n; from += block) {
      const std::size_t count = std::min(block, n - from);
      total.fill(0.0);
      for (std::size_t roll = 0; roll < kNumDistinctRolls; ++roll) {
        const auto choices = ends.of(w, roll);
        const double* const first = wins.data() + choices[0] * n + from;
        std::copy(first, first + count, least.begin());
        for (std::uint32_t end : choices.subspan(1)) {
          const double* const other = wins.data() + end * n + from;
          for (std::size_t i = 0; i < count; ++i) least[i] = other[i] < least[i] ? other[i] : least[i];
        }
        const double weight = weight_of(kDistinctRolls[roll]);
        for (std::size_t i = 0; i < count; ++i) total[i] += weight * least[i];
      }
      for (std::size_t i = 0; i < count; ++i) row[from + i] = 1 - total[i] / kNumRolls;
    }
    row[0] = 0;
    double* const against = wins.data() + w * n;
    against[0] = 1;
    for (std::uint32_t other = 1; other < n; ++other) {
      double sum = 0;
      for (std::size_t roll = 0; roll < kNumDistinctRolls; ++roll) {
        double best = 1;
        for (std::uint32_t end : ends.of(other, roll)) best = row[end] < best ? row[end] : best;
        sum += weight_of(kDistinctRolls[roll]) * best;
      }
      against[other] = 1 - sum / kNumRolls;
    }
    std::transform(against, against + n, fixed.begin() + static_cast<std::ptrdiff_t>(w * n), to_fixed);
    meter.step();
  }
  return fixed;
}

template <class T>
void append(std::vector<std::uint8_t>& data, const std::vector<T>& values) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
  data.insert(data.end(), bytes, bytes + values.size() * sizeof(T));
}

}  // namespace

BearoffIndex::BearoffIndex(int points, int checkers)
    : checkers_(checkers), size_(binomial(points + checkers, points)),
      full_size_(binomial(points + checkers - 1, points - 1) + 1) {
  for (int p = 0; p < points; ++p)
    for (int within = 0; within <= checkers; ++within) {
      terms_[p][within] = binomial(within + p, p + 1);
      // Without a checker off, the lowest point takes the place of the checkers off.
      if (p > 0) full_terms_[p][within] = terms_[p - 1][within];
    }
}

std::vector<std::uint8_t> build_bearoff(const BearoffShape& shape, const std::function<void(int)>& progress) {
  check_shape(shape);
  const BearoffIndex index(shape.points, shape.checkers);
  const BearoffIndex pair_index(shape.pair_points, shape.pair_checkers);
  Meter meter(progress);
  std::vector<std::uint32_t> tails;
  meter.begin(0, 30, index.size());
  const auto clear = build_rolls(
      index, index.size(), shape.larger_first, [&](PackedCounts counts) { return index.rank(counts); }, tails, meter);
  meter.begin(30, 40, index.size());
  const auto first = build_rolls(
      index, index.full_size(), shape.larger_first, [&](PackedCounts counts) { return index.full_rank(counts); },
      tails, meter);
  meter.begin(40, 100, pair_index.size() - 1);
  const auto pairs = build_pairs(pair_index, shape.larger_first, meter);
  std::vector<std::uint8_t> data;
  data.reserve(sizeof(std::uint64_t) * (clear.size() + first.size()) +
               sizeof(std::uint32_t) * (pairs.size() + tails.size()));
  append(data, clear);
  append(data, first);
  append(data, pairs);
  append(data, tails);
  return data;
}

double Bearoff::Rolls::mean() const {
  double sum = first;
  for (std::uint32_t chance : tail) sum += chance / kOne;
  return sum;
}

Bearoff::Bearoff(const BearoffShape& shape, std::span<const std::uint8_t> data)
    : shape_((check_shape(shape), shape)), index_(shape.points, shape.checkers),
      pair_index_(shape.pair_points, shape.pair_checkers), points_mask_(mask_of(shape.points)),
      pair_mask_(mask_of(shape.pair_points)) {
  const std::size_t num_rows = std::size_t{index_.size()} + index_.full_size();
  const std::size_t before_tails = sizeof(std::uint64_t) * num_rows + sizeof(std::uint32_t) * num_pairs();
  if (reinterpret_cast<std::uintptr_t>(data.data()) % alignof(std::uint64_t) != 0 || data.size() < before_tails ||
      data.size() % sizeof(std::uint32_t) != 0)
    throw RulesError("bear-off tables: " + std::to_string(data.size()) + " bytes, expected at least " +
                     std::to_string(before_tails) + ", aligned to 8");
  clear_ = reinterpret_cast<const std::uint64_t*>(data.data());
  first_ = clear_ + index_.size();
  pairs_ = reinterpret_cast<const std::uint32_t*>(first_ + index_.full_size());
  tails_ = pairs_ + num_pairs();
  const std::size_t num_tails = (data.size() - before_tails) / sizeof(std::uint32_t);
  for (std::size_t i = 0; i < num_rows; ++i)
    if (static_cast<std::uint32_t>(clear_[i]) + (clear_[i] >> 40) > num_tails)
      throw RulesError("bear-off tables: row " + std::to_string(i) + " points outside the data");
}

namespace {

// The chance that the first side is done in some number t of rolls while the second needs more than t − head_start.
double is_first(const Bearoff::Rolls& mine, const Bearoff::Rolls& his, int head_start) {
  double sum = 0;
  double more = 1;  // the chance that I need at least t
  for (int t = mine.first; t <= mine.longest(); ++t) {
    const double still = mine.more_than(t);
    sum += (more - still) * his.more_than(t - head_start);
    more = still;
  }
  return sum;
}

}  // namespace

Bearoff::Source Bearoff::distribution(const Rules& rules, const Board& after, double* out) const {
  const std::int8_t* const mine = after.count[0];
  const std::int8_t* const his = after.count[1];
  const PackedCounts my_counts = packed(mine);
  const PackedCounts his_counts = packed(his);
  std::fill(out, out + rules.num_scores(), 0.0);
  const auto set = [&](int points, double chance) { out[rules.score_index(points)] = chance; };
  if (has_last_checkers(rules, after)) {
    const double lost = last_checkers(rules).win_chance(after.swapped());
    set(1, 1 - lost);
    set(-1, lost);
    return Source::kTwoSided;
  }
  if (((my_counts | his_counts) & ~pair_mask_) == 0 && packed_total(my_counts) <= shape_.pair_checkers &&
      packed_total(his_counts) <= shape_.pair_checkers) {
    const std::size_t waiting = pair_index_.rank(my_counts);
    const double lost = pairs_[waiting * pair_index_.size() + pair_index_.rank(his_counts)] / kOne;
    set(1, 1 - lost);
    set(-1, lost);
    return Source::kTwoSided;
  }
  const Rolls my_rolls = rolls_to_clear(mine);
  const Rolls his_rolls = rolls_to_clear(his);
  const double won = is_first(my_rolls, his_rolls, 0);
  const double lost = 1 - won;
  // A mars comes from another policy of the loser's than the win that it is part of, and is kept
  // within it.
  const bool has_mars = rules.facts().has_mars;
  const double mars_won = has_mars && his[kOff] == 0 ? std::min(won, is_first(my_rolls, rolls_to_first(his), 0)) : 0;
  const double mars_lost =
      has_mars && mine[kOff] == 0 ? std::min(lost, is_first(his_rolls, rolls_to_first(mine), 1)) : 0;
  set(1, won - mars_won);
  set(-1, lost - mars_lost);
  if (has_mars) {
    set(2, mars_won);
    set(-2, mars_lost);
  }
  return Source::kOneSided;
}

const LastCheckers& Bearoff::last_checkers(const Rules& rules) const {
  Solved& solved = last_checkers_[(rules.variant.hit_and_run ? 1u : 0u) + (rules.variant.leave_a_move ? 2u : 0u)];
  std::call_once(solved.once, [&] { solved.endings = std::make_unique<const LastCheckers>(rules); });
  return *solved.endings;
}

Bearoff::Source Bearoff::distribution_on_roll(const Rules& rules, const Board& before, double* out) const {
  const Source source = distribution(rules, before.swapped(), out);
  std::reverse(out, out + rules.num_scores());
  return source;
}

}  // namespace tavla
