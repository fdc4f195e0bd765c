/*
 * Declarations of shared memory: pointers and references into the block's memory, on as many lines
 * as before.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include "cpu/translate/scan.h"
#include "cpu/translate/shared.h"
#include "cpu/translate/text.h"

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

const char *translate_shared(const char *p, bool in_function)
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
    if (!in_function && (start == source || start[-1] == '\n'))
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
