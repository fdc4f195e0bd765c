/*
 * The translator: CUDA C++ in, C++ for the CPU device out.
 *
 * The compiler's own preprocessor runs first, as the compiler will be run. Then the source is read
 * as tokens, and what C++ has no word for is rewritten in place, so that lines stay where they are:
 *
 *   kernel<<<grid, block, shared, stream>>>(a, b)   launches.c
 *   __shared__ T x[N][M], y;  extern __shared__     shared_memory.c
 *   qualifiers, threadIdx, #pragma unroll           cuda_words.c
 *   asm("add.s32 %0, %1, %2;" : ...)                ptx.c
 *   loops, where their rounds are counted           rounds.c
 *   where the lanes of a warp meet again            meets.c
 *   hooks, where no tool will look                  plain.c
 *
 * What the CPU device has not is refused by name: refusals.c, headers.c.
 *
 * Usage: translate INPUT.cu OUTPUT.cpp [DEPFILE] -- COMPILER ARGUMENT...
 * The output is to be compiled by the same words with -xc++-cpp-output.
 *        translate --headers OUTPUT.gch DEPFILE -- COMPILER ARGUMENT...
 * The second compiles cuda_preinclude.h, which a compiler with -fpch-preprocess then takes in place
 * of its text. Exit status: 0; 1 after one line that names file, line and construct; the
 * preprocessor's where it failed; 2 for a wrong command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/device_code.h"
#include "cpu/translate/kernel_choice.h"
#include "cpu/translate/launches.h"
#include "cpu/translate/meets.h"
#include "cpu/translate/merge.h"
#include "cpu/translate/preprocess.h"
#include "cpu/translate/ptx.h"
#include "cpu/translate/plain.h"
#include "cpu/translate/rounds.h"
#include "cpu/translate/shared_memory.h"
#include "cpu/translate/cuda_words.h"

static void write_file(const char *name, const struct text *t)
{
    FILE *f = fopen(name, "wb");

    if (!f || fwrite(t->at, 1, t->length, f) != t->length || fclose(f)) {
        perror(name);
        remove(name);
        exit(1);
    }
}

/* The two texts are compared from their first line on, so both have the headers as text. */
static void forget_compiled_headers(char **compiler)
{
    char **to = compiler;

    for (; *compiler; compiler++)
        if (strcmp(*compiler, "-fpch-preprocess"))
            *to++ = *compiler;
    *to = NULL;
}

static bool has_word(char **compiler, const char *word)
{
    for (; *compiler; compiler++)
        if (!strcmp(*compiler, word))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    int dashes = 0;
    struct text out = {0};
    const char *text, *depfile;
    char **compiler;
    struct source s;
    struct units u;

    while (dashes < argc && strcmp(argv[dashes], "--"))
        dashes++;
    if (dashes < 3 || dashes > 4 || dashes + 1 >= argc) {
        fprintf(stderr, "usage: translate INPUT.cu OUTPUT.cpp [DEPFILE] -- COMPILER ARGUMENT...\n");
        return 2;
    }
    compiler = argv + dashes + 1;
    depfile = dashes == 4 ? argv[3] : NULL;
    if (!strcmp(argv[1], "--headers"))
        compile_headers(argv[2], depfile, compiler);
    text = preprocess(argv[1], argv[2], depfile, compiler, false);
    if (asks_for_architecture(text)) {
        forget_compiled_headers(compiler);
        text = preprocess(argv[1], argv[2], depfile, compiler, false);
        text = merge(text, preprocess(argv[1], argv[2], NULL, compiler, true));
    }
    device_by_default = has_word(compiler, "-DCPU_DEVICE_BY_DEFAULT");
    s = tokens_of(text);
    u = units_of(&s);
    refuse_words(&s);
    if (!has_word(compiler, "-fsanitize=thread"))
        refuse_volatile(&s);
    translate_shared(&s, &u);
    translate_words(&s, &u);
    translate_ptx(&s);
    find_kernels(&s, &u);
    translate_launches(&s);
    if (has_word(compiler, COUNT_ROUNDS))
        count_rounds(&s, &u);
    if (has_word(compiler, MEETS))
        put_meets(&s, &u, has_word(compiler, COUNT_ROUNDS));
    write_source(&out, &s);
    if (has_word(compiler, PLAIN))
        write_quiet_hooks(&out);
    write_file(argv[2], &out);
    return 0;
}
