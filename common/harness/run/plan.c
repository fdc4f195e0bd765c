#include "harness/run/plan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/run/measurement.h"

/* Whether the threads per block break a rule; why then says which. */
static bool refuse_threads(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    if (v->threads && s->threads != v->threads)
        snprintf(why, room, "threads must be %d; got %d", v->threads, s->threads);
    else if (v->rules & POWER_OF_TWO && s->threads & (s->threads - 1))
        snprintf(why, room, "threads must be a power of two; got %d", s->threads);
    else if (v->rules & WHOLE_WARPS && s->threads % 32)
        snprintf(why, room, "threads must be a multiple of 32; got %d", s->threads);
    else if (v->rules & TWO_THREADS && s->threads < 2)
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
    int most = (v->rules & ELEMENT_A_THREAD ? 1 : 2) * s->threads;

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

/* Of the values of the last axis that the variant takes, the largest that is not above this one, else
 * the least; this one if it takes all. */
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

/* Whether an axis is beyond the number of elements, or the variant has not the type. */
static bool refuse_problem(const struct shape *s, const struct variant *v,
                           const struct family *family, char *why, size_t room)
{
    size_t most = s->n > 0 ? s->n : 1;

    for (size_t i = 0; i < family->axis_count; i++) {
        if (family->axes[i].up_to_n && s->axis[i] > most) {
            snprintf(why, room, "%s must be at most %zu, for %zu elements; got %zu",
                     family->axes[i].name, most, s->n, s->axis[i]);
            return true;
        }
    }
    if (v->type && v->type != s->type)
        snprintf(why, room, "--type must be %s; got %s", v->type->name, s->type->name);
    return v->type && v->type != s->type;
}

/* The most blocks that the variant may have, of the device that is estimated if that is to be filled; 0: any number. */
static int most_resident(const struct shape *s, const struct options *o, const struct variant *v)
{
    const struct device *device = s->multiprocessors ? device_get() : NULL;
    int resident = v->resident && !o->setting.oversubscribe ? v->resident(s->threads) : 0;

    return device ? (int)((long long)resident * s->multiprocessors / device->multiprocessors)
                  : resident;
}

/* Put the rule that the shape breaks into item->refused, and what it is. */
static void check_rules(struct item *item, const struct options *o, const struct family *family)
{
    const struct shape *s = &item->shape;
    const struct variant *v = item->variant;
    char *why = item->refused;
    size_t room = sizeof(item->refused);
    int resident = most_resident(s, o, v);
    int repeats = family->repeats ? family->repeats(&o->setting) : 1;

    if (v->rules & GRID_BY_SIZE && o->blocks)
        snprintf(why, room, "the grid follows from the size, so --blocks must be left out; got %d",
                 o->blocks);
    else if (v->rules & THREADS_BY_SIZE && o->threads)
        snprintf(why, room,
                 "the threads follow from the size, so --threads must be left out; got %d",
                 o->threads);
    else if (refuse_value(s, v, family, why, room) || refuse_problem(s, v, family, why, room) ||
             refuse_threads(s, v, why, room) ||
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
    int resident = sweeps || o->blocks == 0 ? most_resident(s, o, v) : 0;

    if (resident > 0 && s->blocks > resident && (!sweeps || resident > s->blocks / 2))
        s->blocks = resident;
}

static void fill_item(struct item *item, const struct options *o, const struct family *family,
                      const struct variant *variant, int power)
{
    bool sweeps_blocks = power >= 0 && o->sweep == SWEEP_BLOCKS;
    size_t last = family->axis_count - 1;
    struct shape *s = &item->shape;

    item->variant = variant;
    *s = (struct shape){.blocks = o->blocks, .threads = o->threads, .type = o->setting.type};
    /* Blocks that wait for each other must all be resident, here. */
    if (o->estimate && !(variant->rules & (WAITS | UNSYNCHRONISED)))
        s->multiprocessors = (int)o->machine.attribute[MACHINE_MULTIPROCESSORS];
    fill_size(s, o, family, power);
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

/* Of a free grid, the most blocks that are counted of a part of the problem, at least two in the smallest, since
 * a single one may go a way of its own; 0: the grid follows from the size. */
static size_t counted_blocks(const struct item *item, const struct family *family, size_t most)
{
    const struct shape *whole = &item->shape;
    size_t least = 2 << (COUNTED_SIZES - 1);

    if (!whole->blocks || !(family->options & OPTION_BLOCKS))
        return 0;
    return larger(least, (size_t)((double)whole->blocks * (double)most / (double)whole->n));
}

const int plan_tiles[COUNTED_PRODUCTS][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1},
                                             {1, 1, 2}, {2, 1, 2}, {1, 2, 2}};

static bool is_product(const struct family *family)
{
    return family->axes[0].tile > 0;
}

int plan_parts(const struct family *family)
{
    return is_product(family) ? COUNTED_PRODUCTS : COUNTED_SIZES;
}

/* Are all three sides whole tiles, and enough of them? */
static bool in_tiles(const struct shape *s, const struct family *family)
{
    for (int i = 0; i < 3; i++) {
        if (s->axis[i] % family->axes[i].tile || s->axis[i] < 2 * family->axes[i].tile)
            return false;
    }
    return true;
}

void plan_counted(struct shape *s, const struct item *item, const struct family *family, int at,
                  size_t most)
{
    const struct shape *whole = &item->shape;
    size_t blocks = counted_blocks(item, family, most);
    int smaller = COUNTED_SIZES - 1 - at;

    *s = *whole;
    if (is_product(family)) {
        for (int i = 0; i < 3; i++)
            s->axis[i] = (size_t)plan_tiles[at][i] * family->axes[i].tile;
        s->n = options_elements(family, s->axis);
        return;
    }
    if (blocks) {
        s->blocks = (int)(blocks >> smaller);
        s->axis[0] = (size_t)((double)whole->n * s->blocks / whole->blocks);
        s->n = s->axis[0];
        return;
    }
    while (s->n > most >> smaller && s->axis[0] > 1) {
        s->axis[0] = (s->axis[0] + 1) / 2;
        s->n = options_elements(family, s->axis);
    }
}

/* What an estimate counts in an item's place. */
static void choose_counted(struct item *item, const struct options *o, const struct family *family)
{
    size_t most = is_product(family) ? MOST_MULTIPLIED : MOST_COUNTED;
    struct shape s;

    item->extended = o->estimate && item->shape.n > most && !item->refused[0];
    if (!item->extended)
        return;
    plan_counted(&s, item, family, plan_parts(family) - 1, MOST_COUNTED);
    if (item->variant->rules & ON_HOST)
        item->uncounted = "it runs on the host";
    else if (is_product(family) && !in_tiles(&item->shape, family))
        item->uncounted = "its sides are not whole tiles, at least two of them";
    else if (is_product(family))
        return;
    else if (family->by_data)
        item->uncounted = "its addresses depend on the data";
    else if (s.n > (counted_blocks(item, family, MOST_COUNTED) ? FEW_COUNTED : MOST_COUNTED))
        item->uncounted = "even a part of it is too large to count";
}

static void make_larger(struct shape *most, const struct shape *s)
{
    most->n = larger(most->n, s->n);
    for (int k = 0; k < MOST_AXES; k++)
        most->axis[k] = larger(most->axis[k], s->axis[k]);
    most->blocks = (int)larger((size_t)most->blocks, (size_t)s->blocks);
    most->threads = (int)larger((size_t)most->threads, (size_t)s->threads);
    most->type = s->type;
}

static void find_largest(struct plan *plan, const struct family *family)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct item *item = &plan->items[i];
        struct shape counted;

        if (item->refused[0] || item->uncounted)
            continue;
        for (int at = 0; item->extended && at < plan_parts(family); at++) {
            plan_counted(&counted, item, family, at, MOST_COUNTED);
            make_larger(&plan->largest, &counted);
        }
        if (!item->extended)
            make_larger(&plan->largest, &item->shape);
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
    size_t ours = (size_t)__builtin_popcountll(o->chosen), refused = 0, right = 0;
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

static void add_item(struct plan *plan, const struct options *o, const struct family *family,
                     const struct variant *variant, int power, bool peer)
{
    struct item *item = &plan->items[plan->count++];

    fill_item(item, o, family, variant, power);
    choose_counted(item, o, family);
    item->role = role_of(variant, peer);
    item->library = peer;
}

int plan_make(struct plan *plan, const struct options *o, const struct program *program)
{
    size_t sizes = (size_t)(o->sweep_to - o->sweep_from) + 1;
    size_t most = sizes * 2 * MOST_VARIANTS;
    const struct family *family = program->family;

    *plan =
        (struct plan){.items = (struct item *)calloc(most, sizeof(*plan->items)), .sizes = sizes};
    if (!plan->items)
        return complain(BAD_DEVICE, "no memory for %zu measurements", most);
    for (int power = o->sweep_from; power <= o->sweep_to; power++) {
        for (size_t i = 0; i < o->step->count; i++) {
            if (o->chosen >> i & 1)
                add_item(plan, o, family, &o->step->variants[i], power, false);
        }
        for (size_t i = 0; i < MOST_VARIANTS; i++) {
            if (o->chosen_peers >> i & 1)
                add_item(plan, o, family, &program->peers[i].variant, power, true);
        }
    }
    find_largest(plan, family);
    return check_runnable(plan, o);
}

void plan_free(struct plan *plan)
{
    free(plan->items);
    *plan = (struct plan){0};
}
