// Cube decisions of many positions at once, for loops outside the engine.
#pragma once

#include <vector>

#include "base/threads.hpp"
#include "games/player.hpp"
#include "search/cube_search.hpp"

namespace tavla {

// What a network, at its ply, thinks of doubling in each position before the roll, the player on roll first.
inline std::vector<CubeDecision> cube_decisions(const Rules& rules, const NetworkPlayer& player,
                                                const std::vector<Board>& boards,
                                                const std::vector<CubeStakes>& stakes, int threads) {
  std::vector<CubeDecision> found(boards.size());
  run_threads(threads, static_cast<std::int64_t>(boards.size()), [&](int, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    Searcher searcher(rules, *player.network, player.tables.get(), player.search, nullptr, 1);
    CubeSearch search(rules, searcher);
    Deadline never;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      found[i] = search.decide(boards[i], stakes[i], player.ply, never);
  });
  return found;
}

}  // namespace tavla
