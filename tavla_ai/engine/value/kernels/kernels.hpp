// The arithmetic of the network, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tavla {

// Widths of hidden layers are padded to whole vectors of this many floats.
constexpr int kLane = 16;

// Of a hidden layer.
constexpr int kMaxWidth = 4096;

constexpr int padded(int width) { return (width + kLane - 1) / kLane * kLane; }

// One changed place: the table rows to take away and to add.
struct RowChange {
  const float* minus;
  const float* plus;
};

// What one side's roll would do to the other's blots. Counts of rolls are of the 36.
enum Shot : int {
  kShotsAnywhere,  // rolls that hit at least one
  kStake,          // pips that the other side loses by being hit on the blot that has come furthest: mean of a roll × 1.5
  kDoubleShots,    // rolls that could hit one blot or another
  kShotsAtHome,    // rolls that hit one in the shooter's home, and then in the three quarters behind it
  kShotsPerSide = kShotsAtHome + 4
};

// Weights to add in proportion to an input.
struct ScaledRow {
  const float* row;
  float scale;
};

// What a step changes.
struct Changes {
  const RowChange* rows = nullptr;
  int num_rows = 0;
  const ScaledRow* scaled = nullptr;
  int num_scaled = 0;
};

struct Kernels {
  const char* name;

  // out = base + sum of changes; `width` floats, a multiple of kLane.
  void (*apply)(float* out, const float* base, const Changes& changes, int width);

  // out = base + the sum of `num_rows` table rows.
  void (*add_rows)(float* out, const float* base, const float* const* rows, int num_rows, int width);

  // `apply` followed by max(0, .).
  void (*apply_relu)(float* out, const float* base, const Changes& changes, int width);

  // out[n, padded out_width] = max(0, in[n, in_width] * weights[in_width, padded out_width] + bias), where no `in` is
  // negative: those at zero are skipped. in_width is a multiple of kLane, kMaxWidth at most.
  void (*dense_relu)(float* out, const float* in, int n, int in_width, const float* weights,
                     const float* bias, int out_width_padded);

  // out[k * stride + i] = dot(in[i], weights[k]) + bias[k]; in_width is a multiple of kLane.
  void (*output)(float* out, int stride, const float* in, int n, int in_width, const float* weights,
                 const float* bias, int num_outputs);

  // What a roll does to blots; masks have bit p for point p, in the numbering of the side that rolls. mine: its points;
  // on_bar: its checkers there; open: points that are not blocked; blots: at least one. Writes shots[kShotsPerSide].
  void (*count_shots)(std::uint32_t mine, int on_bar, std::uint32_t open, std::uint32_t blots, std::uint8_t* shots);

  // In place over logits[k * stride + i]: softmax over k for each i < n. n is rounded up to kLane.
  void (*softmax)(float* logits, int stride, int n, int num_outputs);
};

// The fastest kernels this processor can run.
const Kernels& best_kernels();

// Kernels by name; throws std::invalid_argument if the machine cannot run them.
const Kernels& kernels_by_name(const std::string& name);

// Names of all kernels that this machine can run, slowest first.
std::vector<std::string> available_kernels();

}  // namespace tavla
