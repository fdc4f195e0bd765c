/* CUDA's own words. See cuda_words.c. */
#ifndef CPU_TRANSLATE_CUDA_WORDS_H
#define CPU_TRANSLATE_CUDA_WORDS_H

#include "cpu/translate/units.h"

void refuse_words(const struct source *s);
void refuse_volatile(const struct source *s); /* where no hooks are compiled in */
void translate_words(struct source *s, const struct units *u);

#endif
