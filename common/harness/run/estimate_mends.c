/*
 * What one change of a kernel would bring: the launch's counters as they would be after it, and
 * the time by the model of estimate.c. A change is one number of the launch, or a few that go
 * together; all others stay, so that it is less exact than the same kernel written and counted.
 */
#include "harness/run/estimate_mends.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "harness/run/estimate.h"

#define LINE_SECTORS 4
#define IN_FLIGHT 4 /* loads, in place of one */

/* Of the loads in a chain, those that the multiprocessor's cache has are as many as of all. */
static void share_loads(double waits[CPU_WAIT_KINDS], double in_cache)
{
    double loads = waits[CPU_WAIT_GLOBAL] + waits[CPU_WAIT_CACHE];

    waits[CPU_WAIT_CACHE] = in_cache * loads;
    waits[CPU_WAIT_GLOBAL] = loads - waits[CPU_WAIT_CACHE];
}

/* Each request has the fewest sectors and lines that could hold what it asks for. What the
 * multiprocessor's cache did not have before it does not have now; the loads that it had were of
 * sectors that others had asked for, and are of their own now. */
static void coalesce(struct cpu_device_launch *l)
{
    bool fewer = l->load_sectors > l->ideal_loads;
    double lacked = l->load_sectors - l->cache_sectors, loaded = fmin(lacked, l->ideal_loads);

    if (l->store_sectors > l->ideal_stores)
        l->partial_stores = l->partial_lines = 0;
    l->load_sectors = fmin(l->load_sectors, l->ideal_loads);
    l->store_sectors = fmin(l->store_sectors, l->ideal_stores);
    l->cache_sectors = l->load_sectors - loaded;
    if (fewer) {
        share_loads(l->longest, l->cache_sectors / l->load_sectors);
        share_loads(l->span, l->cache_sectors / l->load_sectors);
        share_loads(l->tail, l->cache_sectors / l->load_sectors);
    }
    l->common_sectors *= lacked > 0 ? loaded / lacked : 1;
    l->missed = fmin(l->missed, loaded / LINE_SECTORS);
    l->opened = l->whole = l->sectors_read / LINE_SECTORS;
    l->quarters = fmin(
        l->quarters,
        4 * (fmax(l->requests, (l->ideal_loads + l->ideal_stores) / LINE_SECTORS) + l->missed));
}

/* Loads that waited for each other are in flight together. */
static void load_ahead(struct cpu_device_launch *l)
{
    static const enum cpu_wait_kind kinds[] = {CPU_WAIT_GLOBAL, CPU_WAIT_CACHE};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        double *const waits[] = {&l->longest[kinds[i]], &l->span[kinds[i]], &l->tail[kinds[i]]};

        for (size_t k = 0; k < sizeof(waits) / sizeof(waits[0]); k++)
            *waits[k] = fmin(*waits[k], fmax(*waits[k] / IN_FLIGHT, 1));
    }
}

/* A grid that leaves multiprocessors without a block has a block for each, of shorter chains. */
static void spread(struct cpu_device_launch *l, double multiprocessors)
{
    double share = l->blocks / multiprocessors;

    if (share >= 1)
        return;
    l->blocks = multiprocessors;
    for (int i = 0; i < CPU_WAIT_KINDS; i++) {
        l->longest[i] *= share;
        l->span[i] *= share;
        l->tail[i] *= share;
    }
}

/* Not the lines: a request touches as many of them, of smaller elements, as before. */
static void halve_bytes(struct cpu_device_launch *l)
{
    double *const bytes[] = {&l->load_sectors,   &l->store_sectors,   &l->cache_sectors,
                             &l->common_sectors, &l->added_sectors,   &l->answered_sectors,
                             &l->sectors_read,   &l->sectors_written, &l->sectors_touched};

    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
        *bytes[i] /= 2;
}

static void change(struct cpu_device_launch *l, const struct machine *machine, enum mend mend)
{
    switch (mend) {
    case MEND_COALESCED:
        coalesce(l);
        break;
    case MEND_CONFLICTS:
        l->wavefronts -= l->conflicts;
        break;
    case MEND_CONSTANTS:
        l->constants = 0;
        break;
    case MEND_IN_FLIGHT:
        load_ahead(l);
        break;
    case MEND_SPREAD:
        spread(l, machine->attribute[MACHINE_MULTIPROCESSORS]);
        break;
    case MEND_BARRIERS:
        l->longest[CPU_WAIT_BARRIER] = l->span[CPU_WAIT_BARRIER] = l->tail[CPU_WAIT_BARRIER] = 0;
        l->barriers = 0;
        break;
    case MEND_LINES:
        l->hot_lanes = l->hot_sectors = l->hot_passes = l->hot_integers = 0;
        break;
    case MEND_WHOLE_SECTORS:
        l->partial_stores = l->partial_lines = 0;
        break;
    case MEND_INSTRUCTIONS:
        l->warp_instructions /= 2;
        l->tail_instructions /= 2;
        l->issue_cycles /= 2;
        for (int i = 0; i < CPU_UNITS; i++)
            l->unit_cycles[i] /= 2;
        l->operations /= 2;
        break;
    case MEND_BYTES:
        halve_bytes(l);
        break;
    default:
        break;
    }
}

/* One more block is resident where only its shared memory or its registers have no room. */
static bool lacks_room(const struct machine *machine, const struct cpu_device_launch *l)
{
    enum room room;

    estimate_resident(machine, l, &room);
    return room == ROOM_FOR_SHARED || room == ROOM_FOR_REGISTERS;
}

double mend_us(const struct machine *machine, const struct cpu_device_launch *l, enum mend mend)
{
    struct cpu_device_launch changed = *l;

    if (mend == MEND_RESIDENT)
        return lacks_room(machine, l) ? estimate_launch(machine, l, 1, NULL) : -1;
    change(&changed, machine, mend);
    return memcmp(&changed, l, sizeof(*l)) ? estimate_launch(machine, &changed, 0, NULL) : -1;
}

const char *mend_name(enum mend mend)
{
    static const char *const names[MENDS] = {
        [MEND_COALESCED] = "coalesced",
        [MEND_CONFLICTS] = "without bank conflicts",
        [MEND_CONSTANTS] = "with one place of constant memory for a warp",
        [MEND_RESIDENT] = "with one more block per multiprocessor",
        [MEND_IN_FLIGHT] = "with four loads in flight instead of one",
        [MEND_SPREAD] = "with a block on each multiprocessor",
        [MEND_BARRIERS] = "without barriers",
        [MEND_LINES] = "with atomics on different lines",
        [MEND_WHOLE_SECTORS] = "with stores of whole sectors",
        [MEND_INSTRUCTIONS] = "with half the instructions",
        [MEND_BYTES] = "with half the bytes",
    };

    return names[mend];
}
