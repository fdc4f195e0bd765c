#include "harness/run/estimate_session.h"

#include <stdio.h>
#include <string.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/run/estimate.h"
#include "harness/run/estimate_shapes.h"
#include "harness/run/runlog.h"
#include "harness/run/tools.h"

#define MIN_ESTIMATED ((size_t)1 << 16)
static const char csv_header[] =
    "step,variant,n,type,blocks,threads,device,estimated_us,"
    "least_us,most_us,gb_per_s,kind,waits_for,part_us,then_for,then_us";

struct estimates {
    const struct program *program;
    const struct options *options;
    const struct listener *next; /* NULL: the table */
};

enum extension { EXTENDED, WANTS_LARGER }; /* what came of problems that were counted */

/* The smaller problems of an item that were counted so far. */
struct known {
    struct shape shape[2 * COUNTED_PRODUCTS];
    struct counted counted[2 * COUNTED_PRODUCTS];
    int count;
};

static unsigned how_of(const struct options *o, const struct variant *v)
{
    return (v->rules & (WAITS | UNSYNCHRONISED) ? ESTIMATE_BOUND : 0) |
           (o->cold ? ESTIMATE_COLD : 0);
}

/* --- what is said ----------------------------------------------------------------------------- */

static bool is_silent(const struct options *o)
{
    return o->quiet || o->in_batch;
}

static void print_no_estimate(const struct options *o, const struct item *item, const char *why)
{
    if (!is_silent(o))
        printf("%s: not estimated for %s: %s\n", item->variant->name, o->machine->device, why);
}

static void print_estimate(const struct estimates *all, const struct item *item,
                           const struct estimate *e, double bytes, unsigned how)
{
    const char *what = how & ESTIMATE_BOUND ? "at least " : "";
    enum wait_for first, second;
    char size[SIZE_TEXT];

    estimate_limits(e, &first, &second);
    printf("%s, %s: estimated for %s from counters, not measured: %s%.4g us", item->variant->name,
           size_text(size, all->program->family, &item->shape), all->options->machine->device, what,
           e->us);
    if (!*what)
        printf(" (%.3g to %.3g)", e->us * (1 - ESTIMATE_RANGE), e->us * (1 + ESTIMATE_RANGE));
    if (bytes > 0)
        printf(", %s%.4g GB/s", *what ? "at most " : "", 1e-3 * bytes / e->us);
    printf("; waits for %s %.3g us; then for %s %.3g us: %s%s\n", estimate_word(first),
           e->part[first], estimate_word(second), e->part[second], estimate_advice(first),
           *what ? " (its blocks wait for each other, which counters do not show)" : "");
}

static int log_estimate(const struct estimates *all, const struct item *item,
                        const struct estimate *e, double bytes, const char *kind)
{
    const struct options *o = all->options;
    const struct shape *s = &item->shape;
    const char *wrong;
    enum wait_for first, second;
    char row[1024], rate[32] = "";

    estimate_limits(e, &first, &second);
    if (bytes > 0)
        snprintf(rate, sizeof(rate), "%.4g", 1e-3 * bytes / e->us);
    snprintf(row, sizeof(row), "%s,%s,%zu,%s,%d,%d,%s,%.6g,%.4g,%.4g,%s,%s,%s,%.6g,%s,%.6g\n",
             all->program->step, item->variant->name, s->n, o->setting.type->name, s->blocks,
             s->threads, o->machine->device, e->us, e->us * (1 - ESTIMATE_RANGE),
             e->us * (1 + ESTIMATE_RANGE), rate, kind, estimate_word(first), e->part[first],
             estimate_word(second), e->part[second]);
    wrong = cpu_device_append(o->log, "estimates", csv_header, row);
    return wrong ? complain(BAD_USAGE, "%s", wrong) : 0;
}

/* Estimate the item by these counters, unless there is a reason not to, which is printed. */
static int report(const struct estimates *all, const struct item *item, struct counted *c,
                  const char *why)
{
    const struct options *o = all->options;
    const struct family *family = all->program->family;
    unsigned how = how_of(o, item->variant);
    const char *kind = how & ESTIMATE_BOUND              ? "bound"
                       : estimate_is_large(item, family) ? "extended"
                                                         : "estimate";
    double bytes = measurement_bytes(family, item->variant, &o->setting, &item->shape);
    struct estimate e = {.us = -1};

    if (!why && c->count == 0)
        why = "no kernel was launched";
    if (!why && estimate_is_product(family))
        why = estimate_product_shape(c, &item->shape, how);
    if (!why)
        e = estimate_run(o->machine, c, how);
    if (why) {
        print_no_estimate(o, item, why);
        return 0;
    }
    if (!is_silent(o))
        print_estimate(all, item, &e, bytes, how);
    return o->log ? log_estimate(all, item, &e, bytes, kind) : 0;
}

/* --- what is counted -------------------------------------------------------------------------- */

/* Take what was counted since the last call of count_anew. */
static int count(const struct options *o, const struct measurement *m, struct counted *c)
{
    if (estimate_count(c, (double)m->shape.n, o->runs + o->warmup) != 0)
        return complain(BAD_DEVICE, "no memory left on the host");
    return 0;
}

/* Report the counters, if they are asked for, and begin again. */
static int count_anew(const struct estimates *all, const struct measurement *m)
{
    const struct options *o = all->options;

    if (!o->counters)
        cpu_device_report(NULL, NULL, "");
    return tools_report(o, all->program->step, m->variant->name, m->shape.n);
}

/* Why the counters of the item's own problem say nothing, NULL: they do. */
static const char *not_known(const struct item *item, const struct family *family)
{
    if (item->variant->rules & ON_HOST)
        return "it runs on the host";
    if (family->estimate && family->estimate->impossible)
        return family->estimate->impossible;
    return item->shape.n < MIN_ESTIMATED ? "below 2^16 elements launches vary more than kernels"
                                         : NULL;
}

static int run_itself(struct estimates *all, struct session *session, const struct item *item)
{
    struct counted counted = {0};
    struct measurement m;
    int status = session_measure(session, item, &m);

    if (status == 0)
        status = session_report(session, &m);
    if (status == 0)
        status = count(all->options, &m, &counted);
    if (status == 0)
        status = report(all, item, &counted, not_known(item, all->program->family));
    estimate_forget(&counted);
    return status == 0 ? count_anew(all, &m) : status;
}

/* Go on from smaller problems to the item's. WANTS_LARGER only below MAX_COUNTED. */
static int extend(struct estimates *all, const struct item *item, struct counted *counted,
                  size_t max)
{
    const struct family *family = all->program->family;
    const char *why =
        estimate_is_product(family)
            ? estimate_product(counted, &item->shape, family)
            : estimate_extend(counted, (double)item->shape.n, how_of(all->options, item->variant));

    if (why && max < MAX_COUNTED)
        return WANTS_LARGER;
    return report(all, item, &counted[estimate_count_of(family) - 1], why);
}

static bool is_shape(const struct shape *a, const struct shape *b)
{
    return a->n == b->n && a->blocks == b->blocks && a->threads == b->threads &&
           memcmp(a->axis, b->axis, sizeof(a->axis)) == 0;
}

/* What was counted of a problem of this shape before; NULL: nothing. */
static const struct counted *find_known(const struct known *known, const struct shape *shape)
{
    for (int i = 0; i < known->count; i++)
        if (is_shape(&known->shape[i], shape))
            return &known->counted[i];
    return NULL;
}

static int copy_counted(struct counted *to, const struct counted *from)
{
    return estimate_copy(to, from) == 0 ? 0 : complain(BAD_DEVICE, "no memory left on the host");
}

/* Keep what was counted, before an extension changes it. */
static int keep(struct known *known, const struct shape *shape, const struct counted *counted)
{
    if (known->count == (int)COUNT(known->shape))
        return 0;
    known->shape[known->count] = *shape;
    return copy_counted(&known->counted[known->count++], counted);
}

static void forget(struct known *known)
{
    for (int i = 0; i < known->count; i++)
        estimate_forget(&known->counted[i]);
}

/* Run one of the smaller problems, and count it. */
static int count_smaller(struct estimates *all, struct session *session, const struct item *smaller,
                         struct known *known, struct counted *counted, struct measurement *m)
{
    const struct listener *next = all->next;
    int status = session_measure(session, smaller, m);

    if (status == 0 && next)
        next->measured(next->context, m);
    if (status == 0)
        status = count(all->options, m, counted);
    return status == 0 ? keep(known, &smaller->shape, counted) : status;
}

/* One of the smaller problems. Behind the last one the estimate stands above its counters. */
static int run_smaller(struct estimates *all, struct session *session, const struct item *item,
                       struct known *known, struct counted *counted, int index, size_t max)
{
    const struct family *family = all->program->family;
    struct item smaller = *item;
    const struct counted *before;
    struct measurement m;
    int status, came_of = EXTENDED;

    smaller.shape = estimate_shape(item, family, index, max);
    before = find_known(known, &smaller.shape);
    status = before ? copy_counted(&counted[index], before)
                    : count_smaller(all, session, &smaller, known, &counted[index], &m);
    if (status == 0 && index == estimate_count_of(family) - 1)
        status = came_of = extend(all, item, counted, max);
    if (status >= 0)
        status = before ? 0 : count_anew(all, &m);
    return status == 0 ? came_of : status;
}

/* Count problems of at most max elements, but those that are known. enum extension, or negative
 * after one line. */
static int run_all_smaller(struct estimates *all, struct session *session, const struct item *item,
                           struct known *known, size_t max)
{
    int problems = estimate_count_of(all->program->family), status = 0;
    struct counted counted[COUNTED_PRODUCTS] = {0};

    for (int i = 0; i < problems && status == 0; i++)
        status = run_smaller(all, session, item, known, counted, i, max);
    for (int i = 0; i < problems; i++)
        estimate_forget(&counted[i]);
    return status;
}

/* What is counted at last: with blocks that wait, whose counters need not be linear in a few of a
 * large grid, a grid that the current device would hold whole, unless its blocks have too much to
 * do. */
static struct item last_resort(const struct estimates *all, const struct item *item)
{
    const struct device *current = device_in_use(), *filled = item->shape.device;
    struct item last = *item;

    if (!(item->variant->rules & (WAITS | UNSYNCHRONISED)) || !filled || !current)
        return last;
    last.shape.device = NULL;
    if (!all->options->blocks)
        last.shape.blocks = last.shape.blocks / filled->multiprocessors * current->multiprocessors;
    return estimate_uncountable(&last, all->program->family) ? *item : last;
}

static int run(void *context, struct session *session, const struct item *item)
{
    struct estimates *all = context;
    struct item last = last_resort(all, item);
    const struct family *family = all->program->family;
    struct known known = {.count = 0};
    const char *why;
    size_t max;
    int status = WANTS_LARGER;

    if (!estimate_is_large(item, family))
        return run_itself(all, session, item);
    why = estimate_uncountable(item, family);
    if (why) {
        print_no_estimate(all->options, item, why);
        return 0;
    }
    max = estimate_is_product(family) ? MAX_COUNTED : MAX_COUNTED_SMALL;
    for (; status == WANTS_LARGER; max *= 2)
        status = run_all_smaller(all, session, max < MAX_COUNTED ? item : &last, &known, max);
    forget(&known);
    return status;
}

/* --- the listener ----------------------------------------------------------------------------- */

static bool replaces(void *context, const struct item *item, struct shape *largest)
{
    const struct estimates *all = context;
    const struct family *family = all->program->family;
    struct item last = last_resort(all, item);

    if (!estimate_is_large(item, family))
        return false;
    *largest = (struct shape){0};
    for (int i = 0; i < estimate_count_of(family) && !estimate_uncountable(item, family); i++) {
        struct shape s = estimate_shape(&last, family, i, MAX_COUNTED);

        shape_enlarge(largest, &s);
        s = estimate_shape(item, family, i, MAX_COUNTED_SMALL);
        shape_enlarge(largest, &s);
    }
    return true;
}

static void measured(void *context, const struct measurement *m)
{
    const struct listener *next = ((struct estimates *)context)->next;

    next->measured(next->context, m);
}

static void refused(void *context, const struct item *item)
{
    const struct listener *next = ((struct estimates *)context)->next;

    next->refused(next->context, item);
}

/* Whether the log and the file beside it can be written, before anything is run. */
static int check_files(const struct options *o, const struct family *family)
{
    int status = o->log ? runlog_check(o->log, family) : 0;
    const char *wrong = NULL;

    if (status == 0 && o->log)
        wrong = cpu_device_can_append(o->log, "estimates", csv_header);
    return wrong ? complain(BAD_USAGE, "%s", wrong) : status;
}

/* What nvcc makes of a product's kernels, where that is recorded beside the machine file, as
 * plots/record code does. All others, and the kernels of other problems, are counted by the rule.
 */
static void take_code(const struct program *program, const char *machine_file)
{
    const char *name = strrchr(machine_file, '/');
    int folder = name ? (int)(name + 1 - machine_file) : 0;
    char path[4096];

    snprintf(path, sizeof(path), "%.*snvcc/%s.txt", folder, machine_file, program->step);
    cpu_device_set_nvcc(path);
}

int estimate_session(const struct program *program, const struct options *o,
                     const struct listener *next)
{
    struct estimates all = {program, o, next};
    const struct device *current;
    struct device to_fill;
    struct listener listener = {
        .context = &all,
        .measured = next ? measured : NULL,
        .refused = next ? refused : NULL,
        .to_fill = &to_fill,
        .replaces = replaces,
        .run = run,
    };
    int status = check_files(o, program->family);

    if (status != 0)
        return status;
    current = device_in_use();
    if (!current)
        return BAD_DEVICE;
    to_fill = *current;
    to_fill.multiprocessors = (int)o->machine->attribute[MACHINE_MULTIPROCESSORS];
    if (estimate_is_product(program->family))
        take_code(program, o->machine_file);
    else /* tiles of products are as large as they are */
        listener.parts_from =
            MAX_COUNTED * (size_t)(1 + to_fill.multiprocessors / current->multiprocessors);
    status = session_run(program, o, &listener);
    cpu_device_set_nvcc(NULL); /* a batch may count something else behind it */
    return status;
}
