/*
 * Launches: kernel<<<grid, block, shared, stream>>>(a, b) becomes a call of cpu_launcher, with the
 * kernel's name as a string and as itself.
 */
#include <string.h>
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
        if (is(at(i), ")"))
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

static void translate_launch(int i)
{
    int start = kernel_start(i), end = launch_end(i);

    if (at(i)->device)
        fail(at(i), "%s<<<...>>> in device code: the CPU device has no dynamic parallelism",
             flat_text(s, start, i, false));
    if (!is(at(end + 3), "("))
        fail(at(i), "a launch without arguments: kernel<<<...>>> must be followed by (");
    put_before(&s->token[start], format_text("cpu_launcher(%s, ", quoted(start, i)));
    replace(&s->token[i], ", ");
    leave_out(s, i + 1, i + 2);
    replace(&s->token[end], ")");
    leave_out(s, end + 1, end + 3);
}

void translate_launches(struct source *source)
{
    s = source;
    for (int i = 0; i < s->count; i++)
        if (!at(i)->ours && is(at(i), "<<") && is(at(i + 1), "<"))
            translate_launch(i);
}
