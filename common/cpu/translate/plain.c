/*
 * A program that no tool will look at: of a hook the compiler is to know that it changes one
 * register alone, so that a loop's values stay in registers around it. It learns that from the
 * hook's own code if that stands in the same file, is compiled before what calls it (no_reorder),
 * and has the compiler's own name for it; the code here is empty, and is never run: see
 * assemble/hooks.c.
 */
#include "cpu/translate/plain.h"

void write_quiet_hooks(struct text *out)
{
    static const char *const what[] = {"read", "write"};

    for (int i = 0; i < 2; i++)
        for (int bytes = 1; bytes <= 16; bytes *= 2)
            put_format(
                out,
                "\nextern \"C\" __attribute__((noinline, no_reorder, no_sanitize(\"thread\"))) "
                "void __builtin___tsan_%s%d(void *p) { __asm__ volatile(\"\" : : \"D\"(p) : "
                "\"rcx\", \"cc\", \"memory\"); }",
                what[i], bytes);
    put_format(out, "\n");
}
