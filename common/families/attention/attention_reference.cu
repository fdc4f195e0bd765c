/*
 * The reference and the comparison on a GPU: a few queries per block in turn for the one, an element per
 * thread for the other.
 */
#include "families/attention/attention_reference.h"

#include <cuda_runtime.h>

#include "families/attention/attention.h"
#include "harness/kit/device.h"
#include "harness/kit/join.h"

#define THREADS 128
#define QUERIES 4
#define EACH(dim) (QUERIES * (dim) / THREADS) /* elements of the output that a thread adds up */
#define FEW_DIMS 64                           /* up to here a kernel with fewer registers */
#define ROOM 34816                            /* bytes of shared memory for keys */

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

/* Queries that lie together, of one head: a block takes them at once, because the keys and the values
 * that they need are the same. */
struct group {
    size_t row, first; /* the first query, and the head's first key */
    size_t behind;     /* where the last query's keys end */
    int count;
};

static __device__ struct group group_of(const struct problem &p, size_t at)
{
    size_t of_head = (p.length + QUERIES - 1) / QUERIES, head = at / of_head;
    size_t place = at % of_head * QUERIES, left = p.length - place;
    struct group g = {.row = head * p.length + place, .first = head * p.length};

    g.count = left < QUERIES ? (int)left : QUERIES;
    g.behind = p.causal ? g.row + g.count : g.first + p.length;
    return g;
}

static __device__ bool sees(const struct group &g, const struct problem &p, int query, size_t key)
{
    return query < g.count && (!p.causal || key <= g.row + query);
}

/* The largest score of each query. */
static __device__ void find_max(struct query (&q)[QUERIES], const struct group &g,
                                const struct tile &t, const struct problem &p)
{
    for (size_t first = g.first; first < g.behind; first += t.most) {
        unsigned there = load_keys(t, p, first, g.behind);

        for (int i = 0; i < QUERIES; i++) {
            if (threadIdx.x < there && sees(g, p, i, first + threadIdx.x)) {
                struct score s = score_of(t, p, g.row + i);

                query_max(&q[i], &s);
            }
        }
    }
}

/* The shares of so many keys at a time, then each thread's elements of their values. */
template <int ALL>
static __device__ void add_values(struct mean (&means)[ALL], struct query (&q)[QUERIES],
                                  const struct group &g, const struct tile &t,
                                  const struct problem &p)
{
    __shared__ struct share shares[QUERIES][THREADS];

    for (size_t first = g.first; first < g.behind; first += t.most) {
        unsigned there = load_keys(t, p, first, g.behind);

        for (int i = 0; i < QUERIES; i++) {
            if (threadIdx.x < there && sees(g, p, i, first + threadIdx.x)) {
                struct score s = score_of(t, p, g.row + i);

                shares[i][threadIdx.x] = query_share(&q[i], &s, p.type);
            }
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < ALL; e++) {
            int query = (int)(threadIdx.x + e * THREADS) / p.dim;
            int d = (int)(threadIdx.x + e * THREADS) % p.dim;

#pragma unroll 1 /* it is compiled sooner: nothing runs before all of common is built */
            for (unsigned j = 0; j < there && sees(g, p, query, first + j); j++)
                mean_add(&means[e], &shares[query][j],
                         float_at(p.v, p.type, (first + j) * p.dim + d), &p);
        }
    }
}

/* ALL: how many elements of the output a thread has. */
template <int ALL> static __global__ void __launch_bounds__(THREADS)
verify_reference(struct expected *expected, struct problem p)
{
    __shared__ __align__(16) char room[ROOM];
    size_t groups = p.heads * ((p.length + QUERIES - 1) / QUERIES);
    struct tile t = tile_of(p, room);

    for (size_t at = blockIdx.x; at < groups; at += gridDim.x) {
        struct group g = group_of(p, at);
        struct query q[QUERIES];
        struct mean means[ALL] = {};
        __shared__ struct query joined[QUERIES];

        for (int i = 0; i < QUERIES; i++)
            q[i] = (struct query){-INFINITY, 0, 0, false, false};
        find_max(q, g, t, p);
        for (int i = 0; i < QUERIES; i++)
            join_parts<THREADS / 32>(&q[i], add_part);
        add_values(means, q, g, t, p);
        for (int i = 0; i < QUERIES; i++) {
            join_parts<THREADS / 32>(&q[i], add_part);
            if (threadIdx.x == 0)
                joined[i] = q[i];
        }
        __syncthreads();
#pragma unroll
        for (int e = 0; e < ALL; e++) {
            int query = (int)(threadIdx.x + e * THREADS) / p.dim;
            int d = (int)(threadIdx.x + e * THREADS) % p.dim;

            if (query < g.count)
                expected[(g.row + query) * p.dim + d] =
                    mean_expected(&means[e], &joined[query], &p);
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
    auto kernel = p->dim <= FEW_DIMS ? verify_reference<EACH(FEW_DIMS)>
                                     : verify_reference<EACH(ATTENTION_MOST_DIM)>;

    if (p->heads == 0) /* a grid without blocks is an error */
        return 0;
    kernel<<<(unsigned)device_full_grid(THREADS), THREADS>>>(expected, *p);
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
