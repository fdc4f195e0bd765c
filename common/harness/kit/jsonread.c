#include "harness/kit/jsonread.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32
#define MAX_KEY 128

int json_complain(const struct json *json, const char *format, ...)
{
    char what[256];
    int line = 1;
    va_list arguments;

    for (const char *c = json->text; c < json->at; c++)
        line += *c == '\n';
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return complain(BAD_USAGE, "%s: line %d: %s", json->path, line, what);
}

static char next(struct json *json)
{
    while (*json->at && strchr(" \t\r\n", *json->at))
        json->at++;
    return *json->at;
}

static int expect(struct json *json, char wanted)
{
    if (next(json) != wanted)
        return json_complain(json, "'%c' is missing", wanted);
    json->at++;
    return 0;
}

/* The character that a backslash and this one stand for; 0 for \u, which no file of ours needs. */
static char escaped(char c)
{
    static const char *const codes = "\"\\/bfnrt", *const characters = "\"\\/\b\f\n\r\t";
    const char *found = c ? strchr(codes, c) : NULL;

    return (char)(found ? characters[found - codes] : 0);
}

int json_read_text(struct json *json, char *text, size_t room)
{
    size_t used = 0;

    if (next(json) != '"')
        return json_complain(json, "a text is missing");
    for (json->at++; *json->at != '"'; json->at++) {
        char c = *json->at;

        if ((unsigned char)c < ' ')
            return json_complain(json, "a text does not end");
        if (c == '\\')
            c = escaped(*++json->at);
        if (!c)
            return json_complain(json, "a text has an escape that is not known here");
        if (used + 1 == room)
            return json_complain(json, "a text is longer than %zu bytes", room - 1);
        text[used++] = c;
    }
    json->at++;
    text[used] = '\0';
    return 0;
}

int json_read_number(struct json *json, double *value)
{
    char *end, first = next(json);

    *value = strtod(json->at, &end);
    /* strtod would take "inf" and "0x10", too */
    if (end == json->at || strchr("+.", first) ||
        (size_t)(end - json->at) != strspn(json->at, "+-.0123456789eE"))
        return json_complain(json, "a number is missing");
    json->at = end;
    return 0;
}

/* What stands between two brackets: member by member, or value by value where member is NULL. */
static int read_list(struct json *json, char close, json_member member, void *context)
{
    char key[MAX_KEY];
    int status = 0;

    json->at++;
    if (++json->depth > MAX_DEPTH)
        return json_complain(json, "more than %d brackets in each other", MAX_DEPTH);
    if (next(json) == close) {
        json->at++;
        json->depth--;
        return 0;
    }
    while (status == 0) {
        if (close == '}') {
            status = json_read_text(json, key, sizeof(key));
            if (status == 0)
                status = expect(json, ':');
        }
        if (status == 0)
            status = member ? member(context, json, key) : json_skip(json);
        if (status != 0 || next(json) != ',')
            break;
        json->at++;
    }
    json->depth--;
    return status == 0 ? expect(json, close) : status;
}

int json_read_object(struct json *json, json_member member, void *context)
{
    return next(json) == '{' ? read_list(json, '}', member, context)
                             : json_complain(json, "'{' is missing");
}

int json_skip(struct json *json)
{
    char text[1024];
    double value;

    switch (next(json)) {
    case '{':
        return read_list(json, '}', NULL, NULL);
    case '[':
        return read_list(json, ']', NULL, NULL);
    case '"':
        return json_read_text(json, text, sizeof(text));
    }
    for (const char *const *word = (const char *const[]){"true", "false", "null", NULL}; *word;
         word++) {
        if (strncmp(json->at, *word, strlen(*word)) == 0) {
            json->at += strlen(*word);
            return 0;
        }
    }
    return json_read_number(json, &value);
}

int json_end(struct json *json)
{
    return next(json) ? json_complain(json, "something follows the last bracket") : 0;
}
