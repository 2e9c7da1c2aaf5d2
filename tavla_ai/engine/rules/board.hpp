// A position as two rows of checker counts, the player to move first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/hash.hpp"

namespace tavla {

constexpr int kOff = 0;
constexpr int kPoints = 24;
constexpr int kBar = 25;
constexpr int kHome = 6;
constexpr int kCheckers = 15;
constexpr int kCounts = kCheckers + 1;  // 0 to all

// Places that every game has: borne off, the points, the bar.
constexpr int kCommonPlaces = 26;

// Places that some games add, each in its owner's row.
constexpr int kReserve = 26;      // Tawula: checkers still to enter
constexpr int kOwnRolls = 26;     // Gul Bara: own rolls so far, at most 3
constexpr int kPinned = 25;       // Plakoto: kPinned + p is 1 where the owner's checker on point p is pinned
constexpr int kMaxPlaces = kPinned + kPoints + 1;  // see FamilyFacts::num_more_places

// Counts per place, each side in its own numbering. Places that a game does not have are 0.
struct Board {
  std::int8_t count[2][kMaxPlaces];

  Board swapped() const {
    Board other;
    std::memcpy(other.count[0], count[1], kMaxPlaces);
    std::memcpy(other.count[1], count[0], kMaxPlaces);
    return other;
  }

  bool operator==(const Board& other) const { return std::memcmp(count, other.count, sizeof count) == 0; }
};

// A hash of a board and of a number that distinguishes different uses of the board.
inline std::uint64_t board_hash(const Board& board, std::uint64_t tag) {
  std::uint64_t hash = tag;
  std::uint64_t word = 0;
  const auto* bytes = reinterpret_cast<const char*>(board.count);
  for (std::size_t at = 0; at < sizeof board.count; at += sizeof word) {
    word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof word, sizeof board.count - at));
    hash = mixed(hash ^ word);
  }
  return hash;
}

// The opponent's number of my `point`, and my number of the opponent's.
constexpr int opposed_point(int point) { return 25 - point; }
constexpr int parallel_point(int point) { return (point + 11) % kPoints + 1; }

}  // namespace tavla
