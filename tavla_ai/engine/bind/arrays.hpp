// Arrays in and out. Shapes and dtypes are checked here; the core trusts what it is given.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rules/board.hpp"
#include "rules/plays.hpp"
#include "rules/rules.hpp"
#include "value/utility.hpp"

namespace tavla {

namespace nb = nanobind;
using namespace nb::literals;

template <class T, class... Shape>
using Input = nb::ndarray<const T, Shape..., nb::c_contig, nb::device::cpu>;
using BoardInput = Input<std::int8_t, nb::shape<2, -1>>;
using BoardsInput = Input<std::int8_t, nb::shape<-1, 2, -1>>;
using Matrix = Input<float, nb::ndim<2>>;
using Vector = Input<float, nb::ndim<1>>;
using DiceInput = Input<std::int8_t, nb::shape<-1, 2>>;

// In place of a score if the game continues.
constexpr std::int16_t kNoScore = -32768;

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> rows_to_numpy(std::vector<T>&& values, std::size_t rows) {
  const std::size_t width = rows ? values.size() / rows : 0;
  return to_numpy(std::move(values), {rows, width});
}

inline nb::ndarray<nb::numpy, std::int8_t> boards_to_numpy(const std::vector<Board>& boards, int num_places) {
  std::vector<std::int8_t> flat;
  flat.reserve(boards.size() * 2 * num_places);
  for (const Board& board : boards)
    for (const auto& row : board.count) flat.insert(flat.end(), row, row + num_places);
  return to_numpy(std::move(flat), {boards.size(), 2, static_cast<std::size_t>(num_places)});
}

inline nb::ndarray<nb::numpy, std::int8_t> board_to_numpy(const Board& board, int num_places) {
  std::vector<std::int8_t> flat;
  flat.reserve(2 * static_cast<std::size_t>(num_places));
  for (const auto& row : board.count) flat.insert(flat.end(), row, row + num_places);
  return to_numpy(std::move(flat), {2, static_cast<std::size_t>(num_places)});
}

// A play as Python takes it: its afterstate int8[2, num_places], its steps, and the mover's score if it ends the game.
using Steps = nb::typed<nb::tuple, nb::typed<nb::tuple, int, int>, nb::ellipsis>;
using PlayOutput = std::tuple<nb::ndarray<nb::numpy, std::int8_t>, Steps, std::optional<int>>;

inline PlayOutput play_output(const Play& play, int num_places) {
  nb::list steps;
  for (int i = 0; i < play.num_steps; ++i)
    steps.append(nb::make_tuple(play.path[static_cast<std::size_t>(i)].first,
                                play.path[static_cast<std::size_t>(i)].second));
  return {board_to_numpy(play.after, num_places), Steps(nb::tuple(steps)), play.score};
}

inline void require(bool condition, const std::string& message) {
  if (!condition) throw nb::value_error(message.c_str());
}

template <class Values>
inline void require_finite(const Values& values) {
  for (float value : values) require(std::isfinite(value), "utilities: finite numbers expected");
}

inline void require_places(std::size_t given, int expected) {
  if (given != static_cast<std::size_t>(expected))
    throw RulesError("boards: rows of " + std::to_string(given) + " counts, expected " + std::to_string(expected) +
                     " in this game");
}

inline void read_board(const std::int8_t* counts, int num_places, Board& board) {
  board = {};
  for (int side = 0; side < 2; ++side) std::memcpy(board.count[side], counts + side * num_places, num_places);
}

// Counts within the bounds of the network's tables; whether the game can reach them is the rules' to say.
inline std::vector<Board> boards_for_network(const BoardsInput& input, int num_places) {
  require_places(input.shape(2), num_places);
  std::vector<Board> boards(input.shape(0));
  for (std::size_t i = 0; i < boards.size(); ++i) {
    read_board(input.data() + i * 2 * num_places, num_places, boards[i]);
    for (const auto& row : boards[i].count)
      for (int place = 0; place < num_places; ++place)
        if (row[place] < 0 || row[place] > kCheckers)
          throw RulesError("position " + std::to_string(i) + ": " + std::to_string(row[place]) + " on place " +
                           std::to_string(place) + ", expected 0 to 15");
  }
  return boards;
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

}  // namespace tavla
