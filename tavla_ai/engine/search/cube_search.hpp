// Doubling, decided by the 21 rolls.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/dice.hpp"
#include "search/cube_ending.hpp"
#include "search/search.hpp"
#include "value/cube.hpp"

namespace tavla {

// Cube decisions with one network, in games with the plays of western backgammon. The side on roll plays each roll;
// Janowski's formula then estimates what the position, with the cube, is worth to the opponent. With a few checkers
// left in the bear-off every roll and every cube action is searched instead, which is exact.
class CubeSearch {
 public:
  CubeSearch(const Rules& rules, Searcher& searcher) : rules_(rules), searcher_(searcher) {}

  // What doubling now is worth to the side on roll, before the dice. ply: look-ahead of the plays.
  CubeDecision decide(const Board& before, const CubeStakes& stakes, int ply, Deadline& deadline) {
    const CubeDecision estimate = decide_cube(rules_.scores, outcomes(before, stakes, ply, deadline), stakes);
    const bool is_exact = CubeEnding::covers(before);
    CubeEnding ending(rules_, *plays_);
    Replies rolling;
    const auto rolled = [&](const CubeStakes& now) {
      if (is_exact) return ending.rolled(before, now);
      const Utility utility = now.utility(rules_);
      if (!rolling.is_known || utility.values != rolling.utility.values) {
        rolling = {true, utility, {}};
        for (const Roll roll : kDistinctRolls)
          rolling.best[index_of(roll)] = searcher_.best(before, roll, utility, ply, deadline);
      }
      return value_of(rolling, now);
    };
    double no_double = rolled(stakes);
    double double_take = estimate.double_take;
    // Values of single games are in units of the cube before the double.
    if (estimate.can_double) double_take = rolled(stakes.doubled()) * (stakes.is_match() ? 1 : 2);
    // Values by rolls let the player wait for one roll before the next double. A player who loses the match with this
    // game gains by waiting only with gammons, so the value of rolling is at most the estimate.
    if (!is_exact && stakes.is_last_chance()) no_double = std::min(no_double, estimate.no_double);
    return decided(no_double, double_take, estimate.double_pass, estimate.can_double, stakes);
  }

 private:
  // The best play of each roll. In single games it is the same at any cube.
  struct Replies {
    bool is_known = false;
    Utility utility{};
    std::array<Searcher::Best, kNumDistinctRolls> best{};
  };

  // The chance of each score for the side on roll, best first, with the cube left where it is.
  std::vector<double> outcomes(const Board& before, const CubeStakes& stakes, int ply, Deadline& deadline) {
    const Utility theirs = stakes.utility(rules_).opposed(rules_.num_scores());
    const Distribution found = searcher_.evaluate(before.swapped(), theirs, ply, deadline).first;
    return {std::reverse_iterator(found.begin() + rules_.num_scores()), std::reverse_iterator(found.begin())};
  }

  // What rolling is worth to the side on roll; the opponent may then use the cube.
  double value_of(const Replies& rolling, const CubeStakes& stakes) const {
    const CubeStakes theirs = stakes.swapped();
    const int num_scores = rules_.num_scores();
    double total = 0;
    for (const Roll roll : kDistinctRolls) {
      const Searcher::Best& best = rolling.best[index_of(roll)];
      double value = 0;
      if (best.play.score) {
        value = stakes.value_after(*best.play.score * stakes.value) / stakes.unit();
      } else {
        double sum = 0;
        for (int k = 0; k < num_scores; ++k) sum += static_cast<double>(best.scores[k]);
        std::vector<double> outcomes(static_cast<std::size_t>(num_scores));
        for (int k = 0; k < num_scores; ++k)
          outcomes[static_cast<std::size_t>(k)] = static_cast<double>(best.scores[num_scores - 1 - k]) / sum;
        value = stakes.total() - decide_cube(rules_.scores, outcomes, theirs).value();
      }
      total += weight_of(roll) * value;
    }
    return total / kNumRolls;
  }

  const Rules& rules_;
  Searcher& searcher_;
  std::unique_ptr<PlayList> plays_ = std::make_unique<PlayList>();
};

}  // namespace tavla
