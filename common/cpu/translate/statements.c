/*
 * Where a statement of the source begins and ends.
 */
#include "cpu/translate/statements.h"

static const struct token *at(const struct source *s, int i)
{
    return &s->token[i < 0 ? s->count : i];
}

int semicolon(const struct source *s, int i, int end)
{
    for (; i < end && !is(at(s, i), ";"); i++)
        if (at(s, i)->match > i)
            i = at(s, i)->match;
    return i;
}

int statement_end(const struct source *s, int i)
{
    int end;

    while (at(s, i)->kind == PRAGMA || (is(at(s, i), "[") && is(at(s, i + 1), "[")))
        i = at(s, i)->kind == PRAGMA ? i + 1 : bracket_end(s, i) + 1; /* of its attributes, too */
    if (is(at(s, i), "{"))
        return bracket_end(s, i);
    if (is(at(s, i), "if") || is(at(s, i), "for") || is(at(s, i), "while") ||
        is(at(s, i), "switch")) {
        end = statement_end(s, bracket_end(s, is(at(s, i + 1), "(") ? i + 1 : i + 2) + 1);
        return is(at(s, i), "if") && is(at(s, end + 1), "else") ? statement_end(s, end + 2) : end;
    }
    if (is(at(s, i), "do"))
        return semicolon(s, statement_end(s, i + 1) + 1, s->count);
    return semicolon(s, i, s->count);
}

bool ends_do(const struct source *s, int i)
{
    for (int k = i - 1; k >= 0 && at(s, k)->device; k--)
        if (is(at(s, k), "do") && statement_end(s, k + 1) == i - 1)
            return true;
    return false;
}

bool is_constexpr(const struct source *s, const struct units *u, int i)
{
    const struct unit *around = function_around(u, i);

    for (int k = around ? around->from : i; k < (around ? around->open : i); k++)
        if (is(at(s, k), "constexpr") || is(at(s, k), "consteval"))
            return true;
    return false;
}

bool is_condition(const struct source *s, int open, int close)
{
    for (int i = open + 1; i < close; i++) {
        if (is(at(s, i), "=") || is(at(s, i), ";") || is(at(s, i), "{"))
            return false;
        if (at(s, i)->match > i)
            i = at(s, i)->match;
    }
    return close > open + 1;
}
