/*
 * Bytes between devices: what the threads of each read and wrote of the memory of others, as often
 * as they did, and what copies moved. What passes a port of a device is what it sends to all
 * others, or gets from them: a read is sent by the device that has the memory, a write by the one
 * that writes.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/memory.h"
#include "cpu/tools/counters/links.h"
#include "cpu_device.h"

enum way { READS, WRITES, COPIES, WAYS };

enum { PHASES = 4 };

/* Of each phase by a device, of another one's memory; of copies to and from. Workers add to it. */
static struct {
    _Atomic uint64_t bytes[WAYS], copies;
} all_links[PHASES][MAX_DEVICES][MAX_DEVICES], (*links)[MAX_DEVICES] = all_links[0];
static const char *phases[PHASES] = {""};
static atomic_bool any;

static void add(int by, int of, enum way way, uint64_t bytes)
{
    if (by == of || by == ALL_DEVICES || of == ALL_DEVICES)
        return;
    atomic_fetch_add_explicit(&links[by][of].bytes[way], bytes, memory_order_relaxed);
    atomic_store_explicit(&any, true, memory_order_relaxed);
}

/* Further ones are the last. */
void links_phase(const char *name)
{
    int at = 0;

    while (at < PHASES - 1 && phases[at] && strcmp(phases[at], name) != 0)
        at++;
    phases[at] = name;
    links = all_links[at];
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
    if (from != ALL_DEVICES && to != ALL_DEVICES)
        atomic_fetch_add_explicit(&links[from][to].copies, 1, memory_order_relaxed);
}

/* What passes a link one way, or a port. */
struct passed {
    uint64_t bytes[WAYS], copies;
};

/* From a device to another one; ALL_DEVICES: from, or to, all others. A load is answered by the
 * device that has the memory. */
static struct passed passed(int from, int to)
{
    struct passed p = {{0}, 0};

    for (int a = 0; a < cpu_devices; a++)
        for (int b = 0; b < cpu_devices; b++) {
            if (a == b || (from != ALL_DEVICES && a != from) || (to != ALL_DEVICES && b != to))
                continue;
            p.bytes[READS] += links[b][a].bytes[READS];
            p.bytes[WRITES] += links[a][b].bytes[WRITES];
            p.bytes[COPIES] += links[a][b].bytes[COPIES];
            p.copies += links[a][b].copies;
        }
    return p;
}

static unsigned long long sum(const struct passed *p)
{
    return p->bytes[READS] + p->bytes[WRITES] + p->bytes[COPIES];
}

/* --- the CSV ---------------------------------------------------------------------------------- */

const char cpu_device_links_header[] = "phase,from,to,bytes,by_loads,by_stores,by_copies,copies";

static void print_row(FILE *csv, const char *first, const char *phase, int from, int to)
{
    const struct passed p = passed(from, to);
    char ends[2][16] = {"", ""};

    if (from != ALL_DEVICES)
        snprintf(ends[0], sizeof(ends[0]), "%d", from);
    if (to != ALL_DEVICES)
        snprintf(ends[1], sizeof(ends[1]), "%d", to);
    if (sum(&p) || from == ALL_DEVICES || to == ALL_DEVICES)
        fprintf(csv, "%s%s,%s,%s,%llu,%llu,%llu,%llu,%llu\n", first, phase, ends[0], ends[1],
                sum(&p), (unsigned long long)p.bytes[READS], (unsigned long long)p.bytes[WRITES],
                (unsigned long long)p.bytes[COPIES], (unsigned long long)p.copies);
}

static bool any_passed(void)
{
    const struct passed p = passed(ALL_DEVICES, ALL_DEVICES);

    return sum(&p) > 0;
}

static void print_rows(FILE *csv, const char *first, const char *phase)
{
    for (int from = 0; from < cpu_devices; from++)
        for (int to = 0; to < cpu_devices; to++)
            if (from != to)
                print_row(csv, first, phase, from, to);
    for (int d = 0; d < cpu_devices; d++) {
        print_row(csv, first, phase, d, ALL_DEVICES);
        print_row(csv, first, phase, ALL_DEVICES, d);
    }
}

void cpu_device_report_links(FILE *csv, const char *first)
{
    void *now = links;

    for (int at = 0; at < PHASES && phases[at] && atomic_load(&any); at++) {
        links = all_links[at];
        if (any_passed())
            print_rows(csv, first, phases[at]);
    }
    links = now;
}

/* --- the tables ------------------------------------------------------------------------------- */

static void print_ports(FILE *out)
{
    fprintf(out, "\nports of devices      bytes sent    bytes got\n");
    for (int d = 0; d < cpu_devices; d++) {
        const struct passed out_of = passed(d, ALL_DEVICES), into = passed(ALL_DEVICES, d);

        fprintf(out, "%-18d %13llu %12llu\n", d, sum(&out_of), sum(&into));
    }
}

static void print_pair(FILE *out, int by, int of)
{
    unsigned long long n[WAYS], all = 0;

    for (int way = 0; way < WAYS; way++)
        all += n[way] = atomic_load(&links[by][of].bytes[way]);
    if (all)
        fprintf(out, "%2d of %2d's memory %15llu %12llu %12llu\n", by, of, n[READS], n[WRITES],
                n[COPIES]);
}

/* What is timed, or all of a program that has no phases. */
static void print_phase(FILE *out)
{
    fprintf(out, "\nbytes between devices     loaded       stored       copied\n");
    for (int by = 0; by < cpu_devices; by++)
        for (int of = 0; of < cpu_devices; of++)
            print_pair(out, by, of);
    print_ports(out);
}

void links_print(FILE *out)
{
    void *now = links;

    for (int at = 0; out && at < PHASES && phases[at] && atomic_load(&any); at++) {
        links = all_links[at];
        if (any_passed() && (!*phases[at] || strcmp(phases[at], "run") == 0))
            print_phase(out);
    }
    links = now;
    memset(all_links, 0, sizeof(all_links));
    atomic_store(&any, false);
}
