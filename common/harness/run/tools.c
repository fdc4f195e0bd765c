#include "harness/run/tools.h"

#ifdef BACKEND_CPU

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cpu_device.h>

#include "harness/kit/message.h"

/* As the trace writes it, above each access. */
static const char trace_header[] = "lane,address,offset,bytes,space,bank,sector,kind";
static FILE *trace;

/* Whether the file is empty, or begins with this header; it is left at its end. */
static bool is_ours(FILE *file, const char *header)
{
    char line[4096];
    bool good = true;

    rewind(file);
    if (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\r\n")] = '\0';
        good = strcmp(line, header) == 0;
    }
    fseek(file, 0, SEEK_END);
    return good;
}

/* Open LOG-KIND.csv for appending. NULL after one line: the file cannot be written, or has other
 * columns. */
static FILE *open_beside(const char *log, const char *kind, const char *header)
{
    size_t length = strlen(log);
    char path[4096];
    FILE *file;

    if (length > 4 && strcmp(log + length - 4, ".csv") == 0)
        length -= 4;
    snprintf(path, sizeof(path), "%.*s-%s.csv", (int)length, log, kind);
    file = fopen(path, "a+");
    if (!file) {
        complain(BAD_USAGE, "--%s with --log: %s cannot be written (%s)", kind, path,
                 strerror(errno));
    } else if (!is_ours(file, header)) {
        complain(BAD_USAGE,
                 "--%s with --log: %s holds something else; accepted: a new file, or "
                 "one with this program's columns",
                 kind, path);
        fclose(file);
        file = NULL;
    }
    return file;
}

int tools_start(const struct options *o)
{
    unsigned tools = 0;

    tools_phase("run");
    if (o->counters == COUNTERS_LAUNCHES)
        tools |= CPU_COUNTERS;
    if (o->counters == COUNTERS_LINES)
        tools |= CPU_COUNTERS | CPU_LINES;
    if (o->check)
        tools |= CPU_CHECK;
    if (o->trace_line)
        tools |= CPU_TRACE;
    if (cpu_device_set_schedule(o->schedule) != 0)
        return complain(BAD_USAGE, "--schedule %s: not accepted; accepted: random:SEED",
                        o->schedule);
    if (cpu_device_set_tools(tools) != 0)
        return complain(BAD_USAGE, "%s: it needs source lines, and this was built without libdw",
                        o->trace_line ? "--trace" : "--counters=lines");
    if (o->trace_line) {
        trace = o->log ? open_beside(o->log, "trace", trace_header) : stdout;
        if (!trace)
            return BAD_USAGE;
        cpu_device_set_trace(o->trace_line, trace);
    }
    return 0;
}

void tools_phase(const char *phase)
{
    cpu_device_set_phase(phase);
}

int tools_report(const struct options *o, const char *step, const char *variant, size_t n)
{
    char line[4096];
    FILE *csv = NULL;
    int status = 0;

    if (!o->counters)
        return 0;
    if (o->log) {
        snprintf(line, sizeof(line), "step,variant,n,%s", cpu_device_csv_header);
        csv = open_beside(o->log, "counters", line);
        if (!csv)
            return BAD_USAGE;
        if (ftell(csv) == 0)
            fprintf(csv, "%s\n", line);
    }
    snprintf(line, sizeof(line), "%s,%s,%zu,", step, variant, n);
    cpu_device_report(o->quiet || o->in_batch ? NULL : stdout, csv, line);
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
    if (trace && trace != stdout && fclose(trace) != 0)
        complain(0, "--trace with --log: its rows cannot be written (%s)", strerror(errno));
    trace = NULL;
}

#else

int tools_start(const struct options *o)
{
    (void)o;
    return 0;
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

unsigned long tools_findings(void)
{
    return 0;
}

void tools_stop(void)
{
}

#endif
