/*
 * The loops of a source, by their lines: what the code's addresses do not tell is whether a lane
 * that is further on has left a loop in which others still are. Read once per file, as text: where
 * it cannot be read there are none.
 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/grow.h"
#include "cpu/tools/record/record.h"

struct loop {
    int first, last; /* lines */
};
struct source {
    char *path;
    struct loop *loops;
    size_t count, room;
};
static struct source *sources;
static size_t source_count, source_room;

/* --- the text --------------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
    FILE *in = fopen(path, "r");
    size_t length = 1, room = 0;
    char *text = tools_grow(NULL, 0, &room, 1);
    int c;

    text[0] = ' '; /* what stands before the first character is looked at */
    while (in && (c = getc(in)) != EOF) {
        text = tools_grow(text, length, &room, 1);
        text[length++] = c ? (char)c : ' ';
    }
    if (in)
        fclose(in);
    text = tools_grow(text, length, &room, 1);
    text[length] = '\0';
    return text;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* Where the comment, string or line of the preprocessor ends that begins there; NULL: none does. */
static char *end_of_other(char *at, bool begins_line)
{
    char *end = at + 1;

    if (at[0] == '/' && at[1] == '*')
        return (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
    if ((at[0] == '/' && at[1] == '/') || (at[0] == '#' && begins_line)) {
        while (*end && (*end != '\n' || end[-1] == '\\'))
            end++;
        return end;
    }
    if (at[0] != '"' && (at[0] != '\'' || isalnum((unsigned char)at[-1])))
        return NULL;
    while (*end && *end != *at && *end != '\n')
        end += *end == '\\' && end[1] ? 2 : 1;
    return *end ? end + 1 : end;
}

/* Only code is left; each line stays where it is. text[-1] is there. */
static void blank_others(char *text)
{
    bool begins_line = true;

    for (char *at = text; *at;) {
        char *end = end_of_other(at, begins_line);

        begins_line = *at == '\n' || (begins_line && isspace((unsigned char)*at));
        if (end)
            blank(at, end);
        at = end ? end : at + 1;
    }
}

/* --- statements ------------------------------------------------------------------------------- */

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static bool is_word(const char *at, const char *word)
{
    size_t length = strlen(word);

    return !strncmp(at, word, length) && !isalnum((unsigned char)at[length]) && at[length] != '_' &&
           !isalnum((unsigned char)at[-1]) && at[-1] != '_';
}

/* Behind what closes the bracket that opens there. */
static const char *skip_bracket(const char *at)
{
    int depth = 0;

    do {
        depth += strchr("({[", *at) != NULL;
        depth -= strchr(")}]", *at) != NULL;
        at++;
    } while (*at && depth > 0);
    return at;
}

/* Behind the statement that begins there. */
static const char *skip_statement(const char *at)
{
    bool is_if, is_do;

    at = skip_space(at);
    is_if = is_word(at, "if");
    is_do = is_word(at, "do");
    if (*at == '{')
        return skip_bracket(at);
    if (is_do)
        return skip_statement(skip_statement(at + 2)); /* and its while */
    if (is_if || is_word(at, "for") || is_word(at, "while") || is_word(at, "switch")) {
        at += strcspn(at, "({;}");
        at = *at == '(' ? skip_bracket(at) : at;
        at = skip_statement(at);
        if (is_if && is_word(skip_space(at), "else"))
            at = skip_statement(skip_space(at) + 4);
        return at;
    }
    while (*at && *at != ';' && *at != '}')
        at = *at == '(' || *at == '{' || *at == '[' ? skip_bracket(at) : at + 1;
    return *at == ';' ? at + 1 : at;
}

static int lines_between(const char *from, const char *to)
{
    int lines = 0;

    for (; from < to; from++)
        lines += *from == '\n';
    return lines;
}

static void find_loops(struct source *s, const char *text)
{
    int line = 1;

    for (const char *at = text; *at; at++) {
        line += *at == '\n';
        if (!is_word(at, "for") && !is_word(at, "while") && !is_word(at, "do"))
            continue;
        s->loops = tools_grow(s->loops, s->count, &s->room, sizeof(*s->loops));
        s->loops[s->count++] =
            (struct loop){line, line + lines_between(at, skip_statement(at) - 1)};
    }
}

static const struct source *source_of(const char *path)
{
    char *text;

    for (size_t i = 0; i < source_count; i++)
        if (!strcmp(sources[i].path, path))
            return &sources[i];
    sources = tools_grow(sources, source_count, &source_room, sizeof(*sources));
    sources[source_count] = (struct source){.path = strdup(path)};
    if (!sources[source_count].path)
        tools_out_of_memory();
    text = read_text(path);
    blank_others(text + 1);
    find_loops(&sources[source_count], text + 1);
    free(text);
    return &sources[source_count++];
}

bool loops_left(const char *path, int in, int behind)
{
    const struct source *s = source_of(path);

    for (size_t i = 0; i < s->count; i++)
        if (s->loops[i].first <= in && in <= s->loops[i].last && s->loops[i].last < behind)
            return true;
    return false;
}

bool loops_hold(const char *path, int line)
{
    const struct source *s = source_of(path);

    for (size_t i = 0; i < s->count; i++)
        if (s->loops[i].first <= line && line <= s->loops[i].last)
            return true;
    return false;
}
