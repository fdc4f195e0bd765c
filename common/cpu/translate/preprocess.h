/* The compiler's own preprocessor. See preprocess.c. */
#ifndef CPU_TRANSLATE_PREPROCESS_H
#define CPU_TRANSLATE_PREPROCESS_H

#include <stdbool.h>

/*
 * What `compiler... -E` makes of the file input, with the words that nvcc defines and, where device
 * is set, those of device code. depfile: where to write what the output depends on, for Ninja;
 * NULL: nowhere. compiler ends with NULL. What the compiler says goes to standard error; when it
 * fails, the program ends with its status.
 */
char *preprocess(const char *input, const char *output, const char *depfile, char **compiler,
                 bool device);

/*
 * Compiles the headers that every source has before its first line, for `compiler...
 * -fpch-preprocess -E` to find as cuda_runtime.h.gch in a directory that it searches. Ends the
 * program with the compiler's status.
 */
void compile_headers(const char *output, const char *depfile, char **compiler);

#endif
