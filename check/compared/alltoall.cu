/*
 * All-to-alls that are wrong in one place, on one device of two: what the comparison must see.
 */
#include "families/alltoall/alltoall.h"
#include "places.h"

struct two {
    const float *in[2];
    float *out[2];
    size_t rows, cols, row_share, col_share;
    bool turns;
};

/* One thread per element of the matrix. */
static __global__ void move(struct two t, size_t skip)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, row = i / t.cols, col = i % t.cols;
    size_t to = col / t.col_share, begin = to * t.col_share;
    size_t cols = t.cols - begin < t.col_share ? t.cols - begin : t.col_share;

    if (i < t.rows * t.cols && i != skip)
        t.out[to][t.turns ? (col - begin) * t.rows + row : row * cols + col - begin] =
            t.in[row / t.row_share][row % t.row_share * t.cols + col];
}

static __global__ void set(float *out, size_t i, unsigned bits)
{
    *(unsigned *)&out[i] = bits;
}

static void most(struct work *w, bool turns, size_t skip)
{
    struct two t = {{w->in[0], w->in[1]}, {w->out[0], w->out[1]}, w->rows, w->cols,
                    w->row_share,         w->col_share,           turns};

    wait_for_places(w->places, w->devices);
    move<<<(unsigned)((w->rows * w->cols + 255) / 256), 256>>>(t, skip);
    wait_for_places(w->places, w->devices);
}

static void right(struct work *w)
{
    most(w, false, SIZE_MAX);
}

static void turned(struct work *w)
{
    most(w, true, SIZE_MAX);
}

static void missing(struct work *w)
{
    most(w, false, 11);
}

static void last(struct work *w)
{
    turned(w);
    set<<<1, 1>>>(w->out[1], (w->cols - w->col_share) * w->rows - 1, 0);
    wait_for_places(w->places, w->devices);
}

static void behind(struct work *w)
{
    right(w);
    set<<<1, 1>>>(w->out[1], (w->cols - w->col_share) * w->rows + 1, 0);
    wait_for_places(w->places, w->devices);
}

static void damaged(struct work *w)
{
    right(w);
    set<<<1, 1>>>((float *)w->in[1], 12, 0);
    wait_for_places(w->places, w->devices);
}

static const struct variant variants[] = {
    {"right", "", right},
    {"turned", "", turned, TURNS},
    {"not-turned", "is another element's", right, TURNS},
    {"missing", "out[0][11] not written", missing},
    {"last", "out[29][19] is another element's", last, TURNS},
    {"behind", "1 elements behind a part of the output", behind},
    {"damaged", "the input was written to", damaged},
};

static const struct launches launches[] = {
    {TESTED, {"-n 20x30 --devices 2"}},
    {0},
};

STEP("compared-alltoall", alltoall_family, variants, launches);
