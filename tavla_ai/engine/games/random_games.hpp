// Games of random play, for tests and measurements.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "games/game.hpp"
#include "games/seat.hpp"
#include "search/random.hpp"

namespace tavla {

// One turn of random play.
struct RandomTurn {
  Pending before;
  Roll roll{};       // 0-0 where the game ended with passed dice, before the roll
  Board rolled;      // after the passed dice, when the roll is played
  TurnEnd end;
};

// Every turn of a game of random play.
inline std::vector<RandomTurn> random_game(const Rules& rules, const GameStreams& streams, PlayList& plays) {
  std::vector<RandomTurn> turns;
  RandomChooser chooser;
  Seat<RandomChooser> mover(rules, chooser, plays);
  const Utility indifferent;
  RandomTurn turn{{rules.start(), {}}, {}, {}, {}};
  play_game(
      rules, streams, std::nullopt,
      [&](int, const Board& board, Roll roll, std::uint32_t ply) {
        if (turn.before.passed.empty()) turn.before.board = board;
        turn.roll = roll;
        turn.rolled = board;
        turn.end = mover.take_turn(board, roll, indifferent, streams, ply);
        turns.push_back(turn);
        turn = {{turn.end.after.swapped(), turn.end.passed}, {}, {}, {}};
        return turns.back().end;
      },
      [&](int, std::span<const Stage> stages, TurnEnd& end, std::uint32_t ply) {
        mover.play_passed(stages, indifferent, streams, ply, end);
        if (!end.is_finished) return;
        turn.end = end;
        turns.push_back(turn);
      });
  return turns;
}

// Positions before a roll, with the roll, as random play meets them.
struct RandomWalk {
  std::vector<Board> boards;
  std::vector<std::array<std::int8_t, 2>> dice;
};

inline RandomWalk random_walk(const Rules& rules, const Games& games) {
  RandomWalk walk;
  auto plays = std::make_unique<PlayList>();
  for (std::int64_t g = 0; g < games.number; ++g)
    for (const RandomTurn& turn : random_game(rules, games.streams(g), *plays)) {
      if (turn.roll.first == 0) continue;
      walk.boards.push_back(turn.rolled);
      walk.dice.push_back({static_cast<std::int8_t>(turn.roll.first), static_cast<std::int8_t>(turn.roll.second)});
    }
  return walk;
}

}  // namespace tavla
