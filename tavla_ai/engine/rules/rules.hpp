// A ruleset in the engine.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "rules/board.hpp"
#include "rules/families/facts.hpp"

namespace tavla {

constexpr int kMaxScores = 8;

// An input that the rules forbid; the binding turns it into the Python RulesetError.
struct RulesError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Differences between the games of a family. The fields mirror those of a ruleset in tavla_ai/rules/rulesets.py.
struct Variant {
  bool hit_and_run = true;
  bool larger_die_first = false;
  bool pinned_blocks_bear_off = false;
  bool leave_a_move = true;
  int cascade_from = 0;  // own roll from which a double cascades; 0 never
};

// Run-time data of a ruleset.
struct Rules {
  Family family = Family::kOpposedHit;
  std::array<std::int8_t, kCommonPlaces> setup{};
  int reserve = 0;
  bool opening_rerolls = false;
  bool winner_rolls = false;
  Variant variant;
  std::vector<int> scores;  // best first, symmetric about 0
  int stuck_limit = 100;

  int num_scores() const { return static_cast<int>(scores.size()); }

  const FamilyFacts& facts() const { return facts_of(family); }

  // The opponent's number of my `point`.
  int facing(int point) const { return facts().is_parallel ? parallel_point(point) : opposed_point(point); }

  // Length of a row of counts.
  int num_places() const { return kCommonPlaces + facts().num_more_places; }

  // Whether the larger die is played first when all checkers are home.
  bool plays_larger_die_first() const { return facts().is_opposed_hit() && variant.larger_die_first; }

  Board start() const;

  // Index into `scores` of a game that the mover has finished with `points`.
  int score_index(int points) const {
    for (int k = 0; k < num_scores(); ++k)
      if (scores[k] == points) return k;
    throw RulesError("the ruleset has no score of " + std::to_string(points) + " points");
  }
};

// Throws RulesError, naming the offence, for a board that the game cannot reach or that would make the
// generator or the table look-ups leave their bounds.
void check_board(const Rules& rules, const Board& board);

// Whether the game has ended with this board: all checkers of a side are off, or by the rules of the mothers
// (Plakoto) or of capote (Tawula).
bool is_finished(const Rules& rules, const Board& board);

void check_dice(int first, int second);

}  // namespace tavla
