/*
 * Where the lanes of a warp meet again, for programs that count on it (engine/in_step.c): in device
 * code, behind each loop, if and switch in which a volatile word is accessed or something is
 * printed, and behind each round of such a loop.
 *
 *   for (int i = 0; i < n; i++)    for (int i = 0; i < n; i++, cpu_meet(...))
 *       v[t] += v[t + i];              v[t] += v[t + i]; cpu_meet(...);
 *   while (more)                   while ((cpu_meet(...), (more)))
 *
 * What it is called with says where that is: the line at which the statement ends, and its rank
 * among those that end there, the ones within others first. What counts as an access is what names
 * a variable that is declared volatile somewhere in the program, or the word itself, or a function
 * with any of that in it. Not in a constexpr function, nor behind a round of a loop over a range or
 * with a condition that declares something.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/meets.h"
#include "cpu/translate/statements.h"

enum { MOST_NAMES = 256 };

struct statement {
    int from, end, line;
};

static struct source *s;
static const struct token *name[MOST_NAMES];
static int names;
static int *before; /* how many accesses and prints there are before a token */

static struct token *at(int i)
{
    return &s->token[i < 0 ? s->count : i];
}

static bool is_same(const struct token *a, const struct token *b)
{
    return a->length == b->length && !memcmp(a->at, b->at, a->length);
}

static bool is_name(const struct token *t)
{
    for (int i = 0; i < names; i++)
        if (is_same(t, name[i]))
            return true;
    return false;
}

static void add_name(const struct token *t)
{
    if (names < MOST_NAMES && !is_name(t))
        name[names++] = t;
}

/* The word volatile at i: of an access, or of a declaration? */
static bool is_volatile(int i)
{
    return is(at(i), "volatile") && !is(at(i - 1), "asm") && !is(at(i - 1), "__asm__") &&
           !is(at(i - 1), "__asm");
}

static bool is_type(const struct token *t)
{
    static const char *const types[] = {"int",   "unsigned", "signed", "long",   "short", "char",
                                        "float", "double",   "bool",   "size_t", "void",  "auto"};

    for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++)
        if (is(t, types[k]))
            return true;
    return false;
}

/* The variable that the word volatile at i declares: the word before what ends its name. */
static void find_name(int i)
{
    static const char *const behind[] = {";", "=", "[", ",", ")", "{"};

    do
        i++;
    while (at(i)->kind == WORD || is(at(i), "*") || is(at(i), "&") || is(at(i), "::"));
    for (size_t k = 0; k < sizeof(behind) / sizeof(behind[0]); k++)
        if (is(at(i), behind[k]) && at(i - 1)->kind == WORD && !is_type(at(i - 1)))
            add_name(at(i - 1));
}

static void count_accesses(void)
{
    for (int i = 0; i < s->count; i++)
        before[i + 1] = before[i] + (!at(i)->ours && at(i)->device &&
                                     (is_volatile(i) || is(at(i), "printf") || is_name(at(i))));
}

static bool has_access(int from, int end)
{
    return before[end + 1] > before[from];
}

/* Whoever calls a function that accesses or prints does so. */
static void find_functions(const struct units *u)
{
    for (int known = -1; known != names;) {
        known = names;
        count_accesses();
        for (int i = 0; i < u->count; i++)
            if (u->at[i].kind == FUNCTION && u->at[i].open >= 0 && u->at[i].name >= 0 &&
                has_access(u->at[i].open, u->at[i].to - 1))
                add_name(at(u->at[i].name));
    }
}

static bool begins(int i)
{
    static const char *const words[] = {"for", "while", "do", "if", "switch"};

    for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
        if (is(at(i), words[k]))
            return !is(at(i), "while") || !ends_do(s, i);
    return false;
}

/* Those within others come first. */
static int compare(const void *a, const void *b)
{
    const struct statement *x = a, *y = b;

    return x->end != y->end ? (x->end > y->end) - (x->end < y->end) : y->from - x->from;
}

static void meet_in_condition(const struct statement *of, int rank)
{
    int open = 1 + (is(at(of->from), "do") ? statement_end(s, of->from + 1) + 1 : of->from);
    int close = bracket_end(s, open);

    if (!is_condition(s, open, close))
        return;
    put_before(at(open + 1), format_text("(cpu_meet(%d, %d), (", of->line, rank));
    put_after(at(close - 1), "))");
}

static void meet_in_increment(const struct statement *of, int rank, bool rounds)
{
    int close = bracket_end(s, of->from + 1);
    int last = semicolon(s, semicolon(s, of->from + 2, close) + 1, close);
    const char *comma = last == close - 1 && !rounds ? "" : ",";

    if (last < close)
        put_after(at(close - 1), format_text("%s cpu_meet(%d, %d)", comma, of->line, rank));
}

static void meet_behind(const struct statement *of, int rank)
{
    int last = of->from - 1;
    bool in_block = is(at(last), ";") || is(at(last), "{") || is(at(last), "}");

    if (at(last)->kind == PRAGMA) { /* which stays before its loop */
        last--;
        if (!is(at(last), ";") && !is(at(last), "{") && !is(at(last), "}"))
            return;
        in_block = true;
    }
    if (!in_block)
        put_before(at(of->from), "{ ");
    put_after(at(of->end), format_text(in_block ? " cpu_meet(%d, %d);" : " cpu_meet(%d, %d); }",
                                       of->line, rank));
}

static void put_calls(const struct statement *list, int count, bool rounds)
{
    int line = -1, rank = 0;

    for (int i = 0; i < count; i++) {
        const struct token *first = at(list[i].from);

        rank = list[i].line == line ? rank + 2 : 1;
        line = list[i].line;
        if (is(first, "for"))
            meet_in_increment(&list[i], rank, rounds);
        else if (!rounds && (is(first, "while") || is(first, "do")))
            meet_in_condition(&list[i], rank);
        meet_behind(&list[i], rank + 1);
    }
}

void put_meets(struct source *source, const struct units *u, bool rounds)
{
    struct statement *list;
    int count = 0;

    s = source;
    before = calloc((size_t)s->count + 2, sizeof(*before));
    list = calloc((size_t)s->count + 1, sizeof(*list));
    if (!before || !list)
        fail(at(0), "no memory left");
    for (int i = 0; i < s->count; i++)
        if (!at(i)->ours && is_volatile(i))
            find_name(i);
    find_functions(u);
    if (before[s->count])
        put_after(at(s->count - 1), " extern \"C\" { __attribute__((weak)) char cpu_lanes_meet; }");
    for (int i = 0; i < s->count; i++) {
        int end;

        if (!at(i)->device || at(i)->ours || !begins(i) || is_constexpr(s, u, i))
            continue;
        end = statement_end(s, i);
        if (end < s->count && has_access(i, end))
            list[count++] = (struct statement){i, end, at(end)->line};
    }
    qsort(list, (size_t)count, sizeof(*list), compare);
    put_calls(list, count, rounds);
    free(list);
    free(before);
}
