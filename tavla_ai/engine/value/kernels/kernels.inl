// The kernels themselves. Each including file names its instruction set, its vector size, and is compiled
// with the flags of that set; the vector extension of GCC and Clang does the rest. A vector wider than the
// machine's registers would be split badly, hence the size is the including file's to say.

#include <cstdint>
#include <cstring>

#include "value/kernels/kernels.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tavla::KERNELS_NAMESPACE {
namespace {

typedef float Vector __attribute__((vector_size(KERNELS_VECTOR_BYTES)));
typedef std::int32_t Integers __attribute__((vector_size(KERNELS_VECTOR_BYTES)));

constexpr int kWidth = KERNELS_VECTOR_BYTES / sizeof(float);
static_assert(kLane % kWidth == 0);

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }
inline Vector splat(float x) { return Vector{} + x; }
inline Vector relu(Vector v) {
  return v > 0.0f ? v : Vector{};
}
// Adds one half of the lanes to the other until one is left.
inline float sum(Vector v) {
#if defined(__AVX512F__)
  const __m512 all = reinterpret_cast<__m512>(v);
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
#elif defined(__AVX2__)
  const __m256 eight = reinterpret_cast<__m256>(v);
#endif
#if defined(__AVX2__)
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
#else
  float lanes[kWidth];
  store(lanes, v);
  for (int half = kWidth / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
#endif
}

// Of some vectors from the h-th float on. Each is a chain of additions, so that several at once take little longer.
template <bool Relu, int Vectors>
inline void apply_to_block(float* out, const float* base, const Changes& changes, int h) {
  Vector v[Vectors];
  for (int i = 0; i < Vectors; ++i) v[i] = load(base + h + i * kWidth);
  for (int c = 0; c < changes.num_rows; ++c) {
    const float* const plus = changes.rows[c].plus + h;
    const float* const minus = changes.rows[c].minus + h;
    for (int i = 0; i < Vectors; ++i) v[i] += load(plus + i * kWidth) - load(minus + i * kWidth);
  }
  for (int s = 0; s < changes.num_scaled; ++s) {
    const float* const row = changes.scaled[s].row + h;
    const Vector scale = splat(changes.scaled[s].scale);
    for (int i = 0; i < Vectors; ++i) v[i] += load(row + i * kWidth) * scale;
  }
  for (int i = 0; i < Vectors; ++i) store(out + h + i * kWidth, Relu ? relu(v[i]) : v[i]);
}

template <bool Relu>
void apply_changes(float* out, const float* base, const Changes& changes, int width) {
  constexpr int kBlockVectors = 8;
  int h = 0;
  for (; h + kBlockVectors * kWidth <= width; h += kBlockVectors * kWidth)
    apply_to_block<Relu, kBlockVectors>(out, base, changes, h);
  for (; h < width; h += kWidth) apply_to_block<Relu, 1>(out, base, changes, h);
}

void add_rows(float* out, const float* base, const float* const* rows, int num_rows, int width) {
  for (int h = 0; h < width; h += kWidth) {
    Vector v = load(base + h);
    for (int r = 0; r < num_rows; ++r) v += load(rows[r] + h);
    store(out + h, v);
  }
}

// One bit for each lane above zero.
inline std::uint32_t positive_lanes(Vector v) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(v), _mm512_setzero_ps(), _CMP_GT_OQ);
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(v > 0.0f)));
#elif defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(v > 0.0f)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < kWidth; ++lane) bits |= static_cast<std::uint32_t>(v[lane] > 0.0f) << lane;
  return bits;
#endif
}

// Writes first + lane for each lane whose bit is set, in order, and past them as far as a vector goes; returns how many.
inline int write_units(std::uint32_t bits, int first, std::uint16_t* units) {
#if defined(__AVX512F__)
  // Without a branch on how many there are, which could not be foreseen.
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i chosen = _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), _mm512_add_epi32(lanes, _mm512_set1_epi32(first)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(units), _mm512_cvtepi32_epi16(chosen));
  return __builtin_popcount(bits);
#else
  int n = 0;
  for (; bits; bits &= bits - 1) units[n++] = static_cast<std::uint16_t>(first + __builtin_ctz(bits));
  return n;
#endif
}

// The units that any of the rows has active, in order; returns how many.
template <int Rows>
inline int active_units(const float* in, int in_width, std::uint16_t* units) {
  int n = 0;
  for (int k = 0; k < in_width; k += kWidth) {
    std::uint32_t bits = 0;
    for (int r = 0; r < Rows; ++r) bits |= positive_lanes(load(in + r * in_width + k));
    n += write_units(bits, k, units + n);
  }
  return n;
}

template <int Rows, int Columns>
inline void dense_block(float* out, const float* in, int in_width, const std::uint16_t* units, int num_units,
                        const float* weights, const float* bias, int out_width) {
  Vector total[Rows][Columns];
  for (int c = 0; c < Columns; ++c)
    for (int r = 0; r < Rows; ++r) total[r][c] = load(bias + c * kWidth);
  for (int i = 0; i < num_units; ++i) {
    const int k = units[i];
    for (int c = 0; c < Columns; ++c) {
      const Vector w = load(weights + k * out_width + c * kWidth);
      for (int r = 0; r < Rows; ++r) total[r][c] += w * in[r * in_width + k];
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < Columns; ++c) store(out + r * out_width + c * kWidth, relu(total[r][c]));
}

template <int Rows>
inline void dense_rows(float* out, const float* in, int in_width, const float* weights, const float* bias,
                       int out_width) {
  // Most units are at zero, and plays of one roll have mostly the same ones active.
  std::uint16_t units[kMaxWidth + kLane];
  const int n = active_units<Rows>(in, in_width, units);
  int column = 0;
  for (; column + 4 * kWidth <= out_width; column += 4 * kWidth)
    dense_block<Rows, 4>(out + column, in, in_width, units, n, weights + column, bias + column, out_width);
  for (; column + 2 * kWidth <= out_width; column += 2 * kWidth)
    dense_block<Rows, 2>(out + column, in, in_width, units, n, weights + column, bias + column, out_width);
  if (column < out_width)
    dense_block<Rows, 1>(out + column, in, in_width, units, n, weights + column, bias + column, out_width);
}

void dense_relu(float* out, const float* in, int n, int in_width, const float* weights, const float* bias,
                int out_width) {
  int i = 0;
#if defined(__AVX512F__)
  for (; i + 4 <= n; i += 4)
    dense_rows<4>(out + i * out_width, in + i * in_width, in_width, weights, bias, out_width);
#endif
  for (; i + 2 <= n; i += 2)
    dense_rows<2>(out + i * out_width, in + i * in_width, in_width, weights, bias, out_width);
  if (i < n) dense_rows<1>(out + i * out_width, in + i * in_width, in_width, weights, bias, out_width);
}

void output(float* out, int stride, const float* in, int n, int in_width, const float* weights,
            const float* bias, int num_outputs) {
  for (int i = 0; i < n; ++i) {
    const float* row = in + i * in_width;
    int k = 0;
    for (; k + 4 <= num_outputs; k += 4) {
      Vector total[4] = {};
      for (int h = 0; h < in_width; h += kWidth) {
        const Vector x = load(row + h);
        for (int j = 0; j < 4; ++j) total[j] += x * load(weights + (k + j) * in_width + h);
      }
      for (int j = 0; j < 4; ++j) out[(k + j) * stride + i] = sum(total[j]) + bias[k + j];
    }
    for (; k < num_outputs; ++k) {
      Vector total = {};
      for (int h = 0; h < in_width; h += kWidth) total += load(row + h) * load(weights + k * in_width + h);
      out[k * stride + i] = sum(total) + bias[k];
    }
  }
}

// exp for x <= 0, relative error below 2e-7: 2^n times a polynomial on [-ln2/2, ln2/2]
// (coefficients of the Cephes library's expf).
inline Vector exp_nonpositive(Vector x) {
  x = x > -87.0f ? x : splat(-87.0f);
  const Vector scaled = x * 1.44269504088896341f - 0.5f;
  const Integers n = __builtin_convertvector(scaled, Integers);  // rounds towards zero, and scaled < 0
  const Vector whole = __builtin_convertvector(n, Vector);
  const Vector r = (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
  Vector p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const Integers bits = (n + 127) << 23;
  Vector power;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

void softmax(float* logits, int stride, int n, int num_outputs) {
  for (int i = 0; i < n; i += kWidth) {
    Vector top = load(logits + i);
    for (int k = 1; k < num_outputs; ++k) {
      const Vector v = load(logits + k * stride + i);
      top = v > top ? v : top;
    }
    Vector total = {};
    for (int k = 0; k < num_outputs; ++k) {
      const Vector e = exp_nonpositive(load(logits + k * stride + i) - top);
      store(logits + k * stride + i, e);
      total += e;
    }
    const Vector scale = 1.0f / total;
    for (int k = 0; k < num_outputs; ++k) store(logits + k * stride + i, load(logits + k * stride + i) * scale);
  }
}

// Shots

typedef std::uint32_t Masks __attribute__((vector_size(KERNELS_VECTOR_BYTES)));

// Two different dice have a lane each, doubles begin a new vector. A lane without a roll lands nowhere.
constexpr int kDoublesFrom = 16;
constexpr int kRollLanes = kDoublesFrom + (kWidth > 8 ? kWidth : 8);
struct RollLanes {
  std::uint32_t high[kDoublesFrom];
  std::uint32_t low[kDoublesFrom];
  std::uint32_t both[kDoublesFrom];
  std::uint32_t die[kRollLanes - kDoublesFrom];
  std::uint32_t is_double[kRollLanes - kDoublesFrom];  // all bits, or none
};
constexpr RollLanes roll_lanes() {
  RollLanes lanes{};
  constexpr std::uint32_t kNever = 31;
  for (int i = 0; i < kDoublesFrom; ++i) lanes.high[i] = lanes.low[i] = lanes.both[i] = kNever;
  int n = 0;
  for (std::uint32_t high = 2; high <= 6; ++high)
    for (std::uint32_t low = 1; low < high; ++low, ++n) {
      lanes.high[n] = high;
      lanes.low[n] = low;
      lanes.both[n] = high + low;
    }
  for (std::uint32_t die = 1; die <= 6; ++die) {
    lanes.die[die - 1] = die;
    lanes.is_double[die - 1] = ~0u;
  }
  return lanes;
}
constexpr RollLanes kRolls = roll_lanes();

inline Masks load_masks(const std::uint32_t* from) {
  Masks v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline Masks splat_mask(std::uint32_t mask) { return Masks{} + mask; }
inline Masks where(Masks condition, Masks then) { return condition != 0 ? then : Masks{}; }

// One bit for each lane that is not 0.
inline std::uint32_t nonzero_lanes(Masks v) {
#if defined(__AVX512F__)
  const __m512i all = reinterpret_cast<__m512i>(v);
  return _mm512_test_epi32_mask(all, all);
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(v != 0)));
#elif defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(v != 0)));
#else
  std::uint32_t bits = 0;
  for (int lane = 0; lane < kWidth; ++lane) bits |= static_cast<std::uint32_t>(v[lane] != 0) << lane;
  return bits;
#endif
}

constexpr std::uint32_t kEntries = 1u << 25;  // the bar; shifted by a die, where it enters

// Points that one checker can end a roll on, whatever the others do; blocked points may be among them. Checkers on the
// bar enter first.
inline Masks landings_of_two_dice(std::uint32_t mine, int on_bar, std::uint32_t open, int first) {
  const Masks high = load_masks(kRolls.high + first);
  const Masks low = load_masks(kRolls.low + first);
  const Masks both = load_masks(kRolls.both + first);
  const Masks from = splat_mask(mine);
  const Masks free = splat_mask(open);
  if (on_bar == 0) return (from >> high) | (from >> low) | ((from >> both) & ((free >> high) | (free >> low)));
  const Masks bar = splat_mask(kEntries);
  const Masks by_high = bar >> high;
  const Masks by_low = bar >> low;
  if (on_bar > 1) return by_high | by_low;
  const Masks by_both = bar >> both;
  return by_high | by_low | where(free & by_high, (from >> low) | by_both) | where(free & by_low, (from >> high) | by_both);
}

inline Masks landings_of_double(std::uint32_t mine, int on_bar, std::uint32_t open, int first) {
  const Masks die = load_masks(kRolls.die + first);
  const Masks from = splat_mask(mine);
  const Masks free = splat_mask(open);
  const Masks bar = splat_mask(kEntries);
  Masks found = {};
  Masks passes = ~Masks{};
  Masks pips = die;
  for (int steps = 1; steps <= 4; ++steps, pips += die) {
    if (steps + on_bar <= 4) found |= (from >> pips) & passes;
    // Any checker on the bar may enter first; a checker moves on when all have entered.
    if (on_bar > 0 && (steps == 1 || steps + on_bar <= 5)) found |= (bar >> pips) & passes;
    passes &= free >> pips;
  }
  found &= load_masks(kRolls.is_double + first);
  return on_bar == 0 ? found : where(free & (bar >> die), found);
}

void count_shots(std::uint32_t mine, int on_bar, std::uint32_t open, std::uint32_t blots, std::uint8_t* shots) {
  Masks landings[kRollLanes / kWidth];
  for (int lane = 0; lane < kRollLanes; lane += kWidth)
    landings[lane / kWidth] = lane < kDoublesFrom ? landings_of_two_dice(mine, on_bar, open, lane)
                                                  : landings_of_double(mine, on_bar, open, lane - kDoublesFrom);
  const auto count = [](std::uint32_t rolls) {
    return 2 * __builtin_popcount(rolls & ((1u << kDoublesFrom) - 1)) + __builtin_popcount(rolls >> kDoublesFrom);
  };
  std::uint32_t once = 0;
  std::uint32_t twice = 0;
  std::uint32_t quarters[4] = {};
  int stake = 0;
  while (blots != 0) {
    // The blots that have come furthest are the first: all but `point` pips of their way from the bar.
    const int point = 31 - __builtin_clz(blots);
    blots &= ~(1u << point);
    std::uint32_t rolls = 0;
    for (int lane = 0; lane < kRollLanes; lane += kWidth)
      rolls |= nonzero_lanes(landings[lane / kWidth] & splat_mask(1u << point)) << lane;
    stake += point * count(rolls & ~once);
    twice |= once & rolls;
    once |= rolls;
    quarters[(point - 1) / 6] |= rolls;
  }
  shots[kShotsAnywhere] = static_cast<std::uint8_t>(count(once));
  shots[kStake] = static_cast<std::uint8_t>(stake / 24);
  shots[kDoubleShots] = static_cast<std::uint8_t>(count(twice));
  for (int quarter = 0; quarter < 4; ++quarter)
    shots[kShotsAtHome + quarter] = static_cast<std::uint8_t>(count(quarters[quarter]));
}

}  // namespace

extern const Kernels kernels;
const Kernels kernels{KERNELS_NAME, apply_changes<false>, add_rows, apply_changes<true>, dense_relu, output,
                      count_shots, softmax};

}  // namespace tavla::KERNELS_NAMESPACE
