/*
 * The table of options. A family's axes and parameters add to it.
 */
#include "harness/run/options.h"

const struct option_spec option_specs[] = {
    {'n', "size", "N", "elements: 1000003, 2^24, 16Mi, 1e6", 0, 0},
    {'s', "sweep", "A:B", "sizes 2^A to 2^B in place of one", 0, 0},
    {'b', "blocks", "B", "blocks of the grid, 1 to 2^31-1\n(default: as many as the device holds)",
     OPTION_BLOCKS, 0},
    {'t', "threads", "T", "threads per block, 1 to 1024", 0, 0},
    {'v', "variant", "V", "only this variant; repeat for more", 0, 0},
    {'r', "runs", "R", "timed runs", 0, 0},
    {'w', "warmup", "W", "runs before them, not timed", 0, 0},
    {KEY_INPUT, "input", "KIND",
     "random, ones, ramp, exact (sums without rounding) or\n"
     "hostile (huge, tiny, NaN, infinite; by the seed)",
     OPTION_INPUT, 0},
    {KEY_SEED, "seed", "S", "of the input (default 1)", OPTION_INPUT, 0},
    {KEY_OFFSET, "offset", "K",
     "start the input K elements, 0 to 63, after an aligned\naddress (default 0)", OPTION_OFFSET,
     0},
    {KEY_TYPE, "type", "TYPE", "of the elements", 0, 0},
    {KEY_COLD, "cold", NULL, "flush the L2 cache before each run", 0, 0},
    {KEY_OVERSUBSCRIBE, "oversubscribe", NULL,
     "run more blocks than the device holds at once, and\nreport the deadlock",
     OPTION_OVERSUBSCRIBE, 0},
    {KEY_PEERS, "peers", NULL, "measure the library's variants beside ours", 0, NEEDS_PEERS},
    {'o', "log", "FILE", "append one CSV row per measurement", 0, 0},
    {'q', "quiet", NULL, "print only what is wrong", 0, 0},
    {KEY_BATCH, "batch", "FILE",
     "work off lines of options (-: standard input); print a\nJSON line per variant of each", 0, 0},
    {KEY_PROGRESS, "progress", NULL, "say on standard error how far it is, as lines", 0, 0},
    {KEY_COUNTERS, "counters", "[lines]", "count what each kernel did; =lines: by source line", 0,
     NEEDS_CPU_DEVICE},
    {KEY_ESTIMATE, "estimate", "[FILE]",
     "how long a GPU would take, by counters and a machine\nfile; without FILE: an H200", 0,
     NEEDS_CPU_DEVICE},
    {KEY_CHECK, "check", NULL, "find memory, race, init, sync and async mistakes", 0, NEEDS_CPU_DEVICE},
    {KEY_SCHEDULE, "schedule", "SPEC", "order of threads and blocks: random:SEED", 0,
     NEEDS_CPU_DEVICE},
    {KEY_TRACE, "trace", "LINE", "print one warp's access at this source line, as CSV", 0,
     NEEDS_CPU_DEVICE},
    {KEY_LIST, "list", NULL, "name the variants, with a line for each", 0, 0},
    {KEY_DESCRIBE, "describe", NULL, "print axes, variants and launches as JSON, for scripts", 0,
     0},
    {KEY_ATTRIBUTES, "attributes", NULL, "print what the device says of itself as JSON", 0, 0},
    {'h', "help", NULL, "print this page", 0, 0},
    {KEY_VERSION, "version", NULL, "print the version, commit and device kind", 0, 0},
};

const size_t option_specs_count = COUNT(option_specs);
