// The best reply to each of the 21 rolls, found quickly.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "choosers.hpp"

namespace tavla {

// Worth by the gradient of a network's value at the board.
class NetworkGains final : public Gains {
 public:
  // gradient: Network::gradient at the board; lives as long as this.
  NetworkGains(const Network& network, const std::vector<float>& gradient) : network_(network), gradient_(gradient) {}

 private:
  void look_up(int side, int place, int first, int n, float* out) override {
    network_.project(gradient_.data(), side, place, first, n, out);
  }

  const Network& network_;
  const std::vector<float>& gradient_;
};

// All rolls of a board at once. The best reply is looked for among a few: those that look best to first order, by the
// gradient of the value at the board before the roll. The network is asked about these only, about all rolls together.
class Replies {
 public:
  static constexpr int kRolls = 21;
  static constexpr int kMostCandidates = 8;

  // num_candidates: replies to each roll that the network is asked about, 1 to kMostCandidates.
  Replies(const Rules& rules, const Network& network, const Bearoff* tables, int num_candidates)
      : rules_(rules), network_(network), tables_(tables), num_candidates_(num_candidates), scratch_(network_),
        plays_(std::make_unique<PlayList>()), root_(static_cast<std::size_t>(network_.width())),
        gradient_(root_.size()), gains_(network_, gradient_), activations_(static_cast<std::size_t>(kRolls * num_candidates) * root_.size()) {}

  static int index(int high, int low) { return high * (high - 1) / 2 + low - 1; }

  // can_double: false for an opening roll that is played as it fell; its doubles are left alone.
  void evaluate(const Board& before, const Utility& utility, bool can_double) {
    network_.accumulate(before, utility.inputs.data(), root_.data());
    network_.gradient(root_.data(), utility.values.data(), scratch_, gradient_.data());
    gains_.begin(before);
    plays_->begin(rules_, before);
    struct Asked {
      int roll;
      bool i_bore_off;
      bool no_backgammon;
    };
    std::array<Asked, kRolls * kMostCandidates> asked;
    int num_asked = 0;
    std::array<bool, kRolls> has_value{};
    const auto offer = [&](int roll, const Distribution& outcomes, float value) {
      if (!has_value[roll] || value > values_[roll]) {
        values_[roll] = value;
        distributions_[roll] = outcomes;
      }
      has_value[roll] = true;
    };
    const bool may_be_covered = tables_ && tables_->covers_side(before.count[1]);
    for (int high = 1; high <= 6; ++high)
      for (int low = 1; low <= (can_double ? high : high - 1); ++low) {
        const int roll = index(high, low);
        plays_->generate_roll(rules_, before, high, low);
        std::array<int, kMostCandidates> candidates;
        const int num_candidates = candidates_of(before, candidates);
        for (int i = 0; i < num_candidates; ++i) {
          const int leaf = candidates[static_cast<std::size_t>(i)];
          if (plays_->leaf(leaf).is_finished()) {
            const int score = rules_.score_index(plays_->score(leaf));
            Distribution certain{};
            certain[score] = 1;
            offer(roll, certain, utility.values[score]);
            continue;
          }
          bool no_backgammon = false;
          if (may_be_covered || rules_.num_scores() >= 6) {
            const Board after = plays_->afterstate(leaf, before);
            if (may_be_covered && tables_->covers(rules_, after)) {
              const Distribution outcomes = exact(*tables_, rules_, after);
              offer(roll, outcomes, utility.of(outcomes, rules_.num_scores()));
              continue;
            }
            no_backgammon = has_no_backgammon(rules_, after);
          }
          network_.activate_play(root_.data(), before, *plays_, leaf,
                                 activations_.data() + static_cast<std::size_t>(num_asked) * root_.size());
          asked[static_cast<std::size_t>(num_asked++)] = {roll, plays_->leaf(leaf).off > 0, no_backgammon};
        }
      }
    num_evaluated_ += num_asked;
    for (int begin = 0; begin < num_asked; begin += Network::kBlock) {
      const int n = std::min(Network::kBlock, num_asked - begin);
      network_.evaluate_activations(activations_.data() + static_cast<std::size_t>(begin) * root_.size(), n, scratch_,
                                    probabilities_.data(), Network::kBlock);
      for (int i = 0; i < n; ++i) {
        const Asked& one = asked[static_cast<std::size_t>(begin + i)];
        const auto chance = [&](int k) -> float& {
          return probabilities_[static_cast<std::size_t>(k * Network::kBlock + i)];
        };
        drop_impossible(rules_, one.i_bore_off, before.count[1][kOff] > 0, one.no_backgammon, chance);
        Distribution outcomes{};
        for (int k = 0; k < rules_.num_scores(); ++k) outcomes[k] = chance(k);
        offer(one.roll, outcomes, utility.of(outcomes, rules_.num_scores()));
      }
    }
  }

  // What evaluate found, by index: the reply's value and its scores for the side that replies.
  const std::array<float, kRolls>& values() const { return values_; }
  const std::array<Distribution, kRolls>& distributions() const { return distributions_; }

  // The mean of the scores over all rolls, for the side that has just moved.
  Distribution mean_after() const {
    RollSum total{};
    for (int high = 1; high <= 6; ++high)
      for (int low = 1; low <= high; ++low) add(total, distributions_[index(high, low)], high == low ? 1 : 2);
    return reversed_mean(total, rules_.num_scores());
  }

  // Afterstates that the network has seen.
  std::int64_t num_evaluated() const { return num_evaluated_; }

 private:
  // The plays of the roll that look best; one that ends the game is taken for the best of all.
  int candidates_of(const Board& before, std::array<int, kMostCandidates>& candidates) {
    const int n = plays_->num_leaves();
    if (n <= num_candidates_) {
      for (int leaf = 0; leaf < n; ++leaf) candidates[static_cast<std::size_t>(leaf)] = leaf;
      return n;
    }
    gained_.resize(static_cast<std::size_t>(plays_->num_nodes()));
    plays_->gains(before, gains_, gained_.data());
    std::array<float, kMostCandidates> best;
    int found = 0;
    for (int leaf = 0; leaf < n; ++leaf) {
      const float gain = plays_->leaf(leaf).is_finished() ? kEnds + static_cast<float>(plays_->score(leaf))
                                                          : gained_[static_cast<std::size_t>(plays_->leaf_node(leaf))];
      if (found == num_candidates_ && gain <= best[num_candidates_ - 1]) continue;
      int at = found < num_candidates_ ? found++ : num_candidates_ - 1;
      for (; at > 0 && gain > best[static_cast<std::size_t>(at - 1)]; --at) {
        best[static_cast<std::size_t>(at)] = best[static_cast<std::size_t>(at - 1)];
        candidates[static_cast<std::size_t>(at)] = candidates[static_cast<std::size_t>(at - 1)];
      }
      best[static_cast<std::size_t>(at)] = gain;
      candidates[static_cast<std::size_t>(at)] = leaf;
    }
    return found;
  }

  static constexpr float kEnds = 1e6f;

  const Rules& rules_;
  const Network& network_;
  const Bearoff* tables_;
  int num_candidates_;
  Network::Scratch scratch_;
  std::unique_ptr<PlayList> plays_;
  std::vector<float> root_;         // the accumulator of the board before the roll
  std::vector<float> gradient_;
  std::vector<float> activations_;  // of the plays that the network is asked about
  NetworkGains gains_;
  std::vector<float> gained_;       // by node
  std::array<float, kMaxScores * Network::kBlock> probabilities_{};
  std::array<float, kRolls> values_{};
  std::array<Distribution, kRolls> distributions_{};
  std::int64_t num_evaluated_ = 0;
};

}  // namespace tavla
