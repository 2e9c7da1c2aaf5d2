// Dice from counter-based streams: every roll is a pure function of (seed, game, stream, n).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tavla {

// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011).
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key) {
  std::uint32_t k0 = static_cast<std::uint32_t>(key);
  std::uint32_t k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ k0, static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return counter;
}

struct Roll {
  int first;
  int second;

  constexpr bool is_double() const { return first == second; }
};

// The distinct rolls, the higher die first: 1-1, 2-1, 2-2, 3-1 … 6-6. Sums over rolls are in this order.
constexpr int kNumDistinctRolls = 21;
constexpr std::array<Roll, kNumDistinctRolls> kDistinctRolls = [] {
  std::array<Roll, kNumDistinctRolls> rolls{};
  std::size_t n = 0;
  for (int high = 1; high <= 6; ++high)
    for (int low = 1; low <= high; ++low) rolls[n++] = {high, low};
  return rolls;
}();

// Index of a roll among the distinct ones.
constexpr std::size_t index_of(Roll roll) {
  const int high = roll.first > roll.second ? roll.first : roll.second;
  const int low = roll.first > roll.second ? roll.second : roll.first;
  return static_cast<std::size_t>(high * (high - 1) / 2 + low - 1);
}

// Number of the 36 ways in which two dice give this roll.
constexpr int kNumRolls = 36;
constexpr int weight_of(Roll roll) { return roll.is_double() ? 1 : 2; }

// The random numbers of one game. `round` is the number of the game within its match.
class GameStreams {
 public:
  GameStreams(std::uint64_t seed, std::uint64_t game, std::uint32_t round = 0)
      : seed_(seed), game_(game), round_(round) {}

  Roll roll(std::uint32_t ply) const { return dice(Stream::kDice, ply); }

  // The `attempt`-th try to decide who starts: one die each.
  Roll opening(std::uint32_t attempt) const { return dice(Stream::kOpening, attempt); }

  // A whole number in [0, bound), for choices that are not dice.
  std::uint32_t choice(std::uint32_t ply, std::uint32_t bound) const {
    return scale(draw(Stream::kChoice, ply)[0], bound);
  }

  // A number in [0, 1) that decides which utility the game is played for.
  double utility_draw() const { return chance(Stream::kUtility, 0); }

  // Numbers in [0, 1) for other choices of self-play; each kind of choice has its own stream.
  double explore_draw(std::uint32_t ply) const { return chance(Stream::kExplore, ply); }
  double scramble_draw(std::uint32_t n) const { return chance(Stream::kScramble, n); }
  double sample_draw(std::uint32_t ply) const { return chance(Stream::kSample, ply); }

  // Two numbers in (0, 1) from which a player's error about a position follows.
  std::array<double, 2> error_draw(std::uint32_t position) const {
    const auto random = draw(Stream::kError, position);
    return {(random[0] + 0.5) * 0x1p-32, (random[1] + 0.5) * 0x1p-32};
  }

 private:
  enum class Stream : std::uint32_t {
    kDice = 0,
    kOpening = 1,
    kChoice = 2,
    kUtility = 3,
    kExplore = 4,
    kScramble = 5,
    kSample = 6,
    kError = 7,
  };

  double chance(Stream stream, std::uint32_t n) const { return draw(stream, n)[0] * 0x1p-32; }

  std::array<std::uint32_t, 4> draw(Stream stream, std::uint32_t n) const {
    return philox({n, static_cast<std::uint32_t>(stream) | round_ << 8, static_cast<std::uint32_t>(game_),
                   static_cast<std::uint32_t>(game_ >> 32)},
                  seed_);
  }
  static std::uint32_t scale(std::uint32_t random, std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{random} * bound) >> 32);
  }
  Roll dice(Stream stream, std::uint32_t n) const {
    const auto random = draw(stream, n);
    return {static_cast<int>(scale(random[0], 6)) + 1, static_cast<int>(scale(random[1], 6)) + 1};
  }

  std::uint64_t seed_;
  std::uint64_t game_;
  std::uint32_t round_;
};

// The seat that plays first (0 or 1) and the first roll that is played.
struct Opening {
  int seat;
  Roll roll;
};

// One die each until the dice differ; the higher die starts, with those dice or with a fresh roll.
inline Opening open_game(const GameStreams& streams, bool rerolls) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    const Roll roll = streams.opening(attempt);
    if (roll.first == roll.second) continue;
    return {roll.first > roll.second ? 0 : 1, rerolls ? streams.roll(0) : roll};
  }
}

}  // namespace tavla
