/*
 * A barrier keeps its number from run to run, though its block may lie elsewhere: it is known by
 * its block and by what it is there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/object.h"
#include "cpu/engine/state.h"
#include "cpu/tools/explore/phases.h"

/* One with a number; or a team's, which is counted behind them; or an object's, by its offset in
 * shared memory, behind these. */
struct barrier {
    uint64_t block;
    unsigned which;
    uint64_t phase; /* of an object, whose word has it modulo 4 */
    bool begun;     /* in this run */
};

enum { OBJECTS = NAMED_BARRIERS + MAX_WARPS };

static struct barrier *barrier;
static uint32_t barriers, room;

void phases_begin(void)
{
    barriers = 0;
}

void phases_end(void)
{
    free(barrier);
    barrier = NULL;
    barriers = room = 0;
}

void phases_run(void)
{
    for (uint32_t i = 0; i < barriers; i++) {
        barrier[i].phase = 0;
        barrier[i].begun = false;
    }
}

bool phases_is_object(const struct block *b, uintptr_t object)
{
    return object - (uintptr_t)b->shared < SHARED_BYTES;
}

bool phases_any(void)
{
    return barriers > 0;
}

/* Two addresses in a struct named_barrier mean it: see object.c. */
static unsigned which_of(const struct block *b, uintptr_t object)
{
    uintptr_t offset = object - (uintptr_t)b->named;

    if (phases_is_object(b, object))
        return OBJECTS + (unsigned)(object - (uintptr_t)b->shared);
    if (offset < sizeof(b->named))
        return (unsigned)(offset / sizeof(b->named[0]));
    return NAMED_BARRIERS + (unsigned)((object - (uintptr_t)b->team_arrived) / sizeof(unsigned));
}

uint32_t phases_find(const struct block *b, uintptr_t object)
{
    unsigned which = which_of(b, object);

    for (uint32_t i = 0; i < barriers; i++)
        if (barrier[i].block == b->number && barrier[i].which == which)
            return i;
    if (barriers == room) {
        room = room ? 2 * room : 16;
        barrier = realloc(barrier, room * sizeof(*barrier));
        if (!barrier)
            abort();
    }
    barrier[barriers] = (struct barrier){.block = b->number, .which = which};
    return barriers++;
}

/* What was told in another life of the object is not of these phases. */
void phases_restart(const struct block *b, uintptr_t object)
{
    uint32_t number = phases_find(b, object); /* may move them */
    struct barrier *x = &barrier[number];

    x->phase = x->begun ? (x->phase | 3) + 1 : 0;
    x->begun = true;
}

uint64_t phases_now(const struct block *b, uintptr_t object)
{
    unsigned which = which_of(b, object);
    struct barrier *x;
    uint32_t number;
    uint64_t word;

    if (which < NAMED_BARRIERS)
        return b->named[which].phase;
    if (which < OBJECTS)
        return b->team_phase[which - NAMED_BARRIERS];
    number = phases_find(b, object); /* may move them */
    x = &barrier[number];
    memcpy(&word, (const void *)object, sizeof(word));
    x->phase += ((word >> OBJECT_PHASE_SHIFT) - x->phase) & 3;
    return x->phase;
}

const char *phases_name(char *text, size_t size, uint32_t number)
{
    unsigned which = barrier[number].which;

    if (which < NAMED_BARRIERS)
        snprintf(text, size, "barrier %u", which);
    else if (which >= OBJECTS)
        snprintf(text, size, "the barrier at shared byte %u", which - OBJECTS);
    else
        snprintf(text, size, "the barrier of a tile of warps");
    return text;
}
