/*
 * Asynchronous copies. A GPU's may arrive at any time from the call that begins it to the wait for
 * it. Here it arrives as late as it may, at the wait, so that a read which does not wait sees what
 * was there before; in a random order it may also arrive at once or at a commit. One that nobody
 * waits for has not arrived when its thread ends, nor ever. The source, too, is read when the copy
 * arrives.
 *
 * A thread's copies are a list, oldest first; `copying` of its block says that the list is not
 * empty. Copies arrive in the order in which their thread began them. What is free hangs on the
 * worker.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/async_copies.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"

static struct copy *take(struct worker *w)
{
    struct copy *c = w->spare_copies;

    if (c) {
        w->spare_copies = c->next;
        return c;
    }
    c = malloc(sizeof(*c));
    if (!c) {
        fprintf(stderr, "CPU device: out of memory for asynchronous copies\n");
        exit(3);
    }
    return c;
}

static void give_back(struct worker *w, struct copy *c)
{
    c->next = w->spare_copies;
    w->spare_copies = c;
}

static void arrive(struct thread *t, const struct copy *c)
{
    memcpy(c->to, c->from, c->bytes - c->zeros);
    memset((char *)c->to + c->bytes - c->zeros, 0, c->zeros);
    OBSERVE(copied, t, c);
}

/* Of the thread's copies those arrive that are of the object, if one is given, or else of groups
 * before `before`. */
static void arrive_some(struct thread *t, uint64_t before, uintptr_t object)
{
    struct copy **p = &t->copies, *c;

    t->last_copy = NULL;
    while ((c = *p)) {
        if (object ? c->object == object : c->group < before) {
            arrive(t, c);
            *p = c->next;
            give_back(t->block->worker, c);
        } else {
            t->last_copy = c;
            p = &c->next;
        }
    }
    if (!t->copies)
        set_remove(t->block->copying, t->id);
}

static bool arrives_early(struct thread *t)
{
    return cpu_random_order && cpu_random(&t->block->worker->random) % 4 == 0;
}

void async_copy_begin(struct thread *t, const struct copy *c)
{
    struct copy *mine = take(t->block->worker);

    *mine = *c;
    mine->next = NULL;
    mine->group = t->copy_groups;
    OBSERVE(copy, t, mine);
    if (t->copies)
        t->last_copy->next = mine;
    else
        t->copies = mine;
    t->last_copy = mine;
    set_add(t->block->copying, t->id);
    if (arrives_early(t))
        arrive_some(t, UINT64_MAX, 0);
}

void async_copy_commit(struct thread *t)
{
    t->copy_groups++;
    if (t->copies && arrives_early(t))
        arrive_some(t, UINT64_MAX, 0);
}

void async_copy_wait(struct thread *t, uint64_t prior)
{
    if (t->copies && t->copy_groups > prior)
        arrive_some(t, t->copy_groups - prior, 0);
}

void async_copy_bind(struct thread *t, uintptr_t object)
{
    for (struct copy *c = t->copies; c; c = c->next)
        if (!c->object)
            c->object = object;
}

void async_copy_arrive(struct block *b, uintptr_t object)
{
    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rest = b->copying[i]; rest; rest &= rest - 1)
            arrive_some(&b->thread[i * 64 + (unsigned)__builtin_ctzll(rest)], 0, object);
}

void async_copy_forget(struct block *b)
{
    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rest = b->copying[i]; rest; rest &= rest - 1) {
            struct thread *t = &b->thread[i * 64 + (unsigned)__builtin_ctzll(rest)];

            while (t->copies) {
                struct copy *c = t->copies;

                t->copies = c->next;
                give_back(b->worker, c);
            }
        }
}
