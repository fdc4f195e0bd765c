/*
 * The pages that are made from the table of options.
 */
#include <stdio.h>
#include <string.h>

#include "harness/run/options.h"
#include "harness/run/version.h"

#define HELP_TEXT 128

/* "f32, i32 or u8 (default f32)" */
static const char *types_of(char text[HELP_TEXT], const struct program *program)
{
    size_t used = 0;

    for (const struct step *const *step = program->steps; *step && used < HELP_TEXT; step++) {
        const char *before = step == program->steps ? "" : step[1] ? ", " : " or ";

        used +=
            (size_t)snprintf(text + used, HELP_TEXT - used, "%s%s", before, (*step)->type->name);
    }
    if (used < HELP_TEXT)
        snprintf(text + used, HELP_TEXT - used, " (default %s)", program->steps[0]->type->name);
    return text;
}

static const char *help_of(char text[HELP_TEXT], const struct option_spec *spec,
                           const struct program *program)
{
    const struct family *family = program->family;
    int first = options_size_axis(family, -1);

    if (spec->key == KEY_TYPE)
        return types_of(text, program);
    if (spec->key == 'n')
        return family->axes[first].help ? family->axes[first].help : spec->help;
    if (spec->key == 's' && family->options & OPTION_SWEEPS_BLOCKS)
        return "grids of 2^A to 2^B blocks in place of one";
    if (spec->key == 's' && options_size_axis(family, first) >= 0)
        return "sides 2^A to 2^B in place of one size";
    return spec->help;
}

static void print_option(const struct option_spec *spec, const struct program *program)
{
    char text[HELP_TEXT];
    const char *help = help_of(text, spec, program);
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
static void print_own(const struct program *program)
{
    const struct family *family = program->family;

    for (size_t i = 0; i < family->axis_count; i++) {
        const struct axis *axis = &family->axes[i];
        const struct option_spec spec = {KEY_AXIS + (int)i, axis->option, "N", axis->help, 0,
                                         NEEDS_NOTHING};

        if (axis->option)
            print_option(&spec, program);
    }
    for (const struct parameter *p = family->parameters; p && p->option; p++) {
        const struct option_spec spec = {KEY_PARAMETER, p->option, p->value,
                                         p->help,       0,         NEEDS_NOTHING};

        print_option(&spec, program);
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
            print_own(program);
        if ((spec->family & program->family->options) != spec->family)
            continue;
        if (spec->key == KEY_TYPE && !program->steps[1])
            continue;
        print_option(spec, program);
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
