// Endings with one checker left on each side, which may still meet.
#pragma once

#include <array>

#include "rules/board.hpp"
#include "rules/rules.hpp"

namespace tavla {

// Who wins them, exactly, by value iteration over every place of both checkers and every play of every roll; a checker
// that is hit enters again. Neither side can lose a mars any more.
class LastCheckers {
 public:
  // The rules must be those of a game for which `has_rules` holds.
  explicit LastCheckers(const Rules& rules);

  // Whether a game's endings are solved: its checkers meet and are hit as in western backgammon.
  static bool has_rules(const Rules& rules) {
    return rules.facts().is_opposed_hit() && rules.facts().num_more_places == 0;
  }
  // Whether a side has one checker left.
  static bool is_last(const std::int8_t* row) { return row[kOff] == kCheckers - 1; }

  // The chance that the player on roll wins, side 0 of `before`, before the dice. Each side has one checker left.
  double win_chance(const Board& before) const {
    return wins_[static_cast<std::size_t>(state_of(before.count[0], before.count[1]))];
  }

 private:
  static constexpr int kPlaces = kBar;  // the points and the bar
  static constexpr int kStates = kPlaces * kPlaces;

  static int place_of(const std::int8_t* row) {
    int place = 1;
    while (row[place] == 0) ++place;
    return place;
  }
  static int state_of(const std::int8_t* mine, const std::int8_t* theirs) {
    return (place_of(mine) - 1) * kPlaces + place_of(theirs) - 1;
  }

  std::array<double, kStates> wins_{};
};

}  // namespace tavla
