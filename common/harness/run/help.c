/*
 * The table of options, and the pages made from it.
 */
#include <stdio.h>
#include <string.h>

#include "harness/run/options.h"
#include "harness/run/version.h"

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
    {KEY_TYPE, "type", "TYPE", "f32 or i32, where the step has both", 0, 0},
    {KEY_COLD, "cold", NULL, "flush the L2 cache before each run", 0, 0},
    {KEY_OVERSUBSCRIBE, "oversubscribe", NULL,
     "run more blocks than the device holds at once, and\nreport the deadlock",
     OPTION_OVERSUBSCRIBE, 0},
    {KEY_PEERS, "peers", NULL, "measure the library's variants beside ours", 0, NEEDS_PEERS},
    {'o', "log", "FILE", "append one CSV row per measurement", 0, NEEDS_SERIES},
    {'q', "quiet", NULL, "print only what is wrong", 0, 0},
    {KEY_BATCH, "batch", "FILE",
     "work off lines of options (-: standard input); print a\nJSON line per variant of each", 0,
     NEEDS_SERIES},
    {KEY_PROGRESS, "progress", NULL, "tell on standard error how far it is, as lines", 0,
     NEEDS_SERIES},
    {KEY_COUNTERS, "counters", "[lines]", "count what each kernel did; =lines: by source line", 0,
     NEEDS_CPU_DEVICE},
    {KEY_ESTIMATE, "estimate", "[FILE]",
     "how long a GPU would take, by counters and a machine\nfile; without FILE: an H200", 0,
     NEEDS_CPU_DEVICE},
    {KEY_CHECK, "check", NULL, "find memory, race, init, sync and async mistakes", 0,
     NEEDS_CPU_DEVICE},
    {KEY_SCHEDULE, "schedule", "SPEC", "order of threads and blocks: random:SEED", 0,
     NEEDS_CPU_DEVICE},
    {KEY_TRACE, "trace", "LINE", "print one warp's access at this source line, as CSV", 0,
     NEEDS_CPU_DEVICE},
    {KEY_LIST, "list", NULL, "name the variants, with a line for each", 0, 0},
    {KEY_DESCRIBE, "describe", NULL, "print axes, variants and launches as JSON, for scripts", 0,
     NEEDS_SERIES},
    {KEY_ATTRIBUTES, "attributes", NULL, "print what the device says of itself as JSON", 0,
     NEEDS_SERIES},
    {'h', "help", NULL, "print this page", 0, 0},
    {KEY_VERSION, "version", NULL, "print the version, commit and device kind", 0, 0},
};

const size_t option_specs_count = COUNT(option_specs);

static const char *help_of(const struct option_spec *spec, const struct family *family)
{
    int first = options_size_axis(family, -1);

    if (spec->key == 'n')
        return family->axes[first].help ? family->axes[first].help : spec->help;
    if (spec->key == 's' && family->options & OPTION_SWEEPS_BLOCKS)
        return "grids of 2^A to 2^B blocks in place of one";
    if (spec->key == 's' && options_size_axis(family, first) >= 0)
        return "sides 2^A to 2^B in place of one size";
    return spec->help;
}

static void print_option(const struct option_spec *spec, const struct family *family)
{
    const char *help = help_of(spec, family);
    const char *second = strchr(help, '\n');
    bool letter = spec->key < KEY_INPUT;
    bool optional = spec->value && spec->value[0] == '[';
    char left[40];

    snprintf(left, sizeof(left), "%c%c%c --%s%s%s", letter ? '-' : ' ', letter ? spec->key : ' ',
             letter ? ',' : ' ', spec->name,
             optional      ? "[="
             : spec->value ? " "
                           : "",
             spec->value ? spec->value + optional : "");
    printf("  %-23s %.*s\n", left, second ? (int)(second - help) : (int)strlen(help), help);
    if (second)
        printf("  %-23s %s\n", "", second + 1);
}

/* The options of the family's own axes and parameters. */
static void print_own(const struct family *family)
{
    for (size_t i = 0; i < family->axis_count; i++) {
        const struct axis *axis = &family->axes[i];
        const struct option_spec spec = {KEY_AXIS + (int)i, axis->option, "N", axis->help, 0,
                                         NEEDS_NOTHING};

        if (axis->option)
            print_option(&spec, family);
    }
    for (const struct parameter *p = family->parameters; p && p->option; p++) {
        const struct option_spec spec = {KEY_PARAMETER, p->option, p->value,
                                         p->help,       0,         NEEDS_NOTHING};

        print_option(&spec, family);
    }
}

void help_print(const struct program *program)
{
    printf("Usage: %s [OPTION]...\n\n"
           "Runs the variants of this step, verifies every result, and prints their times.\n\n",
           program->step);
    for (size_t i = 0; i < option_specs_count; i++) {
        const struct option_spec *spec = &option_specs[i];

        if (spec->need == NEEDS_CPU_DEVICE && option_specs[i - 1].need != NEEDS_CPU_DEVICE)
            printf("\nOn the CPU device (a build with -Ddevice=cpu):\n");
        if (spec->key == KEY_LIST)
            printf("\n");
        if (spec->key == 's')
            print_own(program->family);
        if ((spec->family & program->family->options) != spec->family)
            continue;
        if (spec->key == KEY_TYPE && !program->steps[1])
            continue;
        print_option(spec, program->family);
    }
    printf("\nVariants:\n");
    help_list(program);
    printf("\nExit status: 0 every result verified; 1 a wrong result, or --check found\n"
           "something; 2 bad usage; 3 no usable device, or a CUDA call failed.\n");
}

void help_list(const struct program *program)
{
    const struct step *step = program->steps[0];
    int width = 0;

    for (size_t i = 0; i < step->count; i++) {
        int length = (int)strlen(step->variants[i].name);

        if (length > width)
            width = length;
    }
    for (size_t i = 0; i < step->count; i++)
        printf("  %-*s  %s\n", width, step->variants[i].name, step->variants[i].summary);
}

void help_version(const struct program *program)
{
    printf("%s (cuda-steps) %s%s%s, %s device\n", program->step, project_version(),
           *project_commit() ? ", commit " : "", project_commit(),
           strcmp(backend_name(), "cpu") == 0 ? "CPU" : "CUDA");
}
