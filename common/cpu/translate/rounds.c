/*
 * Loops whose rounds are counted, and branches, for kernels of which nvcc's code is known: each
 * round of a loop in device code calls cpu_round_ends (runtime/rounds.c), at the line where the
 * loop's head ends, and each condition of an if cpu_branch, with what it is.
 *
 *   for (int i = 0; i < n; i++)   for (int i = 0; i < n; i++, ({ ... }))
 *   while (i < n)                 for (; i < n; ({ ... }))
 *   do ... while (i < n);         do ... while (({ bool cpu_more = bool(i < n); ... cpu_more; }));
 *
 *   if (i < n)                    if (({ bool cpu_taken = bool(i < n); ... cpu_taken; }))
 *
 * That of a loop stands behind what the round does, because what comes before it is done in each
 * round, so that the compiler may load once, before the loop, what stays the same. Not of a loop
 * over a range, nor in a constexpr function; nor of an if that declares something, or of two at
 * one line.
 */
#include <stdlib.h>
#include "cpu/translate/rounds.h"

/* The compiler is told what a call changes, but not that it might touch memory: what it loads once
 * before a loop it must load once with this, too. */
#if defined(__x86_64__)
#define CHANGED                                                                                    \
    "\"rcx\", \"rdx\", \"rsi\", \"rdi\", \"r8\", \"r9\", \"r10\", \"r11\", \"xmm0\", "             \
    "\"xmm1\", \"xmm2\", \"xmm3\", \"xmm4\", \"xmm5\", \"xmm6\", \"xmm7\", \"xmm8\", "             \
    "\"xmm9\", \"xmm10\", \"xmm11\", \"xmm12\", \"xmm13\", \"xmm14\", \"xmm15\", \"cc\");"
#define CALL "__asm__ volatile(\"call cpu_round_ends@PLT\" : : : \"rax\", " CHANGED
#define BRANCH                                                                                     \
    "unsigned cpu_took = cpu_taken; "                                                              \
    "__asm__ volatile(\"call cpu_branch@PLT\" : \"+a\"(cpu_took) : : " CHANGED
#else
#define CALL "cpu_round_ends();"
#define BRANCH "cpu_branch(cpu_taken);"
#endif

static struct source *s;

static struct token *at(int i)
{
    return &s->token[i < 0 ? s->count : i];
}

/* The next ; in [i, end) that stands in no brackets; end: there is none. */
static int semicolon(int i, int end)
{
    for (; i < end && !is(at(i), ";"); i++)
        if (at(i)->match > i)
            i = at(i)->match;
    return i;
}

static void for_loop(int open, int close)
{
    int first = semicolon(open + 1, close), second = semicolon(first + 1, close);

    if (second < close)
        put_after(at(close - 1), second == close - 1 ? " ({ " CALL " })" : ", ({ " CALL " })");
}

/* The last token of the statement that begins at i. */
static int statement_end(int i)
{
    int end;

    if (is(at(i), "{"))
        return bracket_end(s, i);
    if (is(at(i), "if") || is(at(i), "for") || is(at(i), "while") || is(at(i), "switch")) {
        end = statement_end(bracket_end(s, is(at(i + 1), "(") ? i + 1 : i + 2) + 1);
        return is(at(i), "if") && is(at(end + 1), "else") ? statement_end(end + 2) : end;
    }
    if (is(at(i), "do"))
        return semicolon(statement_end(i + 1), s->count);
    return semicolon(i, s->count);
}

/* The `while` at i: does it end a loop that began with `do`? */
static bool ends_do(int i)
{
    for (int k = i - 1; k >= 0 && at(k)->device; k--)
        if (is(at(k), "do") && statement_end(k + 1) == i - 1)
            return true;
    return false;
}

static void while_loop(int i, int close)
{
    if (ends_do(i)) {
        put_before(at(i + 2), "({ bool cpu_more = static_cast<bool>(");
        put_after(at(close - 1), "); " CALL " cpu_more; })");
    } else {
        replace(at(i), "for");
        put_before(at(i + 2), "; ");
        put_after(at(close - 1), "; ({ " CALL " })");
    }
}

static bool is_constexpr(const struct units *u, int i)
{
    const struct unit *around = function_around(u, i);

    for (int k = around ? around->from : i; k < (around ? around->open : i); k++)
        if (is(at(k), "constexpr") || is(at(k), "consteval"))
            return true;
    return false;
}

/* From its opening bracket to the closing one: is it one that declares and assigns nothing? */
static bool is_condition(int open, int close)
{
    for (int i = open + 1; i < close; i++) {
        if (is(at(i), "=") || is(at(i), ";") || is(at(i), "{"))
            return false;
        if (at(i)->match > i)
            i = at(i)->match;
    }
    return close > open + 1;
}

/* Where its call stands, -1: nowhere. */
static int branch_at(const struct units *u, int i)
{
    if (!at(i)->device || at(i)->ours || !is(at(i), "if") || !is(at(i + 1), "(") ||
        !is_condition(i + 1, bracket_end(s, i + 1)) || is_constexpr(u, i))
        return -1;
    return bracket_end(s, i + 1) - 1;
}

static bool on_line(int i, int of)
{
    return i >= 0 && i < s->count && at(i)->line == at(of)->line && at(i)->file == at(of)->file;
}

/* Is this the only one of the tokens at its line that is marked? */
static bool is_alone(const bool *marked, int of)
{
    int from = of, found = 0;

    while (on_line(from - 1, of))
        from--;
    for (int i = from; on_line(i, of); i++)
        found += marked[i];
    return found == 1;
}

static void count_branches(const struct units *u)
{
    bool *marked = calloc((size_t)s->count + 1, sizeof(*marked));

    if (!marked)
        fail(at(0), "no memory left");
    for (int i = 0; i < s->count; i++)
        if (branch_at(u, i) >= 0)
            marked[branch_at(u, i)] = true;
    for (int i = 0; i < s->count; i++) {
        int last = branch_at(u, i);

        if (last < 0 || !is_alone(marked, last))
            continue;
        put_before(at(i + 2), "({ bool cpu_taken = static_cast<bool>(");
        put_after(at(last), "); " BRANCH " cpu_taken; })");
    }
    free(marked);
}

void count_rounds(struct source *source, const struct units *u)
{
    s = source;
    count_branches(u);
    for (int i = 0; i < s->count; i++) {
        bool is_for = is(at(i), "for");

        if (!at(i)->device || at(i)->ours || !(is_for || is(at(i), "while")) ||
            !is(at(i + 1), "(") || is_constexpr(u, i))
            continue;
        if (is_for)
            for_loop(i + 1, bracket_end(s, i + 1));
        else
            while_loop(i, bracket_end(s, i + 1));
    }
}
