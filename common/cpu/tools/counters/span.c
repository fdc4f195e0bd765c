/*
 * Span: of each block the longest chain of waits, of which each begins when the one before has
 * ended, by what is waited for. A warp's waits come one after the other; at a block barrier all its
 * warps go on from the longest chain. The loads of a warp that are in flight together are one wait:
 * loads at different places in the code, until the first of these comes again, or the warp stores
 * to the same memory, synchronises, or does an atomic operation. (So much is known without the
 * compiler's machine code: it lets no load pass a store that may be to its address, nor a barrier,
 * and what is loaded in a loop is needed in that round.) Where nvcc's code is known, a loop that it
 * unrolls has as many loads of a source line in flight as a round of the unrolled one.
 *
 * Of two chains the longer is the one with more time, if a trip to global memory, an atomic or a
 * fence take 20 times a wait for shared memory, a shuffle or a barrier. That is so of GPUs of ten
 * years, and the counters themselves are numbers of waits.
 */
#include "cpu/tools/counters/groups.h"
#include "cpu/tools/counters/span.h"

/* --- chains ---------------------------------------------------------------------------------- */

static uint64_t weight(const struct chain *c)
{
    static const unsigned dear[CPU_WAIT_KINDS] = {20, 1, 1, 1, 1, 20, 20};
    uint64_t sum = 0;

    for (int i = 0; i < CPU_WAIT_KINDS; i++)
        sum += dear[i] * c->waits[i];
    return sum;
}

bool span_longer(const struct chain *a, const struct chain *b)
{
    return weight(a) > weight(b);
}

static void end_batch(struct span *s)
{
    s->in_batch = 0;
}

static void loads(struct span *s)
{
    s->loaded = s->chain;
    s->loads = true;
}

static void add_wait(struct span *s, enum cpu_wait_kind kind)
{
    end_batch(s);
    s->chain.waits[kind]++;
}

/* A load that is in flight with others, or begins a wait of its own. */
static void add_load(struct span *s, uint64_t key, struct nvcc_shape shape, enum cpu_wait_kind kind)
{
    uint64_t place = shape.together ? (uint64_t)shape.line : key;
    unsigned most = shape.together ? shape.together : 1, i;
    bool again, shared = kind == CPU_WAIT_SHARED;

    for (i = 0; i < s->in_batch && s->batch[i].place != place; i++)
        ;
    again = i == TOGETHER || (i < s->in_batch && s->batch[i].count == most);
    if (again || (s->in_batch && shared != (s->batch_kind == CPU_WAIT_SHARED)))
        end_batch(s);
    if (!s->in_batch) {
        s->batch_kind = kind;
        s->chain.waits[kind]++;
    } else if (s->batch_kind == CPU_WAIT_CACHE && kind == CPU_WAIT_GLOBAL) {
        s->chain.waits[CPU_WAIT_CACHE]--; /* one of them goes further */
        s->chain.waits[CPU_WAIT_GLOBAL]++;
        s->batch_kind = CPU_WAIT_GLOBAL;
    }
    if (i >= s->in_batch) {
        i = s->in_batch++;
        s->batch[i].place = place;
        s->batch[i].count = 0;
    }
    s->batch[i].count++;
    if (kind == CPU_WAIT_GLOBAL)
        loads(s);
}

void span_warp_operation(struct span *s)
{
    add_wait(s, CPU_WAIT_WARP);
    s->fence_lane = WARP;
}

/* Of a warp's lanes the first alone counts: they fence together. */
void span_fence(struct span *s, unsigned lane)
{
    if (lane <= s->fence_lane)
        add_wait(s, CPU_WAIT_FENCE);
    s->fence_lane = lane;
}

void span_arrived(struct span *s)
{
    if (s->copying) {
        add_wait(s, CPU_WAIT_GLOBAL);
        loads(s);
    }
    s->copying = false;
}

static const struct span *longest_of(struct span **warps, unsigned count)
{
    const struct span *most = warps[0];

    for (unsigned i = 1; i < count; i++)
        if (span_longer(&warps[i]->chain, &most->chain))
            most = warps[i];
    return most;
}

void span_barrier(struct span **warps, unsigned count)
{
    const struct span *longest = longest_of(warps, count);
    struct chain most = longest->chain, loaded = longest->loaded;

    most.waits[CPU_WAIT_BARRIER]++;
    for (unsigned i = 0; i < count; i++) {
        warps[i]->chain = most;
        warps[i]->loaded = loaded;
        warps[i]->fence_lane = WARP;
        end_batch(warps[i]);
    }
}

void span_access(struct span *s, struct cache *c, struct traffic *t, uint64_t key,
                 struct nvcc_shape shape, uint32_t lanes, const uint64_t *address)
{
    enum kind kind = key_kind(key);
    bool cached;

    if (kind == SHARED_LOAD) {
        add_load(s, key, shape, CPU_WAIT_SHARED);
        return;
    }
    if (kind == SHARED_STORE) { /* a load of global memory may pass it */
        if (s->batch_kind == CPU_WAIT_SHARED)
            end_batch(s);
        return;
    }
    if (kind == SHARED_ATOMIC) {
        if (key & KEY_QUIET)
            end_batch(s);
        else
            add_wait(s, CPU_WAIT_SHARED);
        return;
    }
    cached = traffic_request(t, c, key, lanes, address);
    if (kind == GLOBAL_LOAD && key & KEY_QUIET)
        s->copying = true;
    else if (kind == GLOBAL_LOAD)
        add_load(s, key, shape, cached ? CPU_WAIT_CACHE : CPU_WAIT_GLOBAL);
    else if (kind == GLOBAL_STORE || key & KEY_QUIET)
        end_batch(s);
    else
        add_wait(s, CPU_WAIT_ATOMIC);
}

void span_block_end(struct spans *t, struct span **warps, unsigned count, size_t shared)
{
    const struct span *most = longest_of(warps, count);

    for (int i = 0; i < CPU_WAIT_KINDS; i++) {
        t->sum.waits[i] += most->chain.waits[i];
        t->tail.waits[i] += most->chain.waits[i] - most->loaded.waits[i];
    }
    if (span_longer(&most->chain, &t->longest))
        t->longest = most->chain;
    t->blocks++;
    if (shared > t->shared)
        t->shared = shared;
}
