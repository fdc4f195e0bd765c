/*
 * Tokens: what the compiler's own preprocessor leaves has no comments, macros or line splices, so
 * words, numbers, strings, marks and pragmas are all there is. A > is always a mark of its own, so
 * that three of them can end a launch or three lists of template arguments alike.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/files.h"
#include "cpu/translate/tokens.h"

static bool is_word(int c)
{
    return isalnum(c) || c == '_' || c == '$' || c >= 0x80;
}

const char *file_name(int file)
{
    return file < 0 ? "translate" : file_at(file)->name;
}

void fail(const struct token *t, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: error: ", file_name(t->file), t->line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

/* The end of the string or character whose first quote is at p; NULL if there is none. */
static const char *string_end(const char *p, bool raw)
{
    char quote = *p++;

    if (raw) {
        const char *body = strchr(p, '(');
        size_t length = body ? (size_t)(body - p) : 0;

        for (const char *end = body; end && (end = strchr(end + 1, ')'));)
            if (!strncmp(end + 1, p, length) && end[1 + length] == '"')
                return end + length + 2;
        return NULL;
    }
    while (*p && *p != quote && *p != '\n')
        p += *p == '\\' && p[1] ? 2 : 1;
    return *p == quote ? p + 1 : NULL;
}

static const char *number_end(const char *p)
{
    while (is_word((unsigned char)*p) || *p == '.' ||
           (*p == '\'' && is_word((unsigned char)p[1])) ||
           ((*p == '+' || *p == '-') && strchr("eEpP", p[-1])))
        p++;
    return p;
}

static const char *mark_end(const char *p)
{
    static const char *const long_marks[] = {
        "<<=", "...", "->*", "<<", "<=", "==", "!=", "::", "->", "+=", "-=",
        "*=",  "/=",  "&&",  "||", "|=", "&=", "^=", "%=", "++", "--", "##"};

    for (size_t i = 0; i < sizeof(long_marks) / sizeof(long_marks[0]); i++)
        if (!strncmp(p, long_marks[i], strlen(long_marks[i])))
            return p + strlen(long_marks[i]);
    return p + 1;
}

static void read_token(struct token *t)
{
    const char *p = t->at, *end;

    if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
        t->kind = NUMBER;
        end = number_end(p);
    } else if (is_word((unsigned char)*p)) {
        t->kind = WORD;
        for (end = p; is_word((unsigned char)*end); end++)
            ;
        if ((*end == '"' || *end == '\'') && end - p <= 3 &&
            strspn(p, "LuU8R") == (size_t)(end - p)) {
            t->kind = STRING;
            end = string_end(end, *end == '"' && end[-1] == 'R');
        }
    } else if (*p == '"' || *p == '\'') {
        t->kind = STRING;
        end = string_end(p, false);
    } else {
        t->kind = MARK;
        end = mark_end(p);
    }
    if (!end)
        fail(t, "string or character without an end");
    t->length = (unsigned)(end - p);
}

static struct token *new_token(struct source *s, const char *at, int line, int file)
{
    static int room;

    if (s->count + 1 >= room || !s->token) {
        room = s->token ? 2 * room : 4096;
        s->token = grow(s->token, (size_t)room * sizeof(*s->token));
    }
    s->token[s->count] =
        (struct token){.at = at, .line = line, .file = file, .match = -1, .kind = END};
    if (file >= 0)
        s->token[s->count].ours = s->token[s->count].device = file_at(file)->ours;
    return &s->token[s->count++];
}

static void match_brackets(struct source *s)
{
    int *open = grow(NULL, (size_t)(s->count + 1) * sizeof(int)), depth = 0;

    for (int i = 0; i < s->count; i++) {
        char c = s->token[i].kind == MARK && s->token[i].length == 1 ? *s->token[i].at : 0;

        if (c && strchr("([{", c)) {
            open[depth++] = i;
        } else if (c && strchr(")]}", c)) {
            while (depth && *s->token[open[depth - 1]].at != (c == ')' ? '(' : c - 2))
                depth--; /* one without an end */
            if (depth) {
                s->token[i].match = open[--depth];
                s->token[open[depth]].match = i;
            }
        }
    }
    free(open);
}

struct source tokens_of(const char *text)
{
    struct source s = {.text = text};
    int line = 1, file = -1;
    bool begins = true; /* a line */

    classify_files(text);
    for (const char *p = text; *p;) {
        struct marker m;
        struct token *t;

        if (*p == '\n') {
            line++;
            p++;
            begins = true;
        } else if (begins && *p == '#' && read_marker(p, &m)) {
            file = m.file;
            line = m.line - 1;
            p = strchrnul(p, '\n');
        } else if (file >= 0 && file_at(file)->system && begins) {
            p = strchrnul(p, '\n');
        } else if (isspace((unsigned char)*p)) {
            p++;
        } else {
            t = new_token(&s, p, line, file);
            if (begins && *p == '#') {
                t->kind = PRAGMA;
                t->length = (unsigned)(strchrnul(p, '\n') - p);
            } else {
                read_token(t);
            }
            begins = false;
            for (const char *end = p + t->length; p < end; p++)
                line += *p == '\n';
        }
    }
    new_token(&s, text + strlen(text), line, file);
    s.count--;
    match_brackets(&s);
    return s;
}

int bracket_end(const struct source *s, int i)
{
    if (s->token[i].match < 0)
        fail(&s->token[i], "%.1s without an end", s->token[i].at);
    return s->token[i].match;
}
