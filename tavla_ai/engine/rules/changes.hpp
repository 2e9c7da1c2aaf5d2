// First-order gain of a change of the board.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "rules/board.hpp"

namespace tavla {

// One place whose count a step changes.
struct Change {
  std::uint8_t side;
  std::uint8_t place;
  std::uint8_t before;
  std::uint8_t after;
};

// Gain of another count of a place over the count on the board, looked up at first use.
class Gains {
 public:
  void begin(const Board& board) {
    for (int side = 0; side < 2; ++side)
      for (int place = 0; place < kMaxPlaces; ++place) {
        const auto count = static_cast<std::uint8_t>(board.count[side][place]);
        known_[side][place] = {count, count, count};
        gains_[side][place][count] = 0;
      }
  }

  float of(const Change& change) {
    const Known known = known_[change.side][change.place];
    const std::array<float, kCounts>& gains = gains_[change.side][change.place];
    // A step begins where the step before ended.
    if (change.after < known.first || change.after > known.last) look_up_more(change);
    return gains[change.after] - gains[change.before];
  }

 protected:
  Gains() = default;
  ~Gains() = default;

 private:
  struct Known {
    std::uint8_t on_board;
    std::uint8_t first;
    std::uint8_t last;
  };

  // Writes the worth of counts first … first + n − 1 of a place.
  virtual void look_up(int side, int place, int first, int n, float* out) = 0;

  // The counts of a place are looked up together: first the usual range of a turn, then the whole range that a turn
  // can reach.
  void look_up_more(const Change& change) {
    Known& known = known_[change.side][change.place];
    const int reach = std::abs(change.after - known.on_board) <= 1 ? 1 : 4;
    known.first = static_cast<std::uint8_t>(std::max(0, known.on_board - reach));
    known.last = static_cast<std::uint8_t>(std::min(kCheckers, known.on_board + reach));
    float* const gains = gains_[change.side][change.place].data();
    look_up(change.side, change.place, known.first, known.last - known.first + 1, gains + known.first);
    const float on_board = gains[known.on_board];
    for (int count = known.first; count <= known.last; ++count) gains[count] -= on_board;
  }

  std::array<std::array<std::array<float, kCounts>, kMaxPlaces>, 2> gains_{};
  std::array<std::array<Known, kMaxPlaces>, 2> known_{};
};

}  // namespace tavla
