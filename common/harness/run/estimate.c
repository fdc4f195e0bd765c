/*
 * Time from counters.
 *
 * A launch has a latency and a throughput. Latency is what the blocks that follow each other on a
 * multiprocessor wait for: waves x (the steps of a block's longest chain, each by its own time, and
 * the instructions of a warp, one after the other), and until each has begun in the place of the
 * one before; or until all of them have been started, one after the other, if that is longer.
 * Throughput is what the whole launch has to move, by each of the device's rates: all of them are
 * stages that work at the same time, and the slowest counts most: the fifth root of the sum of
 * their fifth powers. The two overlap in part: the sum is the root of their squares.
 *
 * What the last blocks do behind their last load overlaps with nothing, since no other block loads
 * then: it comes on top. Nor does anything hide their atomic operations on one line of 128 bytes;
 * those of the blocks before are one more throughput.
 *
 * Launches wait in the queue, as behind the gate of a measured run: each begins when the one before
 * has ended. The first costs what a launch does that reads and writes but once, so that its first
 * trip is in it.
 *
 * Memory is L2 as far as the footprint fits: of the first launch the run's, since each run finds
 * what the run before has left, and of the others their own, which the launches before have left. A
 * half of L2 serves each half of the device. Of a footprint of f bytes, with a cache of c bytes,
 *
 *     min(max(2 f / c - 1, 0), 1)
 *
 * is the part that is missing: none up to c / 2, and all from c on, because what was read first was
 * replaced first. (limit-latency and limit-words show that of an H200.)
 *
 * The numbers are all the machine file's, or those of trials beside it. The powers were chosen on
 * the record of an H200 and on blind sets; no number was fitted to them. The idea of latency and
 * throughput per launch is that of Hong and Kim, "An Analytical Model for a GPU Architecture"
 * (2009).
 */
#include "harness/run/estimate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 32.0
#define LOOK_BYTES 52.0 /* of L2's rate: 160 lines per ns, and 8331 GB/s (trials/estimate-5.txt) */
#define SECTOR_WORDS 8
#define LINE_SECTORS 4
#define LOOK_DRAM_BYTES 112.0 /* the same of DRAM: 40 lines per ns, and 4516 GB/s */
/* Of sectors that atomics do not have whole (trials/estimate-8.txt): 102 per ns without an answer
 * and 73 with one, as bytes of the rate of stores, 4335 GB/s; and 3 ns for each of one line, to the
 * machine file's for an addition to one word. */
#define ADDED_BYTES 43.0
#define ANSWERED_BYTES 59.0
#define OF_LINE 1.7
#define NS 1e-3 /* us */

struct context {
    const struct machine *machine;
    bool bound;     /* without latency */
    double missing; /* the part of the launch's sectors that L2 does not have */
    bool product;   /* of matrices */
    int more_blocks;
    double together;
};

static double value(const struct context *c, enum machine_number number)
{
    return c->machine->value[number];
}

/* The part of a footprint that the cache does not have, when it is read in turn again and again. */
static double of_dram(double bytes, double cache)
{
    return fmin(fmax(2 * bytes / cache - 1, 0), 1);
}

/* --- what was counted ------------------------------------------------------------------------ */

int estimate_count(struct counted *c, double n, int runs)
{
    struct cpu_device_launch l;
    size_t room = 0;

    *c = (struct counted){.n = n, .runs = runs};
    while (cpu_device_launch(room, &l) == 0)
        room++;
    c->launch = calloc(room + 1, sizeof(*c->launch));
    if (!c->launch)
        return -1;
    for (size_t i = 0; i < room; i++) {
        cpu_device_launch(i, &c->launch[c->count]);
        c->count += strcmp(c->launch[c->count].phase, "run") == 0;
    }
    return 0;
}

int estimate_copy(struct counted *to, const struct counted *from)
{
    *to = *from;
    to->launch = malloc((from->count + 1) * sizeof(*to->launch));
    if (!to->launch)
        return -1;
    memcpy(to->launch, from->launch, from->count * sizeof(*to->launch));
    return 0;
}

void estimate_forget(struct counted *c)
{
    free(c->launch);
    *c = (struct counted){0};
}

/* Chains are summed over the blocks while they are extended. */
static void sum_chains(struct cpu_device_launch *l)
{
    for (int i = 0; i < CPU_WAIT_KINDS; i++) {
        l->span[i] *= l->blocks;
        l->tail[i] *= l->blocks;
    }
}

/* Of each number what the launch with the most has. What L1 has, or lacks, is a part of the loads,
 * and what comes behind the last load one of the instructions. */
static struct cpu_device_launch largest(const struct counted *c)
{
    struct cpu_device_launch most = {0};

    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < CPU_DEVICE_NUMBERS; k++)
            *cpu_device_number(&most, k) =
                fmax(*cpu_device_number(&most, k), *cpu_device_number(&c->launch[i], k));
    most.cache_sectors = most.missed = most.load_sectors;
    most.added_sectors = most.answered_sectors = most.store_sectors;
    most.tail_instructions = most.warp_instructions;
    return most;
}

/* Two percent, for a loop's last, partial round and a tile at the edge, of what the launch with the
 * most has: a small launch beside it may do what it likes. A chain of few steps may be one off. */
static bool on_a_line(const double at[COUNTED_SIZES], const double x[COUNTED_SIZES], double most)
{
    double line = x[0] + (x[2] - x[0]) * (at[1] - at[0]) / (at[2] - at[0]);

    return fabs(x[1] - line) <= fmax(0.02 * most, 1);
}

static bool is_chain(size_t number)
{
    return cpu_device_number_of(number) != CPU_OF_LAUNCH;
}

/* Sectors that L1 lacks for a block alone. */
static double lacked(const struct cpu_device_launch *l)
{
    return l->load_sectors - l->cache_sectors;
}

bool estimate_is_share(struct cpu_device_launch *l, size_t number)
{
    const double *x = cpu_device_number(l, number);

    return x == &l->opened || x == &l->whole || x == &l->common_sectors;
}

void estimate_extend_shares(struct cpu_device_launch *l, double before)
{
    double more = before > 0 ? lacked(l) / before : 0;

    l->opened *= more;
    l->whole *= more;
    l->common_sectors *= more;
}

/* Are all on a line? The last one goes on on it. Without chains, they may lie anywhere. */
static bool extend_launch(struct cpu_device_launch *l[COUNTED_SIZES],
                          const double at[COUNTED_SIZES], double n, struct cpu_device_launch *most,
                          bool chains)
{
    double before = lacked(l[2]);

    for (size_t i = 0; i < CPU_DEVICE_NUMBERS; i++) {
        double x[COUNTED_SIZES] = {*cpu_device_number(l[0], i), *cpu_device_number(l[1], i),
                                   *cpu_device_number(l[2], i)};

        if (estimate_is_share(l[2], i))
            continue;
        if ((chains || !is_chain(i)) && !on_a_line(at, x, *cpu_device_number(most, i)))
            return false;
        *cpu_device_number(l[2], i) = fmax(x[2] + (x[2] - x[0]) * (n - at[2]) / (at[2] - at[0]), 0);
    }
    estimate_extend_shares(l[2], before);
    return true;
}

/* Of a grid that stays as it is while its blocks have more to do, but not longer: some of its
 * threads had nothing before, and will have no more than now. */
static bool fills_up(const struct cpu_device_launch *small, const struct cpu_device_launch *large)
{
    double before = 0, now = 0;

    for (int i = 0; i < CPU_WAIT_KINDS; i++) {
        before += small->longest[i];
        now += large->longest[i];
    }
    return small->blocks == large->blocks && now < 1.5 * before &&
           large->load_sectors + large->store_sectors >
               1.5 * (small->load_sectors + small->store_sectors);
}

const char *estimate_extend(struct counted c[COUNTED_SIZES], double n, unsigned how)
{
    const double at[COUNTED_SIZES] = {c[0].n, c[1].n, c[2].n};
    struct cpu_device_launch most;

    if (at[0] >= at[1] || at[1] >= at[2])
        return "its sizes are too few to count smaller ones";
    if (c[0].count != c[2].count || c[1].count != c[2].count)
        return "its launches are others at each size";
    for (int k = 0; k < COUNTED_SIZES; k++)
        for (size_t i = 0; i < c[k].count; i++)
            sum_chains(&c[k].launch[i]);
    most = largest(&c[2]);
    for (size_t i = 0; i < c[2].count; i++) {
        struct cpu_device_launch *l[COUNTED_SIZES] = {&c[0].launch[i], &c[1].launch[i],
                                                      &c[2].launch[i]};

        if (strcmp(l[0]->kernel, l[2]->kernel) != 0 || strcmp(l[1]->kernel, l[2]->kernel) != 0)
            return "its launches are others at each size";
        if (l[0]->launches != l[2]->launches || l[1]->launches != l[2]->launches)
            return "it has more launches, the larger it is";
        if (2 * l[2]->load_sectors > most.load_sectors && fills_up(l[0], l[2]))
            return "its smaller sizes leave threads of the grid idle";
        if (!extend_launch(l, at, n, &most, !(how & ESTIMATE_BOUND)))
            return "its counters are not linear in the size";
        for (int k = 0; k < CPU_WAIT_KINDS; k++) {
            l[2]->span[k] /= l[2]->blocks;
            l[2]->tail[k] /= l[2]->blocks;
        }
    }
    c[2].n = n;
    return NULL;
}

/* --- the model ------------------------------------------------------------------------------- */

/* Each quarter of a multiprocessor gives its warps registers, 256 at a time, and the warps of a
 * block are spread over the quarters. */
static double room_for_registers(const struct machine *m, const struct cpu_device_launch *l)
{
    double of_warp = 256 * ceil(32 * l->registers / 256);

    return l->registers > 0 ? floor(4 * floor(m->attribute[MACHINE_REGISTERS] / 4 / of_warp) /
                                    ceil(l->threads / 32.0))
                            : INFINITY;
}

double estimate_resident(const struct machine *m, const struct cpu_device_launch *l,
                         enum room *room)
{
    double threads = floor(m->attribute[MACHINE_THREADS] / (32 * ceil(l->threads / 32.0)));
    double shared = floor(m->attribute[MACHINE_SHARED_BYTES] /
                          (l->shared_bytes + m->attribute[MACHINE_RESERVED_BYTES]));
    double registers = room_for_registers(m, l);
    double least = fmin(fmin(threads, registers), fmin(shared, m->attribute[MACHINE_BLOCKS]));

    *room = least == threads     ? ROOM_FOR_THREADS
            : least == shared    ? ROOM_FOR_SHARED
            : least == registers ? ROOM_FOR_REGISTERS
                                 : ROOM_FOR_BLOCKS;
    return fmax(least, 1);
}

/* Blocks that follow each other on a multiprocessor; 1 if all are resident at once. */
static double waves(const struct context *c, const struct cpu_device_launch *l)
{
    enum room room;
    double resident = estimate_resident(c->machine, l, &room) + c->more_blocks;

    return fmax(1, l->blocks / (c->machine->attribute[MACHINE_MULTIPROCESSORS] * resident));
}

/* ns. The warps of a multiprocessor arrive at barriers one after the other, each in two cycles:
 * limit-barrier shows it, with blocks of 1, 8 and 32 warps. */
static double arrival(const struct context *c)
{
    return 2 * 1e3 / c->machine->attribute[MACHINE_CLOCK_MHZ];
}

/* ns. The lanes of a warp that read different places of constant memory do so one after the other,
 * each in two cycles (trials/estimate-6.txt). */
static double constant_read(const struct context *c)
{
    return 2 * 1e3 / c->machine->attribute[MACHINE_CLOCK_MHZ];
}

/* The machine file's is that of 8 warps. */
static double barrier(const struct context *c, const struct cpu_device_launch *l)
{
    return value(c, MACHINE_BARRIER) + arrival(c) * (ceil(l->threads / 32.0) - 8);
}

/* ns: until a block has begun in the place of one that has ended. So long takes a place for an
 * empty block of 1024 threads; there is one for each 1024 threads of a multiprocessor. */
static double turn(const struct context *c)
{
    return value(c, MACHINE_WIDE_START) * c->machine->attribute[MACHINE_THREADS] / 1024;
}

/* us that a place is empty between the blocks that follow each other in it. */
static double turns(const struct context *c, const struct cpu_device_launch *l)
{
    return NS * (waves(c, l) - 1) * turn(c);
}

/* How many waits of this kind the blocks have that follow each other on a multiprocessor, one after
 * the other: of so many average blocks, the last of which may be the longest, as where the last
 * block that ends has more to do. */
static double steps(const struct cpu_device_launch *l, double rounds, enum cpu_wait_kind step)
{
    return (rounds - 1) * l->span[step] + fmax(l->span[step], l->longest[step]);
}

/* L2's latency is one of two values, by which half of it the data lies in, so that the median of
 * runs of a chain is either; loads of a block meet both, as often. The quartiles lie at both. */
static double l2_trip(const struct context *c)
{
    return value(c, MACHINE_L2_LATENCY) + c->machine->spread[MACHINE_L2_LATENCY] / 2;
}

/* ns, from an instruction of a warp to its next one: as nvcc's code has it; else until the result
 * is there, which is shared by the results that are made side by side, or a cycle. */
static double next_instruction(const struct context *c, const struct cpu_device_launch *l)
{
    double cycle = 1e3 / c->machine->attribute[MACHINE_CLOCK_MHZ];

    if (l->issue_cycles > 0)
        return cycle * l->issue_cycles / l->warp_instructions;
    return fmax(value(c, MACHINE_DEPENDENT_STEP) / fmax(c->together, 1), cycle);
}

static double warps_of(const struct cpu_device_launch *l)
{
    return l->blocks * ceil(l->threads / 32.0);
}

static double busy(const struct context *c, const struct cpu_device_launch *l)
{
    return fmin(c->machine->attribute[MACHINE_MULTIPROCESSORS], l->blocks);
}

/* Blocks of a product begin and end together, so that their waves are whole ones. */
static double rounds_of(const struct context *c, const struct cpu_device_launch *l)
{
    return c->product ? ceil(waves(c, l)) : waves(c, l);
}

/* The part of the trips behind L1 that go to DRAM: what the launch reads again, L2 has by then. */
static double of_trips(const struct context *c, const struct cpu_device_launch *l)
{
    double trips = lacked(l);

    return trips > l->sectors_read ? c->missing * l->sectors_read / trips : c->missing;
}

static void latency(const struct context *c, const struct cpu_device_launch *l, double *part)
{
    double rounds = rounds_of(c, l), trips = NS * steps(l, rounds, CPU_WAIT_GLOBAL);
    double chain = l->warp_instructions / warps_of(l), far = of_trips(c, l);

    part[FOR_DRAM_TRIP] = trips * far * value(c, MACHINE_DRAM_LATENCY);
    part[FOR_L2_TRIP] = trips * (1 - far) * l2_trip(c);
    part[FOR_CACHE] = NS * value(c, MACHINE_L1_LATENCY) *
                      (steps(l, rounds, CPU_WAIT_CACHE) + rounds * l->local_waits / warps_of(l));
    part[FOR_SHARED] = NS * steps(l, rounds, CPU_WAIT_SHARED) * value(c, MACHINE_SHARED_LATENCY);
    part[FOR_WARPS] = NS * steps(l, rounds, CPU_WAIT_WARP) * value(c, MACHINE_SHARED_LATENCY);
    part[FOR_BARRIERS] = NS * steps(l, rounds, CPU_WAIT_BARRIER) * barrier(c, l);
    part[FOR_ATOMICS] = NS * steps(l, rounds, CPU_WAIT_ATOMIC) * value(c, MACHINE_ATOMIC_LATENCY);
    part[FOR_FENCES] = NS * steps(l, rounds, CPU_WAIT_FENCE) * value(c, MACHINE_FENCE);
    part[FOR_CHAIN] = NS * rounds * chain * next_instruction(c, l);
    part[FOR_STARTS] = fmax(part[FOR_STARTS], turns(c, l));
}

/* What a block does behind its last load, on average: its steps alone, and its instructions. */
static double tail_steps(const struct context *c, const struct cpu_device_launch *l)
{
    return NS * (l->tail[CPU_WAIT_CACHE] * value(c, MACHINE_L1_LATENCY) +
                 l->tail[CPU_WAIT_SHARED] * value(c, MACHINE_SHARED_LATENCY) +
                 l->tail[CPU_WAIT_WARP] * value(c, MACHINE_SHARED_LATENCY) +
                 l->tail[CPU_WAIT_BARRIER] * barrier(c, l) +
                 l->tail[CPU_WAIT_ATOMIC] * value(c, MACHINE_ATOMIC_LATENCY) +
                 l->tail[CPU_WAIT_FENCE] * value(c, MACHINE_FENCE));
}

static double tail_chain(const struct context *c, const struct cpu_device_launch *l)
{
    return NS * l->tail_instructions / warps_of(l) * next_instruction(c, l);
}

/* All resident blocks are at it at once, and share the multiprocessor's rate of instructions. */
static double tail_issue(const struct context *c, const struct cpu_device_launch *l)
{
    return NS * l->tail_instructions / waves(c, l) / (value(c, MACHINE_ISSUE_RATE) * busy(c, l));
}

/* Blocks that are at a multiprocessor at the same time: of a small grid, fewer than there is room
 * for. */
static double at_once(const struct context *c, const struct cpu_device_launch *l)
{
    enum room room;
    double each = l->blocks / c->machine->attribute[MACHINE_MULTIPROCESSORS];

    return fmax(1, fmin(estimate_resident(c->machine, l, &room), each));
}

/* Sectors that L1 lacks for a block alone, but another block of the multiprocessor has brought
 * there. Of what the blocks bring, L1 keeps as much as it has room for. */
static double brought(const struct context *c, const struct cpu_device_launch *l)
{
    double blocks = at_once(c, l);
    double kept = c->machine->attribute[MACHINE_SHARED_BYTES] - blocks * l->shared_bytes;
    double bring = blocks * lacked(l) / l->blocks * SECTOR_BYTES;

    if (c->product || blocks == 1)
        return 0;
    return l->common_sectors * fmin(fmax(kept, 0) / fmax(bring, 1), 1);
}

/* The part of what L1 lacks for a block alone. Blocks of a product read the same; of those of a
 * multiprocessor each may find in L1 all that the others have read, or nothing: the middle. */
static double behind_l1(const struct context *c, const struct cpu_device_launch *l)
{
    if (c->product)
        return (1 + 1 / at_once(c, l)) / 2;
    return lacked(l) > 0 ? fmax(1 - brought(c, l) / lacked(l), 0) : 1;
}

/* L2 reads and writes at the same time, in part; it takes stores no faster than memory does. A line
 * that it is asked for takes as long as LOOK_BYTES at least, however little of it. */
static double of_l2(const struct context *c, const struct cpu_device_launch *l)
{
    double read = behind_l1(c, l) * fmax(SECTOR_BYTES * lacked(l), LOOK_BYTES * l->missed);
    double stored = l->store_sectors - l->added_sectors - l->answered_sectors;

    return NS * hypot(read / value(c, MACHINE_L2_READ),
                      (SECTOR_BYTES * stored + ADDED_BYTES * l->added_sectors +
                       ANSWERED_BYTES * l->answered_sectors) /
                          value(c, MACHINE_DRAM_WRITE));
}

/* A store of a part of a sector takes as long as that of the whole, and each line that a request
 * has such sectors of takes its own time: both are in the time of a store to a line of its own. */
static double of_partial_stores(const struct context *c, const struct cpu_device_launch *l)
{
    double sector = SECTOR_BYTES / value(c, MACHINE_DRAM_WRITE);
    double line = fmax(1 / value(c, MACHINE_LINE_STORES) - sector, 0);

    return NS * (l->partial_stores * sector + l->partial_lines * line);
}

/* A quarter of a multiprocessor can issue an instruction in each cycle, and its units take more
 * than one for an instruction of a warp. */
static double of_issue(const struct context *c, const struct cpu_device_launch *l)
{
    double most = l->warp_instructions;

    for (int i = 0; i < CPU_UNITS; i++)
        most = fmax(most, l->unit_cycles[i]);
    return NS * most / (value(c, MACHINE_ISSUE_RATE) * busy(c, l));
}

/* Bytes of DRAM's rate that reading takes: as many as there are, but LOOK_DRAM_BYTES at least for a
 * line whose sectors are not all read at about the same time. */
static double of_dram_lines(const struct cpu_device_launch *l)
{
    double together = fmin(LINE_SECTORS * l->whole, l->sectors_read);
    double alone = SECTOR_BYTES * (l->sectors_read - together);

    return SECTOR_BYTES * together +
           (alone > 0 ? fmax(alone, LOOK_DRAM_BYTES * (l->opened - l->whole)) : 0);
}

static void throughput(const struct context *c, const struct cpu_device_launch *l, double *part)
{
    const struct machine *m = c->machine;

    part[FOR_DRAM] = NS * c->missing *
                     (of_dram_lines(l) / value(c, MACHINE_DRAM_READ) +
                      SECTOR_BYTES * l->sectors_written / value(c, MACHINE_DRAM_WRITE));
    part[FOR_L2] = of_l2(c, l);
    part[FOR_BANKS] = (l->wavefronts + (l->quarters - brought(c, l)) / 4 + l->local_cycles) /
                      (m->attribute[MACHINE_CLOCK_MHZ] * busy(c, l));
    part[FOR_CONSTANTS] = NS * l->constants * constant_read(c) / busy(c, l);
    part[FOR_ARRIVALS] = NS * l->barriers * arrival(c) / busy(c, l);
    part[FOR_ISSUE] = of_issue(c, l);
    part[FOR_F32] = NS * 2 * l->operations / value(c, MACHINE_F32_RATE);
    part[FOR_STARTS] =
        NS * l->blocks / m->attribute[MACHINE_MULTIPROCESSORS] * value(c, MACHINE_BLOCK_START);
    part[FOR_SECTORS] = of_partial_stores(c, l);
}

/* Additions to a sector wait for each other, and longer for those to other words of the line; those
 * of a warp that has whole sectors go together, each sector as one of integers. */
static double on_one_line(const struct context *c, const struct cpu_device_launch *l)
{
    double one = value(c, MACHINE_SAME_ADDRESS_ATOMIC);
    double integer = value(c, MACHINE_SAME_ADDRESS_INTEGER);
    double passes =
        fmax(l->hot_passes * one + l->hot_integers * integer, l->hot_sectors * OF_LINE * one);

    return NS * (passes + l->hot_lanes / SECTOR_WORDS * integer);
}

/* What works at the same time. Two of a stage are two views of one unit's work, of which the larger
 * counts: stores to parts of sectors are a part of L2's, and arithmetic one of the instructions;
 * warps come to barriers where requests come to L1. */
static const enum wait_for stages[][2] = {
    {FOR_DRAM, FOR_DRAM},           {FOR_L2, FOR_SECTORS}, {FOR_BANKS, FOR_ARRIVALS},
    {FOR_CONSTANTS, FOR_CONSTANTS}, {FOR_ISSUE, FOR_F32},  {FOR_LINE, FOR_LINE},
    {FOR_STARTS, FOR_STARTS},
};

/* The time of all stages: near that of the slowest, and above it where others are as slow, since
 * what waits for one of them is not at the others. `last`: the part of what comes to one line that
 * the last blocks do. A bound has no latency: there the starts of blocks are a stage. */
static double of_stages(const struct context *c, const double *part, double last)
{
    double sum = 0;

    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
        double us = fmax(part[stages[i][0]], part[stages[i][1]]);

        if (stages[i][0] == FOR_LINE)
            us *= 1 - last;
        if (c->bound || stages[i][0] != FOR_STARTS)
            sum += pow(us, 5);
    }
    return pow(sum, 0.2);
}

static double of_launch(const struct context *c, const struct cpu_device_launch *l, double *part)
{
    double chain = 0, most, tail = 0, last = 1 / waves(c, l);

    part[FOR_LINE] = on_one_line(c, l);
    throughput(c, l, part);
    most = of_stages(c, part, last);
    if (!c->bound) {
        latency(c, l, part);
        for (int i = FOR_DRAM_TRIP; i <= FOR_CHAIN; i++)
            chain += part[i];
        chain = fmax(chain + turns(c, l), part[FOR_STARTS]);
        tail = fmin(tail_steps(c, l) + tail_chain(c, l), chain);
        chain -= tail;
        tail += fmax(tail_issue(c, l) - tail_chain(c, l), 0);
    }
    return hypot(chain, most) + tail + part[FOR_LINE] * last;
}

static double footprint(const struct counted *c)
{
    double most = 0;

    for (size_t i = 0; i < c->count; i++)
        most = fmax(most, SECTOR_BYTES * c->launch[i].sectors_touched);
    return most;
}

double estimate_launch(const struct machine *machine, const struct cpu_device_launch *l,
                       int more_blocks, double *part)
{
    double l2 = machine->attribute[MACHINE_L2_BYTES], unused[WAITS_FOR] = {0};
    struct context c = {.machine = machine,
                        .missing = of_dram(SECTOR_BYTES * l->sectors_touched, l2),
                        .more_blocks = more_blocks};

    return of_launch(&c, l, part ? part : unused);
}

double estimate_queue(const struct machine *machine, double launches)
{
    struct context c = {.machine = machine};
    double first = machine->value[MACHINE_FIRST_OPERATION] - NS * l2_trip(&c);

    return fmax(first, 0) + machine->value[MACHINE_NEXT_OPERATION] * (launches - 1);
}

struct estimate estimate_run(const struct machine *machine, const struct counted *counted,
                             unsigned how)
{
    double l2 = machine->attribute[MACHINE_L2_BYTES];
    struct context c = {.machine = machine,
                        .bound = how & ESTIMATE_BOUND,
                        .missing = 1,
                        .product = counted->product,
                        .together = counted->together};
    struct estimate e = {.us = 0};
    double next = machine->value[MACHINE_NEXT_OPERATION], first;

    for (size_t i = 0; i < counted->count; i++) {
        const struct cpu_device_launch *l = &counted->launch[i];
        double part[WAITS_FOR] = {0}, times = l->launches / counted->runs, us;

        c.missing = of_dram(i == 0 ? footprint(counted) : SECTOR_BYTES * l->sectors_touched, l2);
        if (i == 0 && how & ESTIMATE_COLD)
            c.missing = 1;
        us = of_launch(&c, l, part);

        for (int k = 0; k < (int)(times + 0.5); k++) {
            e.us += us + (e.launches > 0 ? next : 0);
            e.launches++;
        }
        for (int k = 0; k < WAITS_FOR; k++)
            e.part[k] += part[k] * times;
    }
    if (e.launches == 0) {
        e.us = -1;
        return e;
    }
    first = machine->value[MACHINE_FIRST_OPERATION] - (c.bound ? 0 : NS * l2_trip(&c));
    e.part[FOR_LAUNCHES] = fmax(first, 0) + next * (e.launches - 1);
    e.us += fmax(first, 0);
    return e;
}

const char *estimate_word(enum wait_for what)
{
    static const char *const words[WAITS_FOR] = {
        [FOR_LAUNCHES] = "launches",
        [FOR_DRAM_TRIP] = "latency of DRAM",
        [FOR_L2_TRIP] = "latency of L2",
        [FOR_CACHE] = "latency of L1",
        [FOR_SHARED] = "latency of shared memory",
        [FOR_WARPS] = "latency of shuffles",
        [FOR_BARRIERS] = "barriers",
        [FOR_ATOMICS] = "atomics' answers",
        [FOR_FENCES] = "fences",
        [FOR_CHAIN] = "instructions of a warp",
        [FOR_DRAM] = "bandwidth of DRAM",
        [FOR_L2] = "bandwidth of L2",
        [FOR_BANKS] = "requests to L1 and shared memory",
        [FOR_CONSTANTS] = "constant memory",
        [FOR_ARRIVALS] = "warps at barriers",
        [FOR_ISSUE] = "instructions of all warps",
        [FOR_F32] = "arithmetic",
        [FOR_STARTS] = "starts of blocks",
        [FOR_SECTORS] = "stores to parts of sectors",
        [FOR_LINE] = "atomics on one line",
    };

    return words[what];
}

const char *estimate_advice(enum wait_for what)
{
    switch (what) {
    case FOR_LAUNCHES:
        return "fewer launches would help";
    case FOR_DRAM_TRIP:
    case FOR_L2_TRIP:
    case FOR_CACHE:
        return "more bytes in flight would help";
    case FOR_SHARED:
    case FOR_WARPS:
    case FOR_CHAIN:
        return "more warps, or steps that do not need the one before, would help";
    case FOR_BARRIERS:
    case FOR_ARRIVALS:
        return "fewer barriers would help";
    case FOR_ATOMICS:
    case FOR_FENCES:
        return "fewer rounds in which blocks tell each other would help";
    case FOR_DRAM:
    case FOR_L2:
        return "fewer bytes would help";
    case FOR_BANKS:
        return "wider loads, or fewer bank conflicts, would help";
    case FOR_CONSTANTS:
        return "the same constant for all lanes of a warp would help";
    case FOR_ISSUE:
    case FOR_F32:
        return "fewer instructions per element would help";
    case FOR_STARTS:
        return "fewer and larger blocks would help";
    case FOR_SECTORS:
        return "stores of whole sectors would help";
    default:
        return "additions to other lines, or in shared memory first, would help";
    }
}

void estimate_limits(const struct estimate *e, enum wait_for *first, enum wait_for *second)
{
    *first = *second = FOR_LAUNCHES;
    for (enum wait_for i = 0; i < WAITS_FOR; i++)
        if (e->part[i] > e->part[*first])
            *first = i;
    *second = *first == FOR_LAUNCHES ? FOR_DRAM_TRIP : FOR_LAUNCHES;
    for (enum wait_for i = 0; i < WAITS_FOR; i++)
        if (i != *first && e->part[i] > e->part[*second])
            *second = i;
}
