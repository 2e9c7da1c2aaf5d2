// The network's inputs: how a count on a place becomes numbers.
#pragma once

#include <algorithm>

#include "rules/board.hpp"

namespace tavla {

// A changed input makes older checkpoints unreadable: change the name with it.
constexpr const char* kFeatureVersion = "thermometer-1";
constexpr int kPlaceFeatures = 4;
constexpr int num_board_features(int num_places) { return 2 * num_places * kPlaceFeatures; }

// Inputs of `count` checkers on `place`. Points, bar and the places that some games add: at least 1, 2, 3,
// and how many beyond 3, as in TD-Gammon; borne off: at least 1 (the mars is saved), 5, 10, and the share of all checkers.
inline void place_features(int place, int count, float* out) {
  if (place == kOff) {
    out[0] = count >= 1;
    out[1] = count >= 5;
    out[2] = count >= 10;
    out[3] = static_cast<float>(count) / kCheckers;
  } else {
    out[0] = count >= 1;
    out[1] = count >= 2;
    out[2] = count >= 3;
    out[3] = static_cast<float>(std::max(0, count - 3)) / 2;
  }
}

}  // namespace tavla
