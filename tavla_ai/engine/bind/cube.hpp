// The cube's stakes and decisions as Python gives and takes them.
#pragma once

#include <tuple>
#include <vector>

#include "bind/arrays.hpp"
#include "search/cube_search.hpp"
#include "value/cube.hpp"

namespace tavla {

// no_double, double_take, double_pass, can_double, should_double, should_take, is_too_good
using CubeOutput = std::tuple<double, double, double, bool, bool, bool, bool>;

inline CubeOutput cube_output(const CubeDecision& decision) {
  return {decision.no_double,     decision.double_take, decision.double_pass, decision.can_double,
          decision.should_double, decision.should_take, decision.is_too_good};
}

// A position before the roll in which the cube can be asked about.
inline void check_cube_position(const Rules& rules, const Board& board) {
  check_playable(rules, board);
  require(rules.facts().is_opposed_hit(), "cube: a game with the plays of western backgammon expected");
}

}  // namespace tavla
