/*
 * The tools in a program that knows nothing of them: switched on by the environment before main(),
 * reported on standard error when the program ends. Only a program that is linked with
 * -u cpu_device_start has this file in it; the steps have options instead.
 *
 *   CPU_DEVICE_TOOLS     any of counters, lines, check, with a comma between
 *   CPU_DEVICE_SCHEDULE  random:SEED
 *   CPU_DEVICE_TRACE     a source line, whose first access of a warp is printed as CSV
 *   CPU_DEVICE_RECORD    FILE, to which goes what each warp did; CPU_DEVICE_RECORD_PART=1:
 *                        of larger launches, too, a part
 *   CPU_DEVICE_NVCC      a table of what nvcc made of the kernels, for the counters: see nvcc.h
 *   CPU_DEVICE_EXPLORE   what explore does, see cpu_device_set_explore
 *   CPU_DEVICE_SAMPLE    how many blocks of each launch run, for the counters alone
 *   CPU_DEVICE_LAUNCHES  a file that gets the launches for an estimate: of each its numbers, as
 *                        struct cpu_device_launch has them from requests on, and its kernel
 *   CPU_DEVICE_PROGRESS  after how many seconds of a launch a line says how far it is; 0: never
 *   CPU_DEVICE_LOG       FILE.csv: the counters also go to FILE-counters.csv, the trace only to
 *                        FILE-trace.csv, behind what these hold
 *
 * A value that is none of these ends the program with status 2 before it begins. A program that
 * ends with status 0 although there were findings ends with status 1 instead.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cpu_device.h"

enum { PROGRESS_SECONDS = 5 };

void cpu_device_start(void);

static unsigned tools;
static const char *log_path, *launches_path, *record_path;
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
    } known[] = {{"counters", CPU_COUNTERS},
                 {"lines", CPU_COUNTERS | CPU_LINES},
                 {"check", CPU_CHECK},
                 {"explore", CPU_EXPLORE}};
    enum { KNOWN = sizeof(known) / sizeof(known[0]) };
    unsigned found = 0;

    for (const char *word = list; *word;) {
        size_t length = strcspn(word, ","), i = 0;

        while (i < KNOWN &&
               (strlen(known[i].name) != length || strncmp(word, known[i].name, length)))
            i++;
        if (i == KNOWN)
            refuse("CPU_DEVICE_TOOLS", list,
                   "counters, lines and check, with a comma between, or explore");
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

static unsigned long parse_sample(const char *value)
{
    char *end;
    unsigned long blocks = strtoul(value, &end, 10);

    if (*end || *value < '0' || *value > '9' || !blocks || blocks > 1000000000)
        refuse("CPU_DEVICE_SAMPLE", value, "a number of blocks, from 1 on");
    if (tools & ~(CPU_COUNTERS | CPU_LINES) || !(tools || setting("CPU_DEVICE_LAUNCHES")))
        refuse("CPU_DEVICE_SAMPLE", value, "it with the counters, and no other tool");
    return blocks;
}

static unsigned parse_progress(const char *value)
{
    char *end;
    unsigned long seconds = strtoul(value, &end, 10);

    if (*end || *value < '0' || *value > '9' || seconds > 1000000)
        refuse("CPU_DEVICE_PROGRESS", value, "a number of seconds, or 0");
    return (unsigned)seconds;
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The counters' columns, behind the program's name. */
static const char *counters_header(void)
{
    static char header[4096];

    snprintf(header, sizeof(header), "program,%s", cpu_device_csv_header());
    return header;
}

static const char *links_header(void)
{
    static char header[256];

    snprintf(header, sizeof(header), "program,%s", cpu_device_links_header);
    return header;
}

/* A file that cannot take the rows is refused before the program begins. */
static void check_file(const char *kind, const char *header)
{
    const char *wrong = cpu_device_can_append(log_path, kind, header);

    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        _exit(2);
    }
}

static void append(const char *kind, const char *header, const char *rows)
{
    const char *wrong = cpu_device_append(log_path, kind, header, rows);

    if (wrong)
        fprintf(stderr, "%s\n", wrong);
}

static void report_counters(void)
{
    char *text = NULL, *rows = NULL, first[256];
    char *link_rows = NULL;
    size_t length = 0, rows_length = 0, links_length = 0;
    FILE *out = open_memstream(&text, &length);
    FILE *csv = log_path ? open_memstream(&rows, &rows_length) : NULL;
    FILE *links = log_path ? open_memstream(&link_rows, &links_length) : NULL;

    snprintf(first, sizeof(first), "%s,", program_invocation_short_name);
    if (links)
        cpu_device_report_links(links, first);
    cpu_device_report(out, csv, first);
    if (links && fclose(links) == 0 && links_length)
        append("links", links_header(), link_rows);
    free(link_rows);
    if (out)
        fclose(out);
    if (csv && fclose(csv) == 0 && rows_length)
        append("counters", counters_header(), rows);
    fputs(length ? text : "--counters: no kernel was launched\n", stderr);
    free(text);
    free(rows);
}

/* Before the counters are told, which then begin again. */
static void write_launches(void)
{
    size_t at = offsetof(struct cpu_device_launch, requests);
    FILE *out = fopen(launches_path, "wb");
    struct cpu_device_launch l;

    for (size_t i = 0; out && cpu_device_launch(i, &l) == 0; i++) {
        fwrite((char *)&l + at, sizeof(l) - at, 1, out);
        fwrite(l.kernel, strlen(l.kernel) + 1, 1, out);
    }
    if (!out || fclose(out) != 0)
        fprintf(stderr, "%s: %s\n", launches_path, strerror(errno));
}

static void report_trace(void)
{
    fclose(trace);
    if (!trace_length)
        fprintf(stderr, "--trace %d: no kernel accesses memory at that line\n", trace_line);
    else if (log_path)
        append("trace", cpu_device_trace_header, trace_text);
    else
        fwrite(trace_text, 1, trace_length, stderr);
    free(trace_text);
}

/* In how many orders the launches ran. */
static void report_orders(void)
{
    unsigned long launches, tried;
    int orders;

    tried = cpu_device_orders(&launches, &orders);
    if (tried && tried == launches)
        fprintf(stderr, "--check: each launch was run in %d orders\n", orders);
    else if (tried)
        fprintf(stderr, "--check: %lu of %lu launches were run in %d orders, the others in one\n",
                tried, launches, orders);
    else if (launches)
        fprintf(stderr, "--check: each launch was run in one order\n");
}

static void report_sample(void)
{
    unsigned long launches, some = cpu_device_sampled(&launches);

    if (some)
        fprintf(
            stderr,
            "--sample: in %lu of %lu launches only some blocks ran: their results are void, and "
            "their counters are those of these blocks, scaled to all\n",
            some, launches);
}

static int report_recording(void)
{
    if (cpu_device_record_write(record_path)) {
        fprintf(stderr, "--record-steps %s: %s\n", record_path, strerror(errno));
        return 2;
    }
    if (cpu_device_record_cut())
        fputs("--record-steps: only the first steps are in the file: see docs/watch.md\n", stderr);
    return 0;
}

/* Runs after the functions that the program itself registered, and its destructors. */
static void report(int status, void *unused)
{
    unsigned long findings = cpu_device_findings();
    unsigned long unfinished, wrong = cpu_device_explored(&unfinished);
    int failed = 0;

    (void)unused;
    fflush(stdout);
    if (trace)
        report_trace();
    if (launches_path)
        write_launches();
    if (tools & CPU_COUNTERS)
        report_counters();
    report_sample();
    if (tools & CPU_CHECK && findings)
        fprintf(stderr, "--check: %lu finding%s\n", findings, findings > 1 ? "s" : "");
    else if (tools & CPU_CHECK)
        fputs("--check: nothing found\n", stderr);
    if (tools & CPU_CHECK)
        report_orders();
    cpu_device_report_libraries(stderr);
    if (record_path)
        failed = report_recording();
    if (failed && status == 0) {
        fflush(NULL);
        _exit(failed);
    }
    if (findings + wrong + unfinished > 0 && status == 0) {
        fflush(NULL);
        _exit(findings + wrong ? 1 : 2);
    }
}

/* Before every constructor of the program, so that on_exit calls the report last. */
__attribute__((constructor(101))) void cpu_device_start(void)
{
    const char *list = setting("CPU_DEVICE_TOOLS"), *line = setting("CPU_DEVICE_TRACE");
    const char *schedule = setting("CPU_DEVICE_SCHEDULE"), *nvcc = setting("CPU_DEVICE_NVCC");
    const char *explore = setting("CPU_DEVICE_EXPLORE"), *sample = setting("CPU_DEVICE_SAMPLE");
    const char *progress = setting("CPU_DEVICE_PROGRESS");

    cpu_device_catch_crashes();
    log_path = setting("CPU_DEVICE_LOG");
    if (schedule && cpu_device_set_schedule(schedule))
        refuse("CPU_DEVICE_SCHEDULE", schedule, "random:SEED");
    if (explore && cpu_device_set_explore(explore))
        refuse("CPU_DEVICE_EXPLORE", explore, "seconds:N, races or replay:STEPS");
    if (nvcc && cpu_device_set_nvcc(nvcc))
        refuse("CPU_DEVICE_NVCC", nvcc, "a file that can be read");
    tools = list ? parse_tools(list) : 0;
    if (tools & CPU_EXPLORE && (tools != CPU_EXPLORE || line))
        refuse("CPU_DEVICE_TOOLS", list, "explore alone");
    if (tools & CPU_EXPLORE && !explore)
        cpu_device_set_explore("");
    if (line) {
        trace_line = parse_line(line);
        tools |= CPU_TRACE;
    }
    launches_path = setting("CPU_DEVICE_LAUNCHES");
    record_path = setting("CPU_DEVICE_RECORD");
    if (record_path && (launches_path || tools & ~(unsigned)CPU_CHECK))
        refuse("CPU_DEVICE_RECORD", record_path, "it alone or with check, and no other tool");
    if (record_path)
        tools |= CPU_RECORD;
    cpu_device_set_record_part(setting("CPU_DEVICE_RECORD_PART") != NULL);
    if (cpu_device_set_tools(tools | (launches_path ? CPU_COUNTERS : 0))) {
        fprintf(stderr, "%s needs source lines, and the CPU device was built without libdw\n",
                record_path ? "--record-steps"
                : line      ? "--trace"
                            : "--counters=lines");
        _exit(2);
    }
    if (sample)
        cpu_device_set_sample(parse_sample(sample));
    cpu_device_set_progress(progress ? parse_progress(progress) : PROGRESS_SECONDS);
    cpu_device_set_orders(!schedule && !launches_path && tools == CPU_CHECK);
    if (line) {
        trace = open_memstream(&trace_text, &trace_length);
        cpu_device_set_trace(trace_line, trace);
    }
    if (log_path && tools & CPU_COUNTERS)
        check_file("counters", counters_header());
    if (log_path && line)
        check_file("trace", cpu_device_trace_header);
    if (tools || launches_path)
        on_exit(report, NULL);
}
