/* Inline PTX of copies in bulk. See ptx_bulk.c. */
#ifndef CPU_TRANSLATE_PTX_BULK_H
#define CPU_TRANSLATE_PTX_BULK_H

#include "cpu/translate/ptx_warp.h"

/* Is it cp.async.bulk, known or not? */
bool is_bulk_instruction(const char *name);

/* C++ of the instruction. False: it is not known. */
bool put_bulk_instruction(struct text *out, const struct token *at, const char *name,
                          const struct ptx_vector *operand, int operands);

#endif
