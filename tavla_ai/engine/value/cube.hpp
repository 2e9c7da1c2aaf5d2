// The doubling cube: Janowski's value of a game with a cube, and what it says about doubling and taking.
//
// Rick Janowski, "Take-Points in Money Games" (1993), and its usual extension to matches: a game is worth a value
// between that with a dead cube, which is never turned again, and that with a live cube, which is turned exactly where
// the other side is indifferent between taking and passing. In between, wins and losses keep their sizes while the
// chance of winning changes, so both are piecewise linear in that chance. One recursion over the values of the cube
// serves single games and matches. It ends where a cube is dead: at the house's limit, or where the present cube
// already wins the match for the side that might double.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "rules/rules.hpp"
#include "value/utility.hpp"

namespace tavla {

// Efficiency of a real cube; 0 is dead, 1 is live. Janowski found .6 to .75 in typical positions of single games.
constexpr double kCubeEfficiency = 0.68;

enum class CubeOwner : std::uint8_t { kCentred, kMe, kOpponent };  // the side that may double

// The stakes of a game with a cube, seen by one side ("me").
struct CubeStakes {
  // My chance of winning the match after I win i − n/2 points with this game, 0 ≤ i < n; beyond the ends the match is
  // over. Empty in single games, which are worth their points.
  std::vector<double> worth;
  std::array<std::int64_t, 2> away{std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::int64_t>::max()};  // points that I and the opponent need
  std::int64_t limit = 64;
  std::int64_t value = 1;
  CubeOwner owner = CubeOwner::kCentred;
  bool is_crawford = false;

  bool is_match() const { return !worth.empty(); }
  // What a side's values are together.
  double total() const { return is_match() ? 1 : 0; }
  // My value after the game ends with these points for me: match-winning chance, or points.
  double value_after(std::int64_t points) const {
    if (!is_match()) return static_cast<double>(points);
    const auto reach = static_cast<std::int64_t>(worth.size() / 2);
    return worth[static_cast<std::size_t>(std::clamp(points, -reach, reach) + reach)];
  }
  // The unit of values: match-winning chance, or points in units of the cube.
  double unit() const { return is_match() ? 1 : static_cast<double>(value); }

  // Whether the rules let me double, if I am on roll.
  bool may_double() const { return !is_crawford && owner != CubeOwner::kOpponent && 2 * value <= limit; }
  // Whether I lose the match with this game, whatever the cube shows.
  bool is_last_chance() const { return is_match() && value >= away[1]; }

  // The stakes seen by the other side.
  CubeStakes swapped() const {
    CubeStakes other = *this;
    std::reverse(other.worth.begin(), other.worth.end());
    for (double& chance : other.worth) chance = 1 - chance;
    std::swap(other.away[0], other.away[1]);
    if (owner != CubeOwner::kCentred) other.owner = owner == CubeOwner::kMe ? CubeOwner::kOpponent : CubeOwner::kMe;
    return other;
  }
  // The stakes after a double of mine that is taken, still seen by me.
  CubeStakes doubled() const {
    CubeStakes other = *this;
    other.value *= 2;
    other.owner = CubeOwner::kOpponent;
    return other;
  }

  // What the scores of the game are worth without another double; in single games in units of the cube.
  Utility utility(const Rules& rules) const {
    const int n = rules.num_scores();
    std::array<double, kMaxScores> worth_of{};
    for (int k = 0; k < n; ++k)
      worth_of[k] = is_match() ? value_after(rules.scores[k] * value) : static_cast<double>(rules.scores[k]);
    Utility utility;
    const int middle = (n - 1) / 2;  // the gap between the smallest win and the smallest loss
    const double gap = worth_of[middle] - worth_of[middle + 1];
    for (int k = 0, u = 0; k + 1 < n; ++k)
      if (k != middle) utility.inputs[u++] = static_cast<float>((worth_of[k] - worth_of[k + 1]) / gap);
    for (int k = 0; k < n; ++k) utility.values[k] = static_cast<float>(worth_of[k]);
    return utility;
  }
};

// A value that rises piecewise linearly with the chance of winning, from chance 0 to chance 1.
class Curve {
 public:
  struct Point {
    double chance;
    double value;
  };

  void add(double chance, double value) { points_[static_cast<std::size_t>(size_++)] = {chance, value}; }
  int size() const { return size_; }
  Point& point(int i) { return points_[static_cast<std::size_t>(i)]; }

  double at(double chance) const {
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(size_); ++i) {
      const auto [left, low] = points_[i];
      const auto [right, high] = points_[i + 1];
      if (chance <= right && right > left) {
        const double share = (chance - left) / (right - left);
        return low * (1 - share) + high * share;
      }
    }
    return points_[static_cast<std::size_t>(size_ - 1)].value;
  }

  // The lowest chance at which the curve reaches a value; 1 if it never does.
  double reaching(double value) const {
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(size_); ++i) {
      const auto [left, low] = points_[i];
      const auto [right, high] = points_[i + 1];
      if (low >= value) return left;
      if (high >= value) return left + (right - left) * (value - low) / (high - low);
    }
    return 1;
  }

 private:
  std::array<Point, 4> points_{};
  int size_ = 0;
};

// A game between the turns, seen by me: its value for each value and owner of the cube.
class CubeModel {
 public:
  // scores: best first, without a draw; outcomes: my chance of each, with the cube left where it is. Values are in the
  // unit of the stakes.
  CubeModel(const std::vector<int>& scores, const std::vector<double>& outcomes, const CubeStakes& stakes,
            double efficiency)
      : scores_(scores), outcomes_(outcomes), stakes_(stakes), unit_(stakes.unit()), efficiency_(efficiency) {
    double total = 0;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (scores[k] > 0) win_chance_ += outcomes[k];
      total += outcomes[k];
    }
    win_chance_ /= total;
  }

  double win_chance() const { return win_chance_; }

  // My value if the cube is never turned again.
  Curve dead(std::int64_t value) const {
    Curve curve;
    curve.add(0, mean(value, -1));
    curve.add(1, mean(value, 1));
    return curve;
  }

  // My value for each chance of winning. A side that loses the match with the present cube has nothing to lose by
  // doubling. It does so at its next turn, wherever that leaves it, so its cube is fully live. waits: whether I am on
  // roll and do not double this turn although I may; then the cube is only as live as usual.
  Curve curve(std::int64_t value, CubeOwner owner, bool waits = false) const {
    const auto [mine, theirs] = may_double(value, owner);
    const bool has_nothing_to_lose = mine != theirs && value >= stakes_.away[mine ? 1 : 0] && !(mine && waits);
    const double efficiency = has_nothing_to_lose && efficiency_ > 0 ? 1 : efficiency_;
    const Curve never = dead(value);
    Curve found = live(value, owner);
    for (int i = 0; i < found.size(); ++i) {
      auto& [chance, worth] = found.point(i);
      worth = never.at(chance) * (1 - efficiency) + worth * efficiency;
    }
    return found;
  }

  // The lowest chance of winning with which I take a cube of `value` that is doubled to me.
  double take_point(std::int64_t value) const { return curve(2 * value, CubeOwner::kMe).reaching(after(-value)); }
  // The lowest chance of winning with which the opponent passes when I double a cube of `value`.
  double cash_point(std::int64_t value) const { return curve(2 * value, CubeOwner::kOpponent).reaching(after(value)); }

 private:
  double after(std::int64_t points) const { return stakes_.value_after(points) / unit_; }

  // My value if each side doubles exactly where the other side is indifferent. The owner of the cube need not double,
  // so a point where doubling would cost the owner is left out.
  Curve live(std::int64_t value, CubeOwner owner) const {
    const auto [mine, theirs] = may_double(value, owner);
    const Curve never = dead(value);
    Curve found;
    found.add(0, mean(value, -1));
    if (theirs) add_turn(found, never, value, CubeOwner::kMe);
    if (mine) add_turn(found, never, value, CubeOwner::kOpponent);
    found.add(1, mean(value, 1));
    return found;
  }

  // Adds the point at which a side doubles and `owner` then holds the cube.
  void add_turn(Curve& found, const Curve& never, std::int64_t value, CubeOwner owner) const {
    const bool i_double = owner == CubeOwner::kOpponent;
    const double passed = after(i_double ? value : -value);
    const double chance = live(2 * value, owner).reaching(passed);
    if (i_double ? passed > never.at(chance) : passed < never.at(chance)) found.add(chance, passed);
  }

  // Whether I, and the opponent, may double and have something to gain by it.
  std::pair<bool, bool> may_double(std::int64_t value, CubeOwner owner) const {
    const bool allowed = 2 * value <= stakes_.limit;
    return {allowed && owner != CubeOwner::kOpponent && value < stakes_.away[0],
            allowed && owner != CubeOwner::kMe && value < stakes_.away[1]};
  }

  // My mean value after a win (sign 1) or a loss (−1).
  double mean(std::int64_t value, int sign) const {
    double total = 0;
    double worth = 0;
    std::int64_t smallest = 0;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      if (scores_[k] * sign <= 0) continue;
      total += outcomes_[k];
      worth += outcomes_[k] * after(value * scores_[k]);
      if (smallest == 0 || std::abs(scores_[k]) < std::abs(smallest)) smallest = scores_[k];
    }
    // What does not happen may have any size.
    return total > 0 ? worth / total : after(value * smallest);
  }

  const std::vector<int>& scores_;
  const std::vector<double>& outcomes_;
  const CubeStakes& stakes_;
  double unit_;
  double efficiency_;
  double win_chance_ = 0;
};

// Values of doubling and of not doubling now, to the player on roll, and what they mean.
struct CubeDecision {
  double no_double;
  double double_take;
  double double_pass;
  bool can_double;
  bool should_double;
  bool should_take;
  bool is_too_good;

  double value() const { return should_double ? std::min(double_take, double_pass) : no_double; }
};

// The decisions of both sides for these values to the player on roll.
inline CubeDecision decided(double no_double, double double_take, double double_pass, bool can_double,
                            const CubeStakes& stakes) {
  constexpr double kRounding = 1e-9;
  const bool should_take = double_take <= double_pass;
  const bool is_last_chance = stakes.is_last_chance();
  // The opponent wins the match with this game at any cube, so a larger cube cannot cost the player anything.
  if (is_last_chance && can_double) no_double = std::min(no_double, double_take);
  const double gain = std::min(double_take, double_pass) - no_double;
  // A player who loses the match with this game loses nothing by doubling, and doubles even without a gain.
  const bool is_double = can_double && (gain > 0 || (is_last_chance && gain > -kRounding));
  return {no_double,   double_take, double_pass, can_double, is_double, should_take,
          can_double && !is_double && !should_take && no_double > double_pass};
}

// What doubling is worth to the player on roll, before the dice, from the outcomes of the game alone.
inline CubeDecision decide_cube(const std::vector<int>& scores, const std::vector<double>& outcomes,
                                const CubeStakes& stakes, double efficiency = kCubeEfficiency) {
  const CubeModel model(scores, outcomes, stakes, efficiency);
  const std::int64_t value = stakes.value;
  const Curve rolling = stakes.is_crawford ? model.dead(value) : model.curve(value, stakes.owner, true);
  return decided(rolling.at(model.win_chance()),
                 model.curve(2 * value, CubeOwner::kOpponent).at(model.win_chance()),
                 stakes.value_after(value) / stakes.unit(),
                 stakes.may_double() && (!stakes.is_match() || value < stakes.away[0]), stakes);
}

// What a position is worth to me between two turns, whichever side rolls next; the cube stays until the next turn.
inline double cubeful_equity(const std::vector<int>& scores, const std::vector<double>& outcomes,
                             const CubeStakes& stakes, double efficiency) {
  const CubeModel model(scores, outcomes, stakes, efficiency);
  return (stakes.is_crawford ? model.dead(stakes.value) : model.curve(stakes.value, stakes.owner))
      .at(model.win_chance());
}

}  // namespace tavla
