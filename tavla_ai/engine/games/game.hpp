// One game from its opening to its score; self-play, tournaments and random walks all run this loop.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/dice.hpp"
#include "rules/plays.hpp"
#include "rules/rules.hpp"
#include "rules/turn.hpp"

namespace tavla {

// A range of the games of a seed.
struct Games {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  std::int64_t number = 0;

  // Those from `begin` up to `end`, counted from the first.
  Games part(std::int64_t begin, std::int64_t end) const {
    return {seed, first + static_cast<std::uint64_t>(begin), end - begin};
  }
  // The streams of the i-th of them.
  GameStreams streams(std::int64_t i) const { return GameStreams(seed, first + static_cast<std::uint64_t>(i)); }
};

struct GameResult {
  bool is_void = false;  // ended by the stuck rule
  int starter = 0;       // seat that made the first move
  int winner = 0;        // seat that made the last move, whose score it is
  int score_index = 0;   // into Rules::scores, for `winner`
  int plies = 0;
};

// Plays one game. `take_turn(seat, board, roll, ply)` plays a roll and returns its TurnEnd; `play_passed(seat,
// stages, end, ply)` plays what the opponent passed, in games where dice are passed.
template <class TakeTurn, class PlayPassed>
GameResult play_game(const Rules& rules, const GameStreams& streams, std::optional<int> first_seat,
                     TakeTurn&& take_turn, PlayPassed&& play_passed) {
  Pending state{rules.start(), {}};
  const Opening opening =
      first_seat ? Opening{*first_seat, streams.roll(0)} : open_game(streams, rules.opening_rerolls);
  int seat = opening.seat;
  StuckCount stuck(rules.stuck_limit);
  GameResult result;
  result.starter = seat;
  for (std::uint32_t ply = 0;; ++ply) {
    TurnEnd end{state.board, {}, false, 0, false};
    if (!state.passed.empty()) play_passed(seat, std::span<const Stage>(state.passed), end, ply);
    if (!end.is_finished) {
      const bool has_moved = end.has_moved;
      end = take_turn(seat, end.after, ply == 0 ? opening.roll : streams.roll(ply), ply);
      end.has_moved |= has_moved;
    }
    result.plies = static_cast<int>(ply) + 1;
    if (end.is_finished) {
      result.winner = seat;
      result.score_index = rules.score_index(end.points);
      return result;
    }
    stuck.add(end.has_moved);
    if (stuck.is_reached()) {
      result.is_void = true;
      return result;
    }
    state.board = end.after.swapped();
    state.passed = std::move(end.passed);
    seat ^= 1;
  }
}

// Plays a roll where no dice are ever passed: one generation, one choice.
template <class Choose>
TurnEnd play_roll(const Rules& rules, const Board& board, Roll roll, PlayList& plays, Choose&& choose) {
  plays.generate(rules, board, roll.first, roll.second);
  const int leaf = choose();
  TurnEnd end{plays.afterstate(leaf, board), {}, plays.leaf(leaf).is_finished(), 0, plays.leaf_node(leaf) != 0};
  if (end.is_finished) end.points = plays.score(leaf);
  return end;
}

// Counts an own roll, where the game counts them, before it is played.
inline void count_roll(const Rules& rules, Board& board) {
  if (rules.variant.cascade_from > 0 && board.count[0][kOwnRolls] < 3) ++board.count[0][kOwnRolls];
}

}  // namespace tavla
