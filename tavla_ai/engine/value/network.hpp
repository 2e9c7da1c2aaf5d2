// The value network in the engine: folded first layer, incremental over the plays of a roll.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rules/board.hpp"
#include "rules/plays.hpp"
#include "value/features.hpp"
#include "value/kernels/kernels.hpp"
#include "value/inputs.hpp"

namespace tavla {

// A dense layer as torch stores it: weight[out, in] row-major, bias[out].
struct DenseLayer {
  int in = 0;
  int out = 0;
  std::vector<float> weight;
  std::vector<float> bias;
};

// Predicts the distribution over the ruleset's scores for the player who has just moved. Immutable, so
// that threads share it; each thread brings its own Scratch.
class Network {
 public:
  // num_places: length of a row of counts in the game; inputs: names of what it reads beside the counts and the
  // utility; first: weight[hidden, num_board_features(num_places) + number of scores - 2 + the columns of those
  // inputs]; layers: the ones after it, the last one giving the logits. Throws std::invalid_argument where shapes do
  // not fit, an input is not known or cannot read such boards, or a weight is not finite.
  Network(int num_places, const std::vector<std::string>& inputs, const DenseLayer& first,
          const std::vector<DenseLayer>& layers, const Kernels& kernels);

  int num_places() const { return num_places_; }

  int num_outputs() const { return num_outputs_; }
  int num_utility_inputs() const { return num_utility_inputs_; }
  int hidden() const { return hidden_; }
  const ReadInputs& inputs() const { return inputs_; }
  const Kernels& kernels() const { return *kernels_; }

  class Scratch;

  // Probabilities of each score after each play: out[k * stride + leaf], for the mover.
  // utility: the mover's num_utility_inputs() inputs. stride >= padded(plays.num_leaves()).
  void evaluate_plays(const Board& before, const PlayList& plays, const float* utility, Scratch& scratch,
                      float* out, int stride) const;

  // Probabilities for n <= kBlock afterstates: out[k * stride + i].
  void evaluate_boards(const Board* boards, const float* utilities, int n, Scratch& scratch, float* out,
                       int stride) const;

  static constexpr int kBlock = 32;

  // The width of a row of the first layer.
  int width() const { return width_; }

  // The first layer before its activation, from nothing: out[width()].
  void accumulate(const Board& board, const float* utility, float* out) const;

  // What the expected `values` of the scores gain by each unit of an accumulator and by each unit of its activation:
  // two rows [width()].
  void gradient(const float* accumulator, const float* values, Scratch& scratch, float* by_accumulator,
                float* by_activation) const;

  // The products of n activations [n, width()] with a gradient by activation: out[n].
  void project_activations(const float* by_activation, const float* activations, int n, float* out) const;

  // The products of a gradient with the rows of counts first .. first + n − 1 on a place.
  void project(const float* gradient, int side, int place, int first, int n, float* out) const;

  class Differences;

  // The first layer's activation after a play, from the accumulator of the board before it, whose differences are given,
  // and from what its inputs change: out[width()].
  void activate_play(const float* accumulator, Differences& differences, const Board& before, const PlayList& plays,
                     int leaf, std::span<const ScaledRow> inputs, float* out) const;

  // What other values of the inputs change, at most kMostInputColumns rows; returns how many.
  int input_changes(const InputValues& from, const InputValues& to, ScaledRow* out) const;

  // The products of a gradient with the rows of the inputs: out[inputs().width()].
  void project_inputs(const float* gradient, float* out) const;

  InputValues input_values(const Board& board) const { return inputs_.values(board, *kernels_); }

  // Probabilities of each score from n <= kBlock activations [n, width()]: out[k * stride + i].
  void evaluate_activations(const float* activations, int n, Scratch& scratch, float* out, int stride) const;

 private:
  const float* row(int side, int place, int count) const {
    return rows_.data() + ((side * num_places_ + place) * kCounts + count) * static_cast<std::size_t>(width_);
  }
  RowChange row_change(const Change& c) const {
    return {row(c.side, c.place, c.before), row(c.side, c.place, c.after)};
  }
  // The rows that the step into `node` changes; returns how many.
  int changes(const Board& before, const PlayList& plays, const Node& node, RowChange* out) const;
  void fold_first_layer(const DenseLayer& first);
  void transpose(const std::vector<DenseLayer>& layers);
  // From the activations of the first layer, for a block of n rows, to logits[k * stride + i].
  void finish(const float* hidden, int n, Scratch& scratch, float* logits, int stride) const;

  const Kernels* kernels_;
  int num_places_;
  ReadInputs inputs_;
  int hidden_;
  int width_;  // hidden_ padded to whole vectors
  int num_outputs_;
  int num_utility_inputs_;
  std::vector<float> rows_;     // [2, num_places_, kCounts, width_]
  std::vector<float> bias_;     // [width_]
  std::vector<float> utility_;  // [num_utility_inputs_, width_]
  std::vector<float> input_rows_;  // [inputs_.width(), width_]

  struct Inner {
    int in;   // padded
    int out;  // padded
    std::vector<float> weight;  // [in, out]: transposed
    std::vector<float> bias;
  };
  std::vector<Inner> inner_;
  int output_in_;                     // padded
  std::vector<float> output_weight_;  // [num_outputs_, output_in_]
  std::vector<float> output_bias_;
  int widest_;  // of all activations, padded
};

// What other counts than a board's would add to its accumulator: rows that its plays share, made when first asked for.
class Network::Differences {
 public:
  explicit Differences(const Network& network);

  void begin(const Board& board);
  const float* of(int side, int place, int count);

 private:
  const Network& network_;
  Board board_{};
  std::array<std::array<std::array<std::int16_t, kCounts>, kMaxPlaces>, 2> index_{};  // −1: not made yet
  int num_made_ = 0;
  std::vector<float> rows_;  // [2 * num_places * kCounts, width]
};

// Buffers of one thread.
class Network::Scratch {
 public:
  explicit Scratch(const Network& network);

 private:
  friend class Network;
  std::vector<float> accumulators_;  // one row per inner node in use
  std::vector<std::int16_t> slot_;   // node → row of accumulators_, −1 where not computed
  std::vector<float> hidden_;        // [kBlock, widest]
  std::vector<float> next_;          // [kBlock, widest]
  std::vector<float> backward_;      // activations of one position, and what comes back through them
};

}  // namespace tavla
