/*
 * Changes to tokens, and the text that comes of them. What stands between tokens, line ends and
 * line markers too, is always kept, so that every line stays where it is.
 */
#include <ctype.h>
#include <string.h>
#include "cpu/translate/tokens.h"

void put_before(struct token *t, const char *text)
{
    t->before = t->before ? format_text("%s%s", text, t->before) : text;
}

void put_after(struct token *t, const char *text)
{
    t->after = t->after ? format_text("%s%s", t->after, text) : text;
}

void replace(struct token *t, const char *text)
{
    t->text = text;
}

void leave_out(struct source *s, int from, int to)
{
    for (int i = from; i < to; i++)
        s->token[i].text = "";
}

static void put_token(struct text *out, const struct token *t)
{
    if (t->before)
        put(out, t->before, strlen(t->before));
    if (t->text)
        put(out, t->text, strlen(t->text));
    else
        put(out, t->at, t->length);
    if (t->after)
        put(out, t->after, strlen(t->after));
}

void write_source(struct text *out, const struct source *s)
{
    const char *gap = s->text;

    for (int i = 0; i <= s->count; i++) {
        put(out, gap, (size_t)(s->token[i].at - gap));
        put_token(out, &s->token[i]);
        gap = s->token[i].at + s->token[i].length;
    }
}

char *flat_text(const struct source *s, int from, int to, bool changed)
{
    struct text out = {0};

    put(&out, "", 0);
    for (int i = from; i < to; i++) {
        const struct token *t = &s->token[i];

        if (i > from && isspace((unsigned char)t->at[-1]))
            put(&out, " ", 1);
        if (changed)
            put_token(&out, t);
        else
            put(&out, t->at, t->length);
    }
    return out.at;
}
