/*
 * Finding the way in the input: over comments, strings and characters, over brackets, and over
 * words. A place is a pointer into the input, which ends with a zero; nothing is changed here.
 */
#include <ctype.h>
#include <string.h>
#include "cpu/translate/scan.h"
#include "cpu/translate/text.h"

bool is_word(int c)
{
    return isalnum(c) || c == '_';
}

/* p stands at R"DELIMITER( of a raw string. Returns the place behind )DELIMITER". */
static const char *skip_raw_string(const char *p)
{
    const char *delimiter = p + 2, *body = strchr(delimiter, '(');
    size_t length = body ? (size_t)(body - delimiter) : 0;

    for (const char *end = body; end && (end = strchr(end + 1, ')'));)
        if (!strncmp(end + 1, delimiter, length) && end[1 + length] == '"')
            return end + length + 2;
    fail(p, "string or character without an end");
    return NULL;
}

/* The end of the comment, string or character that starts at p; p itself if none does. */
const char *skip_quiet(const char *p)
{
    if (p[0] == 'R' && p[1] == '"' && (p == source || !is_word((unsigned char)p[-1])))
        return skip_raw_string(p);
    if (p[0] == '/' && p[1] == '/') {
        while (*p && *p != '\n')
            p += p[0] == '\\' && p[1] ? 2 : 1;
        return p;
    }
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");

        if (!end)
            fail(p, "comment without an end");
        return end + 2;
    }
    if (*p == '"' || (*p == '\'' && (p == source || !isalnum((unsigned char)p[-1])))) {
        const char *start = p;
        char quote = *p++;

        while (*p && *p != quote && *p != '\n')
            p += p[0] == '\\' && p[1] ? 2 : 1;
        if (*p != quote)
            fail(start, "string or character without an end");
        return p + 1;
    }
    return p;
}

const char *skip_space(const char *p)
{
    for (;;) {
        const char *next = *p == '"' || *p == '\'' ? p : skip_quiet(p);

        if (next == p && !isspace((unsigned char)*p))
            return p;
        p = next == p ? p + 1 : next;
    }
}

/* The first place at or after p, outside of brackets and strings, where one of the characters in
 * stops stands, or the string ">>>" if stops is NULL. */
const char *find_outside(const char *p, const char *stops)
{
    const char *start = p;
    int depth = 0;

    while (*p) {
        const char *next = skip_quiet(p);

        if (next != p) {
            p = next;
            continue;
        }
        if (depth == 0 && (stops ? strchr(stops, *p) != NULL : !strncmp(p, ">>>", 3)))
            return p;
        if (strchr("([{", *p))
            depth++;
        else if (strchr(")]}", *p) && depth-- == 0)
            break;
        p++;
    }
    fail(start, stops ? "declaration without an end" : "<<< without >>>");
    return NULL;
}

const char *word_end(const char *p)
{
    while (is_word((unsigned char)*p))
        p++;
    return p;
}

bool word_is(const char *p, const char *end, const char *word)
{
    return (size_t)(end - p) == strlen(word) && !memcmp(p, word, (size_t)(end - p));
}
