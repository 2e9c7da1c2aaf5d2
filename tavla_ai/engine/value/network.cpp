#include "value/network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tavla {
namespace {

void check_layer(const DenseLayer& layer, int expected_in, const std::string& name) {
  if (layer.in != expected_in)
    throw std::invalid_argument("network: " + name + " takes " + std::to_string(layer.in) + " inputs, expected " +
                                std::to_string(expected_in));
  if (layer.out < 1) throw std::invalid_argument("network: " + name + " has no outputs");
  if (layer.out > kMaxWidth)
    throw std::invalid_argument("network: " + name + " has " + std::to_string(layer.out) + " units, at most " +
                                std::to_string(kMaxWidth) + " expected");
  for (const auto* values : {&layer.weight, &layer.bias})
    for (float value : *values)
      if (!std::isfinite(value)) throw std::invalid_argument("network: " + name + " has a weight that is not finite");
}

}  // namespace

Network::Network(int num_places, const std::vector<std::string>& inputs, const DenseLayer& first,
                 const std::vector<DenseLayer>& layers, const Kernels& kernels)
    : kernels_(&kernels), num_places_(num_places), inputs_(inputs, num_places), hidden_(first.out),
      width_(padded(first.out)) {
  if (num_places < kCommonPlaces || num_places > kMaxPlaces)
    throw std::invalid_argument("network: " + std::to_string(num_places) + " places, expected 26 to 50");
  check_layer(first, first.in, "the first layer");
  if (layers.empty()) throw std::invalid_argument("network: no output layer");
  int in = first.out;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    check_layer(layers[i], in, "layer " + std::to_string(i + 1));
    in = layers[i].out;
  }
  num_outputs_ = in;
  if (num_outputs_ < 2 || num_outputs_ > kMaxScores)
    throw std::invalid_argument("network: " + std::to_string(num_outputs_) + " outputs, expected 2 to 8");
  num_utility_inputs_ = num_outputs_ - 2;
  const int expected = num_board_features(num_places) + num_utility_inputs_ + inputs_.width();
  if (first.in != expected) {
    std::string read = "counts + " + std::to_string(num_utility_inputs_) + " utility inputs";
    for (const std::string& name : inputs) read += " + " + name;
    throw std::invalid_argument("network: layer 0 has " + std::to_string(first.in) + " columns; " + read + " need " +
                                std::to_string(expected));
  }
  fold_first_layer(first);
  transpose(layers);
}

void Network::fold_first_layer(const DenseLayer& first) {
  // The row of (side, place, count) is the sum of its features' weights.
  rows_.assign(static_cast<std::size_t>(2) * num_places_ * kCounts * width_, 0.0f);
  for (int side = 0; side < 2; ++side)
    for (int place = 0; place < num_places_; ++place)
      for (int count = 0; count < kCounts; ++count) {
        float features[kPlaceFeatures];
        place_features(place, count, features);
        float* out = rows_.data() + ((side * num_places_ + place) * kCounts + count) * static_cast<std::size_t>(width_);
        const int column = (side * num_places_ + place) * kPlaceFeatures;
        for (int h = 0; h < hidden_; ++h) {
          float total = 0;
          for (int j = 0; j < kPlaceFeatures; ++j)
            total += features[j] * first.weight[static_cast<std::size_t>(h) * first.in + column + j];
          out[h] = total;
        }
      }
  bias_.assign(width_, 0.0f);
  std::copy(first.bias.begin(), first.bias.end(), bias_.begin());
  utility_.assign(static_cast<std::size_t>(num_utility_inputs_) * width_, 0.0f);
  for (int u = 0; u < num_utility_inputs_; ++u)
    for (int h = 0; h < hidden_; ++h)
      utility_[static_cast<std::size_t>(u) * width_ + h] =
          first.weight[static_cast<std::size_t>(h) * first.in + num_board_features(num_places_) + u];
  const int first_input = num_board_features(num_places_) + num_utility_inputs_;
  input_rows_.assign(static_cast<std::size_t>(inputs_.width()) * width_, 0.0f);
  for (int input = 0; input < inputs_.width(); ++input)
    for (int h = 0; h < hidden_; ++h)
      input_rows_[static_cast<std::size_t>(input) * width_ + h] =
          first.weight[static_cast<std::size_t>(h) * first.in + first_input + input];
}

void Network::transpose(const std::vector<DenseLayer>& layers) {
  widest_ = width_;
  for (std::size_t i = 0; i + 1 < layers.size(); ++i) {
    const DenseLayer& layer = layers[i];
    Inner inner{padded(layer.in), padded(layer.out), {}, {}};
    inner.weight.assign(static_cast<std::size_t>(inner.in) * inner.out, 0.0f);
    inner.bias.assign(inner.out, 0.0f);
    for (int o = 0; o < layer.out; ++o)
      for (int k = 0; k < layer.in; ++k)
        inner.weight[static_cast<std::size_t>(k) * inner.out + o] =
            layer.weight[static_cast<std::size_t>(o) * layer.in + k];
    std::copy(layer.bias.begin(), layer.bias.end(), inner.bias.begin());
    widest_ = std::max(widest_, inner.out);
    inner_.push_back(std::move(inner));
  }
  const DenseLayer& last = layers.back();
  output_in_ = padded(last.in);
  output_weight_.assign(static_cast<std::size_t>(num_outputs_) * output_in_, 0.0f);
  for (int k = 0; k < num_outputs_; ++k)
    std::copy_n(last.weight.begin() + static_cast<std::size_t>(k) * last.in, last.in,
                output_weight_.begin() + static_cast<std::size_t>(k) * output_in_);
  output_bias_ = last.bias;
}

Network::Scratch::Scratch(const Network& network)
    : accumulators_(static_cast<std::size_t>(network.width_) * 64),
      slot_(PlayList::kMaxNodes),
      hidden_(static_cast<std::size_t>(kBlock) * network.widest_),
      next_(static_cast<std::size_t>(kBlock) * network.widest_) {}

void Network::accumulate(const Board& board, const float* utility, float* out) const {
  const float* rows[2 * kMaxPlaces];
  int n = 0;
  for (int side = 0; side < 2; ++side)
    for (int place = 0; place < num_places_; ++place)
      // The row of no checkers is zero.
      if (const int count = board.count[side][place]; count > 0) rows[n++] = row(side, place, count);
  kernels_->add_rows(out, bias_.data(), rows, n, width_);
  for (int u = 0; u < num_utility_inputs_; ++u) {
    const float* weights = utility_.data() + static_cast<std::size_t>(u) * width_;
    for (int h = 0; h < width_; ++h) out[h] += utility[u] * weights[h];
  }
  if (inputs_.empty()) return;
  ScaledRow scaled[kMostInputColumns];
  const int num_scaled = input_changes({}, input_values(board), scaled);
  kernels_->apply(out, out, {.scaled = scaled, .num_scaled = num_scaled}, width_);
}

int Network::input_changes(const InputValues& from, const InputValues& to, ScaledRow* out) const {
  int n = 0;
  inputs_.for_each([&](auto input, int first_value, int first_column) {
    using Input = decltype(input);
    for (int v = 0; v < Input::kNumValues; ++v) {
      const auto at = static_cast<std::size_t>(first_value + v);
      if (from[at] == to[at]) continue;
      float before[Input::kNumColumns];
      float after[Input::kNumColumns];
      Input::columns(from[at], before);
      Input::columns(to[at], after);
      const float* const rows = input_rows_.data() + static_cast<std::size_t>(first_column + v * Input::kNumColumns) * width_;
      for (int i = 0; i < Input::kNumColumns; ++i)
        if (before[i] != after[i]) out[n++] = {rows + static_cast<std::size_t>(i) * width_, after[i] - before[i]};
    }
  });
  return n;
}

int Network::changes(const Board& before, const PlayList& plays, const Node& node, RowChange* out) const {
  Change changed[kMaxChanges];
  const int n = plays.changes(before, node, changed);
  for (int i = 0; i < n; ++i) out[i] = row_change(changed[i]);
  return n;
}

void Network::finish(const float* hidden, int n, Scratch& scratch, float* logits, int stride) const {
  const float* in = hidden;
  float* out = scratch.next_.data();
  float* spare = scratch.hidden_.data();
  for (const Inner& layer : inner_) {
    kernels_->dense_relu(out, in, n, layer.in, layer.weight.data(), layer.bias.data(), layer.out);
    in = out;
    std::swap(out, spare);
  }
  kernels_->output(logits, stride, in, n, output_in_, output_weight_.data(), output_bias_.data(), num_outputs_);
}

void Network::evaluate_plays(const Board& before, const PlayList& plays, const float* utility, Scratch& scratch,
                             float* out, int stride) const {
  const int num_leaves = plays.num_leaves();
  // Inner nodes that some legal play passes through get an accumulator of their own.
  std::fill_n(scratch.slot_.begin(), plays.num_nodes(), std::int16_t{-1});
  constexpr std::int16_t kNeeded = -2;
  int num_slots = 1;
  for (int leaf = 0; leaf < num_leaves; ++leaf)
    for (int i = plays.leaf(leaf).parent; i != 0 && scratch.slot_[i] == -1; i = plays.node(i).parent) {
      scratch.slot_[i] = kNeeded;
      ++num_slots;
    }
  const std::size_t needed = static_cast<std::size_t>(num_slots) * width_;
  if (scratch.accumulators_.size() < needed) scratch.accumulators_.resize(needed);
  float* accumulators = scratch.accumulators_.data();
  accumulate(before, utility, accumulators);
  scratch.slot_[0] = 0;
  int next_slot = 1;
  RowChange rows[kMaxChanges];
  ScaledRow scaled[kMostInputColumns];
  const InputValues values_before = input_values(before);
  for (int i = 1; next_slot < num_slots; ++i) {
    if (scratch.slot_[i] != kNeeded) continue;
    const Node& node = plays.node(i);
    const int n = changes(before, plays, node, rows);
    scratch.slot_[i] = static_cast<std::int16_t>(next_slot);
    kernels_->apply(accumulators + static_cast<std::size_t>(next_slot) * width_,
                    accumulators + static_cast<std::size_t>(scratch.slot_[node.parent]) * width_, {rows, n}, width_);
    ++next_slot;
  }
  for (int begin = 0; begin < num_leaves; begin += kBlock) {
    const int n = std::min(kBlock, num_leaves - begin);
    for (int i = 0; i < n; ++i) {
      const int index = plays.leaf_node(begin + i);
      const Node& node = plays.node(index);
      Changes changed{rows, index == 0 ? 0 : changes(before, plays, node, rows), scaled};
      if (!inputs_.empty())
        changed.num_scaled = input_changes(values_before, input_values(plays.afterstate(begin + i, before)), scaled);
      kernels_->apply_relu(scratch.hidden_.data() + static_cast<std::size_t>(i) * width_,
                           accumulators + static_cast<std::size_t>(index == 0 ? 0 : scratch.slot_[node.parent]) * width_,
                           changed, width_);
    }
    finish(scratch.hidden_.data(), n, scratch, out + begin, stride);
  }
  kernels_->softmax(out, stride, num_leaves, num_outputs_);
}

void Network::gradient(const float* accumulator, const float* values, Scratch& scratch, float* by_accumulator,
                       float* by_activation) const {
  // Activations of all layers, one after the other.
  std::vector<float>& activations = scratch.backward_;
  std::size_t total = static_cast<std::size_t>(width_);
  for (const Inner& layer : inner_) total += static_cast<std::size_t>(layer.out);
  activations.resize(total + 2 * static_cast<std::size_t>(widest_));
  float* const first = activations.data();
  kernels_->apply_relu(first, accumulator, {}, width_);
  float* last = first;
  for (const Inner& layer : inner_) {
    float* const next = last + layer.in;
    kernels_->dense_relu(next, last, 1, layer.in, layer.weight.data(), layer.bias.data(), layer.out);
    last = next;
  }
  float logits[kMaxScores * kLane];
  kernels_->output(logits, kLane, last, 1, output_in_, output_weight_.data(), output_bias_.data(), num_outputs_);
  for (int k = 0; k < num_outputs_; ++k) std::fill_n(logits + k * kLane + 1, kLane - 1, 0.0f);
  kernels_->softmax(logits, kLane, 1, num_outputs_);
  float mean = 0;
  for (int k = 0; k < num_outputs_; ++k) mean += values[k] * logits[k * kLane];
  float* back = first + total;
  float* spare = back + widest_;
  std::fill_n(back, output_in_, 0.0f);
  for (int k = 0; k < num_outputs_; ++k) {
    const float slope = logits[k * kLane] * (values[k] - mean);
    const float* weights = output_weight_.data() + static_cast<std::size_t>(k) * output_in_;
    for (int h = 0; h < output_in_; ++h) back[h] += slope * weights[h];
  }
  for (std::size_t i = inner_.size(); i-- > 0;) {
    const Inner& layer = inner_[i];
    for (int o = 0; o < layer.out; ++o)
      if (last[o] <= 0) back[o] = 0;
    const float zeros[kBlock] = {};
    for (int k = 0; k < layer.in; k += kBlock)
      // Row k of the weights is what unit k adds to each unit of the layer.
      kernels_->output(spare + k, 1, layer.weight.data() + static_cast<std::size_t>(k) * layer.out,
                       std::min(kBlock, layer.in - k), layer.out, back, zeros, 1);
    std::swap(back, spare);
    last -= layer.in;
  }
  std::copy_n(back, width_, by_activation);
  for (int h = 0; h < width_; ++h) by_accumulator[h] = first[h] > 0 ? back[h] : 0.0f;
}

void Network::project_activations(const float* by_activation, const float* activations, int n, float* out) const {
  const float none = 0;
  kernels_->output(out, n, activations, n, width_, by_activation, &none, 1);
}

void Network::project(const float* gradient, int side, int place, int first, int n, float* out) const {
  const float none = 0;
  kernels_->output(out, 1, row(side, place, first), n, width_, gradient, &none, 1);
}

Network::Differences::Differences(const Network& network)
    : network_(network),
      rows_(static_cast<std::size_t>(2) * network.num_places_ * kCounts * static_cast<std::size_t>(network.width_)) {}

void Network::Differences::begin(const Board& board) {
  board_ = board;
  num_made_ = 0;
  for (auto& side : index_)
    for (auto& place : side) place.fill(-1);
}

const float* Network::Differences::of(int side, int place, int count) {
  std::int16_t& index = index_[side][place][count];
  const bool is_new = index < 0;
  if (is_new) index = static_cast<std::int16_t>(num_made_++);
  float* const out = rows_.data() + static_cast<std::size_t>(index) * network_.width_;
  if (is_new) {
    const float* const plus = network_.row(side, place, count);
    const float* const minus = network_.row(side, place, board_.count[side][place]);
    for (int h = 0; h < network_.width_; ++h) out[h] = plus[h] - minus[h];
  }
  return out;
}

void Network::project_inputs(const float* gradient, float* out) const {
  const float none = 0;
  kernels_->output(out, 1, input_rows_.data(), inputs_.width(), width_, gradient, &none, 1);
}

void Network::activate_play(const float* accumulator, Differences& differences, const Board& before,
                            const PlayList& plays, int leaf, std::span<const ScaledRow> inputs, float* out) const {
  // A checker that moves on leaves the place where it rested as it was.
  Change whole[4 * kMaxChanges];
  int num_whole = 0;
  for (int i = plays.leaf_node(leaf); i != 0; i = plays.node(i).parent) {
    Change step[kMaxChanges];
    const int n = plays.changes(before, plays.node(i), step);
    for (int c = 0; c < n; ++c) {
      Change* const end = whole + num_whole;
      Change* const later =
          std::find_if(whole, end, [&](const Change& w) { return w.side == step[c].side && w.place == step[c].place; });
      if (later == end)
        whole[num_whole++] = step[c];
      else
        later->before = step[c].before;
    }
  }
  ScaledRow rows[4 * kMaxChanges + kMostInputColumns];
  int n = 0;
  for (int w = 0; w < num_whole; ++w)
    if (whole[w].before != whole[w].after)
      rows[n++] = {differences.of(whole[w].side, whole[w].place, whole[w].after), 1};
  n = static_cast<int>(std::copy(inputs.begin(), inputs.end(), rows + n) - rows);
  kernels_->apply_relu(out, accumulator, {.scaled = rows, .num_scaled = n}, width_);
}

void Network::evaluate_activations(const float* activations, int n, Scratch& scratch, float* out, int stride) const {
  finish(activations, n, scratch, out, stride);
  kernels_->softmax(out, stride, n, num_outputs_);
}

void Network::evaluate_boards(const Board* boards, const float* utilities, int n, Scratch& scratch, float* out,
                              int stride) const {
  for (int i = 0; i < n; ++i) {
    float* row_out = scratch.hidden_.data() + static_cast<std::size_t>(i) * width_;
    accumulate(boards[i], utilities + static_cast<std::size_t>(i) * num_utility_inputs_, row_out);
    kernels_->apply_relu(row_out, row_out, {}, width_);
  }
  finish(scratch.hidden_.data(), n, scratch, out, stride);
  kernels_->softmax(out, stride, n, num_outputs_);
}

}  // namespace tavla
