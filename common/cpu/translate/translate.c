/*
 * The translator: CUDA C in, C++ for the CPU device out. It rewrites only what C++ has no word
 * for, and in place, so that lines and columns of everything else stay:
 *
 *   kernel<<<grid, block, shared, stream>>>(a, b)   a call of cpu_launcher
 *   extern __shared__ T x[];                        a pointer to the block's dynamic memory
 *   __shared__ T x[N][M], y;                        references into the block's static memory
 *   #pragma unroll N                                the compiler's own pragma
 *
 * What the CPU device does not have is renamed to a word that says so, which the compiler then
 * reports with its line. Strings and comments are left alone.
 *
 * Usage: translate INPUT.cu OUTPUT.cpp
 * Exit status: 0, or 1 after one line that names file, line and construct.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/launches.h"
#include "cpu/translate/scan.h"
#include "cpu/translate/shared.h"
#include "cpu/translate/text.h"

static int braces; /* open at the present place */

/* p stands at `#pragma unroll`. Returns the end of the line. */
static const char *pragma_unroll(const char *p, const char *count)
{
    const char *end = strchr(p, '\n');

    if (!end)
        end = p + strlen(p);
    while (count < end && isspace((unsigned char)*count))
        count++;
    puts_out("#pragma GCC unroll ");
    if (count == end)
        puts_out("1024");
    else
        put(count, (size_t)(end - count));
    return end;
}

static const struct {
    const char *word, *instead;
} unsupported[] = {
    {"asm", "CPU_device_has_no_inline_PTX"},
    {"__asm__", "CPU_device_has_no_inline_PTX"},
    {"texture", "CPU_device_has_no_textures"},
    {"surface", "CPU_device_has_no_surfaces"},
    {"tex1Dfetch", "CPU_device_has_no_textures"},
    {"tex2D", "CPU_device_has_no_textures"},
    {"__cluster_dims__", "CPU_device_has_no_clusters"},
    {"__grid_constant__", "CPU_device_has_no_grid_constants"},
    {"cudaGraphLaunch", "CPU_device_has_no_graphs"},
};

/* p stands at the start of a word. Returns the place behind what was translated. */
static const char *word(const char *p)
{
    const char *end = word_end(p), *behind = translate_shared(p, braces != 0);

    if (behind)
        return behind;
    for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++)
        if (word_is(p, end, unsupported[i].word)) {
            puts_out(unsupported[i].instead);
            return end;
        }
    put(p, (size_t)(end - p));
    return end;
}

/* p stands at a # that begins a line. Returns the place behind what was translated. */
static const char *directive(const char *p)
{
    const char *end = p + 1;
    const char *name;

    while (*end == ' ' || *end == '\t')
        end++;
    name = end;
    end = word_end(end);
    if (word_is(name, end, "pragma")) {
        while (*end == ' ' || *end == '\t')
            end++;
        if (word_is(end, word_end(end), "unroll"))
            return pragma_unroll(p, word_end(end));
    }
    if (word_is(name, end, "error") || word_is(name, end, "warning"))
        end = strchr(p, '\n') ? strchr(p, '\n') : p + strlen(p); /* words, not code */
    put(p, (size_t)(end - p));
    return end;
}

static void translate(void)
{
    const char *p = source;
    bool line_start = true;

    while (*p) {
        const char *next = skip_quiet(p);

        if (next != p) {
            put(p, (size_t)(next - p));
            p = next;
        } else if (*p == '#' && line_start) {
            p = directive(p);
        } else if (!strncmp(p, "<<<", 3)) {
            p = translate_launch(p);
        } else if (is_word((unsigned char)*p)) {
            p = isdigit((unsigned char)*p) ? (put(p, 1), p + 1) : word(p);
        } else {
            braces += *p == '{' ? 1 : *p == '}' ? -1 : 0;
            put(p++, 1);
        }
        if (p[-1] == '\n')
            line_start = true;
        else if (!isspace((unsigned char)p[-1]))
            line_start = false;
    }
}

static char *read_all(FILE *f)
{
    struct text t = {0};
    size_t n;

    do {
        t.room = t.room ? 2 * t.room : 65536;
        t.at = realloc(t.at, t.room);
        if (!t.at)
            return NULL;
        n = fread(t.at + t.length, 1, t.room - t.length - 1, f);
        t.length += n;
    } while (n);
    t.at[t.length] = '\0';
    return t.at;
}

int main(int argc, char **argv)
{
    FILE *f;

    if (argc != 3) {
        fprintf(stderr, "usage: translate INPUT.cu OUTPUT.cpp\n");
        return 1;
    }
    input_name = argv[1];
    f = fopen(argv[1], "rb");
    source = f ? read_all(f) : NULL;
    if (!source) {
        perror(argv[1]);
        return 1;
    }
    fclose(f);
    puts_out("#line 1 \"");
    puts_out(argv[1]);
    puts_out("\"\n");
    translate();
    f = fopen(argv[2], "wb");
    if (!f || fwrite(out.at, 1, out.length, f) != out.length || fclose(f)) {
        perror(argv[2]);
        remove(argv[2]);
        return 1;
    }
    free(source);
    free(out.at);
    return 0;
}
