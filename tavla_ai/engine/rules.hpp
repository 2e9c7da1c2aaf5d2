// What the engine needs to know of a ruleset, and the choice of the generator compiled for it.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "board.hpp"

namespace tavla {

constexpr int kMaxScores = 8;

// Run-time data of a ruleset. The fields mirror tavla_ai/rulesets.py.
struct Rules {
  std::array<std::int8_t, kPlaces> setup{};
  bool opening_rerolls = false;
  bool winner_rolls = false;
  bool hit_and_run = true;
  bool larger_die_first = false;
  std::vector<int> scores;  // best first, symmetric about 0
  int stuck_limit = 100;

  int num_scores() const { return static_cast<int>(scores.size()); }

  Board start() const {
    Board board;
    for (int side = 0; side < 2; ++side) std::copy(setup.begin(), setup.end(), board.count[side]);
    return board;
  }

  // Index into `scores` of a game the mover has just finished by bearing off his last checker.
  int finished_score_index(bool opponent_bore_off) const {
    const int points = opponent_bore_off ? 1 : 2;
    for (int k = 0; k < num_scores(); ++k)
      if (scores[k] == points) return k;
    throw RulesError("ruleset has no score of " + std::to_string(points) + " points");
  }
};

// Compile-time traits of the opposed, hitting family: the opponent's point q is my 25 - q, a lone
// checker is hit and two hold a point.
template <bool HitAndRun, bool LargerDieFirst>
struct OpposedHit {
  static constexpr bool hit_and_run = HitAndRun;
  static constexpr bool larger_die_first = LargerDieFirst;
};

// Calls `function` with the traits of the generator that plays these rules.
template <class Function>
decltype(auto) with_family(const Rules& rules, Function&& function) {
  if (rules.hit_and_run)
    return rules.larger_die_first ? function(OpposedHit<true, true>{}) : function(OpposedHit<true, false>{});
  return rules.larger_die_first ? function(OpposedHit<false, true>{}) : function(OpposedHit<false, false>{});
}

}  // namespace tavla
