#include "harness/run/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void put_text(FILE *out, const char *text, size_t length)
{
    putc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ')
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

void json_text(FILE *out, const char *text)
{
    if (text)
        put_text(out, text, strlen(text));
    else
        fputs("null", out);
}

void json_number(FILE *out, double value)
{
    if (isnan(value))
        fputs("null", out);
    else
        json_value(out, value);
}

void json_value(FILE *out, double value)
{
    if (isnan(value) || isinf(value))
        json_text(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    else
        fprintf(out, "%.17g", value);
}

void json_words(FILE *out, const char *text, char separator)
{
    putc('[', out);
    for (bool first = true; text && *text; first = false) {
        const char *end = strchr(text, separator);
        size_t length = end ? (size_t)(end - text) : strlen(text);

        fputs(first ? "" : ", ", out);
        put_text(out, text, length);
        text += length + (end != NULL);
    }
    putc(']', out);
}

void json_numbers(FILE *out, const char *text)
{
    char *end;

    putc('[', out);
    for (bool first = true; text && *text; text = end, first = false) {
        unsigned long long value = strtoull(text, &end, 10);

        fprintf(out, "%s%llu", first ? "" : ", ", value);
    }
    putc(']', out);
}
