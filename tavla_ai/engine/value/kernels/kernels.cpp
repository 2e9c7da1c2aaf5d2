#include "value/kernels/kernels.hpp"

#include <stdexcept>

namespace tavla {

namespace kernels_baseline {
extern const Kernels kernels;
}
#if defined(TAVLA_X86)
namespace kernels_avx2 {
extern const Kernels kernels;
}
namespace kernels_avx512 {
extern const Kernels kernels;
}
#endif

namespace {

std::vector<const Kernels*> runnable() {
  std::vector<const Kernels*> found{&kernels_baseline::kernels};
#if defined(TAVLA_X86)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(&kernels_avx2::kernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    found.push_back(&kernels_avx512::kernels);
#endif
  return found;
}

}  // namespace

const Kernels& best_kernels() {
  static const Kernels& best = *runnable().back();
  return best;
}

const Kernels& kernels_by_name(const std::string& name) {
  std::string known;
  for (const Kernels* kernels : runnable()) {
    if (kernels->name == name) return *kernels;
    known += (known.empty() ? "" : ", ") + std::string(kernels->name);
  }
  throw std::invalid_argument("kernels '" + name + "': this machine can run " + known);
}

std::vector<std::string> available_kernels() {
  std::vector<std::string> names;
  for (const Kernels* kernels : runnable()) names.emplace_back(kernels->name);
  return names;
}

}  // namespace tavla
