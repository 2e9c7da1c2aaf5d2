// The bear-off tables' part of the engine's Python face.
#pragma once

#include <nanobind/nanobind.h>

namespace tavla {

void bind_bearoff(nanobind::module_& m);

}  // namespace tavla
