#include "harness/kit/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Read digits at *text and step over them. False if there are none, or too many for 64 bits. */
static bool read_digits(const char **text, uint64_t *value)
{
    const char *c = *text;
    uint64_t v = 0;

    if (*c < '0' || *c > '9')
        return false;
    for (; *c >= '0' && *c <= '9'; c++) {
        uint64_t digit = (uint64_t)(*c - '0');

        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *text = c;
    *value = v;
    return true;
}

/* *value *= base^exponent; false on overflow. */
static bool scale(uint64_t *value, uint64_t base, uint64_t exponent)
{
    if (base <= 1 || *value == 0) {
        if (base == 0 && exponent > 0)
            *value = 0;
        return true;
    }
    for (; exponent > 0; exponent--) {
        if (*value > UINT64_MAX / base)
            return false;
        *value *= base;
    }
    return true;
}

/* Read one number at *text and step over it. */
static bool read_number(const char **text, uint64_t *value)
{
    static const char binary[] = "KMG";
    uint64_t first, second;

    if (!read_digits(text, &first))
        return false;
    if (**text == '^') {
        ++*text;
        if (!read_digits(text, &second))
            return false;
        *value = 1;
        return scale(value, first, second);
    }
    *value = first;
    if (**text == 'e') {
        ++*text;
        return read_digits(text, &second) && scale(value, 10, second);
    }
    if (**text && strchr(binary, **text) && (*text)[1] == 'i') {
        unsigned power = (unsigned)(strchr(binary, **text) - binary) + 1;

        *text += 2;
        return scale(value, 1024, power);
    }
    return true;
}

bool number_parse(const char *text, uint64_t *value)
{
    return read_number(&text, value) && *text == '\0';
}

bool number_parse_matrix(const char *text, size_t *rows, size_t *cols)
{
    uint64_t r, c;

    if (!read_number(&text, &r))
        return false;
    c = r;
    if (*text == 'x') {
        ++text;
        if (!read_number(&text, &c))
            return false;
    }
    if (*text || r > MAX_ELEMENTS || c > MAX_ELEMENTS || (c && r > MAX_ELEMENTS / c))
        return false;
    *rows = r;
    *cols = c;
    return true;
}

size_t multiply_or_max(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

double ceil_divide(double a, double b)
{
    double quotient = (double)(size_t)(a / b);

    return quotient * b < a ? quotient + 1 : quotient;
}

double levels(double count)
{
    double depth = 0;

    for (double reach = 1; reach < count; reach *= 2)
        depth++;
    return depth;
}

char *number_print(char *text, size_t room, uint64_t value)
{
    int power = 0;

    while (power < 63 && (uint64_t)1 << power < value)
        power++;
    if (power >= 10 && (uint64_t)1 << power == value)
        snprintf(text, room, "2^%d", power);
    else
        snprintf(text, room, "%" PRIu64, value);
    return text;
}
