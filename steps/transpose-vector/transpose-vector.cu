/*
 * transpose-vector: float4s through the tile
 *
 * Idea      A thread reads 4 x 4 elements as four float4s, turns them in its registers, and puts whole
 *           float4s through the tile: a quarter of the instructions for the same bytes, and 64 bytes of
 *           each thread in flight.
 * Since     transpose-tiled moved one word with each instruction.
 * Expect    Close to the copy. `quads` takes the blocks along the rows of the input, `ordered` along
 *           those of the output. Both need rows that start at multiples of 16 bytes and refuse others.
 *           `words` takes any, word by word; `any` writes whole sectors where it goes word by word,
 *           and is `ordered` where that is possible.
 * Source    Ruetsch and Micikevicius, 2009, for the order of blocks: docs/sources.md.
 */
#include "families/transpose/transpose.h"

#define SIDE 64          /* of a tile */
#define QUADS (SIDE / 4) /* float4s in a row of it */
#define SECTOR 8         /* words in a sector */
#define THREADS 256

/* Where a tile lies. Blocks that follow each other take tiles along a row of the input, or down a
 * column, and then they write parts of the same rows of the output. */
struct place {
    size_t row, col;
};

static __device__ struct place place_of(unsigned tiles, bool down)
{
    unsigned beside = blockIdx.x % tiles, beyond = blockIdx.x / tiles;
    struct place p = {(size_t)(down ? beside : beyond) * SIDE,
                      (size_t)(down ? beyond : beside) * SIDE};

    return p;
}

/* Row c of the tile is a row of the output; its quads are swizzled by the square they came from. */
__global__ void __launch_bounds__(THREADS)
transpose_quads(float *out, const float *in, size_t rows, size_t cols, unsigned tiles, bool ordered)
{
    __shared__ float4 tile[SIDE][QUADS];
    struct place p = place_of(tiles, ordered);
    unsigned across = threadIdx.x % QUADS, down = threadIdx.x / QUADS; /* of this thread's square */
    const float *from = &in[(p.row + 4 * down) * cols + p.col + 4 * across];

    if (p.row + 4 * down < rows && p.col + 4 * across < cols) {
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
    for (unsigned c = down; c < SIDE; c += THREADS / QUADS)
        if (p.col + c < cols && p.row + 4 * across < rows)
            *(float4 *)&out[(p.col + c) * rows + p.row + 4 * across] =
                tile[c][across ^ (c / 4 % 8)];
}

/*
 * For rows that start anywhere: word by word. With SKEW = SECTOR, what a block writes of a row of the
 * output begins with a sector, up to SKEW - 1 words before the tile, because no two blocks shall write
 * parts of one sector; so the tile has as many rows more on top. A tile that is whole needs no tests,
 * its offsets are constants, and all its loads are under way before the first is waited for: without
 * that, instructions would be the limit, and not memory.
 */
template <int SKEW>
static __device__ __forceinline__ void move_words(float *out, const float *in, long long rows,
                                                  long long cols, long long row, long long col,
                                                  bool whole)
{
    const int loads = (SIDE + SKEW) / 8, stores = SIDE / 8; /* rows of a warp, of 8 warps */
    __shared__ float tile[SIDE + SKEW][SIDE + 1];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const float *from = in + (row - SKEW + warp) * cols + col + lane;
    float *to = out + (col + warp) * rows + row + lane;
    float v[loads][2];

#pragma unroll
    for (int j = 0; j < loads; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            long long r = row - SKEW + warp + 8 * j, c = col + lane + 32 * h;

            v[j][h] = whole || (r >= 0 && r < rows && c < cols) ? from[8 * j * cols + 32 * h] : 0;
        }
#pragma unroll
    for (int j = 0; j < loads; j++)
#pragma unroll
        for (int h = 0; h < 2; h++)
            tile[8 * j + warp][lane + 32 * h] = v[j][h];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < stores; j++) {
        int skew = SKEW ? (int)((size_t)(to + 8 * j * rows - lane) / sizeof(float) % SECTOR) : 0;

#pragma unroll
        for (int h = 0; h < 2; h++) {
            long long r = row - skew + lane + 32 * h, c = col + warp + 8 * j;

            if (whole || (r >= 0 && r < rows && c < cols))
                to[8 * j * rows + 32 * h - skew] = tile[lane + 32 * h + SKEW - skew][warp + 8 * j];
        }
    }
}

template <int SKEW> __global__ void __launch_bounds__(THREADS)
transpose_words(float *out, const float *in, size_t rows, size_t cols, unsigned tiles)
{
    struct place p = place_of(tiles, true);

    if (p.row >= SKEW && p.row + SIDE <= rows && p.col + SIDE <= cols)
        move_words<SKEW>(out, in, rows, cols, p.row, p.col, true);
    else
        move_words<SKEW>(out, in, rows, cols, p.row, p.col, false);
}

static unsigned tiles_in(size_t side)
{
    return (unsigned)(side / SIDE + (side % SIDE != 0));
}

static void launch_quads(struct work *w, bool ordered)
{
    unsigned down = tiles_in(w->rows), across = tiles_in(w->cols);

    if (down > 0 && across > 0) /* a grid cannot be empty */
        transpose_quads<<<down * across, THREADS>>>(w->out, w->in, w->rows, w->cols,
                                                    ordered ? down : across, ordered);
}

static void quads(struct work *w)
{
    launch_quads(w, false);
}

static void ordered(struct work *w)
{
    launch_quads(w, true);
}

static void words(struct work *w)
{
    unsigned down = tiles_in(w->rows), across = tiles_in(w->cols);

    if (down > 0 && across > 0)
        transpose_words<0><<<down * across, THREADS>>>(w->out, w->in, w->rows, w->cols, down);
}

static void any(struct work *w)
{
    unsigned down = tiles_in(w->rows + SECTOR - 1), across = tiles_in(w->cols);

    if ((size_t)w->in % sizeof(float4) == 0 && w->rows % 4 == 0 && w->cols % 4 == 0)
        launch_quads(w, true);
    else if (w->rows > 0 && across > 0)
        transpose_words<SECTOR><<<down * across, THREADS>>>(w->out, w->in, w->rows, w->cols, down);
}

static const struct variant variants[] = {
    {"quads", "4 x 4 elements turned in registers, float4s through the tile", quads, WHOLE_QUADS,
     NULL, NULL, NULL, NULL, THREADS},
    {"ordered", "the same, blocks along the rows of the output", ordered, WHOLE_QUADS, NULL, NULL,
     NULL, NULL, THREADS},
    {"words", "rows that start anywhere, word by word", words, 0, NULL, NULL, NULL, NULL, THREADS},
    {"any", "the same in whole sectors, and float4s where possible", any, 0, NULL, NULL, NULL, NULL,
     THREADS},
};

STEP("transpose-vector", transpose_family, variants);
