#include "harness/kit/matrix.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>

#include "harness/kit/parallel.h"

/* The host walks matrices in squares of so many elements a side, so that rows of one and columns of
 * the other both stay in its cache. */
#define SQUARE 64

static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    uint32_t *x = (uint32_t *)context;

    (void)chunk;
    for (size_t i = begin; i < end; i++)
        x[i] = word_at(i);
}

void matrix_fill_host(uint32_t *x, size_t n)
{
    parallel_for(n, fill_chunk, x);
}

struct loop {
    const uint32_t *x;
    const struct matrix *matrix;
    size_t squares_across;
    pthread_mutex_t lock; /* of: */
    struct difference *found;
};

static void note_wrong(struct difference *d, unsigned long long index)
{
    d->count++;
    d->first = index < d->first ? index : d->first;
}

static void compare_square(const struct loop *loop, size_t square, struct difference *d)
{
    const struct matrix *m = loop->matrix;
    size_t row = square / loop->squares_across * SQUARE;
    size_t col = square % loop->squares_across * SQUARE;
    size_t last_row = row + SQUARE < m->rows ? row + SQUARE : m->rows;
    size_t last_col = col + SQUARE < m->cols ? col + SQUARE : m->cols;

    for (; row < last_row; row++) {
        for (size_t k = col; k < last_col; k++) {
            if (loop->x[row * m->cols + k] != wanted(m, row, k))
                note_wrong(d, row * m->cols + k);
        }
    }
}

/* The loop counts the elements of whole squares; a chunk holds a whole number of them. */
static void compare_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    static_assert(PARALLEL_CHUNK % (SQUARE * SQUARE) == 0, "chunks of whole squares");
    struct loop *loop = (struct loop *)context;
    struct difference own = {.first = ULLONG_MAX};

    (void)chunk;
    for (size_t i = begin / (SQUARE * SQUARE); i < end / (SQUARE * SQUARE); i++)
        compare_square(loop, i, &own);
    pthread_mutex_lock(&loop->lock);
    loop->found->count += own.count;
    loop->found->first = own.first < loop->found->first ? own.first : loop->found->first;
    pthread_mutex_unlock(&loop->lock);
}

static size_t squares(size_t side)
{
    return side / SQUARE + (side % SQUARE != 0);
}

void matrix_compare_host(const uint32_t *x, const struct matrix *m, struct difference *d)
{
    struct loop loop = {x, m, squares(m->cols), PTHREAD_MUTEX_INITIALIZER, d};

    *d = (struct difference){.first = ULLONG_MAX};
    parallel_for(loop.squares_across * squares(m->rows) * SQUARE * SQUARE, compare_chunk, &loop);
    pthread_mutex_destroy(&loop.lock);
    if (d->count)
        d->found = x[d->first];
}
