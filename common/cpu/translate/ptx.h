/* Inline PTX. See ptx.c. */
#ifndef CPU_TRANSLATE_PTX_H
#define CPU_TRANSLATE_PTX_H

#include "cpu/translate/tokens.h"

/* Each asm statement of device code becomes C++; an instruction that is not known is refused. */
void translate_ptx(struct source *s);

#endif
