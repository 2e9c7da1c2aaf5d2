// How lucky rolls are, as a network sees them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache.hpp"
#include "player.hpp"

namespace tavla {

// A network's opinion of rolls: what the roll is worth, less the mean over the rolls that there could have been. It is
// 0 on average whatever the opinion, so taking it away from a result leaves its mean alone.
//
// A roll is worth what the best of a few plays is: those that look best to first order, by the gradient of the value
// at the board before the roll. The network is asked about these only, about all rolls at once.
class Judge {
 public:
  Judge(const Rules& rules, const NetworkPlayer& player)
      : rules_(rules), network_(*player.network), tables_(player.tables.get()), scratch_(network_),
        plays_(std::make_unique<PlayList>()), root_(static_cast<std::size_t>(network_.width())),
        gradient_(root_.size()), activations_(kRolls * kCandidates * root_.size()), known_(kKnown) {}

  // can_double: false for an opening roll that is played as it fell.
  double luck(const Board& before, Roll rolled, const Utility& utility, bool can_double) {
    const Values& values = values_of(before, utility, can_double);
    return values.of_roll[index(std::max(rolled.first, rolled.second), std::min(rolled.first, rolled.second))] -
           values.mean;
  }

 private:
  static constexpr int kRolls = 21;
  static constexpr int kCandidates = 2;
  static constexpr std::size_t kKnown = 4096;

  struct Values {
    bool is_set = false;
    std::uint64_t tag = 0;
    Board board{};
    std::array<float, kRolls> of_roll{};
    double mean = 0;
  };

  static int index(int high, int low) { return high * (high - 1) / 2 + low - 1; }

  // Both games of a pair go the same way until their players differ, and all games begin alike.
  const Values& values_of(const Board& before, const Utility& utility, bool can_double) {
    const std::uint64_t tag = 2 * SearchCache::tag(0, utility, rules_.num_scores()) + can_double;
    Values& values = known_[board_hash(before, tag) % kKnown];
    if (values.is_set && values.tag == tag && values.board == before) return values;
    values.is_set = true;
    values.tag = tag;
    values.board = before;
    evaluate(before, utility, can_double, values.of_roll);
    double total = 0;
    int weights = 0;
    for (int high = 1; high <= 6; ++high)
      for (int low = 1; low <= (can_double ? high : high - 1); ++low) {
        const int weight = high == low ? 1 : 2;
        total += weight * static_cast<double>(values.of_roll[index(high, low)]);
        weights += weight;
      }
    values.mean = total / weights;
    return values;
  }

  void evaluate(const Board& before, const Utility& utility, bool can_double, std::array<float, kRolls>& of_roll) {
    network_.accumulate(before, utility.inputs.data(), root_.data());
    network_.gradient(root_.data(), utility.values.data(), scratch_, gradient_.data());
    for (auto& side : is_projected_) side.fill(false);
    struct Asked {
      int roll;
      bool i_bore_off;
      bool no_backgammon;
    };
    std::array<Asked, kRolls * kCandidates> asked;
    int num_asked = 0;
    std::array<bool, kRolls> has_value{};
    const auto offer = [&](int roll, float value) {
      if (!has_value[roll] || value > of_roll[roll]) of_roll[roll] = value;
      has_value[roll] = true;
    };
    const bool may_be_covered = tables_ && tables_->covers_side(before.count[1]);
    for (int high = 1; high <= 6; ++high)
      for (int low = 1; low <= (can_double ? high : high - 1); ++low) {
        const int roll = index(high, low);
        plays_->generate(rules_, before, high, low);
        std::array<int, kCandidates> candidates;
        const int num_candidates = candidates_of(before, candidates);
        for (int i = 0; i < num_candidates; ++i) {
          const int leaf = candidates[static_cast<std::size_t>(i)];
          if (plays_->leaf(leaf).is_finished()) {
            offer(roll, utility.values[rules_.score_index(plays_->score(leaf))]);
            continue;
          }
          bool no_backgammon = false;
          if (may_be_covered || rules_.num_scores() >= 6) {
            const Board after = plays_->afterstate(leaf, before);
            if (may_be_covered && tables_->covers(rules_, after)) {
              offer(roll, exact(after, utility));
              continue;
            }
            no_backgammon = has_no_backgammon(rules_, after);
          }
          network_.activate_play(root_.data(), before, *plays_, leaf,
                                 activations_.data() + static_cast<std::size_t>(num_asked) * root_.size());
          asked[static_cast<std::size_t>(num_asked++)] = {roll, plays_->leaf(leaf).off > 0, no_backgammon};
        }
      }
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
        float value = 0;
        for (int k = 0; k < rules_.num_scores(); ++k) value += utility.values[k] * chance(k);
        offer(one.roll, value);
      }
    }
  }

  // The plays of the roll that look best; one that ends the game is taken for the best of all.
  int candidates_of(const Board& before, std::array<int, kCandidates>& candidates) {
    const int n = plays_->num_leaves();
    if (n <= kCandidates) {
      for (int leaf = 0; leaf < n; ++leaf) candidates[static_cast<std::size_t>(leaf)] = leaf;
      return n;
    }
    gains_.resize(static_cast<std::size_t>(plays_->num_nodes()));
    gains_[0] = 0;
    Change changed[kMaxChanges];
    for (int i = 1; i < plays_->num_nodes(); ++i) {
      const Node& node = plays_->node(i);
      float gain = gains_[node.parent];
      const int num_changes = plays_->changes(before, node, changed);
      for (int c = 0; c < num_changes; ++c) gain += gain_of(before, changed[c]);
      gains_[static_cast<std::size_t>(i)] = gain;
    }
    std::array<float, kCandidates> best;
    int found = 0;
    for (int leaf = 0; leaf < n; ++leaf) {
      const float gain = plays_->leaf(leaf).is_finished() ? kEnds + static_cast<float>(plays_->score(leaf))
                                                          : gains_[static_cast<std::size_t>(plays_->leaf_node(leaf))];
      if (found == kCandidates && gain <= best[kCandidates - 1]) continue;
      int at = found < kCandidates ? found++ : kCandidates - 1;
      for (; at > 0 && gain > best[static_cast<std::size_t>(at - 1)]; --at) {
        best[static_cast<std::size_t>(at)] = best[static_cast<std::size_t>(at - 1)];
        candidates[static_cast<std::size_t>(at)] = candidates[static_cast<std::size_t>(at - 1)];
      }
      best[static_cast<std::size_t>(at)] = gain;
      candidates[static_cast<std::size_t>(at)] = leaf;
    }
    return found;
  }

  // What a change of a count is worth to first order. The counts of a place are looked up together, those that a turn
  // can make of it.
  float gain_of(const Board& before, const Change& change) {
    auto& gains = projected_[change.side][change.place];
    if (!is_projected_[change.side][change.place]) {
      is_projected_[change.side][change.place] = true;
      const int count = before.count[change.side][change.place];
      const int first = std::max(0, count - 4);
      network_.project(gradient_.data(), change.side, change.place, first, std::min(kCheckers, count + 4) - first + 1,
                       gains.data() + first);
    }
    return gains[change.after] - gains[change.before];
  }

  float exact(const Board& after, const Utility& utility) const {
    std::array<double, kMaxScores> outcomes{};
    tables_->distribution(rules_, after, outcomes.data());
    double value = 0;
    for (int k = 0; k < rules_.num_scores(); ++k) value += utility.values[k] * outcomes[k];
    return static_cast<float>(value);
  }

  static constexpr float kEnds = 1e6f;

  const Rules& rules_;
  const Network& network_;
  const Bearoff* tables_;
  Network::Scratch scratch_;
  std::unique_ptr<PlayList> plays_;
  std::vector<float> root_;         // the accumulator of the board before the roll
  std::vector<float> gradient_;
  std::vector<float> activations_;  // of the plays that the network is asked about
  std::vector<float> gains_;        // by node
  std::array<std::array<std::array<float, kCounts>, kMaxPlaces>, 2> projected_{};
  std::array<std::array<bool, kMaxPlaces>, 2> is_projected_{};
  std::array<float, kMaxScores * Network::kBlock> probabilities_{};
  std::vector<Values> known_;
};

}  // namespace tavla
