#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "harness/run/tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpu_device.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"

static FILE *trace;
static char *traced; /* what goes to the file beside the log trace_log */
static size_t traced_length;
static const char *trace_log;
static const char *recorded; /* the file of --record-steps; NULL: none */

static void counters_header(char *line, size_t room)
{
    snprintf(line, room, "step,variant,n,%s", cpu_device_csv_header());
}

static void beside_header(char *line, size_t room, const char *columns)
{
    snprintf(line, room, "step,variant,n,%s", columns);
}

/* 0, or BAD_USAGE after the line that says what is wrong. */
static int usage_error(const char *wrong)
{
    return wrong ? complain(BAD_USAGE, "%s", wrong) : 0;
}

/* The files beside the log, before anything is run. */
static int check_files(const struct options *o)
{
    char line[4096];
    int status = 0;

    counters_header(line, sizeof(line));
    if (o->log && o->counters)
        status = usage_error(cpu_device_can_append(o->log, "counters", line));
    beside_header(line, sizeof(line), cpu_device_links_header);
    if (status == 0 && o->log && o->counters)
        status = usage_error(cpu_device_can_append(o->log, "links", line));
    beside_header(line, sizeof(line), cpu_device_lines_header);
    if (status == 0 && o->log && o->counters == COUNTERS_LINES)
        status = usage_error(cpu_device_can_append(o->log, "lines", line));
    if (status == 0 && o->log && o->trace_line)
        status = usage_error(cpu_device_can_append(o->log, "trace", cpu_device_trace_header));
    return status;
}

static int start_trace(const struct options *o)
{
    trace_log = o->log;
    trace = o->log ? open_memstream(&traced, &traced_length) : stdout;
    if (!trace)
        return complain(BAD_DEVICE, "no memory left on the host");
    cpu_device_set_trace(o->trace_line, trace);
    return 0;
}

int tools_start(const struct options *o)
{
    unsigned tools = 0;
    int status = check_files(o);

    if (status != 0)
        return status;
    if (cpu_device_set_explore(o->explore) != 0)
        return complain(BAD_USAGE,
                        "--explore=%s: not accepted; accepted: no value, seconds:N, "
                        "races or replay:STEPS",
                        o->explore);
    tools_phase("run");
    if (o->counters == COUNTERS_LAUNCHES || o->estimate)
        tools |= CPU_COUNTERS;
    if (o->counters == COUNTERS_LINES)
        tools |= CPU_COUNTERS | CPU_LINES;
    if (o->check)
        tools |= CPU_CHECK;
    if (o->explore)
        tools |= CPU_EXPLORE;
    if (o->trace_line)
        tools |= CPU_TRACE;
    if (o->record)
        tools |= CPU_RECORD;
    recorded = o->record;
    cpu_device_set_record_part(o->record_part);
    cpu_device_set_devices(o->gpus);
    if (cpu_device_set_schedule(o->schedule) != 0)
        return complain(BAD_USAGE, "--schedule %s: not accepted; accepted: random:SEED",
                        o->schedule);
    if (cpu_device_set_tools(tools) != 0)
        return complain(BAD_USAGE, "%s: it needs source lines, and this was built without libdw",
                        o->trace_line ? "--trace"
                        : o->record   ? "--record-steps"
                                      : "--counters=lines");
    return o->trace_line ? start_trace(o) : 0;
}

int tools_devices(const struct options *o, int wanted)
{
    if (!o->gpus && wanted > device_visible_count())
        cpu_device_set_devices(wanted);
    return device_visible_count();
}

void tools_variant(const struct options *o, const char *name, unsigned rules)
{
    cpu_device_record_label(name);
    cpu_device_set_steady((o->counters || o->estimate) && rules & (WAITS | UNSYNCHRONISED));
}

void tools_phase(const char *phase)
{
    cpu_device_set_phase(phase);
    cpu_device_record_pause(strcmp(phase, "run") != 0);
}

void tools_wrong(const struct result *r, const char *text)
{
    cpu_device_record_wrong(r->wrong, r->wrong_bytes, text);
}

void tools_verified(bool right)
{
    cpu_device_explore_verdict(right);
}

/* A file beside the log: its rows, if there are any. */
static int report_beside(const struct options *o, const char *first, const char *kind,
                         const char *columns, void (*report)(FILE *, const char *))
{
    char header[256], *rows = NULL;
    size_t length = 0;
    FILE *csv = open_memstream(&rows, &length);
    int status = BAD_DEVICE;

    if (!csv)
        return complain(BAD_DEVICE, "no memory left on the host");
    report(csv, first);
    beside_header(header, sizeof(header), columns);
    if (fclose(csv) == 0)
        status = length ? usage_error(cpu_device_append(o->log, kind, header, rows)) : 0;
    free(rows);
    return status;
}

int tools_report(const struct options *o, const char *step, const char *variant, size_t n)
{
    char line[4096], *rows = NULL;
    size_t length = 0;
    FILE *csv = NULL;
    int status = 0;

    if (!o->counters)
        return 0;
    if (o->log && !(csv = open_memstream(&rows, &length)))
        return complain(BAD_DEVICE, "no memory left on the host");
    snprintf(line, sizeof(line), "%s,%s,%zu,", step, variant, n);
    if (csv && o->counters == COUNTERS_LINES)
        status = report_beside(o, line, "lines", cpu_device_lines_header, cpu_device_report_lines);
    if (csv && status == 0)
        status = report_beside(o, line, "links", cpu_device_links_header, cpu_device_report_links);
    cpu_device_report(o->quiet || o->in_batch ? NULL : stdout, csv, line);
    if (!csv)
        return 0;
    counters_header(line, sizeof(line));
    if (fclose(csv) != 0)
        status = BAD_DEVICE;
    else if (status == 0)
        status = usage_error(cpu_device_append(o->log, "counters", line, rows));
    free(rows);
    return status;
}

unsigned long tools_findings(void)
{
    unsigned long unfinished;

    return cpu_device_findings() + cpu_device_explored(&unfinished);
}

static int stop_recording(void)
{
    if (cpu_device_record_write(recorded) != 0)
        return complain(BAD_USAGE, "--record-steps %s: %s", recorded, strerror(errno));
    if (cpu_device_record_cut())
        fprintf(stderr,
                "--record-steps: only the first steps are in the file: see docs/watch.md\n");
    return 0;
}

int tools_stop(void)
{
    unsigned long unfinished;
    int status = 0;

    if (trace && trace != stdout) {
        status = fclose(trace) == 0 ? 0 : BAD_DEVICE;
        if (status == 0 && traced_length > 0)
            status =
                usage_error(cpu_device_append(trace_log, "trace", cpu_device_trace_header, traced));
        free(traced);
    }
    if (status == 0 && recorded)
        status = stop_recording();
    cpu_device_set_trace(0, NULL);
    recorded = NULL;
    trace = NULL;
    traced = NULL;
    if (status == 0 && cpu_device_explored(&unfinished) == 0 && unfinished)
        return complain(BAD_USAGE, "--explore: %lu launches were not explored to the end",
                        unfinished);
    return status;
}
