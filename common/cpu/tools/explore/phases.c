/*
 * A barrier keeps its number from run to run, though its block may lie elsewhere: it is known by
 * its block and by what it is there.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cpu/engine/state.h"
#include "cpu/tools/explore/phases.h"

/* One with a number, or a team's, which is counted behind them. */
struct barrier {
    uint64_t block;
    unsigned which;
};

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

bool phases_any(void)
{
    return barriers > 0;
}

/* Two addresses in a struct named_barrier mean it: see object.c. */
static unsigned which_of(const struct block *b, uintptr_t object)
{
    uintptr_t offset = object - (uintptr_t)b->named;

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
    barrier[barriers] = (struct barrier){b->number, which};
    return barriers++;
}

uint64_t phases_now(const struct block *b, uintptr_t object)
{
    unsigned which = which_of(b, object);

    return which < NAMED_BARRIERS ? b->named[which].phase : b->team_phase[which - NAMED_BARRIERS];
}

const char *phases_name(char *text, size_t size, uint32_t number)
{
    unsigned which = barrier[number].which;

    if (which < NAMED_BARRIERS)
        snprintf(text, size, "barrier %u", which);
    else
        snprintf(text, size, "the barrier of a tile of warps");
    return text;
}
