// Rolls that can catch a lone checker.
#pragma once

#include <bit>
#include <cstdint>

#include "base/dice.hpp"
#include "rules/plays.hpp"
#include "rules/rules.hpp"

namespace tavla {

// The number of the opponent's 36 rolls that have a play after which more of the mover's checkers are on the bar, or in
// Plakoto pinned. The game is one in which checkers are hit or pinned, and is not over; `plays` is a buffer.
inline int num_hitting_rolls(const Rules& rules, const Board& after, PlayList& plays) {
  const Board before = after.swapped();
  plays.begin(rules, before);
  const auto pinned = [](const Node& node) { return node.blots & node.occupied; };
  const Node root = plays.node(0);
  const bool pins = rules.facts().pins();
  if ((pins ? root.blots & ~root.occupied : root.blots) == 0) return 0;
  const int num_pinned = std::popcount(pinned(root));
  int rolls = 0;
  for (const Roll roll : kDistinctRolls) {
    plays.generate_roll(rules, before, roll.first, roll.second);
    for (int leaf = 0; leaf < plays.num_leaves(); ++leaf) {
      const Node& node = plays.leaf(leaf);
      if (pins ? std::popcount(pinned(node)) > num_pinned : node.hits > 0) {
        rolls += weight_of(roll);
        break;
      }
    }
  }
  return rolls;
}

}  // namespace tavla
