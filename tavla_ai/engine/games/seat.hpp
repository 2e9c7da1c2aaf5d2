// A player in a game: it plays a whole turn from a roll, in any game.
#pragma once

#include <memory>

#include "games/game.hpp"
#include "rules/turn.hpp"
#include "search/decision.hpp"
#include "search/gul_bara_stages.hpp"

namespace tavla {

// Plays whole turns with a chooser. One per thread and player, since buffers are reused.
template <class Chooser>
class Seat {
 public:
  Seat(const Rules& rules, Chooser& chooser, PlayList& plays) : rules_(rules), chooser_(chooser), plays_(plays) {}

  // Plays a roll. After games without passed dice, plays() and last_leaf() tell what was chosen.
  TurnEnd take_turn(const Board& board, Roll roll, const Utility& utility, const GameStreams& streams,
                    std::uint32_t ply) {
    if (!rules_.facts().has_stages)
      return play_roll(rules_, board, roll, plays_, [&] {
        return last_leaf_ = chooser_.choose({rules_, board, roll, plays_, utility, streams, ply});
      });
    const std::vector<Stage> stages = stages_of_roll(rules_, board, roll);
    Board counted = board;
    count_roll(rules_, counted);
    if constexpr (requires { choose_stages(rules_, counted, stages, utility, chooser_, plays_); }) {
      return choose_stages(rules_, counted, stages, utility, chooser_, plays_);
    } else {
      TurnEnd end{counted, {}, false, 0, false};
      play_stages(
          rules_, stages, plays_, end, choice(utility, streams, ply),
          // The unplayed dice of a stage and all later stages pass to the opponent.
          [&](std::size_t i, const Stage& rest) {
            end.passed.push_back(rest);
            end.passed.insert(end.passed.end(), stages.begin() + static_cast<std::ptrdiff_t>(i) + 1, stages.end());
            return false;
          });
      return end;
    }
  }

  // Plays what the opponent passed, before the roll.
  void play_passed(std::span<const Stage> stages, const Utility& utility, const GameStreams& streams,
                   std::uint32_t ply, TurnEnd& end) {
    play_passed_stages(rules_, stages, plays_, end, choice(utility, streams, ply));
  }

  int last_leaf() const { return last_leaf_; }

 private:
  auto choice(const Utility& utility, const GameStreams& streams, std::uint32_t ply) {
    return [this, &utility, &streams, ply](const Board& board, const PlayList& plays) {
      return chooser_.choose({rules_, board, {}, plays, utility, streams, ply});
    };
  }

  const Rules& rules_;
  Chooser& chooser_;
  PlayList& plays_;
  int last_leaf_ = 0;
};

}  // namespace tavla
