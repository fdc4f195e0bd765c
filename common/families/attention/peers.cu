/*
 * The peer of attention on tensor cores: cuDNN, whose output is of the inputs' type. That is compared as it is, with a
 * bound that allows for it, so that no conversion is timed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "families/attention/attention.h"
#include "families/attention/attention_plan.h"
#include "harness/kit/peer.h"
#include "harness/kit/sums.h"

#define ALIGNED 16

/* Where cuDNN is there, this makes the plan, which the launch then finds. */
template <enum cudnn_data_type TYPE>
static bool refuse(const struct shape *s, char *why, size_t room)
{
    const struct cudnn *lib = cudnn_open(why, room);
    size_t length = s->axis[ATTENTION_LENGTH];
    struct attention_case of = {TYPE, s->n / length, length, (int)s->axis[ATTENTION_DIM],
                                s->axis[ATTENTION_CAUSAL] != 0};

    return !lib || (of.heads > 0 && !attention_plan(lib, &of, why, room));
}

template <enum cudnn_data_type TYPE> static void attention(struct work *w)
{
    static struct scratch scratch;
    struct attention_case of = {TYPE, w->heads, w->length, w->dim, w->causal};
    struct attention_arrays arrays = {w->q, w->k, w->v, w->out_of_type, NULL};
    char why[200] = "";
    const struct cudnn *lib = cudnn_open(why, sizeof(why));
    struct attention_plan *plan;

    if (w->heads == 0)
        return;
    plan = lib ? attention_plan(lib, &of, why, sizeof(why)) : NULL;
    if (plan && ((size_t)w->q | (size_t)w->k | (size_t)w->v) % ALIGNED != 0)
        snprintf(why, sizeof(why),
                 "its inputs begin at multiples of %d bytes; --offset must be a multiple of %zu",
                 ALIGNED, ALIGNED / sizeof(short));
    if (why[0]) {
        fprintf(stderr, "cudnn: %s\n", why);
        exit(3);
    }
    arrays.workspace = peer_scratch(&scratch, attention_plan_workspace(plan));
    attention_plan_run(lib, plan, &arrays);
}

/* Each array moved once; all are of the inputs' type. */
static double bytes(const struct shape *s)
{
    size_t length = s->axis[ATTENTION_LENGTH];

    return 4.0 * (double)s->type->bytes * (double)(s->n / length * length) *
           (double)s->axis[ATTENTION_DIM];
}

/* How it goes along the keys it does not say: what tensor cores lose, and at most a multiplication of the sums, off by
 * 4 roundings, with each 16 keys, which is the depth of an instruction. */
static double depth(const struct shape *s)
{
    double length = (double)s->axis[ATTENTION_LENGTH];

    return tensor_roundings(s->axis[ATTENTION_LENGTH]) + 5 * (length / 16 + 1) + 4;
}

#define CUDNN(type)                                                                                \
    {                                                                                              \
        "cudnn", "scaled dot-product attention; the output is of the inputs' type",                \
            attention<type>, GRID_BY_SIZE | ROUNDED | OUT_OF_TYPE, depth, .bytes = bytes,          \
                                                                          .refuse = refuse<type>   \
    }

extern "C" {
extern const struct peer attention_peers[];
}
const struct peer attention_peers[] = {
    {&type_bf16, CUDNN(CUDNN_DATA_BFLOAT16)},
    {&type_f16, CUDNN(CUDNN_DATA_HALF)},
    {NULL},
};
