/*
 * Attention: numbers in the first head and in the last, which sampled blocks work on; the rest is
 * zeros. A head is so short that it is one tile. With HALVES the inputs are of bf16.
 */
#include <math.h>
#include <stdio.h>

#include "families/attention/attention.h"
#include "harness/kit/half.h"
#include "large.h"

#ifdef HALVES
typedef uint16_t input;
#define ROUNDED(x) bf16_of_f32(x)
#define VALUE(x) f32_of_bf16(x)
#define MOST 0.01 /* two roundings of bf16, of 2^-8 each, and a few of f32 */
#else
typedef float input;
#define ROUNDED(x) (x)
#define VALUE(x) (x)
#define MOST 1e-5
#endif

#define LENGTH 16
#define DIM 64
#define HEAD (LENGTH * DIM)

/* Another number for each place, from -1 to 1. */
static float number(size_t i, unsigned which)
{
    return (float)((i + which) * 2654435761u % 1021) / 510 - 1;
}

/* Scores of a query, of which the shares are made. */
static void weigh(double share[LENGTH], const input *q, const input *k)
{
    double sum = 0;

    for (size_t j = 0; j < LENGTH; j++) {
        double score = 0;

        for (size_t d = 0; d < DIM; d++)
            score += (double)VALUE(q[d]) * VALUE(k[j * DIM + d]);
        share[j] = exp(score / sqrt(DIM));
        sum += share[j];
    }
    for (size_t j = 0; j < LENGTH; j++)
        share[j] /= sum;
}

static void look(const struct work *w, size_t head, struct found *found)
{
    const input *q = (const input *)w->q + head * HEAD, *k = (const input *)w->k + head * HEAD;
    const input *v = (const input *)w->v + head * HEAD;
    const float *out = w->out + head * HEAD;
    double share[LENGTH];

    for (size_t i = 0; i < HEAD; i++) {
        double mean = 0;

        if (i % DIM == 0)
            weigh(share, q + i, k);
        for (size_t j = 0; j < LENGTH; j++)
            mean += share[j] * VALUE(v[j * DIM + i % DIM]);
        if (!(fabs(out[i] - mean) < MOST) && !*found->text)
            snprintf(found->text, sizeof(found->text), "[%zu][%zu][%zu] is %g, not %g", head,
                     i / DIM, i % DIM, out[i], mean);
    }
}

void large_run(const struct variant *v, struct found *found)
{
    size_t heads = LARGE / HEAD + 1, bytes = heads * HEAD * sizeof(input);
    input *in[3] = {large_array(bytes), large_array(bytes), large_array(bytes)};
    struct work w = {.out = large_array(heads * HEAD * sizeof(float)),
                     .q = in[0],
                     .k = in[1],
                     .v = in[2],
                     .scores = large_array(heads * LENGTH * LENGTH * sizeof(float)),
                     .heads = heads,
                     .length = LENGTH,
                     .dim = DIM,
                     .scale = 0.125f,
                     .threads = v->threads};

    for (unsigned which = 0; which < 3; which++)
        for (size_t i = 0; i < HEAD; i++) {
            in[which][i] = ROUNDED(number(i, which));
            in[which][(heads - 1) * HEAD + i] = ROUNDED(number(HEAD + i, which));
        }
    v->launch(&w);
    large_wait(v);
    look(&w, 0, found);
    look(&w, heads - 1, found);
    for (unsigned which = 0; which < 3; which++)
        large_free(in[which]);
    large_free(w.out);
    large_free(w.scores);
}
