#include "value/last_checkers.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "base/dice.hpp"
#include "rules/plays.hpp"

namespace tavla {
namespace {

// Values change by less than this in the last round, which leaves errors of the same size.
constexpr double kClose = 1e-14;
constexpr int kWon = -1;

Board board_with(int mine, int theirs) {
  Board board{};
  for (int side = 0; side < 2; ++side) board.count[side][kOff] = kCheckers - 1;
  board.count[0][mine] = board.count[1][theirs] = 1;
  return board;
}

}  // namespace

LastCheckers::LastCheckers(const Rules& rules) {
  // The states that the plays of each roll lead to, seen by the other side; kWon where the checker is borne off.
  std::vector<std::array<std::vector<int>, kNumDistinctRolls>> next(kStates);
  const auto plays = std::make_unique<PlayList>();
  for (int mine = 1; mine <= kPlaces; ++mine) {
    for (int theirs = 1; theirs <= kPlaces; ++theirs) {
      // The checkers do not share a point, and only the side that was hit is on the bar.
      if (mine + theirs == kBar || (mine == kBar && theirs == kBar)) continue;
      const Board board = board_with(mine, theirs);
      for (const Roll roll : kDistinctRolls) {
        plays->generate(rules, board, roll.first, roll.second);
        std::vector<int>& reached = next[static_cast<std::size_t>(state_of(board.count[0], board.count[1]))][index_of(roll)];
        for (int leaf = 0; leaf < plays->num_leaves(); ++leaf) {
          const Board after = plays->afterstate(leaf, board);
          reached.push_back(plays->leaf(leaf).is_finished() ? kWon : state_of(after.count[1], after.count[0]));
        }
      }
    }
  }
  wins_.fill(0.5);
  for (double change = 1; change > kClose;) {
    change = 0;
    for (std::size_t state = 0; state < kStates; ++state) {
      if (next[state][0].empty()) continue;
      double total = 0;
      for (const Roll roll : kDistinctRolls) {
        double best = 0;
        for (const int reached : next[state][index_of(roll)])
          best = std::max(best, reached == kWon ? 1 : 1 - wins_[static_cast<std::size_t>(reached)]);
        total += weight_of(roll) * best;
      }
      change = std::max(change, std::abs(total / kNumRolls - wins_[state]));
      wins_[state] = total / kNumRolls;
    }
  }
}

}  // namespace tavla
