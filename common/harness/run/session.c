#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "harness/run/session.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime_api.h>

#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/handed.h"
#include "harness/kit/message.h"
#include "harness/kit/ranks.h"
#include "harness/run/measure.h"
#include "harness/run/runlog.h"
#include "harness/run/spans.h"
#include "harness/run/table.h"
#include "harness/run/tools.h"

/* Where nobody says how many runs: a second tells the median of slow ones. */
#define ENOUGH_US 1e6

/* All that lives while the plan is worked off. */
struct session {
    const struct program *program;
    const struct options *options;
    const struct listener *listener;
    struct device_stream places[MAX_DEVICES]; /* the first has the default device */
    struct plan plan;
    struct meter meter;
    struct table table;
    struct work *work;
    double copy_gb_per_s;            /* at the present size; NaN unknown */
    bool wrong;                      /* some result was */
    unsigned long expected_findings; /* of --check, in variants that are wrong on purpose */
    double started;                  /* seconds, for the time that is left */
    double done, all;                /* elements of runs; of the items finished, of all */
};

/* One variant at one size while it is measured. */
struct trial {
    struct session *session;
    const struct item *item;
    struct measurement *m;
    int repeats;         /* of the launch, in a run */
    int finished, wrong; /* runs */
    bool missing;        /* what another program was to hand over of this run */
    int handed_status;   /* of reading it */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether other problems are measured in the item's place. */
static bool replaced(const struct session *s, const struct item *item, struct shape *largest)
{
    const struct listener *l = s->listener;

    return l->replaces && !item->refused[0] && l->replaces(l->context, item, largest);
}

/* What an item costs, in no unit but for comparison: runs of so many elements, and their start. Of
 * what is measured in its place the largest has about half of the elements. */
static double weight(const struct session *s, const struct item *item)
{
    struct shape largest;
    double n = replaced(s, item, &largest) ? 2.0 * (double)largest.n : (double)item->shape.n;

    return item->refused[0] ? 0 : (s->options->runs + s->options->warmup) * (n + 1e5);
}

static int trial_prepare(void *context)
{
    struct trial *t = (struct trial *)context;

    handed_forget();
    return t->session->program->family->work.prepare(t->session->work, t->item->variant);
}

/* In place of a launch: what another program has handed over of this run, if it is to. */
static bool take_handed(struct trial *t)
{
    bool there = false;

    if (!t->session->options->handed_over)
        return false;
    t->handed_status = handed_read(&there);
    t->missing = !there;
    return true;
}

static void trial_launch(void *context)
{
    struct trial *t = (struct trial *)context;

    if (take_handed(t))
        return;
    for (int i = 0; i < t->repeats; i++)
        t->item->variant->launch(t->session->work);
}

/* Whether the input is looked at after this run. On a GPU that reads it through the cache that the
 * next run finds, so only after the first two, because two exchanges cancel, and after the last. */
static bool settles(const struct trial *t, bool last)
{
#ifdef BACKEND_CPU
    (void)t;
    return !last;
#else
    return last || t->finished < 2;
#endif
}

static int trial_settle(struct trial *t, bool last, struct result *result)
{
    const struct family *family = t->session->program->family;

    return family->work.settle && settles(t, last)
               ? family->work.settle(t->session->work, t->item->variant, result)
               : 0;
}

#define NUMBERS_TEXT 160

/* What a wrong result says, where it is a number: "3 instead of 5 (error 2, bound 0)"; else "". */
static char *numbers_text(char text[NUMBERS_TEXT], const struct result *r)
{
    text[0] = '\0';
    if (r->has_value && r->error != 0)
        snprintf(text, NUMBERS_TEXT, "%.9g instead of %.9g (error %.3g, bound %.3g)", r->value,
                 r->reference, r->error, r->bound);
    return text;
}

/* For a recording of the run. */
static void tell_wrong(const struct result *r)
{
    char numbers[NUMBERS_TEXT], text[NUMBERS_TEXT + sizeof(r->note) + 24];

    numbers_text(numbers, r);
    if (r->error <= r->bound) /* another element's, which is right */
        numbers[0] = '\0';
    snprintf(text, sizeof(text), "a wrong result%s%s%s%s", r->note[0] ? ": " : "", r->note,
             numbers[0] ? ": " : "", numbers);
    tools_wrong(r, text);
}

static void note_missing(const struct trial *t, struct result *result)
{
    if (!t->missing)
        return;
    result->verdict = VERDICT_WRONG;
    snprintf(result->note, sizeof(result->note), "nothing was handed over");
}

static int trial_verify(void *context)
{
    struct trial *t = (struct trial *)context;
    struct result result = {.error = NAN, .bound = NAN}, *worst = &t->m->result;
    int status;

    status = t->session->options->hand_over ? handed_write() : t->handed_status;
    if (status != 0)
        return status;
    tools_phase("verify"); /* some families launch the variant once more */
    status = t->session->program->family->work.verify(t->session->work, t->item->variant, &result);
    note_missing(t, &result);
    if (status == 0)
        status = trial_settle(t, false, &result);
    if (status == 0 && result.verdict == VERDICT_WRONG)
        tell_wrong(&result);
    tools_phase("run");
    if (status != 0)
        return status;
    if (t->finished++ == 0 ||
        (t->wrong == 0 && (result.verdict != VERDICT_OK || result.error > worst->error)))
        *worst = result;
    t->wrong += result.verdict == VERDICT_WRONG;
    return 0;
}

/* What is wrong only now counts as one more wrong run. */
static int trial_end(struct trial *t)
{
    struct result *r = &t->m->result;
    bool good = r->verdict == VERDICT_OK;
    int status = trial_settle(t, true, r);

    t->wrong += good && r->verdict == VERDICT_WRONG;
    return status;
}

static void trial_progress(void *context, int run, int runs)
{
    struct trial *t = (struct trial *)context;
    const struct session *s = t->session;
    double part = weight(s, t->item) * run / runs, passed = now() - s->started;
    double left = s->done + part > 0 ? passed * (s->all - s->done - part) / (s->done + part) : NAN;
    char size[SIZE_TEXT], rest[32] = "";

    if (passed > 1 && left < 1e6)
        snprintf(rest, sizeof(rest), ", %.0f s left", left);
    progress("%s %s %s run %d of %d%s", s->program->step, t->item->variant->name,
             size_text(size, s->program->family, &t->item->shape), run, runs, rest);
}

/* Say on standard error what is wrong, and put how often into the note. */
static void report_wrong(struct trial *t)
{
    const struct shape *s = &t->item->shape;
    const struct family *family = t->session->program->family;
    struct result *r = &t->m->result;
    char note[sizeof(r->note)], numbers[NUMBERS_TEXT], at[SIZE_TEXT], grid[32] = "";

    snprintf(note, sizeof(note), "wrong in %d of %d runs%s%.50s", t->wrong, t->finished,
             r->note[0] ? "; " : "", r->note);
    memcpy(r->note, note, sizeof(note));
    if (t->item->variant->rules & UNSYNCHRONISED)
        return;
    numbers_text(numbers, r);
    if (s->blocks)
        snprintf(grid, sizeof(grid), "%d x ", s->blocks);
    complain_of(t->item->variant->name, 0, "%s, %s%d threads: %s%s%s", shape_text(at, family, s),
                grid, s->threads, r->note, numbers[0] ? ": " : "", numbers);
}

int session_report(struct session *session, const struct measurement *m)
{
    const struct options *o = session->options;
    const struct listener *listener = session->listener;
    const struct family *family = session->program->family;

    if (listener->measured) {
        listener->measured(listener->context, m);
    } else if (!o->quiet) {
        table_row(&session->table, m);
        if (family->remark)
            family->remark(session->work, m->variant);
    }
    return o->log && m->result.verdict <= VERDICT_UNSYNCHRONISED
               ? runlog_append(o->log, m, session->places[0].device)
               : 0;
}

/* Calls of which a run's time is the mean. The CPU device's times are the simulation's. */
static int calls_of(const struct family *family, const struct shape *shape)
{
#ifdef BACKEND_CPU
    (void)family;
    (void)shape;
    return 1;
#else
    return family->calls ? family->calls(shape) : 1;
#endif
}

/* The worst of what the ranks have found, each of its own output. */
static void take_worst(struct result *r)
{
    struct result all[MAX_RANKS];

    static_assert(sizeof(*r) <= RANKS_BYTES, "a result is handed over at once");
    ranks_gather(r, all, sizeof(*r));
    for (int i = 0; i < ranks_count(); i++) {
        if (all[i].verdict > r->verdict ||
            (all[i].verdict == r->verdict && all[i].error > r->error))
            *r = all[i];
    }
}

int session_measure(struct session *session, const struct item *item, struct measurement *m)
{
    const struct family *family = session->program->family;
    const struct options *o = session->options;
    const struct variant *v = item->variant;
    bool host = v->rules & ON_HOST, on_purpose = v->rules & UNSYNCHRONISED;
    int calls = calls_of(family, &item->shape);
    struct trial trial = {.session = session,
                          .item = item,
                          .m = m,
                          .repeats = calls * (family->repeats ? family->repeats(&o->setting) : 1)};
    struct measured measured = {
        .name = v->name,
        /* A library allocates in its first run. */
        .warmup = host                              ? 0
                  : item->library && o->warmup == 0 ? 1
                                                    : o->warmup,
        .runs = host ? 1 : o->runs,
        .enough_us = o->budget       ? 1e3 * o->budget
                     : o->runs_given ? 0
                                     : ENOUGH_US,
        .budget_us = ranks_count() > 1 ? 0 : 1e3 * o->budget, /* each rank has its own clock */
        .fewest = o->budget ? 1 : FEWEST_RUNS,
        .places = (size_t)plan_devices(family, &item->shape),
        .by_ranks = ranks_count() > 1,
        .from_idle = (v->rules & (ON_HOST | FROM_IDLE)) != 0,
        .prepare = trial_prepare,
        .launch = trial_launch,
        .verify = trial_verify,
        .progress = trial_progress,
        .context = &trial,
    };
    unsigned long findings = tools_findings();
    int status = family->work.set(session->work, &item->shape);

    *m = (struct measurement){
        .program = session->program,
        .variant = v,
        .setting = &o->setting,
        .shape = item->shape,
        .role = item->role,
        .cold = o->cold,
        .bytes = measurement_bytes(family, v, &o->setting, &item->shape),
        .flops = measurement_flops(family, v, &o->setting, &item->shape),
        .copy_gb_per_s = session->copy_gb_per_s,
    };
    tools_variant(o, v->name, v->rules);
    buffer_begin_variant();
    if (status == 0)
        status = measure(&session->meter, &measured, &m->us, &m->runs);
    stats_scale(&m->us, 1. / calls);
    if (status == 0)
        status = trial_end(&trial);
    if (status == 0 && o->timeline)
        status = spans_run(&session->meter, &measured, m, o->log);
    if (status != 0)
        return status;
    tools_verified(m->result.verdict == VERDICT_OK);
    m->findings = tools_findings() - findings;
    if (on_purpose) /* they are its lesson, and no failure */
        session->expected_findings += m->findings;
    if (m->result.verdict <= VERDICT_WRONG && (on_purpose || trial.wrong > 0))
        report_wrong(&trial);
    if (m->result.verdict <= VERDICT_WRONG && on_purpose)
        m->result.verdict = VERDICT_UNSYNCHRONISED;
    take_worst(&m->result);
    session->wrong |= m->result.verdict == VERDICT_WRONG;
    return 0;
}

static int run_item(struct session *session, const struct item *item)
{
    const struct listener *listener = session->listener;
    struct measurement m;
    int status;

    if (listener->run)
        return listener->run(listener->context, session, item);
    status = session_measure(session, item, &m);
    if (status == 0)
        status = session_report(session, &m);
    return status == 0
               ? tools_report(session->options, session->program->step, m.variant->name, m.shape.n)
               : status;
}

/* The ceiling at a size. Its row stands above the variants'. */
static int run_copy(struct session *session, const struct item *item)
{
    const struct shape *shape = &item->shape;
    const struct family *family = session->program->family;
    const struct options *o = session->options;
    struct shape largest;
    struct stats us;
    int status;

    session->copy_gb_per_s = NAN;
    if (!family->bytes || ranks_count() > 1 || session->listener->measured ||
        replaced(session, item, &largest))
        return 0;
    tools_phase("copy");
    status = measure_copy(&session->meter, (size_t)plan_devices(family, shape),
                          family->bytes(shape), o->warmup, o->runs, &us, &session->copy_gb_per_s);
    tools_phase("run");
    if (status == 0 && !o->quiet && !isnan(session->copy_gb_per_s))
        table_copy(&session->table, shape, &us, session->copy_gb_per_s);
    return status;
}

static int run_plan(struct session *session)
{
    const struct plan *plan = &session->plan;
    const struct options *o = session->options;
    size_t columns = plan->count / plan->sizes;
    const struct listener *listener = session->listener;
    bool table = !o->quiet && !listener->measured;
    int status = 0;

    for (size_t i = 0; i < plan->count; i++)
        session->all += weight(session, &plan->items[i]);
    session->started = now();
    if (table)
        table_start(&session->table, plan, o, session->program, session->places[0].device);
    for (size_t i = 0; i < plan->count && status == 0; i++) {
        const struct item *item = &plan->items[i];

        if (i % columns == 0) {
            if (i > 0 && table && columns > 1)
                table_gap(&session->table);
            status = run_copy(session, item);
        }
        if (status == 0 && !item->refused[0])
            status = run_item(session, item);
        else if (status == 0 && listener->refused)
            listener->refused(listener->context, item);
        else if (status == 0 && table)
            table_refused(&session->table, item);
        session->done += weight(session, item);
    }
    return status;
}

/* The places of all devices that some item needs; then the first one's device is the current one
 * again. Of several each has a stream of its own: a copy between two devices in their default
 * streams waits for all that is queued on both. */
static int open_places(struct session *session, int count)
{
    int status = 0;

    for (int i = count - 1; i >= 0 && status == 0; i--) {
        struct device_stream *place = &session->places[i];

        int ordinal = ranks_count() > 1 ? ranks_device(device_visible_count()) : i;

        *place = (struct device_stream){.device = ordinal < 0 ? NULL : device_open(ordinal)};
        if (!place->device)
            return BAD_DEVICE;
        if (count > 1)
            status = device_check(cudaStreamCreate(&place->stream));
    }
    return status;
}

static void close_places(struct session *session)
{
    for (int i = 0; i < MAX_DEVICES; i++) {
        if (session->places[i].stream)
            cudaStreamDestroy(session->places[i].stream);
        session->places[i].stream = NULL;
    }
}

/* Make what the plan needs, and work it off. */
static int run_in_places(struct session *session)
{
    const struct options *o = session->options;
    const struct family_work *work = &session->program->family->work;
    int count = session->plan.devices;
    struct setting setting = o->setting;
    int status = open_places(session, count);

    for (int i = 1; ranks_count() > 1 && i < MAX_DEVICES; i++)
        session->places[i] = session->places[0];
    setting.places = session->places;
    if (status == 0)
        status = meter_open(&session->meter, session->places, (size_t)count, o->runs, o->cold);
    if (status == 0) {
        session->work = work->create(&setting, &session->plan.largest);
        status = session->work ? run_plan(session) : BAD_DEVICE;
    }
    if (session->work)
        work->destroy(session->work);
    meter_close(&session->meter);
    close_places(session);
    return status;
}

int session_wait(void)
{
    struct session session = {0};
    int status = open_places(&session, 1), c;

    if (status != 0)
        return status;
    do
        c = getchar();
    while (c != '\n' && c != EOF);
    return c == '\n' ? 0 : complain(BAD_USAGE, "--wait: standard input ended without a line");
}

int session_run(const struct program *program, const struct options *o,
                const struct listener *listener)
{
    static const struct listener table = {0};
    struct session session = {
        .program = program, .options = o, .listener = listener ? listener : &table};
    unsigned long findings = tools_findings();
    int status = o->log ? runlog_check(o->log, program->family) : 0, stopped;

    if (status == 0 && (o->hand_over || o->handed_over))
        status = handed_open(o->hand_over ? o->hand_over : o->handed_over, o->hand_over);
    if (status == 0)
        status = tools_start(o);
    if (status != 0)
        return status;
    status = open_places(&session, 1);
    if (status != 0)
        return status;
    status = plan_make(&session.plan, o, program, listener);
    if (status == 0)
        status = run_in_places(&session);
    plan_free(&session.plan);
    stopped = tools_stop();
    status = status < 0 ? status : stopped;
    if (status < 0)
        return status;
    findings = tools_findings() - findings;
    return session.wrong || findings > session.expected_findings ? OUTCOME_WRONG : OUTCOME_GOOD;
}
