#define KERNELS_NAMESPACE kernels_avx2
#define KERNELS_NAME "avx2"
#define KERNELS_VECTOR_BYTES 32
#include "value/kernels/kernels.inl"
