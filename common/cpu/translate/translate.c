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
static char *source; /* all of the input, with a zero behind it */
static struct text out;
static int braces; /* open at the present place */

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

/* p stands at R"DELIMITER( of a raw string. Returns the place behind )DELIMITER". */
static const char *skip_raw_string(const char *p)
{
    const char *delimiter = p + 2, *body = strchr(delimiter, '(');
    size_t length = body ? (size_t)(body - delimiter) : 0;

    for (const char *end = body; end && (end = strchr(end + 1, ')'));)
        if (!strncmp(end + 1, delimiter, length) && end[1 + length] == '"')
            return end + length + 2;
    fail(p, "string or character without an end");
    return NULL;
}

/* The end of the comment, string or character that starts at p; p itself if none does. */
static const char *skip_quiet(const char *p)
{
    if (p[0] == 'R' && p[1] == '"' && (p == source || !is_word((unsigned char)p[-1])))
        return skip_raw_string(p);
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

/* The start, in the output, of the bracket that closes before i. */
static size_t bracket_start(size_t i, const char *where)
{
    char close = out.at[i - 1], open = close == '>' ? '<' : close == ']' ? '[' : '(';

    for (i--; i && out.at[i - 1] != open; i--) {
        char c = out.at[i - 1];

        if (c == ')' || c == ']' || (c == '>' && close == '>'))
            i = bracket_start(i, where) + 1;
    }
    if (!i)
        fail(where, "<<< without a kernel's name before it");
    return i - 1;
}

static size_t space_start(size_t i)
{
    while (i && isspace((unsigned char)out.at[i - 1]))
        i--;
    return i;
}

/* The start, in the output, of the kernel's name that stands before a <<<: a name, perhaps with
 * template arguments, an element of a table, a member of a structure, or (*pointer). */
static size_t kernel_start(const char *where)
{
    size_t i = space_start(out.length), named;

    while (true) {
        bool whole = false; /* a bracket that needs no name before it */

        while (i && strchr(")]>", out.at[i - 1])) {
            whole = out.at[i - 1] == ')';
            i = bracket_start(i, where);
            if (!whole)
                i = space_start(i);
        }
        named = i;
        while (i && (is_word((unsigned char)out.at[i - 1]) || out.at[i - 1] == ':'))
            i--;
        if (i == named && !whole)
            fail(where, "<<< without a kernel's name before it");
        if (i > 1 && out.at[i - 1] == '.')
            i--;
        else if (i > 2 && out.at[i - 2] == '-' && out.at[i - 1] == '>')
            i -= 2;
        else
            return i;
    }
}

/* A kernel's name as a string: on one line, whatever it holds. */
static void put_name(const char *name, size_t length)
{
    puts_out("\"");
    for (size_t i = 0; i < length; i++) {
        if (isspace((unsigned char)name[i])) {
            if (!isspace((unsigned char)name[i + 1]))
                puts_out(" ");
            continue;
        }
        if (name[i] == '"' || name[i] == '\\')
            puts_out("\\");
        put(name + i, 1);
    }
    puts_out("\"");
}

/* Keep the line count where text is left out. */
static void put_newlines(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from == '\n')
            puts_out("\n");
}

/* p stands at <<<. Returns the place behind >>>. */
static const char *launch(const char *p)
{
    size_t start = kernel_start(p), whole = out.length - start, length = whole;
    char *name = malloc(whole + 1);
    const char *end = find_outside(p + 3, NULL);

    if (!name)
        fail(p, "out of memory");
    memcpy(name, out.at + start, whole);
    name[whole] = '\0';
    while (length && isspace((unsigned char)name[length - 1]))
        length--;
    if (*skip_space(end + 3) != '(')
        fail(p, "a launch without arguments: kernel<<<...>>> must be followed by (");
    out.length = start;
    puts_out("cpu_launcher(");
    put_name(name, length);
    puts_out(", ");
    put(name, length);
    put_newlines(name + length, name + whole);
    puts_out(", ");
    put(p + 3, (size_t)(end - p - 3));
    puts_out(")");
    free(name);
    return end + 3;
}

/* Copy [from, to) without comments and on one line. */
static void put_flat(const char *from, const char *to)
{
    while (from < to) {
        const char *next = skip_quiet(from);

        if (*from == '/' && next != from) {
            puts_out(" ");
            from = next;
        } else {
            put(isspace((unsigned char)*from) ? " " : from, 1);
            from++;
        }
    }
}

/* What a declaration of shared memory says, apart from its declarators. */
struct shared {
    const char *start;                     /* behind __shared__ */
    const char *alignment, *alignment_end; /* the last one asked for; NULL: none */
    const char *type, *end;                /* end: the semicolon */
    bool is_volatile;
};

/* Take __align__(...) and alignas(...) out of the way of the type. */
static void read_alignment(struct shared *s)
{
    for (s->type = s->start;;) {
        const char *p = skip_space(s->type);
        size_t word = !strncmp(p, "__align__", 9) ? 9 : !strncmp(p, "alignas", 7) ? 7 : 0;

        s->type = p;
        if (!word)
            return;
        p = skip_space(p + word);
        if (*p != '(')
            fail(p, "alignment without (");
        s->alignment = p + 1;
        s->alignment_end = find_outside(p + 1, ")");
        s->type = s->alignment_end + 1;
    }
}

/* The first of the characters in stops at or after p, outside of brackets, those of template
 * arguments included; end if there is none before it. */
static const char *find_in_declaration(const char *p, const char *end, const char *stops)
{
    int depth = 0;

    while (p < end) {
        const char *next = skip_quiet(p);

        if (next != p) {
            p = next;
            continue;
        }
        if (depth == 0 && strchr(stops, *p))
            return p;
        if (strchr("([{<", *p))
            depth++;
        else if (strchr(")]}>", *p))
            depth--;
        p++;
    }
    return end;
}

struct declarator {
    const char *name, *name_end, *end; /* end: behind the brackets */
};

/* The declared name in [p, end): the last word before the brackets. */
static struct declarator declarator(const char *p, const char *end)
{
    struct declarator d = {.end = end};

    d.name_end = find_in_declaration(p, end, "[");
    while (d.name_end > p && isspace((unsigned char)d.name_end[-1]))
        d.name_end--;
    d.name = d.name_end;
    while (d.name > p && is_word((unsigned char)d.name[-1]))
        d.name--;
    if (d.name == d.name_end)
        fail(p, "__shared__ declaration without a name");
    return d;
}

static void put_type(const struct shared *s, const char *type_end)
{
    if (s->is_volatile)
        puts_out("volatile ");
    put_flat(s->type, type_end);
}

/* extern __shared__ T x[]: all such arrays of a block start at the same place. */
static void dynamic_shared(const struct shared *s)
{
    struct declarator d = declarator(s->type, s->end);

    put_type(s, d.name);
    puts_out("*const ");
    put(d.name, (size_t)(d.name_end - d.name));
    puts_out(" = (");
    put_type(s, d.name);
    puts_out("*)cpu_dynamic_shared();");
}

/* One variable: "prefix" stands between the common type and the name, a * or nothing. */
static void static_variable(const struct shared *s, const char *type_end, const char *prefix,
                            const struct declarator *d)
{
    static const char *const pieces[] = {
        "static char @_key; ",
        "@_shared; @_shared &@ = *(@_shared *)cpu_static_shared(&@_key, sizeof(@_shared), ",
        "alignof(@_shared)",
    };

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        for (const char *c = pieces[i]; *c; c++) {
            if (i == 1 && c == pieces[i]) { /* typedef T *NAME_shared[N]; */
                puts_out("typedef ");
                put_type(s, type_end);
                puts_out(" ");
                put_flat(prefix, d->name);
                put(d->name, (size_t)(d->name_end - d->name));
                puts_out("_shared");
                put_flat(d->name_end, d->end);
                c = strchr(c, ';');
            }
            if (*c == '@')
                put(d->name, (size_t)(d->name_end - d->name));
            else
                put(c, 1);
        }
    }
    if (s->alignment) { /* the larger one */
        puts_out(" > alignof(");
        put(d->name, (size_t)(d->name_end - d->name));
        puts_out("_align) ? alignof(");
        put(d->name, (size_t)(d->name_end - d->name));
        puts_out("_shared) : alignof(");
        put(d->name, (size_t)(d->name_end - d->name));
        puts_out("_align)");
    }
    puts_out("); ");
}

static void static_shared(const struct shared *s)
{
    const char *part = s->type, *part_end = find_in_declaration(part, s->end, ",");
    const char *type_end = declarator(part, part_end).name;

    if (find_in_declaration(s->type, s->end, "=") != s->end)
        fail(s->type, "a __shared__ variable cannot have an initial value");
    while (type_end > s->type && strchr("* \t\n", type_end[-1]))
        type_end--;
    part = type_end;
    while (true) {
        struct declarator d = declarator(part, part_end);

        if (s->alignment) {
            puts_out("struct alignas(");
            put_flat(s->alignment, s->alignment_end);
            puts_out(") ");
            put(d.name, (size_t)(d.name_end - d.name));
            puts_out("_align {}; ");
        }
        static_variable(s, type_end, part, &d);
        if (part_end == s->end)
            return;
        part = skip_space(part_end + 1);
        part_end = find_in_declaration(part, s->end, ",");
    }
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
    {"__managed__", "CPU_device_has_no_managed_memory"},
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

/* p stands at the start of a word. If it begins a declaration of shared memory, `__shared__` with
 * extern, static or volatile before it, returns the place behind the semicolon; else NULL. */
static const char *shared_declaration(const char *p)
{
    struct shared s = {0};
    const char *start = p, *end = word_end(p);
    bool is_extern = false;

    while (!word_is(p, end, "__shared__")) {
        if (word_is(p, end, "extern"))
            is_extern = true;
        else if (word_is(p, end, "volatile"))
            s.is_volatile = true;
        else if (!word_is(p, end, "static"))
            return NULL;
        p = skip_space(end);
        end = word_end(p);
    }
    if (braces == 0 && (start == source || start[-1] == '\n'))
        fail(start, "__shared__ outside of a function: declare it in the kernel");
    s.start = end;
    read_alignment(&s);
    s.end = find_outside(s.type, ";");
    if (is_extern)
        dynamic_shared(&s);
    else
        static_shared(&s);
    put_newlines(start, s.end);
    return s.end + 1;
}

/* p stands at the start of a word. Returns the place behind what was translated. */
static const char *word(const char *p)
{
    const char *end = word_end(p), *behind = shared_declaration(p);

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
            p = launch(p);
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
