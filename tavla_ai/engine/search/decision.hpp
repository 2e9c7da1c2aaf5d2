// What a chooser is asked.
#pragma once

#include <cstdint>

#include "base/dice.hpp"
#include "rules/board.hpp"
#include "rules/plays.hpp"
#include "rules/rules.hpp"
#include "value/utility.hpp"

namespace tavla {

// One decision: the position before the play, its legal plays, and what the mover plays for.
struct Decision {
  const Rules& rules;
  const Board& before;
  Roll roll;
  const PlayList& plays;
  const Utility& utility;
  const GameStreams& streams;
  std::uint32_t ply;
};

}  // namespace tavla
