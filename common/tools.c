#include "tools.h"

#ifdef BACKEND_CPU

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cpu_device.h>

#include "message.h"

static FILE *trace;

/* Open LOG-KIND.csv for appending. NULL after one line. */
static FILE *open_beside(const char *log, const char *kind)
{
    size_t length = strlen(log);
    char path[4096];
    FILE *file;

    if (length > 4 && strcmp(log + length - 4, ".csv") == 0)
        length -= 4;
    snprintf(path, sizeof(path), "%.*s-%s.csv", (int)length, log, kind);
    file = fopen(path, "a");
    if (!file)
        complain(BAD_USAGE, "--%s with --log: %s cannot be written (%s)", kind, path,
                 strerror(errno));
    return file;
}

int tools_start(const struct options *o)
{
    unsigned tools = 0;

    if (o->counters == COUNTERS_LAUNCHES)
        tools |= CPU_COUNTERS;
    if (o->counters == COUNTERS_LINES)
        tools |= CPU_COUNTERS | CPU_LINES;
    if (o->check)
        tools |= CPU_CHECK;
    if (o->trace_line)
        tools |= CPU_TRACE;
    if (o->schedule && cpu_device_set_schedule(o->schedule) != 0)
        return complain(BAD_USAGE, "--schedule %s: not accepted; accepted: random:SEED",
                        o->schedule);
    if (cpu_device_set_tools(tools) != 0)
        return complain(BAD_USAGE, "%s: it needs source lines, and this was built without libdw",
                        o->trace_line ? "--trace" : "--counters=lines");
    if (o->trace_line) {
        trace = o->log ? open_beside(o->log, "trace") : stdout;
        if (!trace)
            return BAD_USAGE;
        cpu_device_set_trace(o->trace_line, trace);
    }
    return 0;
}

int tools_report(const struct options *o, const char *step, const char *variant)
{
    FILE *csv = NULL;
    int status = 0;

    if (!o->counters)
        return 0;
    if (o->log) {
        csv = open_beside(o->log, "counters");
        if (!csv)
            return BAD_USAGE;
        fseek(csv, 0, SEEK_END);
        if (ftell(csv) == 0)
            fprintf(csv, "%s\n", cpu_device_csv_header);
    }
    cpu_device_report(o->quiet ? NULL : stdout, csv, step, variant);
    if (csv && fclose(csv) != 0)
        status = complain(BAD_USAGE, "--log %s: its counters cannot be written (%s)", o->log,
                          strerror(errno));
    return status;
}

unsigned long tools_findings(void)
{
    return cpu_device_findings();
}

void tools_stop(void)
{
    if (trace && trace != stdout)
        fclose(trace);
    trace = NULL;
}

#else

int tools_start(const struct options *o)
{
    (void)o;
    return 0;
}

int tools_report(const struct options *o, const char *step, const char *variant)
{
    (void)o;
    (void)step;
    (void)variant;
    return 0;
}

unsigned long tools_findings(void)
{
    return 0;
}

void tools_stop(void)
{
}

#endif
