#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "harness/run/tools.h"

#ifdef BACKEND_CPU

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpu_device.h>

#include "harness/kit/message.h"
#include "harness/run/estimate.h"

static FILE *trace;
static char *traced; /* what goes to the file beside this log */
static size_t traced_length;
static const char *trace_log;

static void counters_header(char *line, size_t room)
{
    snprintf(line, room, "step,variant,n,%s", cpu_device_csv_header());
}

#define LEAST_ESTIMATED ((size_t)1 << 16)
static const char estimates_header[] =
    "step,variant,n,type,blocks,threads,device,estimated_us,"
    "least_us,most_us,gb_per_s,kind,waits_for,part_us,then_for,then_us";

/* 0, or BAD_USAGE after the line that says what is wrong. */
static int told(const char *wrong)
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
        status = told(cpu_device_can_append(o->log, "counters", line));
    if (status == 0 && o->log && o->estimate)
        status = told(cpu_device_can_append(o->log, "estimates", estimates_header));
    if (status == 0 && o->log && o->trace_line)
        status = told(cpu_device_can_append(o->log, "trace", cpu_device_trace_header));
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
    tools_phase("run");
    if (o->counters == COUNTERS_LAUNCHES || o->estimate)
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
    return o->trace_line ? start_trace(o) : 0;
}

void tools_variant(const struct options *o, unsigned rules)
{
    cpu_device_set_steady((o->counters || o->estimate) && rules & (WAITS | UNSYNCHRONISED));
}

void tools_phase(const char *phase)
{
    cpu_device_set_phase(phase);
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
    cpu_device_report(o->quiet || o->in_batch ? NULL : stdout, csv, line);
    if (!csv)
        return 0;
    counters_header(line, sizeof(line));
    status =
        fclose(csv) == 0 ? told(cpu_device_append(o->log, "counters", line, rows)) : BAD_DEVICE;
    free(rows);
    return status;
}

/* What it cannot know, in words; NULL: nothing of that. */
static const char *not_known(const struct measurement *m)
{
    const struct shape *s = m->whole ? m->whole : &m->shape;

    if (m->variant->rules & ON_HOST)
        return "it runs on the host";
    if (m->program->family->by_data)
        return "its addresses depend on the data";
    return s->n < LEAST_ESTIMATED ? "below 2^16 elements launches vary more than kernels" : NULL;
}

static void say_estimate(const struct options *o, const struct measurement *m,
                         const struct estimate *e, unsigned how)
{
    const char *what = how & ESTIMATE_BOUND ? "at least " : "";
    double bytes = m->whole ? m->whole_bytes : m->bytes;
    enum wait_for first, second;
    char size[SIZE_TEXT];

    estimate_limits(e, &first, &second);
    printf("%s, %s: estimated for %s from counters, not measured: %s%.4g us", m->variant->name,
           size_text(size, m->program->family, m->whole ? m->whole : &m->shape), o->machine.device,
           what, e->us);
    if (!*what)
        printf(" (%.3g to %.3g)", e->us * (1 - ESTIMATE_RANGE), e->us * (1 + ESTIMATE_RANGE));
    if (bytes > 0)
        printf(", %s%.4g GB/s", *what ? "at most " : "", 1e-3 * bytes / e->us);
    printf("; waits for %s %.3g us; then for %s %.3g us: %s%s\n", estimate_word(first),
           e->part[first], estimate_word(second), e->part[second], estimate_advice(first),
           *what ? " (its blocks wait for each other, which counters do not show)" : "");
}

static int log_estimate(const struct options *o, const char *step, const struct measurement *m,
                        const struct estimate *e, unsigned how)
{
    const struct shape *s = m->whole ? m->whole : &m->shape;
    const char *kind = how & ESTIMATE_BOUND ? "bound" : m->whole ? "extended" : "estimate";
    double bytes = m->whole ? m->whole_bytes : m->bytes;
    enum wait_for first, second;
    char row[1024], rate[32] = "";

    estimate_limits(e, &first, &second);
    if (bytes > 0)
        snprintf(rate, sizeof(rate), "%.4g", 1e-3 * bytes / e->us);
    snprintf(row, sizeof(row), "%s,%s,%zu,%s,%d,%d,%s,%.6g,%.4g,%.4g,%s,%s,%s,%.6g,%s,%.6g\n", step,
             m->variant->name, s->n, o->setting.type->name, s->blocks, s->threads,
             o->machine.device, e->us, e->us * (1 - ESTIMATE_RANGE), e->us * (1 + ESTIMATE_RANGE),
             rate, kind, estimate_word(first), e->part[first], estimate_word(second),
             e->part[second]);
    return told(cpu_device_append(o->log, "estimates", estimates_header, row));
}

/* Of the sizes that are counted in place of a larger one, until they are all there. */
static struct counted kept[MOST_PARTS];
static bool ask_for_more;

bool tools_ask_for_more(void)
{
    return ask_for_more;
}

void tools_not_estimated(const struct options *o, const char *variant, const char *why)
{
    if (!o->quiet && !o->in_batch)
        printf("%s: not estimated for %s: %s\n", variant, o->machine.device, why);
}

static unsigned how_of(const struct options *o, const struct measurement *m)
{
    return (m->variant->rules & (WAITS | UNSYNCHRONISED) ? ESTIMATE_BOUND : 0) |
           (o->cold ? ESTIMATE_COLD : 0);
}

static int tell_estimate(const struct options *o, const char *step, const struct measurement *m,
                         const char *why)
{
    unsigned how = how_of(o, m);
    const struct counted *c = &kept[m->at];
    bool product = plan_parts(m->program->family) == COUNTED_PRODUCTS;
    struct estimate e;

    if (!why && c->count == 0)
        why = "no kernel was launched";
    if (why) {
        tools_not_estimated(o, m->variant->name, why);
        return 0;
    }
    if (product)
        why = estimate_product_shape(&kept[m->at], m->whole ? m->whole : &m->shape, how);
    e = estimate_run(&o->machine, c, how);
    if (product && !why)
        why = estimate_product_doubt(&e);
    if (why) {
        tools_not_estimated(o, m->variant->name, why);
        return 0;
    }
    if (!o->quiet && !o->in_batch)
        say_estimate(o, m, &e, how);
    return o->log ? log_estimate(o, step, m, &e, how) : 0;
}

int tools_estimate(const struct options *o, const char *step, const struct measurement *m)
{
    const struct family *family = m->program->family;
    int parts = m->whole ? plan_parts(family) : 1;
    bool last = m->at == parts - 1;
    const char *why = not_known(m);
    int status = 0;

    if (!o->estimate)
        return 0;
    if (estimate_count(&kept[m->at], (double)m->shape.n, o->runs + o->warmup) != 0)
        return complain(BAD_DEVICE, "no memory left on the host");
    ask_for_more = false;
    if (last && m->whole && !why) {
        why = parts == COUNTED_PRODUCTS ? estimate_product(kept, m->whole, family)
                                        : estimate_extend(kept, (double)m->whole->n, how_of(o, m));
        ask_for_more = why && !m->last;
    }
    if (last && !ask_for_more)
        status = tell_estimate(o, step, m, why);
    for (int at = 0; last && at < MOST_PARTS; at++)
        estimate_forget(&kept[at]);
    if (!o->counters)
        cpu_device_report(NULL, NULL, ""); /* and count anew */
    return status;
}

unsigned long tools_findings(void)
{
    return cpu_device_findings();
}

int tools_stop(void)
{
    int status = 0;

    if (trace && trace != stdout) {
        status = fclose(trace) == 0 ? 0 : BAD_DEVICE;
        if (status == 0 && traced_length > 0)
            status = told(cpu_device_append(trace_log, "trace", cpu_device_trace_header, traced));
        free(traced);
    }
    cpu_device_set_trace(0, NULL);
    trace = NULL;
    traced = NULL;
    return status;
}

#else

int tools_start(const struct options *o)
{
    (void)o;
    return 0;
}

void tools_variant(const struct options *o, unsigned rules)
{
    (void)o;
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

int tools_estimate(const struct options *o, const char *step, const struct measurement *m)
{
    (void)o;
    (void)step;
    (void)m;
    return 0;
}

void tools_not_estimated(const struct options *o, const char *variant, const char *why)
{
    (void)o;
    (void)variant;
    (void)why;
}

bool tools_ask_for_more(void)
{
    return false;
}

unsigned long tools_findings(void)
{
    return 0;
}

int tools_stop(void)
{
    return 0;
}

#endif
