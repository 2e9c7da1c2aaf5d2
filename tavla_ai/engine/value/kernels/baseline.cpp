#define KERNELS_NAMESPACE kernels_baseline
#define KERNELS_NAME "baseline"
#define KERNELS_VECTOR_BYTES 16
#include "value/kernels/kernels.inl"
