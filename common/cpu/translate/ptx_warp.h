/* Inline PTX of whole warps. See ptx_warp.c. */
#ifndef CPU_TRANSLATE_PTX_WARP_H
#define CPU_TRANSLATE_PTX_WARP_H

#include "cpu/translate/tokens.h"

enum { MOST_IN_VECTOR = 128 };
struct ptx_vector {                    /* an operand: {%0, %1}, or one register or address */
    const char *value[MOST_IN_VECTOR]; /* as C++ */
    int count;
};

/* Is it one of mma, ldmatrix, stmatrix, movmatrix and wgmma.mma_async, known or not? */
bool is_warp_instruction(const char *name);

/* C++ of the instruction. False: it is not known. */
bool put_warp_instruction(struct text *out, const struct token *at, const char *name,
                          const struct ptx_vector *operand, int operands);

#endif
