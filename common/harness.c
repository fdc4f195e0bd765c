#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "measure.h"
#include "message.h"
#include "options.h"
#include "peers.h"
#include "plan.h"
#include "runlog.h"
#include "table.h"
#include "tools.h"
#include "version.h"

/* The step's program for ints, where it has one; see element.h. */
extern int main_i32(int argc, char **argv) __attribute__((weak));

/* All that lives while the plan is worked off. */
struct session {
    const struct program *program;
    const struct options *options;
    const struct device *device;
    struct plan plan;
    struct meter meter;
    struct table table;
    struct work *work;
    double copy_gb_per_s; /* at the present size; NaN unknown */
    bool wrong; /* some result was */
    unsigned long expected_findings; /* of --check, in variants that are wrong on purpose */
};

/* One variant at one size: what its runs found. */
struct trial {
    const struct session *session;
    const struct variant *variant;
    struct result worst; /* the first wrong one, else that of the largest error */
    int runs, wrong;
};

static int trial_prepare(void *context)
{
    struct trial *t = context;

    return t->session->program->family->prepare(t->session->work, t->variant);
}

static void trial_launch(void *context)
{
    struct trial *t = context;

    t->variant->launch(t->session->work);
}

static int trial_verify(void *context)
{
    struct trial *t = context;
    struct result result = {.error = NAN, .bound = NAN};
    int status = t->session->program->family->verify(t->session->work, t->variant, &result);

    if (status != 0)
        return status;
    if (t->runs++ == 0 || (t->wrong == 0 && (!result.verified || result.error > t->worst.error)))
        t->worst = result;
    t->wrong += !result.verified && !result.shown;
    return 0;
}

/* Say on standard error what is wrong, and put how often into the note. */
static void tell_wrong(struct trial *t, const struct shape *s)
{
    struct result *r = &t->worst;
    char note[sizeof(r->note)], found[160] = "", at[64], grid[32] = "";

    snprintf(note, sizeof(note), "wrong in %d of %d runs%s%.50s", t->wrong, t->runs,
             r->note[0] ? "; " : "", r->note);
    memcpy(r->note, note, sizeof(note));
    if (t->variant->rules & UNSYNCHRONISED)
        return;
    if (r->has_value && r->error != 0)
        snprintf(found, sizeof(found), ": %.9g instead of %.9g (error %.3g, bound %.3g)", r->value,
                 r->reference, r->error, r->bound);
    if (s->rows || s->cols)
        snprintf(at, sizeof(at), "%zu x %zu", s->rows, s->cols);
    else
        snprintf(at, sizeof(at), "n = %zu", s->n);
    if (s->blocks)
        snprintf(grid, sizeof(grid), "%d x ", s->blocks);
    complain_of(t->variant->name, 0, "%s, %s%d threads: %s%s", at, grid, s->threads, r->note,
                found);
}

static int log_row(const struct session *session, const struct item *item, int runs,
                   const struct stats *us, const struct line *line)
{
    const struct options *o = session->options;
    struct record record = {
        .when = time(NULL),
        .commit = project_commit(),
        .backend = backend_name(),
        .device = session->device->name,
        .driver = session->device->driver,
        .cuda = session->device->cuda,
        .step = session->program->step,
        .variant = item->variant->name,
        .shape = item->shape,
        .runs = runs,
        .cold = o->cold,
        .us = *us,
        .bytes = line->bytes,
        .flops = line->flops,
        .copy_gb_per_s = line->copy_gb_per_s,
        .result = *line->result,
        .status = line->status,
    };

    return o->log ? runlog_append(o->log, &record) : 0;
}

static int run_item(struct session *session, const struct item *item)
{
    const struct family *family = session->program->family;
    const struct options *o = session->options;
    double (*flops)(const struct shape *) = item->variant->flops ? item->variant->flops : family->flops;
    struct trial trial = {.session = session, .variant = item->variant};
    struct measured measured = {
        .name = item->variant->name,
        .warmup = item->peer && o->warmup == 0 ? 1 : o->warmup, /* a peer allocates in it */
        .runs = o->runs,
        .prepare = trial_prepare,
        .launch = trial_launch,
        .verify = trial_verify,
        .context = &trial,
    };
    struct stats us;
    struct line line = {
        .us = &us,
        .bytes = family->bytes ? family->bytes(&item->shape) : NAN,
        .flops = flops ? flops(&item->shape) : NAN,
        .copy_gb_per_s = session->copy_gb_per_s,
        .result = &trial.worst,
        .status = "ok",
    };
    bool unsynchronised = item->variant->rules & UNSYNCHRONISED;
    unsigned long findings = tools_findings();
    int status = family->set(session->work, &item->shape);

    if (item->variant->rules & ON_HOST) {
        measured.warmup = 0;
        measured.runs = 1;
    }
    if (status == 0)
        status = measure(&session->meter, &measured, &us);
    if (status != 0)
        return status;
    if (unsynchronised) /* they are its lesson, and no failure */
        session->expected_findings += tools_findings() - findings;
    if ((unsynchronised && !trial.worst.shown) || trial.wrong > 0)
        tell_wrong(&trial, &item->shape);
    if (trial.worst.shown)
        line.status = trial.worst.shown;
    else if (unsynchronised)
        line.status = "unsynchronised";
    else if (trial.wrong > 0)
        line.status = "wrong";
    session->wrong |= trial.wrong > 0 && !unsynchronised;
    if (!o->quiet)
        table_row(&session->table, item, &line);
    if (!o->quiet && family->remark)
        family->remark(session->work, item->variant);
    if (!trial.worst.shown)
        status = log_row(session, item, measured.runs, &us, &line);
    return status == 0 ? tools_report(o, session->program->step, item->variant->name) : status;
}

/* The ceiling at a size. Its row stands above the variants'. */
static int run_copy(struct session *session, const struct shape *shape)
{
    const struct family *family = session->program->family;
    const struct options *o = session->options;
    struct stats us;
    int status;

    session->copy_gb_per_s = NAN;
    if (!family->bytes)
        return 0;
    status = measure_copy(&session->meter, family->bytes(shape), o->warmup, o->runs, &us,
                          &session->copy_gb_per_s);
    if (status == 0 && !o->quiet && !isnan(session->copy_gb_per_s))
        table_copy(&session->table, shape, &us, session->copy_gb_per_s);
    return status;
}

static int run_plan(struct session *session)
{
    const struct plan *plan = &session->plan;
    size_t columns = plan->count / plan->sizes;
    bool quiet = session->options->quiet;
    int status = 0;

    if (!quiet)
        table_start(&session->table, plan, session->options, session->program, session->device);
    for (size_t i = 0; i < plan->count && status == 0; i++) {
        const struct item *item = &plan->items[i];

        if (i % columns == 0) {
            if (i > 0 && !quiet && columns > 1)
                table_gap(&session->table);
            status = run_copy(session, &item->shape);
        }
        if (status == 0 && !item->refused[0])
            status = run_item(session, item);
        else if (status == 0 && !quiet)
            table_refused(&session->table, item);
    }
    return status;
}

static int find_peers(const struct program *program, const struct options *o,
                      const struct variant **peers, size_t *count)
{
    *peers = NULL;
    *count = 0;
#ifdef HAVE_PEERS
    if (o->peers) {
        *peers = peers_of(o->type, count);
        if (*count == 0)
            return complain(BAD_USAGE,
                            "--peers: there is no peer for the %s steps with this --type",
                            program->family->name);
    }
#else
    (void)program; /* --peers was refused */
    (void)o;
#endif
    return 0;
}

/* Run it all; everything taken is given back. Returns 0 or negative. */
static int run_session(struct session *session)
{
    const struct options *o = session->options;
    const struct family *family = session->program->family;
    const struct variant *peers;
    size_t peer_count;
    int status = find_peers(session->program, o, &peers, &peer_count);

    if (status == 0 && o->log)
        status = runlog_check(o->log);
    if (status == 0)
        status = tools_start(o);
    if (status != 0)
        return status;
    session->device = device_get();
    if (!session->device)
        return BAD_DEVICE;
    status = plan_make(&session->plan, o, session->program, peers, peer_count);
    if (status == 0)
        status = meter_open(&session->meter, o->runs, o->cold);
    if (status == 0) {
        session->work = family->create(o, &session->plan.largest);
        status = session->work ? run_plan(session) : BAD_DEVICE;
    }
    if (session->work)
        family->destroy(session->work);
    meter_close(&session->meter);
    plan_free(&session->plan);
    tools_stop();
    return status;
}

int harness_main(int argc, char **argv, const char *step, const struct family *family,
                 const struct variant *variants, size_t count, enum type compiled_type)
{
    struct program program = {step, family, variants, count, compiled_type, main_i32 != NULL};
    struct options options;
    struct session session = {.program = &program, .options = &options};
    int status;

    message_program(step);
    status = options_parse(&options, argc, argv, &program);
    if (status == ANSWERED)
        return 0;
    if (status < 0)
        return -status;
    if (options.type != compiled_type)
        return main_i32(argc, argv);
    if (options.list) {
        help_list(&program);
        return 0;
    }
    status = run_session(&session);
    fflush(stdout);
    if (status < 0)
        return -status;
    return session.wrong || tools_findings() > session.expected_findings;
}
