// The best reply to each of the 21 rolls, found quickly.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/dice.hpp"
#include "rules/plays.hpp"
#include "value/bearoff.hpp"
#include "value/first_order.hpp"
#include "value/network.hpp"
#include "value/outcomes.hpp"
#include "value/utility.hpp"

namespace tavla {

// All rolls of a board at once. The best reply is looked for among a few candidates: those that look best to first
// order, by the gradient of the value at the board before the roll. Of these the finalists are the ones that look best
// once the first layer is computed as it is and only what comes after it is taken to first order. The network is asked
// about finalists only, about all rolls together.
class Replies {
 public:
  static constexpr int kMostCandidates = 32;

  // num_candidates, num_finalists: for each roll, 1 to kMostCandidates; with 0 finalists all candidates are.
  Replies(const Rules& rules, const Network& network, const Bearoff* tables, int num_candidates, int num_finalists)
      : rules_(rules), network_(network), tables_(tables), num_candidates_(num_candidates),
        num_finalists_(num_finalists > 0 ? std::min(num_finalists, num_candidates) : num_candidates),
        scratch_(network_), plays_(std::make_unique<PlayList>()), root_(static_cast<std::size_t>(network_.width())),
        gradient_(root_.size()), by_activation_(root_.size()), gains_(network_, gradient_), differences_(network_),
        activations_(static_cast<std::size_t>(kNumDistinctRolls * num_finalists_ + num_candidates) * root_.size()) {}

  // Its parts refer to one another.
  Replies(const Replies&) = delete;
  Replies& operator=(const Replies&) = delete;

  // can_double: false for an opening roll that is played as it fell; its doubles are left alone.
  void evaluate(const Board& before, const Utility& utility, bool can_double) {
    begin(before, utility);
    for (const Roll roll : kDistinctRolls)
      if (can_double || !roll.is_double()) gather_candidates(before, utility, roll);
    ask_network(before, utility);
  }

  // What evaluate found, by `index_of` the roll: the reply's value and its scores for the side that replies.
  const std::array<float, kNumDistinctRolls>& values() const { return values_; }
  const std::array<Distribution, kNumDistinctRolls>& distributions() const { return distributions_; }

  // The mean of the scores over all rolls, for the side that has just moved.
  Distribution mean_after() const {
    RollSum total{};
    for (const Roll roll : kDistinctRolls) add(total, distributions_[index_of(roll)], weight_of(roll));
    return reversed_mean(total, rules_.num_scores());
  }

  // Afterstates that the network has seen.
  std::int64_t num_evaluated() const { return num_evaluated_; }

 private:
  // A play that the network is asked about.
  struct Asked {
    std::size_t roll;
    int leaf;
    bool i_bore_off;
    bool no_backgammon;
    InputValues inputs;  // after it
  };

  // Takes the board before the roll as the one that plays are compared with.
  void begin(const Board& before, const Utility& utility) {
    network_.accumulate(before, utility.inputs.data(), root_.data());
    network_.gradient(root_.data(), utility.values.data(), scratch_, gradient_.data(), by_activation_.data());
    values_before_ = network_.input_values(before);
    if (reads_inputs()) look_up_inputs();
    gains_.begin(before);
    differences_.begin(before);
    plays_->begin(rules_, before);
    may_be_covered_ = tables_ && tables_->may_cover(before.count[1]);
    num_asked_ = 0;
    has_value_ = {};
  }

  // Appends the finalists of a roll to those that the network is asked about.
  void gather_candidates(const Board& before, const Utility& utility, Roll roll) {
    plays_->generate_roll(rules_, before, roll.first, roll.second);
    std::array<int, kMostCandidates> candidates;
    const int num_candidates = candidates_of(before, candidates);
    const int first = num_asked_;
    for (int i = 0; i < num_candidates; ++i)
      consider(before, utility, index_of(roll), candidates[static_cast<std::size_t>(i)]);
    Asked* const of_roll = &asked_[static_cast<std::size_t>(first)];
    num_asked_ = first + keep_finalists(activation(first), of_roll, num_asked_ - first);
    if (reads_inputs())
      for (int i = first; i < num_asked_; ++i) add_inputs(before, asked_[static_cast<std::size_t>(i)], activation(i));
  }

  // Offers a play whose outcome is known without the network, and appends any other.
  void consider(const Board& before, const Utility& utility, std::size_t roll, int leaf) {
    if (plays_->leaf(leaf).is_finished()) {
      const int score = rules_.score_index(plays_->score(leaf));
      Distribution certain{};
      certain[score] = 1;
      offer(roll, certain, utility.values[score]);
      return;
    }
    bool no_backgammon = false;
    if (may_be_covered_ || rules_.num_scores() >= 6) {
      const Board after = plays_->afterstate(leaf, before);
      if (may_be_covered_ && tables_->covers(rules_, after)) {
        const Distribution outcomes = exact(*tables_, rules_, after);
        offer(roll, outcomes, utility.of(outcomes, rules_.num_scores()));
        return;
      }
      no_backgammon = has_no_backgammon(rules_, after);
    }
    network_.activate_play(root_.data(), differences_, before, *plays_, leaf, {}, activation(num_asked_));
    const InputValues inputs = reads_inputs() ? network_.input_values(plays_->afterstate(leaf, before)) : InputValues{};
    asked_[static_cast<std::size_t>(num_asked_++)] = {roll, leaf, plays_->leaf(leaf).off > 0, no_backgammon, inputs};
  }

  // Offers the finalists of all rolls with the network's values.
  void ask_network(const Board& before, const Utility& utility) {
    num_evaluated_ += num_asked_;
    for (int begin = 0; begin < num_asked_; begin += Network::kBlock) {
      const int n = std::min(Network::kBlock, num_asked_ - begin);
      network_.evaluate_activations(activation(begin), n, scratch_, probabilities_.data(), Network::kBlock);
      for (int i = 0; i < n; ++i) {
        const Asked& one = asked_[static_cast<std::size_t>(begin + i)];
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

  // Keeps the best of the plays of a roll.
  void offer(std::size_t roll, const Distribution& outcomes, float value) {
    if (!has_value_[roll] || value > values_[roll]) {
      values_[roll] = value;
      distributions_[roll] = outcomes;
    }
    has_value_[roll] = true;
  }

  float* activation(int row) { return activations_.data() + static_cast<std::size_t>(row) * root_.size(); }

  bool reads_inputs() const { return !network_.inputs().empty(); }

  void look_up_inputs() {
    std::array<float, kMostInputColumns> gains;
    network_.project_inputs(gradient_.data(), gains.data());
    network_.inputs().for_each([&](auto input, int first_value, int first_column) {
      using Input = decltype(input);
      for (int v = 0; v < Input::kNumValues; ++v)
        for (int level = 0; level < Input::kNumLevels; ++level) {
          std::array<float, Input::kNumColumns> columns;
          Input::columns(level, columns.data());
          float gain = 0;
          for (int i = 0; i < Input::kNumColumns; ++i)
            gain += columns[static_cast<std::size_t>(i)] *
                    gains[static_cast<std::size_t>(first_column + v * Input::kNumColumns + i)];
          input_gains_[static_cast<std::size_t>(first_value + v)][static_cast<std::size_t>(level)] = gain;
        }
    });
  }

  // What the inputs after a play are worth, to first order.
  float worth_of(const InputValues& after) const {
    float total = 0;
    network_.inputs().for_each([&](auto input, int first_value, int) {
      for (int v = 0; v < input.kNumValues; ++v) {
        const auto at = static_cast<std::size_t>(first_value + v);
        total += input_gains_[at][after[at]];
      }
    });
    return total;
  }

  // Makes the activation after a play, which was made without them, one that has its inputs too.
  void add_inputs(const Board& before, const Asked& one, float* activation) {
    std::array<ScaledRow, kMostInputColumns> rows;
    const int n = network_.input_changes(values_before_, one.inputs, rows.data());
    if (n > 0)
      network_.activate_play(root_.data(), differences_, before, *plays_, one.leaf,
                             std::span(rows.data(), static_cast<std::size_t>(n)), activation);
  }

  // Moves the finalists of n candidates of a roll to the front; returns how many they are.
  int keep_finalists(float* activations, Asked* asked, int n) {
    if (n <= num_finalists_) return n;
    std::array<float, kMostCandidates> worth;
    network_.project_activations(by_activation_.data(), activations, n, worth.data());
    if (reads_inputs())
      for (int i = 0; i < n; ++i) worth[static_cast<std::size_t>(i)] += worth_of(asked[i].inputs);
    for (int rank = 0; rank < num_finalists_; ++rank) {
      const auto best = std::max_element(worth.begin() + rank, worth.begin() + n) - worth.begin();
      if (best == rank) continue;
      std::swap(worth[static_cast<std::size_t>(best)], worth[static_cast<std::size_t>(rank)]);
      std::swap(asked[best], asked[rank]);
      std::swap_ranges(activations + static_cast<std::size_t>(best) * root_.size(),
                       activations + static_cast<std::size_t>(best + 1) * root_.size(),
                       activations + static_cast<std::size_t>(rank) * root_.size());
    }
    return num_finalists_;
  }

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
  int num_finalists_;
  Network::Scratch scratch_;
  std::unique_ptr<PlayList> plays_;
  std::vector<float> root_;           // the accumulator of the board before the roll
  std::vector<float> gradient_;       // by its units
  std::vector<float> by_activation_;  // and by their activations
  NetworkGains gains_;
  Network::Differences differences_;
  InputValues values_before_{};       // of the board before the roll
  std::array<std::array<float, kMostInputLevels>, kNumInputValues> input_gains_{};  // of each level of each value
  std::vector<float> gained_;         // by node
  std::vector<float> activations_;    // of the finalists, and of the candidates of a roll
  std::array<float, kMaxScores * Network::kBlock> probabilities_{};
  // What the network is asked about, and whether a value has been offered for each roll.
  bool may_be_covered_ = false;
  std::array<Asked, (kNumDistinctRolls + 1) * kMostCandidates> asked_;
  int num_asked_ = 0;
  std::array<bool, kNumDistinctRolls> has_value_{};
  std::array<float, kNumDistinctRolls> values_{};
  std::array<Distribution, kNumDistinctRolls> distributions_{};
  std::int64_t num_evaluated_ = 0;
};

}  // namespace tavla
