#include "harness/run/measurement.h"

#include <math.h>
#include <stdio.h>

#include "harness/kit/number.h"
#include "harness/run/options.h"

enum role role_of(const struct variant *v, bool peer)
{
    return v->rules & CEILING   ? ROLE_CEILING
           : v->rules & ON_HOST ? ROLE_HOST
           : peer               ? ROLE_PEER
                                : ROLE_STEP;
}

const char *role_name(enum role role)
{
    static const char *const names[] = {"step", "peer", "ceiling", "host"};

    return names[role];
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"ok", "wrong", "unsynchronised", "deadlock", "refused"};

    return names[verdict];
}

static int repeats_of(const struct family *family, const struct setting *setting)
{
    return family->repeats ? family->repeats(setting) : 1;
}

double measurement_bytes(const struct family *family, const struct variant *v,
                         const struct setting *setting, const struct shape *s)
{
    double (*bytes)(const struct shape *) = v->bytes ? v->bytes : family->bytes;

    return bytes ? repeats_of(family, setting) * bytes(s) : NAN;
}

double measurement_flops(const struct family *family, const struct variant *v,
                         const struct setting *setting, const struct shape *s)
{
    double (*flops)(const struct shape *) = v->flops ? v->flops : family->flops;

    return flops ? repeats_of(family, setting) * flops(s) : NAN;
}

double rate(double x, double us)
{
    return us > 0 ? x / us * 1e-3 : NAN;
}

/* The axes of --size with an x between, then each other axis with its name. */
static char *join(char text[SIZE_TEXT], const struct family *family, const struct shape *shape)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = options_size_axis(family, -1); i >= 0 && used < SIZE_TEXT;
         i = options_size_axis(family, i))
        used += (size_t)snprintf(text + used, SIZE_TEXT - used, "%s%zu", used ? " x " : "",
                                 shape->axis[i]);
    for (size_t i = 0; i < family->axis_count && used < SIZE_TEXT; i++) {
        if (family->axes[i].option)
            used += (size_t)snprintf(text + used, SIZE_TEXT - used, ", %s %zu",
                                     family->axes[i].name, shape->axis[i]);
    }
    return text;
}

static bool one_number(const struct family *family)
{
    return family->axis_count == 1;
}

char *size_text(char text[SIZE_TEXT], const struct family *family, const struct shape *shape)
{
    return one_number(family) ? number_print(text, SIZE_TEXT, shape->n) : join(text, family, shape);
}

char *shape_text(char text[SIZE_TEXT], const struct family *family, const struct shape *shape)
{
    if (!one_number(family))
        return join(text, family, shape);
    snprintf(text, SIZE_TEXT, "n = %zu", shape->n);
    return text;
}
