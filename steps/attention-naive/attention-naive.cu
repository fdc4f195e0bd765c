/*
 * attention-naive: three kernels, and the matrix of scores in memory
 *
 * Idea      Each query gives each key a score, their product. The softmax of a query's scores says by how much
 *           each key's value counts in its mean. So attention is two products of matrices with a softmax
 *           between them: a kernel for each, and the matrix of all scores in global memory.
 * Since     sgemm-tiled multiplied matrices, and softmax-naive made shares of a row.
 * Expect    The matrix has length x length elements per head, far more than the queries, keys and values,
 *           which are length x dim. It is stored twice, loaded three times for the softmax, and once per 16
 *           elements of the values.
 * Source    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.
 */
#include "families/attention/attention.h"

#define TILE 16
#define THREADS (TILE * TILE)
#define MAX_GRID 0x7fffffff

/* Tiles of queries x keys of all heads: a thread has a score. With `causal` those alone that a query sees. */
static __global__ void scores_of(struct work w, size_t tiles)
{
    __shared__ element of_query[TILE][TILE], of_key[TILE][TILE + 1];
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;

    for (size_t tile = blockIdx.x; tile < w.heads * tiles * tiles; tile += gridDim.x) {
        size_t head = tile / (tiles * tiles) * w.length; /* its first query */
        size_t first_query = tile / tiles % tiles * TILE, first_key = tile % tiles * TILE;
        size_t query = first_query + y, key = first_key + x;
        element sum = 0;

        if (w.causal && first_key > first_query)
            continue;
        for (int d = 0; d < w.dim; d += TILE) {
            bool inside = d + x < w.dim;

            of_query[y][x] = inside && query < w.length ? w.q[(head + query) * w.dim + d + x] : 0;
            of_key[y][x] = inside && first_key + y < w.length
                               ? w.k[(head + first_key + y) * w.dim + d + x]
                               : 0;
            __syncthreads();
            for (int i = 0; i < TILE; i++)
                sum += of_query[y][i] * of_key[x][i];
            __syncthreads(); /* before the next part is written */
        }
        if (query < w.length && key < w.length && !(w.causal && key > query))
            w.scores[(head + query) * w.length + key] = sum * w.scale;
    }
}

/* The keys that a query sees: the first ones of its head. */
static __device__ size_t keys_of(const struct work &w, size_t query)
{
    return w.causal ? query + 1 : w.length;
}

/* A warp per row of scores, which become shares. */
static __global__ void shares_of(struct work w)
{
    size_t stride = (size_t)gridDim.x * (THREADS / 32);
    unsigned lane = threadIdx.x % 32;

    for (size_t row = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
         row < w.heads * w.length; row += stride) {
        element *x = w.scores + row * w.length, max = -INFINITY, sum = 0;
        size_t keys = keys_of(w, row % w.length);

        for (size_t i = lane; i < keys; i += 32)
            max = fmaxf(max, x[i]);
        for (int k = 16; k > 0; k /= 2)
            max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, k));
        for (size_t i = lane; i < keys; i += 32)
            sum += expf(x[i] - max);
        for (int k = 16; k > 0; k /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, k);
        for (size_t i = lane; i < keys; i += 32)
            x[i] = expf(x[i] - max) / sum;
    }
}

/* Tiles of queries x elements of all heads: a thread has an element of the output. */
static __global__ void means_of(struct work w, size_t tiles, size_t across)
{
    __shared__ element share[TILE][TILE], value[TILE][TILE];
    int x = threadIdx.x % TILE, y = threadIdx.x / TILE;

    for (size_t tile = blockIdx.x; tile < w.heads * tiles * across; tile += gridDim.x) {
        size_t head = tile / (tiles * across) * w.length;
        size_t first_query = tile / across % tiles * TILE, query = first_query + y;
        size_t own_keys = query < w.length ? keys_of(w, query) : 0;
        size_t last = first_query + TILE < w.length ? first_query + TILE : w.length;
        int d = (int)(tile % across) * TILE + x;
        element sum = 0;

        for (size_t first = 0; first < keys_of(w, last - 1); first += TILE) {
            int left = own_keys < first          ? 0
                       : own_keys - first < TILE ? (int)(own_keys - first)
                                                 : TILE;

            share[y][x] = x < left ? w.scores[(head + query) * w.length + first + x] : 0;
            value[y][x] =
                first + y < w.length && d < w.dim ? w.v[(head + first + y) * w.dim + d] : 0;
            __syncthreads();
            for (int i = 0; i < left; i++) /* no key that the query does not see */
                sum += share[y][i] * value[i][x];
            __syncthreads();
        }
        if (query < w.length && d < w.dim)
            w.out[(head + query) * w.dim + d] = sum;
    }
}

static unsigned grid(size_t blocks)
{
    return blocks < MAX_GRID ? (unsigned)blocks : MAX_GRID;
}

static void kernels(struct work *w)
{
    size_t tiles = (w->length + TILE - 1) / TILE, across = (w->dim + TILE - 1) / TILE;
    size_t rows = w->heads * w->length, of_block = THREADS / 32;

    if (w->heads == 0) /* a grid without blocks is an error */
        return;
    scores_of<<<grid(w->heads * tiles * tiles), THREADS>>>(*w, tiles);
    shares_of<<<grid((rows + of_block - 1) / of_block), THREADS>>>(*w);
    means_of<<<grid(w->heads * tiles * across), THREADS>>>(*w, tiles, across);
}

static const struct variant variants[] = {
    {"kernels", "scores, shares and means, each by a kernel", kernels, ROUNDED | KEEPS_SCORES,
     .threads = THREADS},
};

/* A part of a tile along the elements, too. */
static const struct launches launches[] = {
    {MUTATED, {"-n 40 --length 20 --causal 1 --dim 33"}},
    {0},
};

STEP("attention-naive", attention_family, variants, launches);
