/* A program that no tool will look at. See plain.c. */
#ifndef CPU_TRANSLATE_PLAIN_H
#define CPU_TRANSLATE_PLAIN_H

#include "cpu/translate/text.h"

/* With the word PLAIN on the compiler's command line, behind the source. The assembler's stand-in
 * must be told as well, by --defsym cpu_plain=1. */
#define PLAIN "-DCPU_DEVICE_PLAIN"
void write_quiet_hooks(struct text *out);

#endif
