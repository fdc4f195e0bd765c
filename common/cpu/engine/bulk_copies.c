/*
 * Copies of many bytes. A GPU's may read and write at any time from the call that begins it to the
 * wait for it. Here both is done as late as it may be, at the wait; see async_copies.c. A copy to
 * shared memory is waited for through a barrier object, by any thread of the block; one to global
 * memory by the thread that began it: first that it has read, so that shared memory may change, and
 * then that it has written. What changes in shared memory before it has read is written as elements
 * whose bits are all set, which is NaN of any type of floating point.
 *
 * The copies of a block are a list, oldest first. What is free hangs on the worker.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/bulk_copies.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

static void *allot(void *old, size_t bytes)
{
    void *p = realloc(old, bytes);

    if (!p) {
        fprintf(stderr, "CPU device: out of memory for copies in bulk\n");
        exit(3);
    }
    return p;
}

struct bulk *bulk_new(struct worker *w)
{
    struct bulk *c = w->spare_bulks;

    if (c)
        w->spare_bulks = c->next;
    else
        memset(c = allot(NULL, sizeof(*c)), 0, sizeof(*c));
    c->next = NULL;
    c->is_read = false;
    c->pieces = 0;
    return c;
}

void bulk_free(struct worker *w, struct bulk *c)
{
    c->next = w->spare_bulks;
    w->spare_bulks = c;
}

void bulk_add(struct bulk *c, uintptr_t global, uint32_t shared, uint32_t bytes)
{
    if (c->pieces == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->piece = allot(c->piece, c->room * sizeof(*c->piece));
        c->seen = allot(c->seen, c->room * sizeof(*c->seen));
    }
    c->piece[c->pieces++] = (struct bulk_piece){global, shared, bytes};
}

void bulk_begin(struct bulk *c)
{
    struct block *b = c->block;

    c->group = c->thread->bulk_groups;
    for (unsigned i = 0; i < c->pieces && !c->object; i++)
        memcpy(c->seen[i], b->shared + c->piece[i].shared, c->piece[i].bytes);
    if (b->bulks)
        b->last_bulk->next = c;
    else
        b->bulks = c;
    b->last_bulk = c;
    OBSERVE(bulk, c->thread, c);
    cpu_progress();
}

/* --- to shared memory ------------------------------------------------------------------------- */

static void load(const struct bulk *c)
{
    char *shared = c->block->shared;

    for (unsigned i = 0; i < c->pieces; i++) {
        const struct bulk_piece *p = &c->piece[i];

        if (p->global)
            memcpy(shared + p->shared, (const void *)p->global, p->bytes);
        else
            memset(shared + p->shared, 0, p->bytes);
    }
    OBSERVE(bulk_done, c->thread, c);
}

bool bulk_awaited(const struct block *b, uintptr_t object)
{
    for (const struct bulk *c = b->bulks; c; c = c->next)
        if (c->object == object)
            return true;
    return false;
}

const struct bulk *bulk_at(const struct block *b, uintptr_t address, unsigned bytes, bool arrives)
{
    size_t offset = address - (uintptr_t)b->shared;

    for (const struct bulk *c = b->bulks; c; c = c->next)
        for (unsigned i = 0; i < c->pieces && !c->object == !arrives && !c->is_read; i++)
            if (c->piece[i].shared < offset + bytes &&
                offset < c->piece[i].shared + c->piece[i].bytes)
                return c;
    return NULL;
}

/* The copy at *p leaves the list. */
static void leave(struct block *b, struct bulk **p)
{
    struct bulk *c = *p;

    *p = c->next;
    bulk_free(b->worker, c);
}

static void find_last(struct block *b)
{
    b->last_bulk = b->bulks;
    while (b->last_bulk && b->last_bulk->next)
        b->last_bulk = b->last_bulk->next;
}

int64_t bulk_arrive(struct block *b, uintptr_t object)
{
    int64_t bytes = 0;

    for (struct bulk **p = &b->bulks; *p;) {
        if ((*p)->object == object) {
            load(*p);
            bytes += (*p)->bytes;
            leave(b, p);
        } else {
            p = &(*p)->next;
        }
    }
    find_last(b);
    return bytes;
}

/* --- to global memory ------------------------------------------------------------------------- */

/* Elements that have changed since it began have all bits set. */
static void read_shared(struct bulk *c)
{
    const char *shared = c->thread->block->shared;

    if (c->is_read)
        return;
    for (unsigned i = 0; i < c->pieces; i++) {
        const struct bulk_piece *p = &c->piece[i];

        for (unsigned at = 0; at < p->bytes; at += c->element)
            if (memcmp(c->seen[i] + at, shared + p->shared + at, c->element))
                memset(c->seen[i] + at, 0xff, c->element);
    }
    c->is_read = true;
    OBSERVE(bulk_done, c->thread, c);
}

static void store(const struct bulk *c)
{
    for (unsigned i = 0; i < c->pieces; i++)
        memcpy((void *)c->piece[i].global, c->seen[i], c->piece[i].bytes);
    cpu_progress();
}

void bulk_commit(struct thread *t)
{
    t->bulk_groups++;
}

void bulk_wait(struct thread *t, uint64_t prior, bool read_only)
{
    struct block *b = t->block;

    for (struct bulk **p = &b->bulks; *p;) {
        struct bulk *c = *p;

        if (c->object || c->thread != t || c->group + prior >= t->bulk_groups) {
            p = &c->next;
            continue;
        }
        read_shared(c);
        if (read_only) {
            p = &c->next;
            continue;
        }
        store(c);
        leave(b, p);
    }
    find_last(b);
}

void bulk_end(struct block *b)
{
    while (b->bulks) {
        if (b->bulks->is_read)
            store(b->bulks);
        leave(b, &b->bulks);
    }
}
