// A whole turn: in most games one roll and one play; in Gul Bara also passed dice, cascades and dice that pass on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dice.hpp"
#include "rules/plays.hpp"
#include "rules/rules.hpp"

namespace tavla {

// Dice that are played together: two different ones, or one to four of a kind.
struct Stage {
  int count = 0;
  std::array<int, 4> dice{};

  std::span<const int> span() const { return {dice.data(), static_cast<std::size_t>(count)}; }
};

// A position before the dice, and the stages that the player on roll must play before rolling.
struct Pending {
  Board board;
  std::vector<Stage> passed;
};

// Result of a turn, seen by its player.
struct TurnEnd {
  Board after;
  std::vector<Stage> passed;  // stages that the opponent must play
  bool is_finished = false;
  int points = 0;  // the mover's score, if finished
  bool has_moved = false;
};

// The stuck rule: a game is void after `limit` turns in a row without a move.
class StuckCount {
 public:
  explicit StuckCount(int limit) : limit_(limit) {}

  void add(bool has_moved) { turns_ = has_moved ? 0 : turns_ + 1; }
  bool is_reached() const { return turns_ >= limit_; }

 private:
  int limit_;
  int turns_ = 0;
};

// The stages of a roll (Gul Bara: from the fourth own roll on a double n cascades through n + 1 … 6).
inline std::vector<Stage> stages_of_roll(const Rules& rules, const Board& board, Roll roll) {
  if (roll.first != roll.second) return {{2, {roll.first, roll.second}}};
  const bool cascades =
      rules.variant.cascade_from > 0 && board.count[0][kOwnRolls] + 1 >= rules.variant.cascade_from;
  std::vector<Stage> stages;
  for (int die = roll.first; die <= (cascades ? 6 : roll.first); ++die) stages.push_back({4, {die, die, die, die}});
  return stages;
}

// The dice of a stage that a play did not use.
inline Stage unplayed(const Stage& stage, const PlayList& plays, int leaf) {
  const int used = plays.leaf(leaf).is_finished() ? stage.count : plays.num_steps(leaf);
  Stage rest;
  if (stage.count == 2 && stage.dice[0] != stage.dice[1]) {
    if (used == 0) return stage;
    if (used == 1) rest = {1, {stage.dice[0] + stage.dice[1] - plays.first_die(leaf)}};
    return rest;
  }
  rest.count = stage.count - used;
  for (int i = 0; i < rest.count; ++i) rest.dice[i] = stage.dice[0];
  return rest;
}

// Plays stages one after the other. `choose(board, plays)` picks a leaf. `on_rest(stage index, rest)` is called for a
// stage that was not completed and returns whether to continue.
template <class Choose, class OnRest>
void play_stages(const Rules& rules, std::span<const Stage> stages, PlayList& plays, TurnEnd& end, Choose&& choose,
                 OnRest&& on_rest) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    plays.generate_stage(rules, end.after, stages[i].span());
    const int leaf = choose(end.after, plays);
    end.has_moved |= plays.leaf_node(leaf) != 0;
    if (plays.leaf(leaf).is_finished()) {
      end.is_finished = true;
      end.points = plays.score(leaf);
    }
    const Stage rest = unplayed(stages[i], plays, leaf);
    end.after = plays.afterstate(leaf, end.after);
    if (end.is_finished || (rest.count > 0 && !on_rest(i, rest))) return;
  }
}

// Plays the stages that the opponent passed; dice that cannot be played are lost.
template <class Choose>
void play_passed_stages(const Rules& rules, std::span<const Stage> stages, PlayList& plays, TurnEnd& end,
                        Choose&& choose) {
  play_stages(rules, stages, plays, end, choose, [](std::size_t, const Stage&) { return true; });
}

}  // namespace tavla
