/*
 * What attention-mma and attention-tf32 share: a block's queries wait in shared memory, as many as
 * it has threads, and tiles of keys and values come by asynchronous copies; scores become shares in
 * the registers that mma.sync has left them in.
 */
#ifndef ATTENTION_WARP_TILES_H
#define ATTENTION_WARP_TILES_H

#include <cuda_pipeline.h>

#include "families/attention/tensor_rows.h"
#include "harness/kit/mma.h"

#define WARP_OWN 32 /* queries of a warp: two times 16 */
#define STAGES 2    /* tiles of keys and values: one is worked on, one is in flight */

/* A block's shared memory: rows whose chunks are swizzled. */
template <int DIM, int KEYS, int QUERIES> struct tile_room {
    alignas(16) element q[QUERIES][DIM];
    struct stage {
        element k[KEYS][DIM], v[KEYS][DIM];
    } stage[STAGES];
};

/* What a lane has of its warp's scores: in each 16 x 8 two neighbours of row lane / 4, and two of
 * the row 8 below. So it has rows 0 to 3, which lie 8 apart; of row r at[r / 2][...][r % 2 * 2] and
 * the next. */
template <int KEYS> struct warp_scores {
    float at[2][KEYS / 8][4];
};

/* What it knows of its four rows, which four lanes have together: the largest score, times log2(e)
 * / sqrt(dim), its own part of the sum of shares, and the sums of values, in the order of the
 * products' columns. */
template <int DIM> struct warp_means {
    float max[4], sum[4], value[2][DIM / 8][4];
};

/* Row number r of the thread's four, of scores or of sums of values. */
template <int N> static __device__ __forceinline__ float *row_of(float (&of)[2][N][4], int r)
{
    return &of[r / 2][0][r % 2 * 2];
}

/* The first query of the thread's warp, in its block. */
static __device__ __forceinline__ int warp_row()
{
    return threadIdx.x / 32 * WARP_OWN;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Rows first, first + 1, ... of a head's matrix, zeros where it has ended. Chunk by chunk by
 * asynchronous copies, where the head begins at a multiple of 16 bytes; else element by element. */
template <int COUNT, int THREADS, int DIM>
static __device__ __forceinline__ void load(element (*to)[DIM], const element *from, size_t first,
                                            size_t length, bool aligned)
{
#pragma unroll 1
    for (int i = 0; i < COUNT * DIM / CHUNK / THREADS; i++) {
        int at = threadIdx.x + i * THREADS, row = at / (DIM / CHUNK), chunk = at % (DIM / CHUNK);
        bool there = first + row < length;
        const element *source = from + (there ? first + row : 0) * DIM + chunk * CHUNK;
        element *place = &to[row][swizzled(row, chunk)];

        if (aligned)
            __pipeline_memcpy_async(place, source, sizeof(uint4), there ? 0 : sizeof(uint4));
        else
            for (int e = 0; e < CHUNK; e++)
                place[e] = there ? source[e] : (element)0.0f;
    }
}

/* What a block works on: a head's arrays, its first query, and the keys that its queries see, from
 * the first on. */
struct warp_place {
    const element *k, *v;
    size_t first_query, behind;
    bool aligned;
};

/* Ask for the tile that begins with this key, if there is one. It is one group of copies in any
 * case. */
template <int DIM, int KEYS, int QUERIES>
static __device__ __forceinline__ void ask(struct tile_room<DIM, KEYS, QUERIES> *t,
                                           const struct warp_place &p, size_t key, size_t length)
{
    auto &s = t->stage[key / KEYS % STAGES];

    if (key < p.behind) {
        load<KEYS, QUERIES>(s.k, p.k, key, length, p.aligned);
        load<KEYS, QUERIES>(s.v, p.v, key, length, p.aligned);
    }
    __pipeline_commit();
}

/* --- shares ----------------------------------------------------------------------------------- */

/* Multiply a row's sums of values. */
template <int DIM>
static __device__ __forceinline__ void scale_values(struct warp_means<DIM> *m, int r, float by)
{
#pragma unroll
    for (int j = 0; j < DIM / 8; j++) {
        m->value[r / 2][j][r % 2 * 2] *= by;
        m->value[r / 2][j][r % 2 * 2 + 1] *= by;
    }
}

/* Scores become shares, and the sums are for the new maximum. */
template <int KEYS, int DIM>
static __device__ __forceinline__ void find_shares(struct warp_scores<KEYS> *s,
                                                   struct warp_means<DIM> *m, float scale)
{
    float max[4];

#pragma unroll
    for (int r = 0; r < 4; r++)
        max[r] = row_max<KEYS>(row_of(s->at, r));
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float base, change;

        max[r] = fmaxf(m->max[r], max[r] * scale);
        base = max[r] == -INFINITY ? 0 : max[r]; /* -infinity minus itself would be NaN */
        change = power_of_2(m->max[r] - base);
        m->max[r] = max[r];
        m->sum[r] *= change;
        scale_values(m, r, change);
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float *score = &s->at[r / 2][j][r % 2 * 2 + e];

                *score = power_of_2(*score * scale - base);
                m->sum[r] += *score;
            }
        }
    }
}

#endif
