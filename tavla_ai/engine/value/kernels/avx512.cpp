#define KERNELS_NAMESPACE kernels_avx512
#define KERNELS_NAME "avx512"
#define KERNELS_VECTOR_BYTES 64
#include "value/kernels/kernels.inl"
