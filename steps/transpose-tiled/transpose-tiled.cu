/*
 * transpose-tiled: turn a tile in shared memory
 *
 * Idea      A block reads a tile along the rows of the input and writes it along the rows of the
 *           output: both sides of the copy coalesce, and the turn costs only shared memory.
 * Since     transpose-naive scattered one side of the copy over memory.
 * Expect    With conflicts a warp's store to the tile takes 32 wavefronts; rows padded by one word,
 *           or swizzled columns, bring it down to 1. Vector moves 16 bytes with each access and
 *           comes close to the copy; rows that are no multiple of 4 words go word by word.
 * Source    Parallel algorithms; Ruetsch and Micikevicius, 2009: docs/sources.md.
 */
#include "families/transpose/transpose.h"

#define SIDE 32          /* of a tile */
#define WIDE 64          /* of a tile of the vector variant */
#define QUADS (WIDE / 4) /* float4s in a row of it */
#define SKEW 8           /* words in a sector */

/* A block's tile. Blocks stack up along y and, once there are more than y takes, along z. */
static __device__ size_t first_row()
{
    return ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * SIDE;
}

static __device__ size_t first_col()
{
    return (size_t)blockIdx.x * SIDE;
}

/* The tile lies turned in shared memory: x, the lane, counts its rows. With rows of 32 words all
 * lanes store into one bank; with rows of 33 they store into 32. */
__global__ void transpose_tile(float *out, const float *in, size_t rows, size_t cols, unsigned pitch)
{
    extern __shared__ float tile[];
    size_t row = first_row(), col = first_col();
    unsigned x = threadIdx.x;

    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + y < rows && col + x < cols)
            tile[x * pitch + y] = in[(row + y) * cols + col + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + x < rows && col + y < cols)
            out[(col + y) * rows + row + x] = tile[y * pitch + x];
}

/* No word to spare: row y holds column x at x ^ y, so rows and columns both cover all the banks. */
__global__ void transpose_swizzled(float *out, const float *in, size_t rows, size_t cols)
{
    __shared__ float tile[SIDE][SIDE];
    size_t row = first_row(), col = first_col();
    unsigned x = threadIdx.x;

    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + y < rows && col + x < cols)
            tile[y][x ^ y] = in[(row + y) * cols + col + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + x < rows && col + y < cols)
            out[(col + y) * rows + row + x] = tile[x][y ^ x];
}

/* Not a transpose: what the way through the tile costs, with nothing turned. */
__global__ void copy_tile(float *out, const float *in, size_t rows, size_t cols)
{
    __shared__ float tile[SIDE][SIDE];
    size_t row = first_row(), col = first_col();
    unsigned x = threadIdx.x;

    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + y < rows && col + x < cols)
            tile[y][x] = in[(row + y) * cols + col + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < SIDE; y += blockDim.y)
        if (row + y < rows && col + x < cols)
            out[(row + y) * cols + col + x] = tile[y][x];
}

/* Not a transpose either, and no tile. */
__global__ void copy_plain(float *out, const float *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

/* A thread turns 4 x 4 elements in registers, so that the tile takes and gives whole float4s. Row c of
 * the tile is a row of the output; its quads are swizzled by the square they came from. Tiles
 * that follow each other in the input's columns write parts of the same rows of the output. */
__global__ void __launch_bounds__(256)
    transpose_vector(float *out, const float *in, size_t rows, size_t cols, unsigned tiles_down)
{
    __shared__ float4 tile[WIDE][QUADS];
    size_t row = (size_t)(blockIdx.x % tiles_down) * WIDE;
    size_t col = (size_t)(blockIdx.x / tiles_down) * WIDE;
    unsigned across = threadIdx.x % QUADS, down = threadIdx.x / QUADS; /* of this thread's square */
    const float *from = &in[(row + 4 * down) * cols + col + 4 * across];

    if (row + 4 * down < rows && col + 4 * across < cols) {
        float4 a = *(const float4 *)from, b = *(const float4 *)(from + cols);
        float4 c = *(const float4 *)(from + 2 * cols), d = *(const float4 *)(from + 3 * cols);
        unsigned place = down ^ (across % 8);

        tile[4 * across][place] = make_float4(a.x, b.x, c.x, d.x);
        tile[4 * across + 1][place] = make_float4(a.y, b.y, c.y, d.y);
        tile[4 * across + 2][place] = make_float4(a.z, b.z, c.z, d.z);
        tile[4 * across + 3][place] = make_float4(a.w, b.w, c.w, d.w);
    }
    __syncthreads();
#pragma unroll
    for (unsigned c = down; c < WIDE; c += 256 / QUADS)
        if (col + c < cols && row + 4 * across < rows)
            *(float4 *)&out[(col + c) * rows + row + 4 * across] = tile[c][across ^ (c / 4 % 8)];
}

/*
 * For rows that do not all start at a multiple of 16 bytes: word by word. What a block writes of a row
 * of the output then begins anywhere in a sector; no two blocks shall write parts of one sector, so it
 * begins with the sector, up to SKEW - 1 words before the tile, and the tile has as many rows more on
 * top. A tile that is whole needs no tests, its offsets are constants, and all its loads are under way
 * before the first is waited for: without that, instructions would be the limit, and not memory.
 */
static __device__ __forceinline__ void move_words(float *out, const float *in, long long rows,
                                                  long long cols, long long row, long long col,
                                                  bool whole)
{
    __shared__ float tile[WIDE + SKEW][WIDE + 1];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32; /* of 8 warps */
    const float *from = in + (row - SKEW + warp) * cols + col + lane;
    float *to = out + (col + warp) * rows + row + lane;
    float v[WIDE / 8 + 1][2];

#pragma unroll
    for (int j = 0; j < WIDE / 8 + 1; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            long long r = row - SKEW + warp + 8 * j, c = col + lane + 32 * h;

            v[j][h] = whole || (r >= 0 && r < rows && c < cols) ? from[8 * j * cols + 32 * h] : 0;
        }
#pragma unroll
    for (int j = 0; j < WIDE / 8 + 1; j++)
#pragma unroll
        for (int h = 0; h < 2; h++)
            tile[8 * j + warp][lane + 32 * h] = v[j][h];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < WIDE / 8; j++) {
        int skew = (size_t)(to + 8 * j * rows - lane) / sizeof(float) % SKEW;

#pragma unroll
        for (int h = 0; h < 2; h++) {
            long long r = row - skew + lane + 32 * h, c = col + warp + 8 * j;

            if (whole || (r >= 0 && r < rows && c < cols))
                to[8 * j * rows + 32 * h - skew] = tile[lane + 32 * h + SKEW - skew][warp + 8 * j];
        }
    }
}

__global__ void __launch_bounds__(256)
    transpose_words(float *out, const float *in, size_t rows, size_t cols, unsigned tiles_down)
{
    size_t row = (size_t)(blockIdx.x % tiles_down) * WIDE;
    size_t col = (size_t)(blockIdx.x / tiles_down) * WIDE;

    if (row >= SKEW && row + WIDE <= rows && col + WIDE <= cols)
        move_words(out, in, rows, cols, row, col, true);
    else
        move_words(out, in, rows, cols, row, col, false);
}

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* A block a tile; y and z take 65535 blocks each. */
static dim3 grid(const struct work *w)
{
    size_t down = ceiling(w->rows, SIDE), layers = ceiling(down, 65535);

    return dim3((unsigned)ceiling(w->cols, SIDE), (unsigned)ceiling(down, layers), (unsigned)layers);
}

static dim3 block(const struct work *w)
{
    return dim3(SIDE, w->threads / SIDE);
}

static bool empty(const struct work *w) /* a grid cannot be */
{
    return w->rows == 0 || w->cols == 0;
}

static void conflicts(struct work *w)
{
    if (!empty(w))
        transpose_tile<<<grid(w), block(w), SIDE * SIDE * sizeof(float)>>>(w->out, w->in, w->rows,
                                                                          w->cols, SIDE);
}

static void padded(struct work *w)
{
    if (!empty(w))
        transpose_tile<<<grid(w), block(w), SIDE * (SIDE + 1) * sizeof(float)>>>(
            w->out, w->in, w->rows, w->cols, SIDE + 1);
}

static void swizzled(struct work *w)
{
    if (!empty(w))
        transpose_swizzled<<<grid(w), block(w)>>>(w->out, w->in, w->rows, w->cols);
}

static void vector(struct work *w)
{
    bool quads = (size_t)w->in % 16 == 0 && w->rows % 4 == 0 && w->cols % 4 == 0;
    size_t down = ceiling(quads ? w->rows : w->rows + SKEW - 1, WIDE);
    size_t tiles = down * ceiling(w->cols, WIDE);

    if (empty(w))
        return;
    if (quads)
        transpose_vector<<<(unsigned)tiles, 256>>>(w->out, w->in, w->rows, w->cols, (unsigned)down);
    else
        transpose_words<<<(unsigned)tiles, 256>>>(w->out, w->in, w->rows, w->cols, (unsigned)down);
}

static void through_tile(struct work *w)
{
    if (!empty(w))
        copy_tile<<<grid(w), block(w)>>>(w->out, w->in, w->rows, w->cols);
}

static void plain(struct work *w)
{
    size_t n = w->rows * w->cols;

    if (!empty(w))
        copy_plain<<<(unsigned)ceiling(n, w->threads), w->threads>>>(w->out, w->in, n);
}

static const struct variant variants[] = {
    {"conflicts", "the lanes store into one bank of the tile", conflicts, WHOLE_WARPS},
    {"padded", "a word more a row of the tile: 32 banks", padded, WHOLE_WARPS},
    {"swizzled", "columns exchanged instead: no word more", swizzled, WHOLE_WARPS},
    {"vector", "4 x 4 elements turned in registers, float4s through the tile", vector, 0, NULL, NULL,
     NULL, NULL, 256},
    {"copy-tile", "a copy through the tile, to compare with", through_tile, WHOLE_WARPS | CEILING},
    {"copy", "a copy without it, to compare with", plain, CEILING},
};

STEP("transpose-tiled", transpose_family, variants);
