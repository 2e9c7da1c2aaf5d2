// The input `shots`: how many rolls hit which blots, which counts of checkers tell only all together.
#pragma once

#include <array>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "rules/board.hpp"
#include "value/kernels/kernels.hpp"

namespace tavla {

namespace shots {

constexpr std::uint32_t kAllPoints = ((1u << (kPoints + 1)) - 1) & ~1u;

// Bit p of the result: bit 25 − p of a mask of points.
constexpr std::uint32_t opposed(std::uint32_t mask) {
  mask = (mask >> 1 & 0x55555555u) | (mask & 0x55555555u) << 1;
  mask = (mask >> 2 & 0x33333333u) | (mask & 0x33333333u) << 2;
  mask = (mask >> 4 & 0x0f0f0f0fu) | (mask & 0x0f0f0f0fu) << 4;
  mask = (mask >> 8 & 0x00ff00ffu) | (mask & 0x00ff00ffu) << 8;
  return (mask >> 16 | mask << 16) >> (31 - kBar);
}

// Bit p: a side has at least `least` checkers on point p.
inline std::uint32_t points_with(const std::int8_t* counts, int least) {
#if defined(__SSE2__)
  const auto sixteen = [&](int from) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(counts + from));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(least - 1)))));
  };
  static_assert(kMaxPlaces >= 32);
  return (sixteen(0) | sixteen(16) << 16) & kAllPoints;
#else
  std::uint32_t mask = 0;
  for (int point = 1; point <= kPoints; ++point) mask |= static_cast<std::uint32_t>(counts[point] >= least) << point;
  return mask;
#endif
}

}  // namespace shots

// What is to be hit where a lone checker can be hit and the sides move in opposite directions: the `Shot`s of the side
// that has just moved, then those of the one to roll.
struct Shots {
  static constexpr const char* kName = "shots";
  static constexpr const char* kVersion = "shots-1";
  static constexpr int kNumPlaces = kCommonPlaces;
  static constexpr int kNumValues = 2 * kShotsPerSide;
  static constexpr int kNumLevels = 37;
  static constexpr int kNumColumns = 2;

  static void count(const Board& board, const Kernels& kernels, std::uint8_t* values) {
    using namespace shots;
    std::array<std::uint32_t, 2> checkers;
    std::array<std::uint32_t, 2> blocks;
    for (int side = 0; side < 2; ++side) {
      checkers[side] = points_with(board.count[side], 1);
      blocks[side] = points_with(board.count[side], 2);
    }
    for (int side = 0; side < 2; ++side) {
      const int other = 1 - side;
      const std::uint32_t blots = checkers[other] & ~blocks[other];
      if (blots != 0)
        kernels.count_shots(checkers[side], board.count[side][kBar], opposed(kAllPoints & ~blocks[other]),
                            opposed(blots), values + side * kShotsPerSide);
    }
  }

  // Its share of 36, and whether there is any.
  static void columns(int value, float* out) {
    out[0] = static_cast<float>(value) / 36;
    out[1] = value >= 1;
  }
};

}  // namespace tavla
