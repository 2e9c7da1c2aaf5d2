// The network's hand-made inputs: how many rolls hit which blots, which counts of checkers tell only all together.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "board.hpp"

namespace tavla {

// A changed input makes the checkpoints that read it unreadable: change the name with it.
constexpr const char* kShotsVersion = "shots-1";

// What one side's roll would do to the other's blots. Counts of rolls are of the 36.
enum Shot : int {
  kShotsAnywhere,  // rolls that hit at least one
  kStake,          // pips that the other side loses by being hit on the blot that has come furthest: mean of a roll × 1.5
  kDoubleShots,    // rolls that could hit one blot or another
  kShotsAtHome,    // rolls that hit one in the shooter's home, and in the three quarters behind it
  kShotsPerSide = kShotsAtHome + kPoints / kHome
};
constexpr int kNumShots = 2 * kShotsPerSide;
constexpr int kShotValues = 37;

// Those of the side that has just moved, then those of the one to roll.
using Shots = std::array<std::uint8_t, kNumShots>;

// Inputs of a value: its share of 36, and whether there is any.
constexpr int kShotInputs = 2;
constexpr int kNumShotInputs = kNumShots * kShotInputs;
inline void shot_inputs(int value, float* out) {
  out[0] = static_cast<float>(value) / 36;
  out[1] = value >= 1;
}

namespace shots {

constexpr std::uint32_t kAllPoints = ((1u << (kPoints + 1)) - 1) & ~1u;
constexpr std::uint32_t kHomePoints = ((1u << (kHome + 1)) - 1) & ~1u;

// Bit p of the result: bit 25 − p of a mask of points.
constexpr std::uint32_t opposed(std::uint32_t mask) {
  mask = (mask >> 1 & 0x55555555u) | (mask & 0x55555555u) << 1;
  mask = (mask >> 2 & 0x33333333u) | (mask & 0x33333333u) << 2;
  mask = (mask >> 4 & 0x0f0f0f0fu) | (mask & 0x0f0f0f0fu) << 4;
  mask = (mask >> 8 & 0x00ff00ffu) | (mask & 0x00ff00ffu) << 8;
  return (mask >> 16 | mask << 16) >> (31 - kBar);
}

// Bit p: a side has at least `least` checkers on point p.
inline std::uint32_t points_with(const std::int8_t* counts, unsigned least) {
  std::uint32_t mask = counts[kPoints] >= static_cast<int>(least) ? 1u << kPoints : 0;
  for (int word = 0; word < kPoints / 8; ++word) {
    std::uint64_t bytes;
    std::memcpy(&bytes, counts + 8 * word, sizeof bytes);
    // The top bit of a byte is set where its count is large enough, and the product brings these bits together.
    const std::uint64_t tops = ((bytes + (0x80 - least) * 0x0101010101010101u) & 0x8080808080808080u) >> 7;
    mask |= static_cast<std::uint32_t>(tops * 0x0102040810204080u >> 56) << (8 * word);
  }
  return mask & kAllPoints;
}

// Points that one checker can end a roll on, whatever the others do; blocked points may be among them.
// mine, open: of the side that rolls, in its numbering; on_bar: its checkers there, which enter first.
inline std::uint32_t landings(std::uint32_t mine, std::uint32_t open, int on_bar, int high, int low) {
  if (on_bar == 0) return mine >> high | mine >> low | (mine >> (high + low) & (open >> high | open >> low));
  const auto entry = [](int pips) { return 1u << (kBar - pips); };
  std::uint32_t found = entry(high) | entry(low);
  if (on_bar == 1) {
    if (open & entry(high)) found |= mine >> low | entry(high + low);
    if (open & entry(low)) found |= mine >> high | entry(high + low);
  }
  return found;
}

// The same for a double, four steps of one die.
inline std::uint32_t landings_of_double(std::uint32_t mine, std::uint32_t open, int on_bar, int die) {
  const auto entry = [](int pips) { return 1u << (kBar - pips); };
  if (on_bar > 0 && !(open & entry(die))) return 0;
  std::uint32_t found = 0;
  std::uint32_t passes = kAllPoints;
  for (int steps = 1; steps <= 4; ++steps) {
    const int pips = steps * die;
    if (steps + on_bar <= 4) found |= mine >> pips & passes;
    if (on_bar > 0 && steps + on_bar <= 5) found |= entry(pips) & passes;
    passes &= open >> pips;
  }
  return found;
}

// Of one side's roll. blots and blocks: the other side's, in the numbering of the one that rolls.
inline void of_side(std::uint32_t mine, int on_bar, std::uint32_t blocks, std::uint32_t blots, std::uint8_t* out) {
  if (blots == 0) return;
  const std::uint32_t open = kAllPoints & ~blocks;
  int stake = 0;
  const auto count = [&](std::uint32_t hit, int rolls) {
    hit &= blots;
    if (hit == 0) return;
    const auto add = [&](int shot, bool is_so) { out[shot] = static_cast<std::uint8_t>(out[shot] + (is_so ? rolls : 0)); };
    add(kShotsAnywhere, true);
    add(kDoubleShots, (hit & (hit - 1)) != 0);
    for (int quarter = 0; quarter < kPoints / kHome; ++quarter)
      add(kShotsAtHome + quarter, (hit & kHomePoints << (quarter * kHome)) != 0);
    // A blot on the shooter's point p has come all but p pips of its way from the bar.
    stake += rolls * (std::bit_width(hit) - 1);
  };
  for (int high = 1; high <= 6; ++high) {
    for (int low = 1; low < high; ++low) count(landings(mine, open, on_bar, high, low), 2);
    count(landings_of_double(mine, open, on_bar, high), 1);
  }
  out[kStake] = static_cast<std::uint8_t>(stake / kPoints);
}

}  // namespace shots

// Of a game in which a lone checker can be hit and the sides move in opposite directions.
inline Shots shots_of(const Board& board) {
  using namespace shots;
  Shots found{};
  std::array<std::uint32_t, 2> checkers;
  std::array<std::uint32_t, 2> blocks;
  for (int side = 0; side < 2; ++side) {
    checkers[side] = points_with(board.count[side], 1);
    blocks[side] = points_with(board.count[side], 2);
  }
  for (int side = 0; side < 2; ++side)
    of_side(checkers[side], board.count[side][kBar], opposed(blocks[1 - side]) & kAllPoints,
            opposed(checkers[1 - side] & ~blocks[1 - side]) & kAllPoints, found.data() + side * kShotsPerSide);
  return found;
}

}  // namespace tavla
