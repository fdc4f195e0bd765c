/*
 * The counters as one table, in the order of the CSV's columns, and of those of each printed table.
 * To add a counter: a row here, the member of struct counts where it is counted, and, if estimates
 * want it, one of struct cpu_device_launch.
 */
#include <assert.h>
#include "cpu/tools/counters/columns.h"

#define AT(member) offsetof(struct counts, member)
#define LAUNCH(member) offsetof(struct cpu_device_launch, member)
#define UNIT_CYCLES(unit)                                                                          \
    {                                                                                              \
        NULL, UNIT_INSTRUCTIONS, AT(unit_cycles[unit]), .launch = LAUNCH(unit_cycles[unit])        \
    }

/* clang-format off */
/* What warps wait for: in the longest block; and of all blocks, of which estimates take the
 * average. */
#define WAITS(kind, name, title)                                                                   \
    {name, UNIT_WAITS, AT(span.waits[kind]), .print = {TABLE_SPAN, 8, title},                      \
     .launch = LAUNCH(longest[kind]), .of = CPU_OF_LONGEST_BLOCK},                                 \
    {NULL, UNIT_WAITS, AT(chains.waits[kind]), .launch = LAUNCH(span[kind]),                       \
     .of = CPU_OF_AVERAGE_BLOCK},                                                                  \
    {NULL, UNIT_WAITS, AT(tails.waits[kind]), .launch = LAUNCH(tail[kind]),                        \
     .of = CPU_OF_AVERAGE_BLOCK}

const struct column columns[] = {
    /* global memory */
    {"global_load_requests", UNIT_REQUESTS, AT(requests[GLOBAL_LOAD]),
     .print = {TABLE_GLOBAL, 9, "loads"}},
    {"global_load_sectors", UNIT_SECTORS, AT(units[GLOBAL_LOAD]),
     .print = {TABLE_GLOBAL, 9, "sectors"}, .launch = LAUNCH(load_sectors)},
    {NULL, UNIT_SECTORS, AT(units[GLOBAL_LOAD]), AT(requests[GLOBAL_LOAD]),
     .print = {TABLE_GLOBAL, 5, "each"}},
    {NULL, UNIT_SECTORS, AT(ideal[GLOBAL_LOAD]), AT(requests[GLOBAL_LOAD]),
     .print = {TABLE_GLOBAL, 5, "ideal"}},
    {"global_store_requests", UNIT_REQUESTS, AT(requests[GLOBAL_STORE]),
     .print = {TABLE_GLOBAL, 9, "stores"}},
    {"global_store_sectors", UNIT_SECTORS, AT(units[GLOBAL_STORE]),
     .print = {TABLE_GLOBAL, 9, "sectors"}},
    {NULL, UNIT_SECTORS, AT(units[GLOBAL_STORE]), AT(requests[GLOBAL_STORE]),
     .print = {TABLE_GLOBAL, 5, "each"}},
    {NULL, UNIT_SECTORS, AT(ideal[GLOBAL_STORE]), AT(requests[GLOBAL_STORE]),
     .print = {TABLE_GLOBAL, 5, "ideal"}},

    /* shared memory */
    {"shared_load_instructions", UNIT_REQUESTS, AT(requests[SHARED_LOAD]),
     .print = {TABLE_SHARED, 8, "loads"}},
    {"shared_load_wavefronts", UNIT_WAVEFRONTS, AT(units[SHARED_LOAD]),
     .print = {TABLE_SHARED, 9, "wavefr."}},
    {"shared_store_instructions", UNIT_REQUESTS, AT(requests[SHARED_STORE]),
     .print = {TABLE_SHARED, 8, "stores"}},
    {"shared_store_wavefronts", UNIT_WAVEFRONTS, AT(units[SHARED_STORE]),
     .print = {TABLE_SHARED, 9, "wavefr."}},

    /* atomics */
    {"global_atomic_requests", UNIT_REQUESTS, AT(requests[GLOBAL_ATOMIC]),
     .print = {TABLE_ATOMICS, 9, "global"}},
    {"global_atomic_sectors", UNIT_SECTORS, AT(passes[GLOBAL_ATOMIC]),
     .print = {TABLE_ATOMICS, 9, "sectors"}},
    {NULL, UNIT_SECTORS, AT(passes[GLOBAL_ATOMIC]), AT(requests[GLOBAL_ATOMIC]),
     .print = {TABLE_ATOMICS, 5, "each"}},
    {"shared_atomic_instructions", UNIT_REQUESTS, AT(requests[SHARED_ATOMIC]),
     .print = {TABLE_ATOMICS, 9, "shared"}},
    {"shared_atomic_wavefronts", UNIT_WAVEFRONTS, AT(passes[SHARED_ATOMIC]),
     .print = {TABLE_ATOMICS, 9, "wavefr."}},
    {NULL, UNIT_WAVEFRONTS, AT(passes[SHARED_ATOMIC]), AT(requests[SHARED_ATOMIC]),
     .print = {TABLE_ATOMICS, 5, "each"}},
    {NULL, UNIT_LANES, AT(same_address), .print = {TABLE_ATOMICS, 5, "most"}},

    /* warps */
    {"bank_conflicts", UNIT_CONFLICTS, AT(total.bank_conflicts),
     .print = {TABLE_SHARED, 9, "conflicts"}},
    {"atomic_requests", UNIT_REQUESTS, AT(total.atomics), .print = {TABLE_SHARED, 8, "atomics"}},
    {"atomic_max_same_address", UNIT_LANES, AT(same_address), .print = {TABLE_SHARED, 4, "most"}},
    {"barriers", UNIT_REQUESTS, AT(barriers), .print = {TABLE_SHARED, 8, "barriers"},
     .launch = LAUNCH(barriers)},
    {"divergent_warps", UNIT_WARPS, AT(divergent_warps), .print = {TABLE_SHARED, 8, "diverge"}},
    {"active_lanes", UNIT_LANES, AT(lanes), AT(total.requests),
     .print = {TABLE_SHARED, 6, "active"}},
    {"local_accesses", UNIT_ACCESSES, AT(local), .print = {TABLE_SHARED, 7, "local"}},

    /* arithmetic */
    {"flops_fma", UNIT_OPERATIONS, AT(operations[OPERATION_FMA]),
     .print = {TABLE_OPERATIONS, 13, "fma"}},
    {"flops_add", UNIT_OPERATIONS, AT(operations[OPERATION_ADD]),
     .print = {TABLE_OPERATIONS, 13, "add"}},
    {"flops_mul", UNIT_OPERATIONS, AT(operations[OPERATION_MUL]),
     .print = {TABLE_OPERATIONS, 13, "mul"}},
    {"tensor_instructions", UNIT_REQUESTS, AT(tensor), .print = {TABLE_TENSOR, 13, "products"}},
    {NULL, UNIT_REQUESTS, AT(bulk_copies), .print = {TABLE_BULK, 13, "copies"}},
    {NULL, UNIT_BYTES, AT(bulk_bytes), .print = {TABLE_BULK, 13, "bytes"}},
    {NULL, UNIT_BLOCKS, AT(cluster_blocks), .print = {TABLE_CLUSTERS, 6, "blocks"}},
    {NULL, UNIT_REQUESTS, AT(remote[REMOTE_LOAD]), .print = {TABLE_CLUSTERS, 8, "loads"}},
    {NULL, UNIT_WAVEFRONTS, AT(remote_units[REMOTE_LOAD]),
     .print = {TABLE_CLUSTERS, 8, "wavefr."}},
    {NULL, UNIT_REQUESTS, AT(remote[REMOTE_STORE]), .print = {TABLE_CLUSTERS, 8, "stores"}},
    {NULL, UNIT_WAVEFRONTS, AT(remote_units[REMOTE_STORE]),
     .print = {TABLE_CLUSTERS, 8, "wavefr."}},
    {NULL, UNIT_REQUESTS, AT(remote[REMOTE_ATOMIC]), .print = {TABLE_CLUSTERS, 8, "atomics"}},
    {NULL, UNIT_WAVEFRONTS, AT(remote_units[REMOTE_ATOMIC]),
     .print = {TABLE_CLUSTERS, 8, "wavefr."}},
    {NULL, UNIT_REQUESTS, AT(cluster_barriers), .print = {TABLE_CLUSTERS, 8, "barriers"}},
    {NULL, UNIT_OPERATIONS, AT(total.flops), .print = {TABLE_OPERATIONS, 14, "flops"}},
    {NULL, UNIT_OPERATIONS, AT(total.flops), AT(total.global_bytes),
     .print = {TABLE_OPERATIONS, 7, "each"}},
    {NULL, UNIT_OPERATIONS, AT(total.operations), .launch = LAUNCH(operations)},
    {"instructions", UNIT_INSTRUCTIONS, AT(instructions)},
    {NULL, UNIT_INSTRUCTIONS, AT(warp_instructions), .launch = LAUNCH(warp_instructions)},
    {NULL, UNIT_INSTRUCTIONS, AT(issue_cycles), .launch = LAUNCH(issue_cycles)},
    UNIT_CYCLES(CPU_UNIT_ALU),
    UNIT_CYCLES(CPU_UNIT_MULTIPLY),
    UNIT_CYCLES(CPU_UNIT_DOUBLE),
    UNIT_CYCLES(CPU_UNIT_SPECIAL),
    UNIT_CYCLES(CPU_UNIT_EVEN),
    UNIT_CYCLES(CPU_UNIT_ODD),
    {NULL, UNIT_WAITS, AT(local_waits), .launch = LAUNCH(local_waits)},
    {NULL, UNIT_PASSES, AT(local_cycles), .launch = LAUNCH(local_cycles)},
    {NULL, UNIT_INSTRUCTIONS, AT(tail_instructions), .launch = LAUNCH(tail_instructions)},

    /* the span, and the work behind it */
    WAITS(CPU_WAIT_GLOBAL, "span_global", "global"),
    WAITS(CPU_WAIT_CACHE, "span_cache", "cached"),
    WAITS(CPU_WAIT_SHARED, "span_shared", "shared"),
    WAITS(CPU_WAIT_WARP, "span_warp", "warp"),
    WAITS(CPU_WAIT_BARRIER, "span_barrier", "barrier"),
    WAITS(CPU_WAIT_ATOMIC, "span_atomic", "atomic"),
    WAITS(CPU_WAIT_FENCE, "span_fence", "fence"),
    {NULL, UNIT_INSTRUCTIONS, AT(instructions), .print = {TABLE_SPAN, 13, "instructions"}},

    /* what memory behind the requests moves */
    {"sectors_read", UNIT_SECTORS, AT(footprint.read), .launch = LAUNCH(sectors_read)},
    {"sectors_written", UNIT_SECTORS, AT(footprint.written), .launch = LAUNCH(sectors_written)},
    {"sectors_touched", UNIT_SECTORS, AT(footprint.any), .launch = LAUNCH(sectors_touched)},
    {"hot_line_lanes", UNIT_LANES, AT(footprint.hot.lanes), .launch = LAUNCH(hot_lanes)},
    {"hot_line_passes", UNIT_PASSES, AT(total.hot_passes)},
    {NULL, UNIT_SECTORS, AT(footprint.hot.sectors), .launch = LAUNCH(hot_sectors)},
    {NULL, UNIT_PASSES, AT(footprint.hot.passes), .launch = LAUNCH(hot_passes)},
    {NULL, UNIT_PASSES, AT(footprint.hot.integers), .launch = LAUNCH(hot_integers)},
    {"cache_sectors", UNIT_SECTORS, AT(cache_sectors), .launch = LAUNCH(cache_sectors)},
    {NULL, UNIT_SECTORS, AT(total.store_sectors), .launch = LAUNCH(store_sectors)},
    {NULL, UNIT_WAVEFRONTS, AT(total.wavefronts), .launch = LAUNCH(wavefronts)},
    {"lines", UNIT_LINES, AT(lines)},
    {NULL, UNIT_LINES, AT(missed), .launch = LAUNCH(missed)},
    {NULL, UNIT_LINES, AT(footprint.opened), .launch = LAUNCH(opened)},
    {NULL, UNIT_LINES, AT(footprint.whole), .launch = LAUNCH(whole)},
    {NULL, UNIT_PASSES, AT(quarters), .launch = LAUNCH(quarters)},
    {NULL, UNIT_PASSES, AT(constants), .launch = LAUNCH(constants)},
    {"partial_sector_stores", UNIT_SECTORS, AT(partial), .launch = LAUNCH(partial_stores)},
    {NULL, UNIT_LINES, AT(partial_lines), .launch = LAUNCH(partial_lines)},
    {NULL, UNIT_SECTORS, AT(footprint.common), .launch = LAUNCH(common_sectors)},
    {NULL, UNIT_SECTORS, AT(added), .launch = LAUNCH(added_sectors)},
    {NULL, UNIT_SECTORS, AT(answered), .launch = LAUNCH(answered_sectors)},
    {"shared_bytes", UNIT_BYTES, AT(shared), .launch = LAUNCH(shared_bytes)},
    {"nvcc_may_differ", UNIT_YES, AT(doubt)},

    /* what a launch could have less of */
    {NULL, UNIT_REQUESTS, AT(total.global_requests), .launch = LAUNCH(requests)},
    {NULL, UNIT_SECTORS, AT(ideal[GLOBAL_LOAD]), .launch = LAUNCH(ideal_loads)},
    {NULL, UNIT_SECTORS, AT(total.ideal_stores), .launch = LAUNCH(ideal_stores)},
    {NULL, UNIT_CONFLICTS, AT(total.bank_conflicts), .launch = LAUNCH(conflicts)},
    {NULL, UNIT_BLOCKS, AT(ran), .launch = LAUNCH(ran)},
    {NULL, UNIT_YES, AT(polled), .launch = LAUNCH(polled)},
};
/* clang-format on */
const size_t column_count = sizeof(columns) / sizeof(columns[0]);

static_assert(AT(doubt) == 0, "at 0 stands what divides nothing");
static_assert(LAUNCH(launches) % sizeof(double) == 0 &&
                  LAUNCH(shared_bytes) + sizeof(double) == sizeof(struct cpu_device_launch),
              "behind its texts a launch is doubles, without a gap");

double *cpu_device_number(struct cpu_device_launch *l, size_t i)
{
    return (double *)((char *)l + LAUNCH(launches)) + i;
}

enum cpu_number_of cpu_device_number_of(size_t i)
{
    size_t at = LAUNCH(launches) + i * sizeof(double);

    for (size_t k = 0; k < column_count; k++)
        if (columns[k].launch == at)
            return columns[k].of;
    return CPU_OF_LAUNCH; /* launches, blocks and threads are no counters */
}
