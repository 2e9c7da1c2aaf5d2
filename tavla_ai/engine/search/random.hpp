// Random play.
#pragma once

#include <cstdint>

#include "search/decision.hpp"

namespace tavla {

// Every legal play with equal chance.
class RandomChooser {
 public:
  int choose(const Decision& decision) {
    return static_cast<int>(
        decision.streams.choice(decision.ply, static_cast<std::uint32_t>(decision.plays.num_leaves())));
  }
};

}  // namespace tavla
