/*
 * The kernels. Behind each declaration of one whose launch must choose, for example
 *
 *   template <typename T, int N> __global__ void k(T *p, int n = 3)
 *
 * stands a function that is only asked for its type, which tells what a call would choose:
 *
 *   template <typename T, int N>
 *   cpu_kernel<static_cast<void (*)(T *p, int n)>(k<T, N>)> cpu_of_k(T *p, int n = 3);
 *
 * And a kernel names, in its body, variables whose initialisation at the program's start tells of
 * it: what __launch_bounds__ and __cluster_dims__ say, behind which line it has no return, and what
 * its parameters are called. That makes no code of the kernel's.
 */
#include <string.h>
#include "cpu/translate/kernel_choice.h"

struct kernel {
    const struct unit *unit;
    int name;                   /* its token */
    int head, head_end;         /* template <...>: its tokens; the same where there is none */
    bool specialised, defaults; /* template <> ...; has it default arguments? */
    bool shared_name;           /* with a function that is no kernel, as its launcher */
    const char *parameters;     /* as text, without these */
    int arity;                  /* how many */
    int next;                   /* of those with the same hash; -1: none */
};

static struct source *s;
static struct kernel *kernels;
static int count;
static int first_of[1024]; /* by the hash of the name, plus 1; 0: none */

static const struct token *at(int i)
{
    return &s->token[i];
}

/* The end of the part of a list that begins at i: its comma, or `end`. */
static int part_end(int i, int end)
{
    for (; i < end && !is(at(i), ","); i++) {
        if (at(i)->match > i)
            i = at(i)->match;
        else if (is(at(i), "<") && angle_end(s, i) < end)
            i = angle_end(s, i);
    }
    return i;
}

/* The = of a default value in [from, end); `end` if there is none. */
static int default_start(int from, int end)
{
    for (; from < end && !is(at(from), "="); from++)
        if (at(from)->match > from)
            from = at(from)->match;
    return from;
}

/* The list in [from, end) without default values, each part as the function says. */
static char *list_of(int from, int end, char *(*part)(int from, int end))
{
    struct text out = {0};

    put(&out, "", 0);
    while (from < end) {
        int stop = part_end(from, end);
        const char *text = part(from, default_start(from, stop));

        if (!text)
            return NULL;
        put_format(&out, "%s%s", out.length ? ", " : "", text);
        from = stop + 1;
    }
    return out.at;
}

static char *as_written(int from, int end)
{
    return flat_text(s, from, end, true);
}

/* The name of a template's parameter; NULL if it has none. */
static char *parameter_name(int from, int end)
{
    static const char *const types[] = {"int",  "unsigned", "long",  "short",  "char",
                                        "bool", "typename", "class", "signed", "auto"};
    const struct token *last = at(end - 1);

    if (end - from < 2 || last->kind != WORD)
        return NULL;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (is(last, types[i]))
            return NULL;
    return format_text("%.*s%s", (int)last->length, last->at, is(at(end - 2), "...") ? "..." : "");
}

/* The kernel as an expression: its address, of this instance where it is a template. */
static const char *address(const struct kernel *k, const char *scope)
{
    const struct token *name = at(k->name);
    const char *arguments = "";

    if (k->specialised) {
        arguments = flat_text(s, k->name + 1, k->unit->arguments, true);
    } else if (k->head < k->head_end) {
        const char *names = list_of(k->head + 2, k->head_end - 1, parameter_name);

        arguments = names ? format_text("<%s>", names) : "";
    }
    return format_text("static_cast<void (*)(%s)>(%s%.*s%s)", k->parameters, scope,
                       (int)name->length, name->at, arguments);
}

static int *slot(const struct token *name)
{
    unsigned hash = 0;

    for (unsigned i = 0; i < name->length; i++)
        hash = 31 * hash + (unsigned char)name->at[i];
    return &first_of[hash % 1024];
}

static bool same_name(const struct token *a, const struct token *b)
{
    return a->length == b->length && !memcmp(a->at, b->at, a->length);
}

static void read_kernel(const struct unit *u)
{
    struct kernel k = {.unit = u, .name = u->name, .head = u->from, .head_end = u->from};
    int end = at(u->arguments)->match;

    if (is(at(k.head), "template") && !is(at(k.head + 1), "<"))
        return; /* an explicit instance */
    if (is(at(k.head), "template"))
        k.head_end = angle_end(s, k.head + 1) + 1;
    k.specialised = k.head_end == k.head + 3;
    if (k.specialised)
        while (k.name > u->from && !is(at(k.name + 1), "<"))
            k.name--;
    for (int i = u->arguments + 1; i < end; i = part_end(i, end) + 1) {
        k.defaults |= default_start(i, part_end(i, end)) < part_end(i, end);
        k.arity++;
    }
    k.parameters = list_of(u->arguments + 1, end, as_written);
    if (count % 64 == 0)
        kernels = grow(kernels, (size_t)(count + 64) * sizeof(*kernels));
    k.next = *slot(at(k.name)) - 1;
    kernels[count] = k;
    *slot(at(k.name)) = ++count;
}

bool needs_choice(const struct token *name)
{
    const struct kernel *first = NULL;

    for (int i = *slot(name) - 1; i >= 0; i = kernels[i].next) {
        const struct kernel *k = &kernels[i];

        if (!same_name(at(k->name), name))
            continue;
        if (k->head < k->head_end || k->defaults || k->shared_name)
            return true;
        if (first && strcmp(first->parameters, k->parameters) &&
            ((first->unit->open >= 0 && k->unit->open >= 0) || first->arity != k->arity))
            return true; /* no declaration that is said again */
        first = first && first->unit->open >= 0 ? first : k;
    }
    return false;
}

/* A function that is no kernel: do kernels of the same scope have its name? */
static void read_function(const struct unit *u)
{
    for (int i = *slot(at(u->name)) - 1; i >= 0; i = kernels[i].next)
        kernels[i].shared_name |= same_name(at(kernels[i].name), at(u->name)) && !u->in_class &&
                                  !strcmp(kernels[i].unit->scope, u->scope);
}

/* Does the kernel name itself, as one does that launches itself? */
static bool names_itself(const struct kernel *k)
{
    for (int i = k->unit->open; i >= 0 && i < k->unit->to; i++)
        if (same_name(at(i), at(k->name)))
            return true;
    return false;
}

/* What declares the kernel before its definition, without default values. */
static const char *declaration(const struct kernel *k)
{
    struct text out = {0};

    put(&out, "", 0);
    if (k->head < k->head_end)
        put_format(&out, "template <%s> ", list_of(k->head + 2, k->head_end - 1, as_written));
    for (int i = k->head_end; i < k->unit->arguments; i++) {
        if (!is(at(i), "__launch_bounds__") && !is(at(i), "__maxnreg__") &&
            !is(at(i), "__cluster_dims__"))
            put_format(&out, "%s ", flat_text(s, i, i + 1, true));
        else if (is(at(i + 1), "("))
            i = at(i + 1)->match;
    }
    put_format(&out, "(%s);", k->parameters);
    return out.at;
}

/* The function cpu_of_NAME, behind the declaration; before it, where the kernel's body needs it.
 * A template that is declared before may have no default values. */
static void put_choice(const struct kernel *k)
{
    const struct token *name = at(k->name);
    int end = at(k->unit->arguments)->match;
    const char *choice =
        format_text(" %s [[maybe_unused]] cpu_kernel<%s> cpu_of_%.*s(%s);",
                    flat_text(s, k->head, k->head_end, true), address(k, ""), (int)name->length,
                    name->at, flat_text(s, k->unit->arguments + 1, end, true));

    if (!k->unit->in_class && names_itself(k) && !(k->head < k->head_end && k->defaults))
        put_before(&s->token[k->head], format_text("%s%s ", declaration(k), choice));
    else
        put_after(&s->token[k->unit->to - 1], choice);
}

/* What a word with brackets before the kernel's name says, up to `most` numbers of it, to a
 * variable of that type. */
static void put_said(const struct kernel *k, const char *word, int most, const char *type)
{
    const struct unit *u = k->unit;
    struct text numbers = {0};
    int i = u->from, end;

    while (i < u->open && !is(at(i), word))
        i++;
    if (i >= u->open || u->in_class || !is(at(i + 1), "("))
        return;
    end = at(i + 1)->match;
    put(&numbers, "", 0);
    for (int from = i + 2; from < end && most--; from = part_end(from, end) + 1)
        put_format(&numbers, ", (%s)", flat_text(s, from, part_end(from, end), false));
    put_after(&s->token[u->open],
              format_text(" (void)&%s<%s%s>::noted;", type,
                          address(k, format_text("::%s", u->scope)), numbers.at));
}

/* Does the brace at i begin the body of a lambda, or of a class? */
static bool opens_other(int i)
{
    static const char *const before[] = {";", "{", "}", "else", "do", ":", "try"};
    static const char *const heads[] = {"if", "for", "while", "switch", "constexpr", "catch"};
    const struct token *head =
        at(is(at(i - 1), ")") && at(i - 1)->match > 0 ? at(i - 1)->match - 1 : i);

    for (size_t k = 0; k < sizeof(before) / sizeof(before[0]); k++)
        if (is(at(i - 1), before[k]))
            return false;
    for (size_t k = 0; k < sizeof(heads) / sizeof(heads[0]); k++)
        if (is(head, heads[k]))
            return false;
    return at(i - 1)->kind != PRAGMA;
}

/* Is the statement at i one of the function itself, and not of a lambda or a class in it? */
static bool is_own(const struct unit *u, int i)
{
    for (int k = i - 1; k > u->open; k--)
        if (at(k)->match >= 0 && at(k)->match < k)
            k = at(k)->match;
        else if (is(at(k), "{") && opens_other(k))
            return false;
    return true;
}

/* A thread that leaves the kernel before its end says so, so that the others know that it did not
 * run on to the end, around what they wait at. So does one that jumps. */
static void mark_returns(const struct unit *u)
{
    for (int i = u->open; u->open >= 0 && i < u->to - 3; i++) {
        int end = i;

        if (!(is(at(i), "return") || is(at(i), "goto")) || !is_own(u, i))
            continue;
        while (!is(at(end), ";"))
            end = at(end)->match > end ? at(end)->match : end + 1;
        put_before(&s->token[i], "{ cpu_at_return(); ");
        put_after(&s->token[end], " }");
    }
}

/* The name of a kernel's parameter; ? if it has none, or is no plain one. */
static char *argument_name(int from, int end)
{
    while (end > from && is(at(end - 1), "]"))
        end = at(end - 1)->match;
    if (end - from < 2 || at(end - 1)->kind != WORD)
        return format_text("?");
    return format_text("%.*s", (int)at(end - 1)->length, at(end - 1)->at);
}

/* The names of the kernel and of its parameters. */
static void put_text(const struct kernel *k)
{
    const struct unit *u = k->unit;
    bool nameless = k->head < k->head_end && !k->specialised &&
                    !list_of(k->head + 2, k->head_end - 1, parameter_name);

    if (u->open < 0 || u->in_class || nameless)
        return;
    put_after(&s->token[u->open],
              format_text(" struct cpu_names { static const char *kernel() { return \"%.*s\"; }"
                          " static const char *of() { return \"%s\"; } };"
                          " (void)&cpu_text<%s, cpu_names>::noted;",
                          (int)at(k->name)->length, at(k->name)->at,
                          list_of(u->arguments + 1, at(u->arguments)->match, argument_name),
                          address(k, format_text("::%s", u->scope))));
}

void find_kernels(struct source *source, const struct units *u)
{
    s = source;
    for (int i = 0; i < u->count; i++)
        if (u->at[i].kind == FUNCTION && u->at[i].global && at(u->at[i].arguments)->match > 0) {
            read_kernel(&u->at[i]);
            mark_returns(&u->at[i]);
        }
    for (int i = 0; i < u->count; i++)
        if (u->at[i].kind == FUNCTION && !u->at[i].global && u->at[i].name >= 0)
            read_function(&u->at[i]);
    for (int i = 0; i < count; i++) {
        if (!kernels[i].specialised && needs_choice(at(kernels[i].name)))
            put_choice(&kernels[i]);
        put_said(&kernels[i], "__launch_bounds__", 1, "cpu_bounds");
        put_said(&kernels[i], "__cluster_dims__", 3, "cpu_cluster_dims");
        put_text(&kernels[i]);
    }
    for (int i = 0; i < s->count; i++) /* using a::k; */
        if (is(at(i), "using") && at(i + 1)->kind == WORD && is(at(i + 2), "::")) {
            int end = i + 2;

            while (is(at(end), "::"))
                end += 2;
            if (is(at(end), ";") && needs_choice(at(end - 1)))
                put_after(&s->token[end],
                          format_text(" using %scpu_of_%.*s;", flat_text(s, i + 1, end - 1, false),
                                      (int)at(end - 1)->length, at(end - 1)->at));
        }
}
