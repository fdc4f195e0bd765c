/*
 * Bytes between devices: what the threads of each read and wrote of the memory of others, as often
 * as they did, and what copies moved. What passes a port of a device is what it sends to all
 * others, or gets from them: a read is sent by the device that has the memory, a write by the one
 * that writes.
 */
#include <stdatomic.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/memory.h"
#include "cpu/tools/counters/links.h"

enum way { READS, WRITES, COPIES, WAYS };

/* By a device, of another one's memory; of copies to and from. Workers add to it. */
static _Atomic uint64_t links[MAX_DEVICES][MAX_DEVICES][WAYS];
static atomic_bool any;

static void add(int by, int of, enum way way, uint64_t bytes)
{
    if (by == of || by == ALL_DEVICES || of == ALL_DEVICES)
        return;
    atomic_fetch_add_explicit(&links[by][of][way], bytes, memory_order_relaxed);
    atomic_store_explicit(&any, true, memory_order_relaxed);
}

void links_access(const struct access *a)
{
    int of = memory_device(a->address), by = a->thread->block->launch->device;

    if (of == by || of == ALL_DEVICES)
        return;
    if (a->flags & ACCESS_WRITE)
        add(by, of, WRITES, a->bytes);
    if (!(a->flags & ACCESS_WRITE) || (a->flags & ACCESS_ATOMIC && !(a->flags & ACCESS_VOLATILE)))
        add(by, of, READS, a->bytes);
}

void links_copy(int from, int to, size_t bytes)
{
    add(from, to, COPIES, bytes);
}

/* What a device sends to another one. */
static uint64_t sent(int from, int to)
{
    return links[from][to][WRITES] + links[from][to][COPIES] + links[to][from][READS];
}

static void print_ports(FILE *out)
{
    fprintf(out, "\nports of devices      bytes sent    bytes got\n");
    for (int d = 0; d < cpu_devices; d++) {
        uint64_t out_bytes = 0, in_bytes = 0;

        for (int other = 0; other < cpu_devices; other++) {
            out_bytes += other == d ? 0 : sent(d, other);
            in_bytes += other == d ? 0 : sent(other, d);
        }
        fprintf(out, "%-18d %13llu %12llu\n", d, (unsigned long long)out_bytes,
                (unsigned long long)in_bytes);
    }
}

void links_print(FILE *out)
{
    if (out && atomic_load(&any)) {
        fprintf(out, "\nbytes between devices     loaded       stored       copied\n");
        for (int by = 0; by < cpu_devices; by++)
            for (int of = 0; of < cpu_devices; of++) {
                unsigned long long n[WAYS], sum = 0;

                for (int way = 0; way < WAYS; way++)
                    sum += n[way] = atomic_load(&links[by][of][way]);
                if (sum)
                    fprintf(out, "%2d of %2d's memory %15llu %12llu %12llu\n", by, of, n[READS],
                            n[WRITES], n[COPIES]);
            }
        print_ports(out);
    }
    for (int i = 0; i < MAX_DEVICES * MAX_DEVICES * WAYS; i++)
        atomic_store(&links[0][0][0] + i, 0);
    atomic_store(&any, false);
}
