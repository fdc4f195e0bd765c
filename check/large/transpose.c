/*
 * Transposes: tall matrices, whose first and last rows hold numbers; looked at in two corners,
 * which sampled blocks turn whatever the order of tiles is.
 */
#include <stdint.h>
#include <stdio.h>

#include "families/transpose/transpose.h"
#include "large.h"
#include "sampled.h"

#define ROWS 8 /* looked at, of the first columns and of the last one */
#define COLS 8

static uint32_t word(size_t i)
{
    return (uint32_t)(i * 2654435761u) >> 2 | 1;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void look(const struct variant *v, const struct work *w, size_t row, size_t col,
                 struct found *found)
{
    size_t place = v->rules & CEILING ? row * w->cols + col : col * w->rows + row;
    uint32_t is = ((const uint32_t *)w->out)[place], wanted = word(row * w->cols + col);

    if (is != wanted && !*found->text)
        snprintf(found->text, sizeof(found->text), "%zu x %zu: [%zu][%zu] is %#x, not %#x", w->rows,
                 w->cols, row, col, is, wanted);
}

static void look_at_corners(const struct variant *v, const struct work *w, struct found *found)
{
    for (size_t row = 0; row < least(ROWS, w->rows); row++) {
        for (size_t col = 0; col < least(COLS, w->cols); col++) {
            look(v, w, row, col, found);
            look(v, w, w->rows - 1 - row, w->cols - 1, found);
        }
    }
}

static void run(const struct variant *v, size_t rows, size_t cols, struct found *found)
{
    size_t n = rows * cols, ends = least(64 * cols, 65536);
    bool quads = rows % 4 == 0 && cols % 4 == 0;

    if (v->rules & WHOLE_QUADS && !quads)
        return;
    uint32_t *in = large_array(n * sizeof(*in)), *out = large_array(n * sizeof(*out));
    struct work w = {.out = (float *)out,
                     .in = (const float *)in,
                     .rows = rows,
                     .cols = cols,
                     .threads = v->threads ? v->threads : 256};

    for (size_t i = 0; i < ends; i++) {
        in[i] = word(i);
        in[n - 1 - i] = word(n - 1 - i);
    }
    v->launch(&w);
    large_wait(v);
    if (!sampled_left_out())
        look_at_corners(v, &w, found);
    large_free(in);
    large_free(out);
}

/* As many rows as fill whole layers of a grid, y being 65535, for tiles 8 or 32 high: so that the
 * last blocks have something to do. A row alone is no work for a thread per row: its grid is left
 * out. */
void large_run(const struct variant *v, struct found *found)
{
    const size_t layer = (size_t)65535 * 32, rows = layer * 32, long_side = layer * 2049;

    run(v, rows - 7, 65, found); /* the last tiles are cut off */
    run(v, rows, 68, found);     /* whole float4s */
    sampled_only(true);
    run(v, long_side, 1, found);
    run(v, 1, long_side, found);
    sampled_only(false);
}
