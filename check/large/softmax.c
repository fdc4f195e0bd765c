/*
 * Softmax: numbers in the first row and in the last, which sampled blocks work on; the rest is
 * zeros.
 */
#include <math.h>
#include <stdio.h>

#include "families/softmax/softmax.h"
#include "large.h"
#include "sampled.h"

#define COLS 64

/* Another number for each place, from -4 to 4. */
static float number(size_t i)
{
    return (float)(i * 2654435761u % 1024) / 128 - 4;
}

static void look(const struct work *w, size_t row, struct found *found)
{
    const float *x = (const float *)w->in + row * COLS, *y = (const float *)w->out + row * COLS;
    double sum = 0;

    for (size_t i = 0; i < COLS; i++)
        sum += exp(x[i]);
    for (size_t i = 0; i < COLS; i++)
        if (!(fabs(y[i] - exp(x[i]) / sum) < 1e-5) && !*found->text)
            snprintf(found->text, sizeof(found->text), "[%zu][%zu] is %g, not %g", row, i, y[i],
                     exp(x[i]) / sum);
}

void large_run(const struct variant *v, struct found *found)
{
    size_t rows = LARGE / COLS + 1;
    float *in = large_array(rows * COLS * sizeof(*in)),
          *out = large_array(rows * COLS * sizeof(*out));
    struct work w = {.out = out, .in = in, .rows = rows, .cols = COLS, .threads = 256};

    for (size_t i = 0; i < COLS; i++) {
        in[i] = number(i);
        in[(rows - 1) * COLS + i] = number(COLS + i);
    }
    sampled_draws(rows);
    v->launch(&w);
    large_wait(v);
    sampled_draws(0);
    look(&w, 0, found);
    look(&w, rows - 1, found);
    large_free(in);
    large_free(out);
}
