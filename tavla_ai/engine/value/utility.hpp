// Utilities, and distributions over the scores of a game.
#pragma once

#include <array>

#include "base/dice.hpp"
#include "rules/rules.hpp"

namespace tavla {

// The probability of each score of a game, best first; entries beyond the game's scores are 0.
using Distribution = std::array<float, kMaxScores>;

// A sum over the distinct rolls, each with its weight.
using RollSum = std::array<double, kMaxScores>;

inline void add(RollSum& total, const Distribution& found, int weight) {
  for (int k = 0; k < kMaxScores; ++k) total[k] += weight * static_cast<double>(found[k]);
}

// The mean over all rolls, for the other side.
inline Distribution reversed_mean(const RollSum& total, int num_scores) {
  Distribution mean{};
  for (int k = 0; k < num_scores; ++k) mean[k] = static_cast<float>(total[num_scores - 1 - k] / kNumRolls);
  return mean;
}

// The worth of a game's scores to one side, and the network's inputs for it.
struct Utility {
  std::array<float, kMaxScores> values{};
  std::array<float, kMaxScores> inputs{};

  // The utility of the other side.
  Utility opposed(int num_scores) const {
    Utility other;
    for (int k = 0; k < num_scores; ++k) other.values[k] = -values[num_scores - 1 - k];
    const int num_inputs = num_scores - 2;
    for (int u = 0; u < num_inputs; ++u) other.inputs[u] = inputs[num_inputs - 1 - u];
    // Where there is a draw, the input in the middle is the part of the gap between the smallest win and the
    // smallest loss that lies above it; the other side sees the part below.
    if (num_scores % 2 == 1) other.inputs[num_inputs / 2] = 1 - inputs[num_inputs / 2];
    return other;
  }

  // The expected utility of a distribution.
  float of(const Distribution& distribution, int num_scores) const {
    float total = 0;
    for (int k = 0; k < num_scores; ++k) total += values[k] * distribution[k];
    return total;
  }

  // What a point is worth: half of the gap between the smallest win and the smallest loss.
  float point(int num_scores) const {
    const int num_wins = num_scores / 2;
    return (values[num_wins - 1] - values[num_scores - num_wins]) / 2;
  }
};

}  // namespace tavla
