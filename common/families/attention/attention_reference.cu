/*
 * The reference and the comparison on a GPU: a query per block in turn for the one, an element per
 * thread for the other.
 */
#include "families/attention/attention_reference.h"

#include <cuda_runtime.h>

#include "families/attention/attention.h"
#include "harness/kit/device.h"
#include "harness/kit/join.h"

#define THREADS 128
#define EACH (ATTENTION_MOST_DIM / THREADS) /* elements of the output that a thread adds up */
#define ROOM 40960                          /* bytes of shared memory for keys */

static __device__ void add_part(struct query *q, const struct query *other)
{
    q->max = other->max > q->max ? other->max : q->max;
    q->sum += other->sum;
    q->spread += other->spread;
    q->open |= other->open;
    q->undefined |= other->undefined;
}

/* Keys in shared memory, a thread's each, so that they are read from memory once and in order. Their
 * rows have an odd number of words: threads that read the same element read from different banks. */
struct tile {
    char *room;
    size_t bytes, pitch; /* of an element; from a key to the next, in elements */
    unsigned most;       /* of how many keys */
};

static __device__ struct tile tile_of(const struct problem &p, char *room)
{
    size_t bytes = p.type == FLOAT_F32 ? 4 : 2;
    size_t words = (p.dim * bytes + 3) / 4 | 1, most = ROOM / (4 * words);

    return {room, bytes, 4 * words / bytes, most < THREADS ? (unsigned)most : THREADS};
}

/* Copy keys first to behind - 1, or as many as there is room for; how many. A warp copies a key. */
static __device__ unsigned load_keys(const struct tile &t, const struct problem &p, size_t first,
                                     size_t behind)
{
    unsigned count = behind - first < t.most ? (unsigned)(behind - first) : t.most;

    __syncthreads(); /* all have read the keys before */
    for (unsigned key = threadIdx.x / 32; key < count; key += THREADS / 32) {
        const char *from = (const char *)p.k + (first + key) * p.dim * t.bytes;
        char *to = t.room + key * t.pitch * t.bytes;

        for (int d = (int)threadIdx.x % 32; d < p.dim; d += 32) {
            if (t.bytes == 4)
                ((float *)to)[d] = ((const float *)from)[d];
            else
                ((uint16_t *)to)[d] = ((const uint16_t *)from)[d];
        }
    }
    __syncthreads();
    return count;
}

/* The score of a query and the thread's key of a tile. */
static __device__ struct score score_of(const struct tile &t, struct problem p, size_t row)
{
    p.k = t.room;
    return attention_score(&p, row * p.dim, threadIdx.x * t.pitch);
}

/* The shares of so many keys at a time, then each thread's elements of their values. */
static __device__ void add_values(struct mean (&means)[EACH], struct query *q, const struct tile &t,
                                  const struct problem &p, size_t row, size_t first, size_t behind)
{
    __shared__ struct share shares[THREADS];

    for (size_t tile = first; tile < behind; tile += t.most) {
        unsigned there = load_keys(t, p, tile, behind);

        if (threadIdx.x < there) {
            struct score s = score_of(t, p, row);

            shares[threadIdx.x] = query_share(q, &s, p.type);
        }
        __syncthreads();
        for (int i = 0; i < EACH; i++) {
            int d = (int)threadIdx.x + i * THREADS;

            for (unsigned j = 0; j < there && d < p.dim; j++)
                mean_add(&means[i], &shares[j], float_at(p.v, p.type, (tile + j) * p.dim + d), &p);
        }
    }
}

static __global__ void __launch_bounds__(THREADS)
verify_reference(struct expected *expected, struct problem p)
{
    __shared__ __align__(16) char room[ROOM];
    struct tile t = tile_of(p, room);

    for (size_t row = blockIdx.x; row < p.heads * p.length; row += gridDim.x) {
        size_t first = row / p.length * p.length, behind = p.causal ? row + 1 : first + p.length;
        struct query q = {-INFINITY, 0, 0, false, false};
        struct mean means[EACH] = {};

        for (size_t tile = first; tile < behind; tile += t.most) {
            if (threadIdx.x < load_keys(t, p, tile, behind)) {
                struct score s = score_of(t, p, row);

                query_max(&q, &s);
            }
        }
        join_parts<THREADS / 32>(&q);
        add_values(means, &q, t, p, row, first, behind);
        join_parts<THREADS / 32>(&q);
        for (int i = 0; i < EACH; i++) {
            int d = (int)threadIdx.x + i * THREADS;

            if (d < p.dim)
                expected[row * p.dim + d] = mean_expected(&means[i], &q, &p);
        }
    }
}

static __global__ void verify_attention(struct worst *worst, struct comparison c)
{
    __shared__ struct worst own[THREADS];
    struct worst *w = &own[threadIdx.x];
    size_t stride = (size_t)gridDim.x * THREADS;

    memset(w, 0, sizeof(*w));
    w->part = -1;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < c.elements; i += stride)
        compare_attention(w, &c, i);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < THREADS; t++)
            worst_of(w, &own[t]);
        worst[blockIdx.x] = *w;
    }
}

int attention_reference(struct expected *expected, const struct problem *p)
{
    if (p->heads == 0) /* a grid without blocks is an error */
        return 0;
    verify_reference<<<(unsigned)device_full_grid(THREADS), THREADS>>>(expected, *p);
    return device_check(cudaGetLastError());
}

static void launch(struct worst *device, size_t blocks, const void *context)
{
    verify_attention<<<(unsigned)blocks, THREADS>>>(device, *(const struct comparison *)context);
}

int attention_compare(struct worst *worst, const struct comparison *c)
{
    return worst_on_device(worst, (size_t)device_full_grid(THREADS), launch, c);
}
