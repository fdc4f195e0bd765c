// flags: --check --counters
// error: --check: nothing found
// error: product               128       512      512       512
// error: Tensor cores (products: instructions of warps
// error: product                        128
// A product by wmma through shared memory, with all barriers: --check finds nothing.
// What the tensor cores add to the counters: products of warps, and the wavefronts of ldmatrix.
#include <cstdio>
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

// C = A B of n x n, n a multiple of 32; a block of 4 warps has a tile of 32 x 32.
__global__ void product(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n)
{
    __shared__ alignas(128) __nv_bfloat16 sa[32][24], sb[16][40];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    int row = blockIdx.y * 32, column = blockIdx.x * 32, warp = threadIdx.x / 32;

    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 512; i += 128) {
            sa[i / 16][i % 16] = a[(row + i / 16) * n + k + i % 16];
            sb[i / 32][i % 32] = b[(k + i / 32) * n + column + i % 32];
        }
        __syncthreads();
        wmma::load_matrix_sync(fa, &sa[warp / 2 * 16][0], 24);
        wmma::load_matrix_sync(fb, &sb[0][warp % 2 * 16], 40);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(&c[(row + warp / 2 * 16) * n + column + warp % 2 * 16], sum, n, wmma::mem_row_major);
}

int main()
{
    const int n = 64;
    __nv_bfloat16 *a, *b;
    float *c;
    int wrong = 0;

    cudaMallocManaged(&a, n * n * sizeof(*a));
    cudaMallocManaged(&b, n * n * sizeof(*b));
    cudaMallocManaged(&c, n * n * sizeof(*c));
    for (int i = 0; i < n * n; i++) {
        a[i] = __float2bfloat16((float)(i % 7 - 3));
        b[i] = __float2bfloat16((float)(i % 5 - 2));
    }
    product<<<dim3(n / 32, n / 32), 128>>>(a, b, c, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;

            for (int k = 0; k < n; k++)
                sum += __bfloat162float(a[i * n + k]) * __bfloat162float(b[k * n + j]);
            wrong += c[i * n + j] != sum;
        }
    printf("%d wrong\n", wrong);
    return 0;
}
