/*
 * Declarations of shared memory become pointers and references into the block's memory. The type
 * and the declarators stay where they are, in typedefs:
 *
 *   __shared__ T x[N], y;      typedef T cpu_shared_1; typedef cpu_shared_1 x_shared[N];
 *                              static const cpu_shared_variable x_key = ...;
 *                              x_shared &x = ...; and so for y; outside of a function the
 *                              reference stands in each that uses x
 *   extern __shared__ T x[];   typedef T cpu_shared_1; typedef cpu_shared_1 cpu_element_1;
 *                              static const cpu_shared_variable x_key = ...;
 *                              cpu_element_1 *const x = ...;  outside of a function: in each that
 * uses it
 */
#include <string.h>
#include "cpu/translate/shared_memory.h"

/* A declaration: what is left of it once its qualifiers are out is the type, then declarators. */
struct declaration {
    int from, end;  /* its first token, and the semicolon */
    int number;     /* makes the typedef's name its own */
    int declarator; /* the first token of the first one */
    bool is_extern;
    const char *alignment; /* the last one asked for; NULL: none */
};

static struct source *s;

static const struct token *at(int i)
{
    return &s->token[i];
}

static const char *word(int i)
{
    return format_text("%.*s", (int)at(i)->length, at(i)->at);
}

/* The first token at or after i, outside of brackets and of template arguments, that is one of the
 * marks; `end` if there is none before it. */
static int find(int i, int end, const char *marks)
{
    for (; i < end; i++) {
        if (at(i)->kind == MARK && at(i)->length == 1 && strchr(marks, *at(i)->at))
            return i;
        if (is(at(i), "<"))
            i = angle_end(s, i);
        else if (at(i)->match > i)
            i = at(i)->match;
    }
    return end;
}

/* Takes the qualifiers out and finds the alignment. */
static void read_qualifiers(struct declaration *d)
{
    for (int i = d->from; i < d->end; i++) {
        if (is(at(i), "extern"))
            d->is_extern = true;
        if (is(at(i), "extern") || is(at(i), "static") || is(at(i), "__shared__")) {
            leave_out(s, i, i + 1);
        } else if (is(at(i), "__align__") || is(at(i), "alignas")) {
            int end = is(at(i + 1), "(") ? bracket_end(s, i + 1) : 0;

            if (!end)
                fail(at(i), "alignment without (");
            d->alignment = flat_text(s, i + 2, end, false);
            leave_out(s, i, end + 1);
            i = end;
        } else if (at(i)->match > i) {
            i = at(i)->match;
        }
    }
}

/* The place of the name that is declared in [from, end), before its brackets. */
static int declared_name(int from, int end)
{
    int i = find(from, end, "[=") - 1;

    while (i >= from && at(i)->text) /* a qualifier behind the type */
        i--;
    if (i < from || at(i)->kind != WORD)
        fail(at(i < from ? from : i), "__shared__ declaration without a name");
    return i;
}

static void read_declaration(struct declaration *d, int i, int qualifier)
{
    static int number;
    int name;

    while (i && !is(at(i - 1), ";") && !is(at(i - 1), "{") && !is(at(i - 1), "}") &&
           at(i - 1)->kind != PRAGMA && !is(at(i - 1), ":"))
        i--;
    *d = (struct declaration){.from = i, .number = ++number};
    for (d->end = i; !is(at(d->end), ";"); d->end++) {
        if (d->end >= s->count || is(at(d->end), "}"))
            fail(at(qualifier), "__shared__ declaration without an end");
        if (at(d->end)->match > d->end)
            d->end = at(d->end)->match;
    }
    read_qualifiers(d);
    name = declared_name(d->from, find(d->from, d->end, ","));
    for (i = name; i > d->from && (is(at(i - 1), "*") || is(at(i - 1), "__restrict__") ||
                                   (is(at(i - 1), "const") && is(at(i - 2), "*")));
         i--)
        ;
    d->declarator = i;
    for (i = d->from; i < d->declarator && at(i)->text; i++)
        ;
    if (i == d->declarator)
        fail(at(qualifier), "__shared__ declaration without a name");
    put_before(&s->token[i], "typedef ");
    put_after(&s->token[d->declarator - 1], format_text(" cpu_shared_%d; ", d->number));
}

/* The function's own variable for one that is declared outside: where it has the word, and
 * neither a parameter nor a variable in shared memory of its own by that name. Any other variable
 * by that name hides it, because what the function had stands in braces of its own. */
static void put_into_function(const struct unit *f, const char *x, const char *variable)
{
    bool used = false, shared = false;

    for (int i = f->arguments; i < f->to; i++) {
        shared = (shared || is(at(i), "__shared__")) && !is(at(i), ";");
        if (is(at(i), x) && (i < f->open || shared))
            return;
        used |= is(at(i), x);
    }
    if (!used)
        return;
    put_after(&s->token[f->open], format_text("%s {", variable));
    put_before(&s->token[f->to - 1], "} ");
}

/* Into all functions behind it, of its namespace and those within. */
static void put_into_functions(const struct declaration *d, const struct units *u, const char *x,
                               const char *variable)
{
    const char *scope = "";

    for (int i = 0; i < u->count && u->at[i].from <= d->end; i++)
        scope = u->at[i].scope;
    for (int i = 0; i < u->count; i++)
        if (u->at[i].open > d->end && (u->at[i].global || u->at[i].device) &&
            !strncmp(u->at[i].scope, scope, strlen(scope)))
            put_into_function(&u->at[i], x, variable);
}

/* extern __shared__ T x[]: all such arrays of a block start at the same place. */
static void dynamic_shared(const struct declaration *d, const struct units *u, bool in_function)
{
    int name = declared_name(d->declarator, d->end);
    const char *x = word(name), *variable;

    if (!is(at(name + 1), "["))
        fail(at(name), "extern __shared__ %s: must be an array, %s[]", x, x);
    leave_out(s, name + 1, bracket_end(s, name + 1) + 1);
    replace(&s->token[name], format_text("cpu_element_%d", d->number));
    put_before(&s->token[d->declarator], format_text("typedef cpu_shared_%d ", d->number));
    variable = format_text(" static const cpu_shared_variable %s_key = cpu_dynamic_as"
                           "<cpu_element_%d>(\"%s\"); cpu_element_%d *const %s = "
                           "(cpu_element_%d *)cpu_dynamic_shared(&%s_key);",
                           x, d->number, x, d->number, x, d->number, x);
    if (in_function)
        put_after(&s->token[d->end], variable);
    else
        put_into_functions(d, u, x, variable);
}

/* The variable that is declared in [from, end); `end` is its comma or semicolon. */
static void static_variable(const struct declaration *d, int from, int end, const struct units *u,
                            bool in_function)
{
    int name = declared_name(from, end);
    const char *x = word(name), *alignment = format_text("alignof(%s_shared)", x), *variable;

    if (find(from, end, "=") != end || find(from, end, "{") != end)
        fail(at(name), "__shared__ %s: cannot have an initial value", x);
    put_before(&s->token[from], format_text("typedef cpu_shared_%d ", d->number));
    if (d->alignment) { /* the larger one */
        put_before(&s->token[from],
                   format_text("struct alignas(%s) %s_align {}; ", d->alignment, x));
        alignment = format_text("alignof(%s_shared) > alignof(%s_align) ? alignof(%s_shared) : "
                                "alignof(%s_align)",
                                x, x, x, x);
    }
    replace(&s->token[name], format_text("%s_shared", x));
    variable = format_text("%s_shared &%s = *(%s_shared *)cpu_static_shared(&%s_key, "
                           "sizeof(%s_shared), %s)",
                           x, x, x, x, x, alignment);
    put_before(&s->token[end],
               format_text("; static const cpu_shared_variable %s_key = "
                           "cpu_shared_as<%s_shared>(\"%s\")%s%s",
                           x, x, x, in_function ? "; " : "", in_function ? variable : ""));
    if (!in_function)
        put_into_functions(d, u, x, format_text(" %s;", variable));
}

static void static_shared(const struct declaration *d, const struct units *u, bool in_function)
{
    int from = d->declarator;

    for (;;) {
        int end = find(from, d->end, ",");

        static_variable(d, from, end, u, in_function);
        if (end == d->end)
            return;
        replace(&s->token[end], ";");
        put_after(&s->token[end], " ");
        from = end + 1;
    }
}

void translate_shared(struct source *source, const struct units *u)
{
    s = source;
    for (int i = 0; i < s->count; i++) {
        struct declaration d;
        bool in_function;

        if (at(i)->ours || !is(at(i), "__shared__"))
            continue;
        in_function = function_around(u, i) || at(i)->device;
        read_declaration(&d, i, i);
        if (d.is_extern)
            dynamic_shared(&d, u, in_function);
        else
            static_shared(&d, u, in_function);
        i = d.end;
    }
}
