#include "families/sort/sort_field.h"

#include <stdio.h>

#include "harness/kit/message.h"

const struct type type_u64 = {"u64", 8};

int field_parse(struct field *f, const char *bits, const char *order, const struct type *type)
{
    unsigned first = 0, last = 8 * (unsigned)type->bytes, width = last;
    int end = 0;

    if (order && strcmp(order, "ascending") != 0 && strcmp(order, "descending") != 0)
        return complain(BAD_USAGE, "--order %s: accepted: ascending, descending", order);
    if (bits && (sscanf(bits, "%2u:%2u%n", &first, &last, &end) != 2 || bits[end] != '\0' ||
                 first >= last || last > width))
        return complain(BAD_USAGE,
                        "--bits %s: accepted for %s: FIRST:LAST, FIRST below LAST, within 0:%u",
                        bits, type->name, width);
    *f = (struct field){first, last - first, order && *order == 'd' ? ~0ull : 0, ~0ull};
    *f = field_digit(*f, 0, f->bits); /* makes the mask */
    return 0;
}
