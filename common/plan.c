#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Put the rule that the shape breaks into item->refused, and what it is. */
static void check_rules(struct item *item, const struct options *o, const struct family *family)
{
    const struct shape *s = &item->shape;
    const struct variant *v = item->variant;
    char *why = item->refused;
    size_t room = sizeof(item->refused);
    int resident = v->resident && !o->oversubscribe ? v->resident(s->threads) : 0;

    if (v->rules & GRID_BY_SIZE && o->blocks)
        snprintf(why, room, "the grid follows from the size, so --blocks must be left out; got %d",
                 o->blocks);
    else if (v->rules & POWER_OF_TWO && s->threads & (s->threads - 1))
        snprintf(why, room, "threads must be a power of two; got %d", s->threads);
    else if (v->rules & WHOLE_WARPS && s->threads % 32)
        snprintf(why, room, "threads must be a multiple of 32; got %d", s->threads);
    else if (family->refuse && family->refuse(s, v, why, room))
        return;
    else if (v->rules & ONE_BLOCK && s->n > 2 * (size_t)s->threads)
        snprintf(why, room, "one block of %d threads takes at most %d elements; got %zu",
                 s->threads, 2 * s->threads, s->n);
    else if (v->rules & ONE_BLOCK && s->blocks > 1)
        snprintf(why, room, "blocks must be 1; got %d", s->blocks);
    else if (resident > 0 && s->blocks > resident)
        snprintf(why, room,
                 "at most %d blocks of %d threads are on this device at once; got %d%s", resident,
                 s->threads, s->blocks,
                 family->options & OPTION_OVERSUBSCRIBE
                     ? " (--oversubscribe shows what would happen)"
                     : "");
}

static void fill_item(struct item *item, const struct options *o, const struct family *family,
                      const struct variant *variant, int power)
{
    bool sweeps_blocks = power >= 0 && family->options & OPTION_SWEEPS_BLOCKS;
    struct shape *s = &item->shape;

    item->variant = variant;
    *s = (struct shape){.n = o->n,
                        .rows = o->rows,
                        .cols = o->cols,
                        .blocks = o->blocks,
                        .threads = o->threads,
                        .type = o->type};
    if (sweeps_blocks) {
        s->blocks = 1 << power;
    } else if (power >= 0) {
        s->n = (size_t)1 << power;
        if (family->matrix) {
            s->rows = s->cols = s->n;
            s->n *= s->n;
        }
    }
    if (variant->rules & ONE_BLOCK && s->blocks == 0)
        s->blocks = 1;
    (variant->default_shape ? variant->default_shape : family->default_shape)(s);
    if (variant->rules & GRID_BY_SIZE && o->blocks == 0)
        s->blocks = 0;
    if (o->blocks == 0 && !sweeps_blocks && variant->resident && !o->oversubscribe) {
        int resident = variant->resident(s->threads); /* a default is never too large */

        if (resident > 0 && s->blocks > resident)
            s->blocks = resident;
    } else if (sweeps_blocks && variant->resident && !o->oversubscribe) {
        int resident = variant->resident(s->threads);

        if (resident > s->blocks / 2 && s->blocks > resident) /* the last point of the sweep */
            s->blocks = resident;
    }
    check_rules(item, o, family);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void find_largest(struct plan *plan)
{
    struct shape *most = &plan->largest;

    for (size_t i = 0; i < plan->count; i++) {
        const struct shape *s = &plan->items[i].shape;

        if (plan->items[i].refused[0])
            continue;
        most->n = larger(most->n, s->n);
        most->rows = larger(most->rows, s->rows);
        most->cols = larger(most->cols, s->cols);
        most->blocks = (int)larger((size_t)most->blocks, (size_t)s->blocks);
        most->threads = (int)larger((size_t)most->threads, (size_t)s->threads);
        most->type = s->type;
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

static int check_runnable(const struct plan *plan, const struct options *o)
{
    const struct item *first = NULL;
    size_t columns = plan->count / plan->sizes, refused = 0, ours = 0;

    for (size_t i = 0; i < columns; i++) {
        const struct item *item = refused_everywhere(plan, i);

        if (plan->items[i].peer)
            break;
        ours++;
        if (!item)
            continue;
        if (!first)
            first = item;
        refused++;
    }
    if (first && (o->chosen || refused == ours))
        return complain_of(first->variant->name, BAD_USAGE, "%s", first->refused);
    return 0;
}

int plan_make(struct plan *plan, const struct options *o, const struct program *program,
              const struct variant *peers, size_t peer_count)
{
    size_t sizes = (size_t)(o->sweep_to - o->sweep_from) + 1;
    size_t most = sizes * (program->count + peer_count);

    *plan = (struct plan){.items = calloc(most ? most : 1, sizeof(*plan->items)), .sizes = sizes};
    if (!plan->items)
        return complain(BAD_DEVICE, "no memory for %zu measurements", most);
    for (int power = o->sweep_from; power <= o->sweep_to; power++) {
        for (size_t i = 0; i < program->count; i++) {
            if (!o->chosen || o->chosen >> i & 1)
                fill_item(&plan->items[plan->count++], o, program->family, &program->variants[i],
                          power);
        }
        for (size_t i = 0; i < peer_count; i++) {
            plan->items[plan->count].peer = true;
            fill_item(&plan->items[plan->count++], o, program->family, &peers[i], power);
        }
    }
    find_largest(plan);
    return check_runnable(plan, o);
}

void plan_free(struct plan *plan)
{
    free(plan->items);
    *plan = (struct plan){0};
}
