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
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *at;
    size_t length, room;
};

static const char *input_name;
static char *source;         /* all of the input, with a zero behind it */
static struct text out;

static void fail(const char *where, const char *format, ...)
{
    va_list args;
    int line = 1;

    for (const char *p = source; p < where; p++)
        line += *p == '\n';
    fprintf(stderr, "%s:%d: error: ", input_name, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static void put(const char *s, size_t n)
{
    if (out.length + n + 1 > out.room) {
        out.room = 2 * (out.length + n + 1);
        out.at = realloc(out.at, out.room);
        if (!out.at) {
            fprintf(stderr, "translate: out of memory\n");
            exit(1);
        }
    }
    memcpy(out.at + out.length, s, n);
    out.length += n;
    out.at[out.length] = '\0';
}

static void puts_out(const char *s)
{
    put(s, strlen(s));
}

static bool is_word(int c)
{
    return isalnum(c) || c == '_';
}

/* The end of the comment, string or character that starts at p; p itself if none does. */
static const char *skip_quiet(const char *p)
{
    if (p[0] == '/' && p[1] == '/') {
        while (*p && *p != '\n')
            p += p[0] == '\\' && p[1] ? 2 : 1;
        return p;
    }
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");

        if (!end)
            fail(p, "comment without an end");
        return end + 2;
    }
    if (*p == '"' || (*p == '\'' && (p == source || !isalnum((unsigned char)p[-1])))) {
        const char *start = p;
        char quote = *p++;

        while (*p && *p != quote && *p != '\n')
            p += p[0] == '\\' && p[1] ? 2 : 1;
        if (*p != quote)
            fail(start, "string or character without an end");
        return p + 1;
    }
    return p;
}

static const char *skip_space(const char *p)
{
    for (;;) {
        const char *next = *p == '"' || *p == '\'' ? p : skip_quiet(p);

        if (next == p && !isspace((unsigned char)*p))
            return p;
        p = next == p ? p + 1 : next;
    }
}

/* The first place at or after p, outside of brackets and strings, where one of the characters in
 * stops stands, or the string ">>>" if stops is NULL. */
static const char *find_outside(const char *p, const char *stops)
{
    const char *start = p;
    int depth = 0;

    while (*p) {
        const char *next = skip_quiet(p);

        if (next != p) {
            p = next;
            continue;
        }
        if (depth == 0 && (stops ? strchr(stops, *p) != NULL : !strncmp(p, ">>>", 3)))
            return p;
        if (strchr("([{", *p))
            depth++;
        else if (strchr(")]}", *p) && depth-- == 0)
            break;
        p++;
    }
    fail(start, stops ? "declaration without an end" : "<<< without >>>");
    return NULL;
}

/* The start, in the output, of the kernel's name that stands before a <<<. */
static size_t kernel_start(const char *where)
{
    size_t i = out.length;
    int depth = 0;

    while (i && isspace((unsigned char)out.at[i - 1]))
        i--;
    if (i && (out.at[i - 1] == '>' || out.at[i - 1] == ']')) { /* template arguments, or a table */
        char close = out.at[i - 1], open = close == '>' ? '<' : '[';

        do {
            i--;
            depth += out.at[i] == close ? 1 : out.at[i] == open ? -1 : 0;
        } while (i && depth);
        while (i && isspace((unsigned char)out.at[i - 1]))
            i--;
    }
    while (i && (is_word((unsigned char)out.at[i - 1]) || out.at[i - 1] == ':'))
        i--;
    if (i == out.length || !is_word((unsigned char)out.at[i]))
        fail(where, "<<< without a kernel's name before it");
    return i;
}

/* p stands at <<<. Returns the place behind >>>. */
static const char *launch(const char *p)
{
    size_t start = kernel_start(p);
    size_t length = out.length - start;
    char *name = malloc(length + 1);
    const char *end = find_outside(p + 3, NULL);

    if (!name)
        fail(p, "out of memory");
    memcpy(name, out.at + start, length);
    name[length] = '\0';
    while (length && isspace((unsigned char)name[length - 1]))
        name[--length] = '\0';
    if (*skip_space(end + 3) != '(')
        fail(p, "a launch without arguments: kernel<<<...>>> must be followed by (");
    out.length = start;
    puts_out("cpu_launcher(\"");
    puts_out(name);
    puts_out("\", ");
    puts_out(name);
    puts_out(", ");
    put(p + 3, (size_t)(end - p - 3));
    puts_out(")");
    free(name);
    return end + 3;
}

/* Drop __align__(...) and __attribute__((...)): shared memory is aligned to 16 bytes anyway. */
static const char *skip_alignment(const char *p)
{
    for (;;) {
        p = skip_space(p);
        if (!strncmp(p, "__align__", 9) || !strncmp(p, "alignas", 7)) {
            p = skip_space(p + (*p == '_' ? 9 : 7));
            if (*p != '(')
                fail(p, "alignment without (");
            p = find_outside(p + 1, ")") + 1;
        } else {
            return p;
        }
    }
}

/* Keep the line count where text is left out. */
static void put_newlines(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from == '\n')
            puts_out("\n");
}

struct declarator {
    const char *name, *name_end, *end; /* end: behind the brackets */
};

/* The declared name in [p, end): the last word before the brackets. */
static struct declarator declarator(const char *p, const char *end)
{
    struct declarator d = {.end = end};
    const char *bracket = p;

    while (bracket < end && *bracket != '[')
        bracket++;
    d.name_end = bracket;
    while (d.name_end > p && isspace((unsigned char)d.name_end[-1]))
        d.name_end--;
    d.name = d.name_end;
    while (d.name > p && is_word((unsigned char)d.name[-1]))
        d.name--;
    if (d.name == d.name_end)
        fail(p, "__shared__ declaration without a name");
    return d;
}

/* p stands behind `extern __shared__`. Returns the place behind the semicolon. */
static const char *dynamic_shared(const char *p)
{
    const char *type = skip_alignment(p), *end = find_outside(type, ";");
    struct declarator d = declarator(type, end);

    put(type, (size_t)(d.name - type));
    puts_out("*const ");
    put(d.name, (size_t)(d.name_end - d.name));
    puts_out(" = (");
    put(type, (size_t)(d.name - type));
    puts_out("*)cpu_dynamic_shared();");
    put_newlines(p, end);
    return end + 1;
}

/* p stands behind `__shared__`. Returns the place behind the semicolon. */
static const char *static_shared(const char *p)
{
    const char *type = skip_alignment(p), *end = find_outside(type, ";");
    const char *part_end = find_outside(type, ",;");
    const char *type_end = declarator(type, part_end).name;
    const char *part = type;

    if (memchr(type, '=', (size_t)(end - type)))
        fail(p, "a __shared__ variable cannot have an initial value");
    while (true) {
        struct declarator d = declarator(part, part_end);
        int n = (int)(d.name_end - d.name);

        puts_out("static char ");
        put(d.name, (size_t)n);
        puts_out("_key; typedef ");
        put(type, (size_t)(type_end - type));
        puts_out(" ");
        put(d.name, (size_t)n);
        puts_out("_shared");
        put(d.name_end, (size_t)(part_end - d.name_end));
        puts_out("; ");
        put(d.name, (size_t)n);
        puts_out("_shared &");
        put(d.name, (size_t)n);
        puts_out(" = *(");
        put(d.name, (size_t)n);
        puts_out("_shared *)cpu_static_shared(&");
        put(d.name, (size_t)n);
        puts_out("_key, sizeof(");
        put(d.name, (size_t)n);
        puts_out("_shared), alignof(");
        put(d.name, (size_t)n);
        puts_out("_shared)); ");
        if (part_end == end)
            break;
        part = skip_space(part_end + 1);
        part_end = find_outside(part, ",;");
    }
    return end + 1;
}

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
    {"cudaMallocManaged", "CPU_device_has_no_managed_memory"},
};

static const char *word_end(const char *p)
{
    while (is_word((unsigned char)*p))
        p++;
    return p;
}

static bool word_is(const char *p, const char *end, const char *word)
{
    return (size_t)(end - p) == strlen(word) && !memcmp(p, word, (size_t)(end - p));
}

/* p stands at the start of a word. Returns the place behind what was translated. */
static const char *word(const char *p)
{
    const char *end = word_end(p);

    if (word_is(p, end, "__shared__"))
        return static_shared(end);
    if (word_is(p, end, "extern")) {
        const char *next = skip_space(end), *next_end = word_end(next);

        if (word_is(next, next_end, "__shared__"))
            return dynamic_shared(next_end);
    }
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
            p = launch(p);
        } else if (is_word((unsigned char)*p)) {
            p = isdigit((unsigned char)*p) ? (put(p, 1), p + 1) : word(p);
        } else {
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
