// Networks and their inputs in the engine's Python face.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.hpp"
#include "bind/arrays.hpp"
#include "bind/checks.hpp"
#include "bind/module.hpp"
#include "rules/plays.hpp"
#include "value/features.hpp"
#include "value/inputs.hpp"
#include "value/network.hpp"

namespace tavla {
namespace {

DenseLayer layer_of(const Matrix& weight, const Vector& bias) {
  require(weight.shape(0) == bias.shape(0), "network: a layer's weight and bias differ in their outputs");
  DenseLayer layer;
  layer.out = static_cast<int>(weight.shape(0));
  layer.in = static_cast<int>(weight.shape(1));
  layer.weight.assign(weight.data(), weight.data() + weight.size());
  layer.bias.assign(bias.data(), bias.data() + bias.size());
  return layer;
}

std::shared_ptr<Network> make_network(const std::vector<std::pair<Matrix, Vector>>& layers, int num_places,
                                      const std::vector<std::string>& inputs,
                                      const std::optional<std::string>& kernels) {
  require(layers.size() >= 2, "network: a first layer and an output layer expected");
  std::vector<DenseLayer> rest;
  for (std::size_t i = 1; i < layers.size(); ++i) rest.push_back(layer_of(layers[i].first, layers[i].second));
  return std::make_shared<Network>(num_places, inputs, layer_of(layers[0].first, layers[0].second), rest,
                                   kernels ? kernels_by_name(*kernels) : best_kernels());
}

// Rows of out[k * stride + i] as [n, k].
std::vector<float> transposed(const std::vector<float>& columns, int stride, int n, int num_scores) {
  std::vector<float> rows(static_cast<std::size_t>(n) * num_scores);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < num_scores; ++k) rows[static_cast<std::size_t>(i) * num_scores + k] = columns[k * stride + i];
  return rows;
}

nb::ndarray<nb::numpy, float> evaluate(const Network& network, const BoardsInput& boards, const Matrix& utility_inputs,
                                       int threads) {
  const std::vector<Board> checked = boards_for_network(boards, network.num_places());
  const std::size_t n = checked.size();
  const int num_scores = network.num_outputs();
  require(utility_inputs.shape(0) == n && static_cast<int>(utility_inputs.shape(1)) == network.num_utility_inputs(),
          "utility_inputs: one row per board with the network's number of utility inputs expected");
  require_finite(std::span(utility_inputs.data(), utility_inputs.size()));
  std::vector<float> out(n * num_scores);
  {
    const nb::gil_scoped_release release;
    run_threads(threads, static_cast<std::int64_t>(n), [&](int, std::int64_t begin, std::int64_t end) {
      Network::Scratch scratch(network);
      std::vector<float> block(static_cast<std::size_t>(Network::kBlock) * num_scores);
      for (std::int64_t i = begin; i < end; i += Network::kBlock) {
        const int count = static_cast<int>(std::min<std::int64_t>(Network::kBlock, end - i));
        network.evaluate_boards(checked.data() + i, utility_inputs.data() + i * network.num_utility_inputs(), count,
                                scratch, block.data(), Network::kBlock);
        for (int j = 0; j < count; ++j)
          for (int k = 0; k < num_scores; ++k) out[(i + j) * num_scores + k] = block[k * Network::kBlock + j];
      }
    });
  }
  return to_numpy(std::move(out), {n, static_cast<std::size_t>(num_scores)});
}

nb::ndarray<nb::numpy, float> evaluate_plays(const Network& network, const Rules& rules, const BoardInput& input,
                                             int first, int second, const Vector& utility_inputs) {
  const Board board = board_of(rules, input);
  require(network.num_places() == rules.num_places(), "network: made for another game");
  require(static_cast<int>(utility_inputs.size()) == network.num_utility_inputs(),
          "utility_inputs: the network's number of utility inputs expected");
  require_finite(std::span(utility_inputs.data(), utility_inputs.size()));
  const PlayList& plays = checked_plays(rules, board, first, second);
  Network::Scratch scratch(network);
  const int stride = padded(plays.num_leaves());
  std::vector<float> columns(static_cast<std::size_t>(stride) * network.num_outputs());
  network.evaluate_plays(board, plays, utility_inputs.data(), scratch, columns.data(), stride);
  const auto n = static_cast<std::size_t>(plays.num_leaves());
  return to_numpy(transposed(columns, stride, plays.num_leaves(), network.num_outputs()),
                  {n, static_cast<std::size_t>(network.num_outputs())});
}

std::vector<float> place_feature_table(int num_places) {
  std::vector<float> table(static_cast<std::size_t>(num_places) * kCounts * kPlaceFeatures);
  for (int place = 0; place < num_places; ++place)
    for (int count = 0; count < kCounts; ++count)
      place_features(place, count, table.data() + (place * kCounts + count) * kPlaceFeatures);
  return table;
}

nb::ndarray<nb::numpy, float> encode(const BoardsInput& input, const Matrix& utility_inputs,
                                       const std::vector<std::string>& inputs) {
  const int num_places = static_cast<int>(input.shape(2));
  require(num_places >= kCommonPlaces && num_places <= kMaxPlaces, "boards: rows of 26 to 50 counts expected");
  const std::vector<Board> boards = boards_for_network(input, num_places);
  const std::size_t n = boards.size();
  require(utility_inputs.shape(0) == n, "utility_inputs: one row per board expected");
  const std::size_t num_utility = utility_inputs.shape(1);
  const ReadInputs read(inputs, num_places);
  const std::size_t width = num_board_features(num_places) + num_utility + static_cast<std::size_t>(read.width());
  std::vector<float> out(n * width);
  {
    const nb::gil_scoped_release release;
    static const std::vector<float> table = place_feature_table(kMaxPlaces);
    for (std::size_t i = 0; i < n; ++i) {
      float* row = out.data() + i * width;
      for (const auto& counts : boards[i].count)
        for (int place = 0; place < num_places; ++place) {
          std::memcpy(row, table.data() + (place * kCounts + counts[place]) * kPlaceFeatures,
                      kPlaceFeatures * sizeof(float));
          row += kPlaceFeatures;
        }
      std::memcpy(row, utility_inputs.data() + i * num_utility, num_utility * sizeof(float));
      read.columns(read.values(boards[i], best_kernels()), row + num_utility);
    }
  }
  return to_numpy(std::move(out), {n, width});
}

nb::ndarray<nb::numpy, std::uint8_t> shots_of_boards(const BoardsInput& input) {
  const std::vector<Board> boards = boards_for_network(input, kCommonPlaces);
  std::vector<std::uint8_t> out(boards.size() * Shots::kNumValues);
  for (std::size_t i = 0; i < boards.size(); ++i)
    Shots::count(boards[i], best_kernels(), out.data() + i * Shots::kNumValues);
  return to_numpy(std::move(out), {boards.size(), 2, static_cast<std::size_t>(kShotsPerSide)});
}

// One of the inputs that a network may read, as Python sees it.
struct InputInfo {
  std::string name;
  std::string version;
  int width;
  int num_places;
};

std::vector<InputInfo> network_inputs() {
  std::vector<InputInfo> out;
  inputs::for_all([&](auto, auto input) {
    using Input = decltype(input);
    out.push_back({Input::kName, Input::kVersion, inputs::kWidth<Input>, Input::kNumPlaces});
  });
  return out;
}

nb::ndarray<nb::numpy, float> place_features_of_game(int num_places) {
  require(num_places >= kCommonPlaces && num_places <= kMaxPlaces, "num_places: 26 to 50 expected");
  return to_numpy(place_feature_table(num_places),
                  {static_cast<std::size_t>(num_places), kCounts, kPlaceFeatures});
}

}  // namespace

void bind_network(nb::module_& m) {
  nb::class_<Network>(m, "Network",
                      "The value network, folded for incremental evaluation. Layers are (weight[out, in], bias[out]) "
                      "float32 pairs, first to last; `num_places` is the length of a row of counts; `inputs` names what "
                      "the first layer reads after the counts and the utility inputs, in this order; `kernels` names "
                      "an instruction set, the fastest by default.")
      .def(nb::new_(&make_network), "layers"_a, "num_places"_a = kCommonPlaces,
           "inputs"_a = std::vector<std::string>{}, "kernels"_a = nb::none())
      .def_prop_ro("num_places", &Network::num_places)
      .def_prop_ro("num_outputs", &Network::num_outputs)
      .def_prop_ro("num_utility_inputs", &Network::num_utility_inputs)
      .def_prop_ro("kernels", [](const Network& network) { return network.kernels().name; })
      .def("evaluate", &evaluate, "boards"_a.noconvert(), "utility_inputs"_a.noconvert(), "threads"_a = 1,
           "Return [N, K] float32 probabilities of the scores for the player who has just moved; boards are "
           "afterstates int8[N, 2, num_places], that player first; utility_inputs float32[N, U] are that player's.")
      .def("evaluate_plays", &evaluate_plays, "rules"_a, "board"_a.noconvert(), "first"_a, "second"_a,
           "utility_inputs"_a.noconvert(),
           "Return [n, K] float32 for the mover after each play, in the order of `legal_plays`.");
  m.def("available_kernels", &available_kernels, "Names of the instruction sets this machine can run, slowest first.");
}

void bind_inputs(nb::module_& m) {
  m.attr("FEATURE_VERSION") = kFeatureVersion;
  nb::class_<InputInfo>(m, "InputInfo", "An input that a network may read beside counts and utility inputs.")
      .def_ro("name", &InputInfo::name)
      .def_ro("version", &InputInfo::version, "Checkpoints that read another version of it cannot be used.")
      .def_ro("width", &InputInfo::width, "Its columns of the first layer.")
      .def_ro("num_places", &InputInfo::num_places, "Length of the rows of counts of the boards that it reads.");
  m.def("network_inputs", &network_inputs, "Return all inputs that a network may read.");
  m.def("encode", &encode, "boards"_a.noconvert(), "utility_inputs"_a.noconvert(),
        "inputs"_a = std::vector<std::string>{},
        "Return float32[N, num_board_features + U + widths of `inputs`], what a network reads of afterstates "
        "int8[N, 2, num_places]: counts, then utility inputs float32[N, U], then the named inputs in this order.");
  m.def("shots", &shots_of_boards, "boards"_a.noconvert(),
        "Return uint8[N, 2, 7] for boards int8[N, 2, 26]: what a roll of each side would do to the other's blots, where "
        "sides move in opposite directions. Of the 36 rolls, how many hit at least one; the pips lost on average by the "
        "hit blot that has come furthest, times 1.5, rounded down; how many rolls could hit one or another; how many hit "
        "one on the shooter's points 1 to 6, 7 to 12, 13 to 18, 19 to 24.");
  m.def("num_board_features", &num_board_features, "num_places"_a,
        "Return how many inputs the counts of a board give; the utility inputs follow them.");
  m.def("place_features", &place_features_of_game, "num_places"_a,
        "Return float32[num_places, 16, 4]: the inputs of each count on each place; `encode` lays them out side by "
        "side, then place by place.");
}

}  // namespace tavla
