/* Inline PTX of barrier objects. See ptx_barrier.c. */
#ifndef CPU_TRANSLATE_PTX_BARRIER_H
#define CPU_TRANSLATE_PTX_BARRIER_H

#include "cpu/translate/ptx_warp.h"

/* Is it mbarrier, known or not? */
bool is_barrier_instruction(const char *name);

/* C++ of the instruction. False: it is not known. An operand that nobody takes is _. */
bool put_barrier_instruction(struct text *out, const struct token *at, const char *name,
                             const struct ptx_vector *operand, int operands);

#endif
