// What the parts of the engine's Python face share: arrays in and out, and the checks that the core relies on.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "search.hpp"

namespace tavla {

namespace nb = nanobind;
using namespace nb::literals;

template <class T, class... Shape>
using Input = nb::ndarray<const T, Shape..., nb::c_contig, nb::device::cpu>;
using BoardInput = Input<std::int8_t, nb::shape<2, -1>>;
using BoardsInput = Input<std::int8_t, nb::shape<-1, 2, -1>>;
using Matrix = Input<float, nb::ndim<2>>;
using Vector = Input<float, nb::ndim<1>>;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

inline void require(bool condition, const std::string& message) {
  if (!condition) throw nb::value_error(message.c_str());
}

template <class Values>
inline void require_finite(const Values& values) {
  for (float value : values) require(std::isfinite(value), "utilities: finite numbers expected");
}

inline void require_places(std::size_t given, int expected) {
  require(given == static_cast<std::size_t>(expected), "boards: rows of " + std::to_string(expected) +
                                                           " counts expected, not " + std::to_string(given));
}

inline void read_board(const std::int8_t* counts, int num_places, Board& board) {
  board = {};
  for (int side = 0; side < 2; ++side) std::memcpy(board.count[side], counts + side * num_places, num_places);
}

// A board of the game that is not over yet.
inline void check_playable(const Rules& rules, const Board& board) {
  check_board(rules, board);
  if (is_finished(rules, board)) throw RulesError("board: the game is over, there is nothing to play");
}

inline Board board_of(const Rules& rules, const BoardInput& input) {
  require_places(input.shape(1), rules.num_places());
  Board board;
  read_board(input.data(), rules.num_places(), board);
  check_board(rules, board);
  return board;
}

inline std::vector<Utility> utilities_of(const Matrix& values, const Matrix& inputs, int num_scores) {
  require(values.shape(0) == inputs.shape(0) && values.shape(0) > 0,
          "utilities: values and inputs must have the same number of rows, at least one");
  require(static_cast<int>(values.shape(1)) == num_scores, "utilities: one value per score of the ruleset expected");
  require(static_cast<int>(inputs.shape(1)) == num_scores - 2,
          "utilities: two inputs fewer than the ruleset has scores expected");
  std::vector<Utility> utilities(values.shape(0));
  for (std::size_t i = 0; i < utilities.size(); ++i) {
    for (int k = 0; k < num_scores; ++k) utilities[i].values[k] = values.data()[i * num_scores + k];
    for (int u = 0; u < num_scores - 2; ++u) utilities[i].inputs[u] = inputs.data()[i * (num_scores - 2) + u];
    require_finite(utilities[i].values);
    require_finite(utilities[i].inputs);
  }
  return utilities;
}

inline void require_fits(const Network& network, const Rules& rules) {
  require(network.num_outputs() == rules.num_scores(), "network: one output per score of the ruleset expected");
  require(network.num_utility_inputs() == rules.num_scores() - 2,
          "network: two utility inputs fewer than the ruleset has scores expected");
  require(network.num_places() == rules.num_places(), "network: made for another game");
}

inline PlayFilter filter_of(const std::tuple<int, int, float>& filter) {
  const auto [keep, extra, margin] = filter;
  require(keep >= 1 && extra >= 0 && std::isfinite(margin) && margin >= 0,
          "filter: keep of at least 1, extra and margin of at least 0 expected");
  return {keep, extra, margin};
}

inline SearchSettings settings_of(const std::vector<std::tuple<int, int, float>>& root,
                           const std::tuple<int, int, float>& replies) {
  require(!root.empty(), "root: at least one filter expected");
  SearchSettings settings{{}, filter_of(replies)};
  for (const auto& filter : root) settings.root.push_back(filter_of(filter));
  return settings;
}

inline void require_ply(const Rules& rules, int ply) {
  require(ply >= 0 && ply <= 4, "ply: 0 to 4 expected");
  if (ply > 0 && rules.family == Family::kGulBara)
    throw RulesError("search: a turn of Gul Bara is more than one roll; only 0-ply is played");
}

void bind_bearoff(nb::module_& m);
void bind_search(nb::module_& m);

}  // namespace tavla
