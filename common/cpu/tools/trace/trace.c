/*
 * The trace: what the lanes of one warp do at a chosen source line, for a picture. Of each place in
 * the code at that line, the first access with the most lanes, in the first launch that comes
 * there; first by number of block and warp, so that it does not depend on the workers.
 *
 * While a kernel runs each worker offers to pictures of its own; what is kept and printed is static
 * here, and touched between launches by the host's thread alone.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/memory.h"
#include "cpu/tools/counters/model.h"
#include "cpu/tools/grow.h"
#include "cpu/tools/lines/lines.h"
#include "cpu/tools/trace/trace.h"
#include "cpu_device.h"

const char cpu_device_trace_header[] = "lane,address,offset,bytes,space,bank,sector,kind";

static int wanted_line;
static FILE *out;
static struct picture *kept; /* in this launch, in order of the code */
static size_t kept_count, kept_room;
static bool printed;

void cpu_device_set_trace(int line, FILE *file)
{
    wanted_line = line;
    out = file;
    printed = false;
}

bool trace_is_on(void)
{
    return out && !printed;
}

static bool is_better(uint32_t lanes, uint64_t block, unsigned warp, const struct picture *p)
{
    int more = __builtin_popcount(lanes) - __builtin_popcount(p->lanes);

    if (more)
        return more > 0;
    return block < p->block || (block == p->block && warp < p->warp);
}

void trace_offer(struct picture *best, const struct warp_accesses *accesses, access_key key,
                 uint32_t lanes, const uint64_t *address)
{
    const struct block *b = accesses->block;
    unsigned warp = (unsigned)(accesses->warp - b->warp);
    uintptr_t base = 0;

    if (!is_better(lanes, b->number, warp, best))
        return;
    if (key_kind(key) == SHARED_LOAD || key_kind(key) == SHARED_STORE ||
        key_kind(key) == SHARED_ATOMIC)
        base = (uintptr_t)b->shared;
    *best = (struct picture){.key = key, .lanes = lanes, .block = b->number, .warp = warp};
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        best->address[__builtin_ctz(rest)] = address[__builtin_ctz(rest)] - base;
}

void trace_keep(const struct picture *p)
{
    size_t i = 0;

    /* Only here, not when it is offered: a fiber's stack is too small for libdw. */
    if (lines_find(key_site(p->key)).line != wanted_line)
        return;
    while (i < kept_count && kept[i].key < p->key)
        i++;
    if (i < kept_count && kept[i].key == p->key) {
        if (is_better(p->lanes, p->block, p->warp, &kept[i]))
            kept[i] = *p;
        return;
    }
    kept = tools_grow(kept, kept_count, &kept_room, sizeof(*kept));
    memmove(&kept[i + 1], &kept[i], (kept_count - i) * sizeof(*kept));
    kept[i] = *p;
    kept_count++;
}

/* A lane's row. Global memory has no bank, shared memory no sector: those stay empty. The offset is
 * from the allocation's first byte, or the block's first byte of shared memory. */
static void print_lane(const struct picture *p, unsigned lane)
{
    static const char *const kinds[KINDS] = {"load", "store", "load", "store", "atomic", "atomic"};
    enum kind kind = key_kind(p->key);
    bool global = kind == GLOBAL_LOAD || kind == GLOBAL_STORE || kind == GLOBAL_ATOMIC;
    uint64_t address = p->address[lane], offset = address;
    struct allocation *a = global ? memory_find((uintptr_t)address) : NULL;

    if (a && memory_is_device((uintptr_t)address))
        offset = address - a->base;
    fprintf(out, "%u,0x%llx,%llu,%u,%s,", lane, (unsigned long long)address,
            (unsigned long long)offset, key_bytes(p->key), global ? "global" : "shared");
    if (global)
        fprintf(out, ",%llu", (unsigned long long)(offset / SECTOR));
    else
        fprintf(out, "%llu,", (unsigned long long)(offset / BANK_BYTES % BANKS));
    fprintf(out, ",%s\n", kinds[kind]);
}

void trace_print(void)
{
    if (!kept_count || !out)
        return;
    fprintf(out, "%s\n", cpu_device_trace_header);
    for (size_t i = 0; i < kept_count; i++)
        for (uint32_t rest = kept[i].lanes; rest; rest &= rest - 1)
            print_lane(&kept[i], (unsigned)__builtin_ctz(rest));
    fflush(out);
    kept_count = 0;
    printed = true;
}
