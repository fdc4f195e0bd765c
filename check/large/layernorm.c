/*
 * Layer normalization: numbers in the first row and in the last, which sampled blocks work on; the
 * rest is zeros.
 */
#include <math.h>
#include <stdio.h>

#include "families/layernorm/layernorm.h"
#include "large.h"
#include "sampled.h"

#define COLS 64

/* Another number for each place, from -4 to 4. */
static float number(size_t i)
{
    return (float)(i * 2654435761u % 1021) / 127 - 4;
}

static void look(const struct work *w, size_t row, struct found *found)
{
    const float *x = (const float *)w->in + row * COLS, *y = (const float *)w->out + row * COLS;
    double mean = 0, variance = 0;

    for (size_t i = 0; i < COLS; i++)
        mean += x[i] / (double)COLS;
    for (size_t i = 0; i < COLS; i++)
        variance += (x[i] - mean) * (x[i] - mean) / COLS;
    for (size_t i = 0; i < COLS; i++) {
        double wanted = (x[i] - mean) / sqrt(variance + (double)LAYERNORM_EPSILON);

        wanted = wanted * ((const float *)w->weight)[i] + ((const float *)w->bias)[i];
        if (!(fabs(y[i] - wanted) < 1e-4) && !*found->text)
            snprintf(found->text, sizeof(found->text), "[%zu][%zu] is %g, not %g", row, i, y[i],
                     wanted);
    }
}

void large_run(const struct variant *v, struct found *found)
{
    size_t rows = LARGE / COLS + 1;
    float *in = large_array(rows * COLS * sizeof(*in)),
          *out = large_array(rows * COLS * sizeof(*out));
    float *weight = large_array(COLS * sizeof(*weight)), *bias = large_array(COLS * sizeof(*bias));
    struct work w = {.out = out,
                     .in = in,
                     .weight = weight,
                     .bias = bias,
                     .rows = rows,
                     .cols = COLS,
                     .threads = 256};

    for (size_t i = 0; i < COLS; i++) {
        in[i] = number(i);
        in[(rows - 1) * COLS + i] = number(COLS + i);
        weight[i] = number(2 * COLS + i);
        bias[i] = number(3 * COLS + i);
    }
    sampled_draws(rows);
    v->launch(&w);
    large_wait(v);
    sampled_draws(0);
    look(&w, 0, found);
    look(&w, rows - 1, found);
    large_free(in);
    large_free(out);
    large_free(weight);
    large_free(bias);
}
