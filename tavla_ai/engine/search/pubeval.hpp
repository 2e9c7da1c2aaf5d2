// Tesauro's pubeval, the benchmark of the literature.
#pragma once

#include <array>

#include "rules/contact.hpp"
#include "search/decision.hpp"

namespace tavla {

// Tesauro's pubeval: two linear functions of 122 inputs (G. Tesauro, rec.games.backgammon, 1993).
struct Pubeval {
  static constexpr int kInputs = 122;
  std::array<float, kInputs> contact{};
  std::array<float, kInputs> race{};
};

class PubevalChooser {
 public:
  explicit PubevalChooser(const Pubeval& weights) : weights_(&weights) {}

  int choose(const Decision& decision) {
    // The class is decided on the position before the play.
    const auto& weights = has_contact(decision.before) ? weights_->contact : weights_->race;
    int best = 0;
    float best_value = 0;
    for (int i = 0; i < decision.plays.num_leaves(); ++i) {
      if (decision.plays.leaf(i).is_finished()) return i;
      const float value = evaluate(decision.plays.afterstate(i, decision.before), weights);
      if (i == 0 || value > best_value) {
        best = i;
        best_value = value;
      }
    }
    return best;
  }

 private:
  static float evaluate(const Board& after, const std::array<float, Pubeval::kInputs>& weights) {
    float total = 0;
    for (int j = 0; j < kPoints; ++j) {
      const int point = kPoints - j;
      const float* w = weights.data() + 5 * j;
      const int n = after.count[0][point];
      if (n == 0) {
        if (after.count[1][25 - point] == 1) total += w[0];
        continue;
      }
      if (n == 1) total += w[1];
      if (n >= 2) total += w[2];
      if (n == 3) total += w[3];
      if (n >= 4) total += w[4] * static_cast<float>(n - 3) / 2;
    }
    total += weights[120] * static_cast<float>(after.count[1][kBar]) / 2;
    return total + weights[121] * static_cast<float>(after.count[0][kOff]) / kCheckers;
  }

  const Pubeval* weights_;
};

}  // namespace tavla
