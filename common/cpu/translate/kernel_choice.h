/* What is known of the source's kernels. See kernel_choice.c. */
#ifndef CPU_TRANSLATE_KERNEL_CHOICE_H
#define CPU_TRANSLATE_KERNEL_CHOICE_H

#include "cpu/translate/units.h"

/* Finds the kernels. After translate_words: what is written of them has its changes. */
void find_kernels(struct source *s, const struct units *u);

/* Must a launch by this name find out which function it calls, and with which arguments? So it is
 * for a template, for overloaded kernels and for those with default arguments. */
bool needs_choice(const struct token *name);

#endif
