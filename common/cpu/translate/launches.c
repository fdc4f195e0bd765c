/*
 * Launches. kernel<<<grid, block, shared, stream>>>(a, b) becomes a call of cpu_launcher, with the
 * kernel's name as a string and as itself:
 *
 *   cpu_launcher("kernel", kernel, grid, block, shared, stream)(a, b)
 *
 * Where the name alone does not say which function is called or with how many arguments, each
 * thread makes the call itself, on values that are kept once, and the compiler is asked what it
 * chooses:
 *
 *   cpu_chooser("k", grid, block)([&, cpu_0 = a](auto... cpu_f) {
 *       if constexpr (sizeof...(cpu_f)) (cpu_f(cpu_0, 0), ...); else k(cpu_0, 0);
 *       return decltype(cpu_of_k(cpu_0, 0))(); })
 */
#include <string.h>
#include "cpu/translate/kernel_choice.h"
#include "cpu/translate/launches.h"

static struct source *s;

static const struct token *at(int i)
{
    return &s->token[i < 0 ? s->count : i];
}

/* The place before the template arguments that the > at i ends. */
static int before_angle(int i)
{
    for (int depth = 0; i >= 0; i--) {
        if (at(i)->match >= 0 && at(i)->match < i)
            i = at(i)->match;
        else if (is(at(i), ">"))
            depth++;
        else if (is(at(i), "<") && --depth == 0)
            return i - 1;
        else if (is(at(i), ";"))
            break;
    }
    return -1;
}

static bool is_keyword(const struct token *t)
{
    return is(t, "return") || is(t, "if") || is(t, "while") || is(t, "for") || is(t, "switch") ||
           is(t, "else") || is(t, "do");
}

/* A name at k, backwards, with its namespaces and their template arguments. Its first token, or
 * k + 1 if there is none. */
static int name_start(int k)
{
    int first = k + 1;

    for (;;) {
        if (is(at(k), ">"))
            k = before_angle(k);
        if (k < 0 || at(k)->kind != WORD || is_keyword(at(k)))
            return first;
        first = k--;
        if (!is(at(k), "::"))
            return first;
        first = k--;
    }
}

/* The first token of the kernel that stands before the <<< at i: a name, perhaps with template
 * arguments, an element of a table, a member of a structure, or (*pointer). */
static int kernel_start(int i)
{
    for (int k = i - 1;;) {
        bool whole = false; /* brackets that need no name before them */
        int first;

        while (is(at(k), ")") || is(at(k), "]")) {
            whole = is(at(k), ")");
            if (at(k)->match < 0)
                fail(at(i), "<<< without a kernel's name before it");
            k = at(k)->match - 1;
            if (whole && (k < 0 || is(at(k), ")") || is_keyword(at(k))))
                return k + 1;
        }
        first = whole && is(at(k), ">") ? k + 1 : name_start(k);
        if (first > k && !whole)
            fail(at(i), "<<< without a kernel's name before it");
        k = first - 1;
        if (!is(at(k), ".") && !is(at(k), "->"))
            return first;
        k--;
    }
}

/* The first of the three > that end the launch whose << is at i. */
static int launch_end(int i)
{
    for (int k = i + 2; k < s->count && !is(at(k), ";") && !is(at(k), "}") && !is(at(k), ")");
         k++) {
        if (at(k)->match > k)
            k = at(k)->match;
        else if (is(at(k), ">") && is(at(k + 1), ">") && is(at(k + 2), ">"))
            return k;
    }
    fail(at(i), "<<< without >>>");
}

/* The tokens as a string in C, on one line. */
static const char *quoted(int from, int to)
{
    const char *text = flat_text(s, from, to, false);
    struct text out = {0};

    put(&out, "\"", 1);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            put(&out, "\\", 1);
        put(&out, text, 1);
    }
    put(&out, "\"", 1);
    return out.at;
}

/* The name of a kernel in [from, to), before template arguments; -1 if it is no name. */
static int plain_name(int from, int to)
{
    int name = -1;

    for (int i = from; i < to; i++) {
        if (at(i)->kind == WORD && !is(at(i), "template"))
            name = i;
        else if (is(at(i), "<"))
            i = angle_end(s, i);
        else if (!is(at(i), "::"))
            return -1;
    }
    return name;
}

/* May the argument in [from, to) be written once more, in the threads' call? A number may be a null
 * pointer there, braces have no type of their own, and a pack is no value. */
static bool is_literal(int from, int to)
{
    if (is(at(from), "{") || is(at(to - 1), "..."))
        return true;
    return to == from + 1 &&
           (at(from)->kind == NUMBER || is(at(from), "__null") || is(at(from), "nullptr"));
}

/* The launch of the kernel [start, i) that must be chosen, with its arguments behind the ( at
 * open. */
static void choose(int start, int i, int name, int open)
{
    int end = bracket_end(s, open), n = 0;
    struct text call = {0}, values = {0};
    const char *before = flat_text(s, start, name, true), *kernel = flat_text(s, start, i, true),
               *behind = flat_text(s, name, i, true);

    put(&call, "", 0);
    put(&values, "", 0);
    put_before(&s->token[start], format_text("cpu_chooser(%s", quoted(start, i)));
    leave_out(s, start, i);
    replace(&s->token[open], "([&");
    for (int from = open + 1; from < end; n++) {
        int stop = from;

        while (stop < end && !is(at(stop), ","))
            stop = at(stop)->match > stop ? at(stop)->match + 1 : stop + 1;
        put_format(&call, "%s", n ? ", " : "");
        put_format(&values, "%s", n ? ", " : "");
        if (is_literal(from, stop)) {
            put_format(&call, "%s", flat_text(s, from, stop, true));
            put_format(&values, "0");
            leave_out(s, from, stop);
        } else {
            put_format(&call, "cpu_%d", n);
            put_format(&values, "cpu_%d", n);
            put_before(&s->token[from], format_text(", cpu_%d = ", n));
        }
        if (stop < end)
            leave_out(s, stop, stop + 1);
        from = stop + 1;
    }
    put_before(&s->token[end],
               format_text("](auto... cpu_f) __attribute__((no_sanitize(\"thread\"))) { "
                           "if constexpr (sizeof...(cpu_f)) (cpu_f(%s), ...); "
                           "else %s(%s); return decltype(%scpu_of_%s(%s))(); }",
                           values.at, kernel, call.at, before, behind, call.at));
}

static void translate_launch(int i)
{
    int start = kernel_start(i), end = launch_end(i), name = plain_name(start, i);

    if (!is(at(end + 3), "("))
        fail(at(i), "a launch without arguments: kernel<<<...>>> must be followed by (");
    if (name >= 0 && needs_choice(at(name)))
        choose(start, i, name, end + 3);
    else
        put_before(&s->token[start], format_text("cpu_launcher(%s, ", quoted(start, i)));
    replace(&s->token[i], ", ");
    leave_out(s, i + 1, i + 2);
    replace(&s->token[end], ")");
    leave_out(s, end + 1, end + 3);
}

void translate_launches(struct source *source)
{
    s = source;
    bool inside = false;

    for (int i = 0; i < s->count; i++)
        if (!at(i)->ours && is(at(i), "<<") && is(at(i + 1), "<")) {
            translate_launch(i);
            inside |= at(i)->device;
        }
    if (inside)
        put_after(&s->token[s->count - 1],
                  " extern \"C\" { __attribute__((weak)) char cpu_launches_inside; }");
}
