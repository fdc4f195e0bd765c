/*
 * Vectors taken as a matrix, whose columns and rows are transformed apart. Device code and its
 * tables.
 *
 * A vector of N1 x N2 points is N1 rows. Each column of N1 points is transformed, and then each row
 * of N2. A column or a row is shared by threads of 16 points, as in stages.h; a block has several
 * of them.
 */
#ifndef FFT_PARTS_H
#define FFT_PARTS_H

#include "families/fft/stages.h"

/* N points go by threads of 16 points, in stages of radix 16, but for the last; 1024 in two of 32.
 */
static __host__ __device__ constexpr int points(int n)
{
    return n == 1024 ? 32 : 16;
}

static __host__ __device__ constexpr int threads(int n)
{
    return n / points(n);
}

static __host__ __device__ constexpr int radix(int n, int stage)
{
    return stage == 1               ? points(n)
           : threads(n) < points(n) ? (stage == 2 ? threads(n) : 1)
           : stage == 2             ? points(n)
                                    : threads(n) / points(n);
}

/* A column or a row. Its threads lie across the warps, so the block meets. */
template <int N, typename Roots>
static __device__ __forceinline__ void transform_part(c32 *x, int t, int next, c32 *to,
                                                      const c32 *from, const Roots &roots)
{
    transform<N, threads(N), radix(N, 1), radix(N, 2), radix(N, 3), 1, 1024>(x, t, next, to, from,
                                                                             roots);
}

static inline struct stage_roots roots_of(int n)
{
    return stage_roots_of(radix(n, 1), radix(n, 2), radix(n, 3), 1);
}

/*
 * What stands between columns and rows: the point of row k and column j is multiplied by exp(-2 pi
 * i k j / (N columns)). With T threads a column and k = t + T i that is fine[t][j] coarse[i][j], of
 * tables that fit the caches.
 */
struct turns {
    const c32 *fine, *coarse;
};

template <int N> static struct turns turns_of(size_t columns)
{
    return (struct turns){fft_roots(threads(N), columns, N * columns),
                          fft_roots(points(N), columns, points(N) * columns)};
}

#endif
