// Perft: the number of positions that a given number of turns can reach, counted over the 21 rolls.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/dice.hpp"
#include "rules/plays.hpp"

namespace tavla {

// Distinct afterstates of every roll, summed, `depth` turns deep. A pass counts as one; a finished game
// has no further turns. In Gul Bara only the first stage of a roll is played: nothing cascades or is passed on.
inline std::uint64_t perft(const Rules& rules, const Board& board, int depth,
                           std::vector<std::unique_ptr<PlayList>>& lists) {
  PlayList& plays = *lists[depth - 1];
  std::uint64_t total = 0;
  for (const Roll roll : kDistinctRolls) {
    plays.generate(rules, board, roll.first, roll.second);
    if (depth == 1) {
      total += static_cast<std::uint64_t>(plays.num_leaves());
      continue;
    }
    for (int leaf = 0; leaf < plays.num_leaves(); ++leaf)
      if (!plays.leaf(leaf).is_finished())
        total += perft(rules, plays.afterstate(leaf, board).swapped(), depth - 1, lists);
  }
  return total;
}

inline std::uint64_t perft(const Rules& rules, const Board& board, int depth) {
  std::vector<std::unique_ptr<PlayList>> lists;
  for (int i = 0; i < depth; ++i) lists.push_back(std::make_unique<PlayList>());
  return perft(rules, board, depth, lists);
}

}  // namespace tavla
