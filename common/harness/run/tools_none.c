/*
 * On a GPU: no tools, and the devices that there are. options.c has refused the options that ask
 * for them.
 */
#include "harness/kit/device.h"
#include "harness/run/estimate_session.h"
#include "harness/run/tools.h"

int tools_start(const struct options *o)
{
    return device_use_first(o->gpus);
}

int tools_devices(const struct options *o, int wanted)
{
    (void)o;
    (void)wanted;
    return device_visible_count();
}

void tools_variant(const struct options *o, const char *name, unsigned rules)
{
    (void)o;
    (void)name;
    (void)rules;
}

void tools_phase(const char *phase)
{
    (void)phase;
}

int tools_report(const struct options *o, const char *step, const char *variant, size_t n)
{
    (void)o;
    (void)step;
    (void)variant;
    (void)n;
    return 0;
}

void tools_wrong(const struct result *result, const char *text)
{
    (void)result;
    (void)text;
}

void tools_verified(bool right)
{
    (void)right;
}

unsigned long tools_findings(void)
{
    return 0;
}

int tools_stop(void)
{
    return 0;
}

int estimate_session(const struct program *program, const struct options *o,
                     const struct listener *next)
{
    (void)program;
    (void)o;
    (void)next;
    return BAD_USAGE;
}
