/*
 * What the families gemm and hgemm share: a problem of matrices, made, prepared and verified. See
 * struct family in harness/family.h.
 */
#ifndef GEMM_WORK_H
#define GEMM_WORK_H

#include "families/gemm/gemm.h"
#include "families/gemm/gemm_scalars.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct axis gemm_axes[GEMM_AXES];

struct work *gemm_create(const struct setting *, const struct shape *largest);
int gemm_set(struct work *, const struct shape *);
int gemm_prepare(struct work *, const struct variant *);
int gemm_verify(struct work *, const struct variant *, struct result *);
int gemm_settle(struct work *, const struct variant *, struct result *);
void gemm_destroy(struct work *);

/* The first two of a family's parameters, in the order of gemm_scalars.h. */
#define GEMM_SCALARS                                                                               \
    [ALPHA] = {"alpha", "X", "the scalar before A B (default 1)"},                                 \
    [BETA] = {"beta", "X", "the scalar before C, which is not read if it is 0 (default 0)"}

#define GEMM_WORK                                                                                  \
    {                                                                                              \
        gemm_create, gemm_set, gemm_prepare, gemm_verify, gemm_settle, gemm_destroy                \
    }

int gemm_accept(const struct setting *, size_t axis[MAX_AXES], bool sized);
void gemm_default_shape(struct shape *);
bool gemm_refuse(const struct shape *, const struct variant *, char *why, size_t room);

/* A, B and C moved once; two operations per multiply-add. */
double gemm_bytes(const struct shape *);
double gemm_flops(const struct shape *);

#ifdef __cplusplus
}
#endif
#endif
