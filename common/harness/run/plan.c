#include "harness/run/plan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/kit/ranks.h"
#include "harness/run/listener.h"
#include "harness/run/tools.h"

/* Whether the threads per block break a rule; why then says which. */
static bool refuse_threads(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    if (v->threads && s->threads != v->threads)
        snprintf(why, room, "threads must be %d; got %d", v->threads, s->threads);
    else if (v->rules & POWER_OF_TWO && s->threads & (s->threads - 1))
        snprintf(why, room, "threads must be a power of two; got %d", s->threads);
    else if (v->rules & WHOLE_WARPS && s->threads % 32)
        snprintf(why, room, "threads must be a multiple of 32; got %d", s->threads);
    else if (v->rules & AT_LEAST_TWO_THREADS && s->threads < 2)
        snprintf(why, room, "threads must be at least 2; got %d", s->threads);
    else
        return false;
    return true;
}

/* Whether a row, or the input's start, lies apart from where four elements are read at once. */
static bool refuse_quads(const struct shape *s, const struct variant *v,
                         const struct family *family, int offset, char *why, size_t room)
{
    if (!(v->rules & WHOLE_QUADS))
        return false;
    for (int i = options_size_axis(family, -1); i >= 0; i = options_size_axis(family, i)) {
        if (s->axis[i] % 4) {
            snprintf(why, room, "%s must be a multiple of 4; got %zu", family->axes[i].name,
                     s->axis[i]);
            return true;
        }
    }
    if (offset % 4)
        snprintf(why, room, "--offset must be a multiple of 4; got %d", offset);
    return offset % 4;
}

/* Whether a variant for one block has got more. */
static bool refuse_one_block(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    int most = (v->rules & ONE_ELEMENT_PER_THREAD ? 1 : 2) * s->threads;

    if (!(v->rules & ONE_BLOCK))
        return false;
    if (s->n > (size_t)most)
        snprintf(why, room, "one block of %d threads takes at most %d elements; got %zu",
                 s->threads, most, s->n);
    else if (s->blocks > 1)
        snprintf(why, room, "blocks must be 1; got %d", s->blocks);
    else
        return false;
    return true;
}

/* Of the values of the last axis that the variant takes, the largest that is not above this one,
 * else the least; this one if it takes all. */
static size_t nearest(const struct variant *v, size_t value)
{
    char *end;
    size_t best = v->only ? strtoull(v->only, &end, 10) : value;

    for (const char *text = v->only; text && *text; text = end) {
        size_t taken = strtoull(text, &end, 10);

        best = taken <= value ? taken : best;
    }
    return best;
}

/* Whether the last axis has none of the values that the variant takes. */
static bool refuse_value(const struct shape *s, const struct variant *v,
                         const struct family *family, char *why, size_t room)
{
    size_t last = family->axis_count - 1;

    if (nearest(v, s->axis[last]) == s->axis[last])
        return false;
    snprintf(why, room, "%s must be one of %s; got %zu", family->axes[last].name, v->only,
             s->axis[last]);
    return true;
}

/* Whether the variant has not the type. */
static bool refuse_type(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    if (!v->type || v->type == s->type)
        return false;
    snprintf(why, room, "--type must be %s; got %s", v->type->name, s->type->name);
    return true;
}

int plan_devices(const struct family *family, const struct shape *s)
{
    int devices = family->devices && ranks_count() == 1 ? family->devices(s) : 1;

    return devices > 1 ? devices : 1;
}

/* Whether ranks cannot work on it together. */
static bool refuse_ranks(const struct shape *s, const struct variant *v,
                         const struct family *family, char *why, size_t room)
{
    int devices = family->devices ? family->devices(s) : 1, ranks = ranks_count();

    if (devices != ranks)
        snprintf(why, room, "it works on %d device%s; there are %d ranks, with one each", devices,
                 devices == 1 ? "" : "s", ranks);
    else if (!(v->rules & BY_RANKS))
        snprintf(why, room,
                 "it needs the memory of all devices in one process; there are %d, a rank each",
                 ranks);
    else
        return false;
    return true;
}

/* Whether it works on more devices than there are. */
static bool refuse_devices(const struct shape *s, const struct options *o, const struct variant *v,
                           const struct family *family, char *why, size_t room)
{
    int devices = plan_devices(family, s), there_are = devices > 1 ? tools_devices(o, devices) : 1;

    if (ranks_count() > 1)
        return refuse_ranks(s, v, family, why, room);
    if (devices > there_are)
        snprintf(why, room, "it works on %d devices; there are %d", devices, there_are);
    return devices > there_are;
}

/* The most blocks that the variant may have, on the device that is to be filled; 0: any number. */
static int max_resident(const struct shape *s, const struct options *o, const struct variant *v)
{
    const struct device *current = s->device ? device_in_use() : NULL;
    int resident = v->resident && !o->setting.oversubscribe ? v->resident(s->threads) : 0;

    return current
               ? (int)((long long)resident * s->device->multiprocessors / current->multiprocessors)
               : resident;
}

/* Put the rule that the shape breaks into item->refused, and what it is. */
static void check_rules(struct item *item, const struct options *o, const struct family *family)
{
    const struct shape *s = &item->shape;
    const struct variant *v = item->variant;
    char *why = item->refused;
    size_t room = sizeof(item->refused);
    int resident = max_resident(s, o, v);
    int repeats = family->repeats ? family->repeats(&o->setting) : 1;

    if (v->rules & GRID_BY_SIZE && o->blocks)
        snprintf(why, room, "the grid follows from the size, so --blocks must be left out; got %d",
                 o->blocks);
    else if (v->rules & THREADS_BY_SIZE && o->threads)
        snprintf(why, room,
                 "the threads follow from the size, so --threads must be left out; got %d",
                 o->threads);
    else if (refuse_devices(s, o, v, family, why, room) || refuse_value(s, v, family, why, room) ||
             refuse_type(s, v, why, room) || refuse_threads(s, v, why, room) ||
             refuse_quads(s, v, family, o->setting.offset, why, room) ||
             (family->refuse && family->refuse(s, v, why, room)) ||
             (v->refuse && v->refuse(s, why, room)) || refuse_one_block(s, v, why, room))
        return;
    else if (v->rules & DESTROYS_INPUT && repeats > 1)
        snprintf(why, room, "it destroys its input, so a run can launch it only once; got %d",
                 repeats);
    else if (v->rules & ON_HOST && family->most_on_host && s->n > family->most_on_host)
        snprintf(why, room, "the host is given at most %zu elements, or it takes too long; got %zu",
                 family->most_on_host, s->n);
    else if (resident > 0 && s->blocks > resident)
        snprintf(why, room, "at most %d blocks of %d threads are on this device at once; got %d%s",
                 resident, s->threads, s->blocks,
                 family->options & OPTION_OVERSUBSCRIBE
                     ? " (--oversubscribe shows what would happen)"
                     : "");
}

/* The problem's size, at one point of a sweep or as given. */
static void fill_size(struct shape *s, const struct options *o, const struct family *family,
                      int power)
{
    memcpy(s->axis, o->axis, sizeof(s->axis));
    if (power >= 0 && o->sweep >= 0)
        s->axis[o->sweep] = (size_t)1 << power;
    if (power >= 0 && o->sweep == SWEEP_SIZE) {
        for (int i = options_size_axis(family, -1); i >= 0; i = options_size_axis(family, i))
            s->axis[i] = (size_t)1 << power;
    }
    s->n = options_elements(family, s->axis);
}

/* No more blocks than are resident, where that is the program's own choice: of a default, and at
 * the last point of a sweep. */
static void fit_grid(struct shape *s, const struct options *o, const struct variant *v, bool sweeps)
{
    int resident = sweeps || o->blocks == 0 ? max_resident(s, o, v) : 0;

    if (resident > 0 && s->blocks > resident && (!sweeps || resident > s->blocks / 2))
        s->blocks = resident;
}

/* Blocks that wait for each other must all be resident on the current device. */
static bool fills(const struct shape *s, const struct variant *v, const struct family *family,
                  const struct listener *listener)
{
    bool waits = v->rules & (WAITS | UNSYNCHRONISED);
    bool free_grid = family->options & OPTION_BLOCKS && !(v->rules & GRID_BY_SIZE);

    return !waits || (free_grid && listener->parts_from && s->n >= listener->parts_from);
}

static void fill_item(struct item *item, const struct options *o, const struct family *family,
                      const struct listener *listener, int power)
{
    const struct variant *variant = item->variant;
    bool sweeps_blocks = power >= 0 && o->sweep == SWEEP_BLOCKS;
    size_t last = family->axis_count - 1;
    struct shape *s = &item->shape;

    *s = (struct shape){.blocks = o->blocks, .threads = o->threads, .type = o->setting.type};
    fill_size(s, o, family, power);
    if (listener && fills(s, variant, family, listener))
        s->device = listener->to_fill;
    if (!o->given[last] && family->axes[last].option && (power < 0 || o->sweep != (int)last))
        s->axis[last] = nearest(variant, s->axis[last]);
    if (sweeps_blocks)
        s->blocks = 1 << power;
    if (variant->rules & ONE_BLOCK && s->blocks == 0)
        s->blocks = 1;
    if (s->threads == 0)
        s->threads = variant->threads;
    (variant->default_shape ? variant->default_shape : family->default_shape)(s);
    if (variant->rules & GRID_BY_SIZE && o->blocks == 0)
        s->blocks = 0;
    fit_grid(s, o, variant, sweeps_blocks);
    check_rules(item, o, family);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

void shape_enlarge(struct shape *largest, const struct shape *s)
{
    largest->n = larger(largest->n, s->n);
    for (int k = 0; k < MAX_AXES; k++)
        largest->axis[k] = larger(largest->axis[k], s->axis[k]);
    largest->blocks = (int)larger((size_t)largest->blocks, (size_t)s->blocks);
    largest->threads = (int)larger((size_t)largest->threads, (size_t)s->threads);
    largest->type = s->type ? s->type : largest->type;
}

static void find_largest(struct plan *plan, const struct family *family,
                         const struct listener *listener)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct item *item = &plan->items[i];
        int devices = plan_devices(family, &item->shape);
        struct shape largest = item->shape;

        if (item->refused[0])
            continue;
        if (devices > plan->devices)
            plan->devices = devices;
        if (listener && listener->replaces)
            listener->replaces(listener->context, item, &largest);
        shape_enlarge(&plan->largest, &largest);
    }
}

/* The size that a variant's first item gives; NULL if it can run somewhere. */
static const struct item *refused_everywhere(const struct plan *plan, size_t column)
{
    size_t columns = plan->count / plan->sizes;

    for (size_t i = column; i < plan->count; i += columns) {
        if (!plan->items[i].refused[0])
            return NULL;
    }
    return &plan->items[column];
}

/* A variant that is wrong on purpose does not make up for all others being refused. */
static int check_runnable(const struct plan *plan, const struct options *o)
{
    size_t ours = ranks_count() > 1 ? plan->count / plan->sizes /* the peers are what ranks run */
                                    : (size_t)__builtin_popcountll(o->chosen);
    size_t refused = 0, right = 0;
    const struct item *first = NULL;

    for (size_t i = 0; i < ours; i++) {
        const struct item *item = refused_everywhere(plan, i);

        right += !(plan->items[i].variant->rules & UNSYNCHRONISED);
        if (!item)
            continue;
        if (!first)
            first = item;
        refused += !(plan->items[i].variant->rules & UNSYNCHRONISED);
    }
    if (first && !o->in_batch && (o->name_count || refused == right))
        return complain_of(first->variant->name, BAD_USAGE, "%s", first->refused);
    return 0;
}

static struct item item_of(const struct variant *variant, bool peer)
{
    return (struct item){.variant = variant, .role = role_of(variant, peer), .library = peer};
}

static void add_item(struct plan *plan, const struct options *o, const struct family *family,
                     const struct listener *listener, int power, struct item item)
{
    fill_item(&item, o, family, listener, power);
    plan->items[plan->count++] = item;
}

int plan_make(struct plan *plan, const struct options *o, const struct program *program,
              const struct listener *listener)
{
    size_t sizes = (size_t)((o->sweep_to - o->sweep_from) / o->sweep_step) + 1;
    size_t most = sizes * 2 * MAX_VARIANTS;
    const struct family *family = program->family;

    *plan = (struct plan){
        .items = (struct item *)calloc(most, sizeof(*plan->items)), .sizes = sizes, .devices = 1};
    if (!plan->items)
        return complain(BAD_DEVICE, "no memory for %zu measurements", most);
    for (int power = o->sweep_from; power <= o->sweep_to; power += o->sweep_step) {
        for (size_t i = 0; i < o->step->count; i++) {
            if (o->chosen >> i & 1)
                add_item(plan, o, family, listener, power, item_of(&o->step->variants[i], false));
        }
        for (size_t i = 0; i < MAX_VARIANTS; i++) {
            if (o->chosen_peers >> i & 1)
                add_item(plan, o, family, listener, power,
                         item_of(&program->peers[i].variant, true));
        }
    }
    find_largest(plan, family, listener);
    return check_runnable(plan, o);
}

void plan_free(struct plan *plan)
{
    free(plan->items);
    *plan = (struct plan){0};
}
