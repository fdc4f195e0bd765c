/*
 * The tools in a program that knows nothing of them: switched on by the environment before main(),
 * reported on standard error when the program ends. Only a program that is linked with
 * -u cpu_device_start has this file in it; the steps have options instead.
 *
 *   CPU_DEVICE_TOOLS     any of counters, lines, check, with a comma between
 *   CPU_DEVICE_SCHEDULE  random:SEED
 *   CPU_DEVICE_TRACE     a source line, whose first access of a warp is printed as CSV
 *   CPU_DEVICE_NVCC      a table of what nvcc made of the kernels, for the counters: see nvcc.h
 *   CPU_DEVICE_LOG       FILE.csv: the counters also go to FILE-counters.csv, the trace only to
 *                        FILE-trace.csv, behind what these hold
 *
 * A value that is none of these ends the program with status 2 before it begins. A program that
 * ends with status 0 although there were findings ends with status 1 instead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cpu_device.h"

void cpu_device_start(void);

static unsigned tools;
static const char *log_path;
static int trace_line;
static FILE *trace; /* in memory, until the end */
static char *trace_text;
static size_t trace_length;

static void refuse(const char *name, const char *value, const char *accepted)
{
    fprintf(stderr, "%s=%s: not accepted; accepted: %s\n", name, value, accepted);
    _exit(2);
}

/* The variable's value; NULL for none and for an empty one. */
static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static unsigned parse_tools(const char *list)
{
    static const struct {
        const char *name;
        unsigned tool;
    } known[] = {
        {"counters", CPU_COUNTERS}, {"lines", CPU_COUNTERS | CPU_LINES}, {"check", CPU_CHECK}};
    unsigned found = 0;

    for (const char *word = list; *word;) {
        size_t length = strcspn(word, ","), i = 0;

        while (i < 3 && (strlen(known[i].name) != length || strncmp(word, known[i].name, length)))
            i++;
        if (i == 3)
            refuse("CPU_DEVICE_TOOLS", list, "counters, lines and check, with a comma between");
        found |= known[i].tool;
        word += length + (word[length] == ',');
    }
    return found;
}

static int parse_line(const char *value)
{
    char *end;
    long line = strtol(value, &end, 10);

    if (*end || line < 1 || line > 100000000)
        refuse("CPU_DEVICE_TRACE", value, "the number of a source line");
    return (int)line;
}

/* --- the end ------------------------------------------------------------------------------------- */

/* Opens LOG-KIND.csv for appending, and writes the header where it is new. */
static FILE *open_log(const char *kind, const char *header)
{
    size_t length = strlen(log_path);
    char path[4096];
    FILE *file;

    if (length > 4 && !strcmp(log_path + length - 4, ".csv"))
        length -= 4;
    snprintf(path, sizeof(path), "%.*s-%s.csv", (int)length, log_path, kind);
    file = fopen(path, "a");
    if (!file) {
        fprintf(stderr, "%s cannot be written: %s\n", path, strerror(errno));
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    if (header && ftell(file) == 0)
        fprintf(file, "program,%s\n", header);
    return file;
}

static void report_counters(void)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    FILE *csv = log_path ? open_log("counters", cpu_device_csv_header) : NULL;
    char first[256];

    snprintf(first, sizeof(first), "%s,", program_invocation_short_name);
    cpu_device_report(out, csv, first);
    if (out)
        fclose(out);
    if (csv && fclose(csv))
        fprintf(stderr, "the counters cannot be written: %s\n", strerror(errno));
    fputs(length ? text : "--counters: no kernel was launched\n", stderr);
    free(text);
}

static void report_trace(void)
{
    FILE *file = stderr;

    fclose(trace);
    if (!trace_length)
        fprintf(stderr, "--trace %d: no kernel accesses memory at that line\n", trace_line);
    else if (log_path)
        file = open_log("trace", NULL);
    if (file)
        fwrite(trace_text, 1, trace_length, file);
    if (file && file != stderr && fclose(file))
        fprintf(stderr, "the trace cannot be written: %s\n", strerror(errno));
    free(trace_text);
}

/* Runs after the functions that the program itself registered, and its destructors. */
static void report(int status, void *unused)
{
    unsigned long findings = cpu_device_findings();

    (void)unused;
    fflush(stdout);
    if (trace)
        report_trace();
    if (tools & CPU_COUNTERS)
        report_counters();
    if (tools & CPU_CHECK && findings)
        fprintf(stderr, "--check: %lu finding%s\n", findings, findings > 1 ? "s" : "");
    else if (tools & CPU_CHECK)
        fputs("--check: nothing found\n", stderr);
    if (findings && status == 0) {
        fflush(NULL);
        _exit(1);
    }
}

/* Before every constructor of the program, so that on_exit calls the report last. */
__attribute__((constructor(101))) void cpu_device_start(void)
{
    const char *list = setting("CPU_DEVICE_TOOLS"), *line = setting("CPU_DEVICE_TRACE");
    const char *schedule = setting("CPU_DEVICE_SCHEDULE"), *nvcc = setting("CPU_DEVICE_NVCC");

    log_path = setting("CPU_DEVICE_LOG");
    if (schedule && cpu_device_set_schedule(schedule))
        refuse("CPU_DEVICE_SCHEDULE", schedule, "random:SEED");
    if (nvcc && cpu_device_set_nvcc(nvcc))
        refuse("CPU_DEVICE_NVCC", nvcc, "a file that can be read");
    tools = list ? parse_tools(list) : 0;
    if (line) {
        trace_line = parse_line(line);
        tools |= CPU_TRACE;
    }
    if (cpu_device_set_tools(tools)) {
        fprintf(stderr, "%s needs source lines, and the CPU device was built without libdw\n",
                line ? "--trace" : "--counters=lines");
        _exit(2);
    }
    if (line) {
        trace = open_memstream(&trace_text, &trace_length);
        cpu_device_set_trace(trace_line, trace);
    }
    if (tools)
        on_exit(report, NULL);
}
