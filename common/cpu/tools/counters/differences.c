/*
 * In what a GPU's counters may differ from these. Each class is one that was seen beside Nsight
 * Compute on an H200; plots/devices/nvidia-h200/counters-known.txt has the rows. One is told only
 * where a launch did such a thing.
 *
 * What a register keeps, or a wide access joins, is told by the mark of report.c.
 */
#include <stddef.h>
#include "cpu/tools/counters/differences.h"

static bool is_atomic(const struct place_sum *p)
{
    return key_kind(p->key) == GLOBAL_ATOMIC || key_kind(p->key) == SHARED_ATOMIC;
}

/* All lanes of each request went to one address. */
static bool on_one_address(const struct place_sum *p)
{
    return p->units == p->lanes;
}

/* An addition may be taken together; a swap, a sum of floats, a loop in shared memory may not. */
static bool is_added_up(const struct place_sum *p)
{
    bool is_loop = key_kind(p->key) == SHARED_ATOMIC && p->key & KEY_LOOP;

    return is_atomic(p) && on_one_address(p) && p->lanes > p->requests && !is_loop &&
           !(p->key & (KEY_SWAP | KEY_FLOAT));
}

static bool is_scattered(const struct place_sum *p)
{
    return key_kind(p->key) == GLOBAL_ATOMIC && p->passes > 8 * p->requests &&
           p->lanes > 4 * p->units;
}

static bool is_shared_apart(const struct place_sum *p)
{
    return key_kind(p->key) == SHARED_ATOMIC && !on_one_address(p) && !(p->key & KEY_LOOP);
}

/* Of an asynchronous copy only the load is counted. */
static bool is_copied(const struct place_sum *p)
{
    return key_kind(p->key) == GLOBAL_LOAD && p->key & KEY_QUIET;
}

static bool is_wide_with_conflicts(const struct place_sum *p)
{
    return key_kind(p->key) == SHARED_STORE && key_bytes(p->key) >= 8 && p->units > p->ideal;
}

static const struct {
    bool (*applies)(const struct place_sum *p);
    const char *text;
} classes[] = {
    {is_added_up, "nvcc may add up a warp's integer atomics on one address first"},
    {is_scattered, "of atomics to many sectors a GPU counts up to 2 % more sectors"},
    {is_shared_apart,
     "of shared atomics a GPU counts up to 3 % more wavefronts, each time another number"},
    {is_copied,
     "of asynchronous copies a GPU counts a few wavefronts more, each time another number"},
    {is_wide_with_conflicts, "of wide stores in conflict a GPU counts up to 6 % more wavefronts"},
};
enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };

unsigned differences_of(const struct place_sum *p)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < CLASSES; i++)
        bits |= (unsigned)classes[i].applies(p) << i;
    return bits;
}

const char *differences_text(unsigned at)
{
    return at < CLASSES ? classes[at].text : NULL;
}
