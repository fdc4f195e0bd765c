/*
 * Stencils: matrices with numbers near two corners, the first and the last, in the elements of
 * sampled blocks and beside them; the rest is zeros. Both corners are looked at.
 */
#include <stdio.h>

#include "families/stencil/stencil.h"
#include "large.h"
#include "sampled.h"

#define FILLED_ROWS 10 /* at the top and at the bottom, */
#define FILLED_COLS                                                                                \
    200 /* on the left and on the right: more than is looked at, and its neighbours */
#define LOOKED_AT 4

/* Another number for each place, whatever 32 bits of its index are lost. */
static int number(size_t row, size_t col)
{
    return (int)(row * 2654435761u ^ col * 40503u ^ row >> 7);
}

static int term(const struct work *w, size_t row, size_t col)
{
    return row < w->rows && col < w->cols ? ((const int *)w->in)[row * w->cols + col] : 0;
}

static void look(const struct work *w, size_t row, size_t col, struct found *found)
{
    unsigned sum = (unsigned)term(w, row, col) + (unsigned)term(w, row - 1, col) +
                   (unsigned)term(w, row + 1, col) + (unsigned)term(w, row, col - 1) +
                   (unsigned)term(w, row, col + 1);
    int is = ((const int *)w->out)[row * w->cols + col];

    if (is != (int)sum && !*found->text)
        snprintf(found->text, sizeof(found->text), "%zu x %zu: [%zu][%zu] is %d, not %d", w->rows,
                 w->cols, row, col, is, (int)sum);
}

static void fill(int *in, size_t rows, size_t cols)
{
    for (size_t r = 0; r < 2 * FILLED_ROWS && r < rows; r++) {
        size_t row = r < FILLED_ROWS ? r : rows - 1 - (r - FILLED_ROWS);

        for (size_t c = 0; c < 2 * FILLED_COLS && c < cols; c++) {
            size_t col = c < FILLED_COLS ? c : cols - 1 - (c - FILLED_COLS);

            in[row * cols + col] = number(row, col);
        }
    }
}

static void run(const struct variant *v, size_t rows, size_t cols, struct found *found)
{
    int *in = large_array(rows * cols * sizeof(*in)),
        *out = large_array(rows * cols * sizeof(*out));
    struct work w = {.out = out, .in = in, .rows = rows, .cols = cols, .threads = 256};

    fill(in, rows, cols);
    v->launch(&w);
    large_wait(v);
    for (size_t r = 0; r < LOOKED_AT && r < rows; r++) {
        for (size_t c = 0; c < LOOKED_AT && c < cols; c++) {
            look(&w, r, c, found);
            look(&w, rows - 1 - r, cols - 1 - c, found);
        }
    }
    large_free(in);
    large_free(out);
}

/* Along y a grid takes 65535 blocks of 8, whichever side of the matrix that is. The last blocks of
 * the grid are sampled, so that the last one along y must hold more than is looked at. */
void large_run(const struct variant *v, struct found *found)
{
    const size_t most = 65535 * 8 - 3, other = LARGE / most / 8 * 8 + 8;
    bool turned = v->rules & ROWS_ALONG_X;

    run(v, most, other, found);
    run(v, other, most, found);
    run(v, turned ? LARGE : 1, turned ? 1 : LARGE, found); /* a side of more than 2^32 */
}
