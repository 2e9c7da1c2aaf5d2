// Mixing for hashes of positions.
#pragma once

#include <cstdint>

namespace tavla {

inline std::uint64_t mixed(std::uint64_t x) {
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

}  // namespace tavla
