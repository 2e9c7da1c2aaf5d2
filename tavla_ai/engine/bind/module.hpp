// The parts of the engine's Python face.
#pragma once

#include <nanobind/nanobind.h>

namespace tavla {

void bind_dice(nanobind::module_& m);
void bind_rules(nanobind::module_& m);
void bind_plays(nanobind::module_& m);
void bind_network(nanobind::module_& m);
void bind_inputs(nanobind::module_& m);
void bind_player(nanobind::module_& m);
void bind_choosing(nanobind::module_& m);
void bind_self_play(nanobind::module_& m);
void bind_lookahead(nanobind::module_& m);
void bind_duel(nanobind::module_& m);
void bind_random_games(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_bearoff(nanobind::module_& m);
void bind_cube(nanobind::module_& m);

}  // namespace tavla
