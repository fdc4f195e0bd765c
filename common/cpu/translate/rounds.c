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
#include "cpu/translate/statements.h"

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

static void for_loop(int open, int close)
{
    int first = semicolon(s, open + 1, close), second = semicolon(s, first + 1, close);

    if (second < close)
        put_after(at(close - 1), second == close - 1 ? " ({ " CALL " })" : ", ({ " CALL " })");
}

static void while_loop(int i, int close)
{
    if (ends_do(s, i)) {
        put_before(at(i + 2), "({ bool cpu_more = static_cast<bool>(");
        put_after(at(close - 1), "); " CALL " cpu_more; })");
    } else {
        replace(at(i), "for");
        put_before(at(i + 2), "; ");
        put_after(at(close - 1), "; ({ " CALL " })");
    }
}

/* Where its call stands, -1: nowhere. */
static int branch_at(const struct units *u, int i)
{
    if (!at(i)->device || at(i)->ours || !is(at(i), "if") || !is(at(i + 1), "(") ||
        !is_condition(s, i + 1, bracket_end(s, i + 1)) || is_constexpr(s, u, i))
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
            !is(at(i + 1), "(") || is_constexpr(s, u, i))
            continue;
        if (is_for)
            for_loop(i + 1, bracket_end(s, i + 1));
        else
            while_loop(i, bracket_end(s, i + 1));
    }
}
