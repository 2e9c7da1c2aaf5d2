// The inputs that a network may read beside the counts of a board and what its scores are worth: the registry.
//
// An input is a type. It reads a few small whole numbers off a board, its values. Each value fills some columns of the
// first layer. The network folds the columns into rows, one for each level of a value; search takes them to first order.
//   kName, kVersion   its name; another version makes the checkpoints that read it unreadable, so change it with the input
//   kNumPlaces        length of the rows of counts of the boards that it can read
//   kNumValues        how many values a board has
//   kNumLevels        each value is 0 to kNumLevels - 1, at most 256 levels: a larger number is divided, or is two values
//   kNumColumns       columns of each value
//   count(board, kernels, values)   writes the values of a board; `values` points to kNumValues zeros
//   columns(value, out)             writes the kNumColumns columns of a value
// What a network reads is known to it from its start, and each use below is compiled for each input: nothing is looked
// up for a board.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rules/board.hpp"
#include "value/inputs/shots.hpp"
#include "value/kernels/kernels.hpp"

namespace tavla {

// One line for each input.
using AllInputs = std::tuple<  //
    Shots>;

constexpr std::size_t kNumInputs = std::tuple_size_v<AllInputs>;

namespace inputs {

template <std::size_t I>
using At = std::tuple_element_t<I, AllInputs>;

// Calls visit(index, input) for each input, where `index` is a constant and `input` an object of its type.
template <class Visit>
constexpr void for_all(Visit visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::integral_constant<std::size_t, I>{}, At<I>{}), ...);
  }(std::make_index_sequence<kNumInputs>{});
}

// Values of the inputs before one.
template <std::size_t I>
constexpr int first_value() {
  int total = 0;
  for_all([&](auto index, auto input) { total += index < I ? decltype(input)::kNumValues : 0; });
  return total;
}

template <class Input>
constexpr int kWidth = Input::kNumValues * Input::kNumColumns;

constexpr int widest() {
  int total = 0;
  for_all([&](auto, auto input) { total += kWidth<decltype(input)>; });
  return total;
}

constexpr int most_levels() {
  int most = 0;
  for_all([&](auto, auto input) { most = std::max(most, decltype(input)::kNumLevels); });
  return most;
}

}  // namespace inputs

// Of all inputs together.
constexpr int kNumInputValues = inputs::first_value<kNumInputs>();
constexpr int kMostInputColumns = inputs::widest();
constexpr int kMostInputLevels = inputs::most_levels();
static_assert(kMostInputLevels <= 256, "an input's value has one byte");

// What all inputs tell of a board; zeros for those that are not read.
using InputValues = std::array<std::uint8_t, kNumInputValues>;

// The inputs that one network reads, and the columns where they stand: in the order of their names.
class ReadInputs {
 public:
  // Throws std::invalid_argument where a name is not known or given twice, or its input cannot read such boards.
  ReadInputs(const std::vector<std::string>& names, int num_places) {
    first_column_.fill(kNotRead);
    for (const std::string& name : names) {
      bool is_known = false;
      std::string known;
      inputs::for_all([&](auto index, auto input) {
        using Input = decltype(input);
        known += (index > 0 ? ", " : "") + std::string(Input::kName);
        if (name != Input::kName) return;
        is_known = true;
        if (first_column_[index] != kNotRead) throw std::invalid_argument("inputs: " + name + " is given twice");
        if (num_places != Input::kNumPlaces)
          throw std::invalid_argument("inputs: " + name + " reads boards of " + std::to_string(Input::kNumPlaces) +
                                      " places, not of " + std::to_string(num_places));
        first_column_[index] = width_;
        width_ += inputs::kWidth<Input>;
      });
      if (!is_known) throw std::invalid_argument("inputs: '" + name + "' is not known, expected one of " + known);
    }
  }

  bool empty() const { return width_ == 0; }
  int width() const { return width_; }

  // Calls visit(input, first_value, first_column) for each that is read: an object of its type, where its values begin
  // among all, and where its columns begin.
  template <class Visit>
  void for_each(Visit visit) const {
    inputs::for_all([&](auto index, auto input) {
      if (first_column_[index] != kNotRead) visit(input, inputs::first_value<index>(), first_column_[index]);
    });
  }

  InputValues values(const Board& board, const Kernels& kernels) const {
    InputValues values{};
    for_each([&](auto input, int first_value, int) { input.count(board, kernels, values.data() + first_value); });
    return values;
  }

  // Writes what `values` are to a network: out[width()].
  void columns(const InputValues& values, float* out) const {
    for_each([&](auto input, int first_value, int first_column) {
      for (int v = 0; v < input.kNumValues; ++v)
        input.columns(values[static_cast<std::size_t>(first_value + v)], out + first_column + v * input.kNumColumns);
    });
  }

 private:
  static constexpr int kNotRead = -1;
  std::array<int, kNumInputs> first_column_;
  int width_ = 0;
};

}  // namespace tavla
