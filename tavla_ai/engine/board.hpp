// A position as two rows of checker counts, the player to move first.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tavla {

constexpr int kPlaces = 26;
constexpr int kOff = 0;
constexpr int kBar = 25;
constexpr int kPoints = 24;
constexpr int kHome = 6;
constexpr int kCheckers = 15;

// Counts per place, each side in its own numbering: 0 borne off, 1..24 points, 25 the bar.
struct Board {
  std::int8_t count[2][kPlaces];

  Board swapped() const {
    Board other;
    std::memcpy(other.count[0], count[1], kPlaces);
    std::memcpy(other.count[1], count[0], kPlaces);
    return other;
  }

  bool is_over() const { return count[0][kOff] == kCheckers || count[1][kOff] == kCheckers; }
};

// An input that the rules forbid; the binding turns it into the Python RulesetError.
struct RulesError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Refuses whatever could make the generator or the table look-ups leave their bounds.
inline void check_board(const Board& board) {
  for (int side = 0; side < 2; ++side) {
    const char* who = side == 0 ? "the mover" : "the opponent";
    int total = 0;
    for (int place = 0; place < kPlaces; ++place) {
      const int n = board.count[side][place];
      if (n < 0 || n > kCheckers)
        throw RulesError("board: " + std::to_string(n) + " checkers of " + who + " on place " +
                         std::to_string(place) + ", expected 0 to 15");
      total += n;
    }
    if (total != kCheckers)
      throw RulesError("board: " + std::string(who) + " has " + std::to_string(total) +
                       " checkers, expected 15");
  }
  for (int point = 1; point <= kPoints; ++point)
    if (board.count[0][point] > 0 && board.count[1][25 - point] > 0)
      throw RulesError("board: both sides stand on the mover's point " + std::to_string(point));
  if (board.count[0][kOff] == kCheckers && board.count[1][kOff] == kCheckers)
    throw RulesError("board: both sides have borne off all their checkers");
}

inline void check_dice(int first, int second) {
  for (int die : {first, second})
    if (die < 1 || die > 6)
      throw RulesError("dice " + std::to_string(first) + "-" + std::to_string(second) +
                       ": expected two numbers from 1 to 6");
}

}  // namespace tavla
