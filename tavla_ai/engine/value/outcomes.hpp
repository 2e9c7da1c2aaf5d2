// What is known of a game's outcome without the network: scores that are no longer possible, exact races.
#pragma once

#include <array>

#include "rules/contact.hpp"
#include "value/bearoff.hpp"
#include "value/utility.hpp"

namespace tavla {

// The number of scores, from the largest down, that one side can no longer lose: a side that has borne off a checker
// cannot lose more than the smallest score, and in a race a side that has left the other's home cannot lose a
// backgammon.
inline int num_impossible(const Rules& rules, bool bore_off, bool no_backgammon) {
  const int num_wins = rules.num_scores() / 2;
  return bore_off ? num_wins - 1 : no_backgammon ? num_wins - 2 : 0;
}

// Moves the probability of scores that can no longer happen to the next smaller one; a network may still predict them.
// `row(k)` is the chance of score k, for the player who has just moved.
template <class Row>
void drop_impossible(const Rules& rules, bool i_bore_off, bool opponent_bore_off, bool no_backgammon, Row&& row) {
  const int num_scores = rules.num_scores();
  const int most = num_impossible(rules, opponent_bore_off, no_backgammon);
  for (int k = 0; k < most; ++k) {
    row(k + 1) += row(k);
    row(k) = 0;
  }
  const int least = num_impossible(rules, i_bore_off, no_backgammon);
  for (int k = 0; k < least; ++k) {
    row(num_scores - 2 - k) += row(num_scores - 1 - k);
    row(num_scores - 1 - k) = 0;
  }
}

// What the tables say of a race that they cover, for the player who has just moved.
inline Distribution exact(const Bearoff& tables, const Rules& rules, const Board& after) {
  std::array<double, kMaxScores> wide{};
  tables.distribution(rules, after, wide.data());
  Distribution found{};
  for (int k = 0; k < rules.num_scores(); ++k) found[k] = static_cast<float>(wide[k]);
  return found;
}

// Whether a game of three-point results can no longer end in one.
inline bool has_no_backgammon(const Rules& rules, const Board& board) {
  return rules.num_scores() >= 6 && is_clear_of_home(board.count[1]) && is_clear_of_home(board.count[0]) &&
         !has_contact(board);
}

// The best and the worst score that a game can still end with, for the player who has just moved.
struct PossibleScores {
  int best;
  int worst;

  PossibleScores(const Rules& rules, const Board& after)
      : best(num_impossible(rules, after.count[1][kOff] > 0, has_no_backgammon(rules, after))),
        worst(rules.num_scores() - 1 -
              num_impossible(rules, after.count[0][kOff] > 0, has_no_backgammon(rules, after))) {}
};

}  // namespace tavla
