// wmma: all shapes, layouts and types, from global and from shared memory; products of small whole numbers are exact.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <typename T> struct memory {
    typedef T type;
};
template <> struct memory<wmma::precision::tf32> {
    typedef float type;
};

template <int M, int N, int K, typename T, typename S, typename RowsA, typename RowsB>
__global__ void product(const typename memory<T>::type *a, const typename memory<T>::type *b, S *c, int lda, int ldb,
                        bool rows_c)
{
    __shared__ alignas(128) typename memory<T>::type shared[2][32 * 48];
    wmma::layout_t layout = rows_c ? wmma::mem_row_major : wmma::mem_col_major;
    int ldc = 48;
    wmma::fragment<wmma::matrix_a, M, N, K, T, RowsA> fa, sa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, RowsB> fb, sb;
    wmma::fragment<wmma::accumulator, M, N, K, S> one, sum;

    for (int i = threadIdx.x; i < 32 * 48; i += 32) {
        shared[0][i] = a[i];
        shared[1][i] = b[i];
    }
    __syncwarp();
    wmma::fill_fragment(one, (S)3);
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(sa, &shared[0][0], lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(sb, &shared[1][0], ldb);
    for (int i = 0; i < fa.num_elements; i++) // both ways to memory give each lane the same elements
        if ((float)fa.x[i] != (float)sa.x[i])
            fa.x[i] = sa.x[i] = 100;
    wmma::mma_sync(sum, fa, sb, one);
    wmma::store_matrix_sync(c, sum, ldc, layout);
    __syncwarp();
    wmma::load_matrix_sync(one, c, ldc, layout);
    wmma::mma_sync(sum, sa, fb, one); // twice the product
    wmma::store_matrix_sync(c, sum, ldc, layout);
}

template <int M, int N, int K, typename T, typename S, typename RowsA, typename RowsB>
static int wrong_elements(bool rows_a, bool rows_b, bool rows_c)
{
    typedef typename memory<T>::type E;
    E *a, *b;
    S *c;
    int wrong = 0;

    cudaMallocManaged(&a, 32 * 48 * sizeof(*a));
    cudaMallocManaged(&b, 32 * 48 * sizeof(*b));
    cudaMallocManaged(&c, 32 * 48 * sizeof(*c));
    for (int i = 0; i < 32 * 48; i++) {
        a[i] = (E)(float)(i * 7 % 11);
        b[i] = (E)(float)(i * 5 % 13);
        c[i] = (S)-1;
    }
    product<M, N, K, T, S, RowsA, RowsB><<<1, 32>>>(a, b, c, 48, 48, rows_c);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return -1;
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 48; j++) {
            int row = rows_c ? i : j, column = rows_c ? j : i;
            float sum = 3;

            for (int k = 0; k < K && row < M && column < N; k++)
                sum += 2 * (float)a[rows_a ? row * 48 + k : k * 48 + row] *
                       (float)b[rows_b ? k * 48 + column : column * 48 + k];
            wrong += (float)c[i * 48 + j] != (row < M && column < N ? sum : -1);
        }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return wrong;
}

// Halves in all layouts; of the other types A by rows and B by columns, and the other way around.
template <int M, int N, int K, typename T, typename S> static int wrong_in_two(bool rows_c)
{
    return wrong_elements<M, N, K, T, S, wmma::row_major, wmma::col_major>(true, false, rows_c) +
           wrong_elements<M, N, K, T, S, wmma::col_major, wmma::row_major>(false, true, !rows_c);
}

template <int M, int N> static int wrong_halves(bool rows_c)
{
    return wrong_elements<M, N, 16, __half, float, wmma::row_major, wmma::row_major>(true, true, rows_c) +
           wrong_elements<M, N, 16, __half, float, wmma::col_major, wmma::col_major>(false, false, rows_c) +
           wrong_in_two<M, N, 16, __half, float>(rows_c);
}

template <int M, int N> static void try_types()
{
    printf("%dx%d: of f16 %d wrong, of f16 alone %d, bf16 %d, s8 %d\n", M, N,
           wrong_halves<M, N>(true) + wrong_halves<M, N>(false), wrong_in_two<M, N, 16, __half, __half>(true),
           wrong_in_two<M, N, 16, __nv_bfloat16, float>(false), wrong_in_two<M, N, 16, signed char, int>(true));
}

// Which elements of A lane 5 holds: as mma.m16n8k16 has it, and all of them twice.
__global__ void look(const __half *a, float *x, int *count)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;

    wmma::load_matrix_sync(f, a, 16);
    if (threadIdx.x == 5)
        for (int i = 0; i < f.num_elements; i++)
            x[i] = __half2float(f.x[i]);
    *count = f.num_elements;
}

int main()
{
    __half *a;
    float *x;
    int *count;

    try_types<16, 16>();
    try_types<32, 8>();
    try_types<8, 32>();
    printf("16x16: of u8 %d wrong, tf32 %d\n", wrong_in_two<16, 16, 16, unsigned char, int>(false),
           wrong_in_two<16, 16, 8, wmma::precision::tf32, float>(true));
    cudaMallocManaged(&a, 256 * sizeof(*a));
    cudaMallocManaged(&x, 16 * sizeof(*x));
    cudaMallocManaged(&count, sizeof(*count));
    for (int i = 0; i < 256; i++)
        a[i] = __float2half((float)i);
    look<<<1, 32>>>(a, x, count);
    cudaDeviceSynchronize();
    for (int i = 0; i < *count; i++)
        printf("%g%c", x[i], i + 1 < *count ? ' ' : '\n');
    return 0;
}
