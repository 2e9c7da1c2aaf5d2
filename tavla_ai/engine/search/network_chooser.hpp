// Plays of a network at 0-ply: the value of what is left after each.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <variant>
#include <vector>

#include "rules/board.hpp"
#include "rules/plays.hpp"
#include "rules/rules.hpp"
#include "search/decision.hpp"
#include "value/bearoff.hpp"
#include "value/network.hpp"
#include "value/outcomes.hpp"
#include "value/utility.hpp"

namespace tavla {

// Picks the play of the highest expected utility as the network predicts it; ties go to the first. A finished game
// is worth its score and a race that the bear-off tables cover what they say, whatever the network says.
class NetworkChooser {
 public:
  explicit NetworkChooser(const Network& network, const Bearoff* tables = nullptr)
      : network_(&network), tables_(tables), scratch_(network), stride_(padded(PlayList::kMaxLeaves)),
        probabilities_(static_cast<std::size_t>(stride_) * network.num_outputs()), values_(stride_) {}

  int choose(const Decision& decision) {
    const PlayList& plays = decision.plays;
    const int n = plays.num_leaves();
    const int num_scores = network_->num_outputs();
    network_->evaluate_plays(decision.before, plays, decision.utility.inputs.data(), scratch_,
                             probabilities_.data(), stride_);
    num_evaluated_ += n;
    if (tables_ && tables_->may_cover(decision.before.count[1]))
      for (int leaf = 0; leaf < n; ++leaf) {
        // Most plays leave a checker too far out, or hit: no board is made for them unless it is my last one.
        const Node& node = plays.leaf(leaf);
        if (node.is_finished()) continue;
        if (node.off < kCheckers - 1 && (node.hits > 0 || node.occupied >> (BearoffIndex::kMaxPoints + 1))) continue;
        const Board after = plays.afterstate(leaf, decision.before);
        if (tables_->covers(decision.rules, after))
          set_distribution(leaf, exact(*tables_, decision.rules, after), num_scores);
      }
    // Most positions have no checker off and nothing to drop.
    const bool opponent_bore_off = decision.before.count[1][kOff] > 0;
    const bool opponent_is_clear = num_scores >= 6 && is_clear_of_home(decision.before.count[1]);
    for (int leaf = 0; leaf < n; ++leaf) {
      const bool i_bore_off = plays.leaf(leaf).off > 0;
      const bool no_backgammon =
          opponent_is_clear && has_no_backgammon(decision.rules, plays.afterstate(leaf, decision.before));
      if (!i_bore_off && !opponent_bore_off && !no_backgammon) continue;
      drop_impossible(decision.rules, i_bore_off, opponent_bore_off, no_backgammon, [&](int k) -> float& {
        return probabilities_[static_cast<std::size_t>(k) * stride_ + leaf];
      });
    }
    std::fill_n(values_.begin(), n, 0.0f);
    for (int k = 0; k < num_scores; ++k) {
      const float* row = probabilities_.data() + static_cast<std::size_t>(k) * stride_;
      const float value = decision.utility.values[k];
      for (int i = 0; i < n; ++i) values_[i] += value * row[i];
    }
    best_ = 0;
    for (int i = 0; i < n; ++i) {
      if (plays.leaf(i).is_finished()) {
        Distribution certain{};
        const int score = decision.rules.score_index(plays.score(i));
        certain[score] = 1;
        set_distribution(i, certain, num_scores);
        values_[i] = decision.utility.values[score];
      }
      if (values_[i] > values_[best_]) best_ = i;
    }
    return best_;
  }

  // Of the last decision: the best play, the expected utility of each, and its distribution.
  int best() const { return best_; }
  const std::vector<float>& values() const { return values_; }
  float value(int leaf) const { return values_[leaf]; }
  float probability(int score, int leaf) const {
    return probabilities_[static_cast<std::size_t>(score) * stride_ + leaf];
  }
  Distribution distribution(int leaf) const {
    Distribution found{};
    for (int k = 0; k < network_->num_outputs(); ++k) found[k] = probability(k, leaf);
    return found;
  }

  // Afterstates that the network has seen.
  std::int64_t num_evaluated() const { return num_evaluated_; }

  // The distribution of an afterstate for the player who has just moved.
  Distribution evaluate(const Rules& rules, const Board& after, const Utility& utility) {
    if (tables_ && tables_->covers(rules, after)) return exact(*tables_, rules, after);
    network_->evaluate_boards(&after, utility.inputs.data(), 1, scratch_, probabilities_.data(), stride_);
    ++num_evaluated_;
    Distribution found = distribution(0);
    drop_impossible(rules, after.count[0][kOff] > 0, after.count[1][kOff] > 0, has_no_backgammon(rules, after),
                    [&](int k) -> float& { return found[k]; });
    return found;
  }

 private:
  void set_distribution(int leaf, const Distribution& distribution, int num_scores) {
    for (int k = 0; k < num_scores; ++k)
      probabilities_[static_cast<std::size_t>(k) * stride_ + leaf] = distribution[k];
  }

  const Network* network_;
  const Bearoff* tables_;
  Network::Scratch scratch_;
  int stride_;
  std::vector<float> probabilities_;
  std::vector<float> values_;
  int best_ = 0;
  std::int64_t num_evaluated_ = 0;
};

}  // namespace tavla
