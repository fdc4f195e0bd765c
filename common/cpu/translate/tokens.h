/*
 * The tokens of a preprocessed source, and what is to stand in their places. See tokens.c.
 */
#ifndef CPU_TRANSLATE_TOKENS_H
#define CPU_TRANSLATE_TOKENS_H

#include <stdbool.h>
#include <string.h>
#include "cpu/translate/text.h"

enum kind { WORD, NUMBER, STRING, MARK, PRAGMA, END };

struct token {
    const char *at; /* in the preprocessed source */
    unsigned length;
    enum kind kind;
    int line, file;                    /* where the student wrote it */
    int match;                         /* of a bracket: the other one; -1: none */
    bool device;                       /* in code that runs on the device */
    bool ours;                         /* in one of the CPU device's own headers */
    const char *text, *before, *after; /* text: instead of the token; NULL: as it is */
};

struct source {
    const char *text;
    struct token *token; /* the last one is of kind END */
    int count;           /* without it */
};

/*
 * The tokens of what the compiler's preprocessor wrote, without those of system headers, which are
 * a part of the space between tokens. The text must outlive them.
 */
struct source tokens_of(const char *text);

/* The source with all changes, in as many lines. */
void write_source(struct text *out, const struct source *s);

/* Is it a word or a mark that is this text? */
static inline bool is(const struct token *t, const char *text)
{
    return *t->at == *text && strlen(text) == t->length && !memcmp(t->at, text, t->length) &&
           (t->kind == WORD || t->kind == MARK);
}

int bracket_end(const struct source *s, int i); /* the partner of the bracket at i, checked */
const char *file_name(int file);

/* Changes; each can be made several times at one token, the outermost last. */
void put_before(struct token *t, const char *text);
void put_after(struct token *t, const char *text);
void replace(struct token *t, const char *text);
void leave_out(struct source *s, int from, int to); /* to: behind the last */

/* The text of the tokens [from, to), on one line; with its changes where changed is set. */
char *flat_text(const struct source *s, int from, int to, bool changed);

/* One line that names the file and the line of a token; exit status 1. */
void fail(const struct token *t, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

#endif
