/*
 * Attention as cuDNN computes it: the plan for a shape is made once, before it is timed, and kept.
 */
#ifndef ATTENTION_PLAN_H
#define ATTENTION_PLAN_H

#include "harness/kit/cudnn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a plan is for. */
struct attention_case {
    enum cudnn_data_type type; /* of q, k, v and the output */
    size_t heads, length;      /* at least 1 */
    int dim;
    bool causal;
};

/* Arrays of the device, [heads][length][dim], each at a multiple of 16 bytes, and memory for the
 * plan. */
struct attention_arrays {
    const void *q, *k, *v;
    void *out, *workspace;
};

struct attention_plan;

/* The plan for this case, made if there is none yet. NULL with one line in why if cuDNN has none
 * for it. */
struct attention_plan *attention_plan(const struct cudnn *, const struct attention_case *,
                                      char *why, size_t room);

/* Bytes of device memory that it works in. */
size_t attention_plan_workspace(const struct attention_plan *);

/* Start it in the default stream. Ends the program with status 3 and one line if that fails. */
void attention_plan_run(const struct cudnn *, struct attention_plan *,
                        const struct attention_arrays *);

#ifdef __cplusplus
}
#endif
#endif
