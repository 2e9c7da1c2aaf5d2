// The kernels themselves. Each including file names its instruction set, its vector size, and is compiled
// with the flags of that set; the vector extension of GCC and Clang does the rest. A vector wider than the
// machine's registers would be split badly, hence the size is the including file's to say.

#include <cstdint>
#include <cstring>

#include "kernels.hpp"

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
inline float sum(Vector v) {
  float lanes[kWidth];
  store(lanes, v);
  for (int half = kWidth / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

template <bool Relu>
void apply_changes(float* out, const float* base, const RowChange* changes, int num_changes, int width) {
  for (int h = 0; h < width; h += kWidth) {
    Vector v = load(base + h);
    for (int c = 0; c < num_changes; ++c) v += load(changes[c].plus + h) - load(changes[c].minus + h);
    store(out + h, Relu ? relu(v) : v);
  }
}

void add_rows(float* out, const float* base, const float* const* rows, int num_rows, int width) {
  for (int h = 0; h < width; h += kWidth) {
    Vector v = load(base + h);
    for (int r = 0; r < num_rows; ++r) v += load(rows[r] + h);
    store(out + h, v);
  }
}

template <int Rows, int Columns>
inline void dense_block(float* out, const float* in, int in_width, const float* weights, const float* bias,
                        int out_width) {
  Vector total[Rows][Columns];
  for (int c = 0; c < Columns; ++c)
    for (int r = 0; r < Rows; ++r) total[r][c] = load(bias + c * kWidth);
  for (int k = 0; k < in_width; ++k) {
    for (int c = 0; c < Columns; ++c) {
      const Vector w = load(weights + k * out_width + c * kWidth);
      for (int r = 0; r < Rows; ++r) total[r][c] += w * in[r * in_width + k];
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < Columns; ++c) store(out + r * out_width + c * kWidth, relu(total[r][c]));
}

template <int Columns>
void dense_columns(float* out, const float* in, int n, int in_width, const float* weights, const float* bias,
                   int out_width) {
  int i = 0;
  for (; i + 4 <= n; i += 4)
    dense_block<4, Columns>(out + i * out_width, in + i * in_width, in_width, weights, bias, out_width);
  for (; i < n; ++i)
    dense_block<1, Columns>(out + i * out_width, in + i * in_width, in_width, weights, bias, out_width);
}

void dense_relu(float* out, const float* in, int n, int in_width, const float* weights, const float* bias,
                int out_width) {
  int column = 0;
  for (; column + 2 * kWidth <= out_width; column += 2 * kWidth)
    dense_columns<2>(out + column, in, n, in_width, weights + column, bias + column, out_width);
  if (column < out_width)
    dense_columns<1>(out + column, in, n, in_width, weights + column, bias + column, out_width);
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

}  // namespace

extern const Kernels kernels;
const Kernels kernels{KERNELS_NAME, apply_changes<false>, add_rows, apply_changes<true>, dense_relu, output, softmax};

}  // namespace tavla::KERNELS_NAMESPACE
