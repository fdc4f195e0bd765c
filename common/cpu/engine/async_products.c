/* What warps have begun to multiply and not waited for. Products and what hangs on a warp are kept
 * by the worker for reuse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/async_products.h"

static void *allot(size_t bytes)
{
    void *p = malloc(bytes);

    if (!p) {
        fprintf(stderr, "CPU device: out of memory for products of warpgroups\n");
        exit(3);
    }
    return p;
}

struct warp_products *async_products_of(struct block *b, struct warp *w)
{
    struct warp_products *p = b->worker->spare_warp_products;

    if (w->products)
        return w->products;
    if (p)
        b->worker->spare_warp_products = p->next_free;
    else
        p = allot(sizeof(*p));
    memset(p, 0, sizeof(*p));
    return w->products = p;
}

struct product *async_product_new(struct worker *w)
{
    struct product *p = w->spare_products;

    if (p)
        w->spare_products = p->next;
    else
        p = allot(sizeof(*p));
    p->next = NULL;
    return p;
}

void async_product_free(struct worker *w, struct product *p)
{
    p->next = w->spare_products;
    w->spare_products = p;
}

void async_products_forget(struct block *b)
{
    for (unsigned i = 0; i < b->warps; i++) {
        struct warp_products *p = b->warp[i].products;

        while (p && p->first) {
            struct product *one = p->first;

            p->first = one->next;
            async_product_free(b->worker, one);
        }
        if (p) {
            p->next_free = b->worker->spare_warp_products;
            b->worker->spare_warp_products = p;
        }
        b->warp[i].products = NULL;
    }
}

struct sum_range *async_sum_range(const struct thread *t, uintptr_t address)
{
    struct warp_products *p = t->block->warp[t->id / WARP].products;
    unsigned lane = t->id % WARP;

    for (unsigned i = 0; p && i < p->ranges[lane]; i++)
        if (address - p->range[lane][i].from < p->range[lane][i].to - p->range[lane][i].from)
            return &p->range[lane][i];
    return NULL;
}

const struct product *async_product_at(const struct thread *t, uintptr_t address, unsigned bytes)
{
    const struct warp_products *p = t->block->warp[t->id / WARP].products;

    for (const struct product *one = p ? p->first : NULL; one; one = one->next)
        for (unsigned i = 0; i < one->columns / 2; i++) {
            uintptr_t sum = (uintptr_t)one->sum[t->id % WARP][i];

            if (sum && sum < address + bytes && address < sum + sizeof(float))
                return one;
        }
    return NULL;
}
