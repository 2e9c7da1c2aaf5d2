// Single decisions, for loops outside the engine.
#pragma once

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "base/threads.hpp"
#include "games/player.hpp"
#include "games/seat.hpp"

namespace tavla {

// A roll to be played. The streams are those of its game, as a player that draws at random needs them.
struct OpenTurn {
  Board board;
  Roll roll;
  Utility utility;
  GameStreams streams;
  std::uint32_t ply;
};

// What a player makes of each of the turns. Not for Gul Bara, whose turns are more than one roll.
inline std::vector<TurnEnd> choose_plays(const Rules& rules, const Player& player, const std::vector<OpenTurn>& turns,
                                         int threads) {
  std::vector<TurnEnd> ends(turns.size());
  run_threads(threads, static_cast<std::int64_t>(turns.size()), [&](int, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    Chooser chooser = make_chooser(player);
    const auto plays = std::make_unique<PlayList>();
    for (std::int64_t i = begin; i < end; ++i) {
      const OpenTurn& turn = turns[static_cast<std::size_t>(i)];
      const Utility seen = player.stakes.seen(turn.utility);
      ends[static_cast<std::size_t>(i)] = std::visit(
          [&](auto& one) {
            return Seat(rules, one, *plays).take_turn(turn.board, turn.roll, seen, turn.streams, turn.ply);
          },
          chooser);
    }
  });
  return ends;
}

// One player's plays, one at a time. Its buffers are reused, so it serves one thread.
class PlayChooser {
 public:
  PlayChooser(const Rules& rules, Player player)
      : rules_(rules), player_(std::move(player)), chooser_(make_chooser(player_)),
        plays_(std::make_unique<PlayList>()) {}

  // What the player makes of a turn; of a play without a choice it is not asked. Not for Gul Bara.
  Play choose(const OpenTurn& turn) {
    plays_->generate(rules_, turn.board, turn.roll.first, turn.roll.second);
    if (plays_->num_leaves() == 1) return plays_->play(0, turn.board);
    const Utility seen = player_.stakes.seen(turn.utility);
    const Decision decision{rules_, turn.board, turn.roll, *plays_, seen, turn.streams, turn.ply};
    return plays_->play(std::visit([&](auto& one) { return one.choose(decision); }, chooser_), turn.board);
  }

 private:
  const Rules& rules_;
  Player player_;
  Chooser chooser_;
  std::unique_ptr<PlayList> plays_;
};

}  // namespace tavla
