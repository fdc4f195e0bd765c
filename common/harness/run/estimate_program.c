/*
 * How long a GPU would take for the launches of any program, and what would make them faster:
 *
 *   estimate LAUNCHES MACHINE [JSON]
 *
 * LAUNCHES is what the program left (common/cpu/start.c, CPU_DEVICE_LAUNCHES), MACHINE the GPU's
 * machine file, JSON a file that gets the same for programs. The text goes to standard error, where
 * the counters go. Equal kernels with equal grids are one row, whatever their launches did. Status
 * 0; 2 after one line where a file cannot be read or written.
 */
#define _POSIX_C_SOURCE 200809L /* getdelim */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/run/estimate.h"
#include "harness/run/estimate_mends.h"
#include "harness/run/json.h"

#define DIFFERENCE 0.05 /* of the time: less is told as none */

/* Times of launches of one kernel with one grid, or of all; us are sums over the launches. */
struct group {
    const char *kernel; /* NULL: the program */
    double blocks, threads, resident;
    enum room room;
    double launches, us, queue_us;
    struct estimate waits;
    double mended[MENDS]; /* us; those without something to change count as they are */
    bool changes[MENDS];
    bool polled, sampled;
};

/* --- what the program left -------------------------------------------------------------------- */

#define NUMBERS_AT offsetof(struct cpu_device_launch, requests)

/* Of the blocks that did not run, what they touch is not known: as much as those that did. */
static void scale_footprint(struct cpu_device_launch *l)
{
    double times = l->blocks / l->ran;

    l->sectors_read = fmin(l->sectors_read * times, l->load_sectors);
    l->sectors_written = fmin(l->sectors_written * times, l->store_sectors);
    l->sectors_touched *= times;
}

static int read_launch(FILE *file, struct cpu_device_launch *l)
{
    size_t room = 0;
    char *name = NULL;
    bool whole = fread((char *)l + NUMBERS_AT, sizeof(*l) - NUMBERS_AT, 1, file) == 1 &&
                 getdelim(&name, &room, '\0', file) > 0;

    l->kernel = name;
    l->phase = "";
    if (whole && l->ran < l->blocks)
        scale_footprint(l);
    return whole ? 0 : -1;
}

static int read_launches(struct counted *all, const char *path)
{
    FILE *file = fopen(path, "rb");
    struct cpu_device_launch l;

    if (!file)
        return complain(BAD_USAGE, "%s: %s", path, strerror(errno));
    while (read_launch(file, &l) == 0) {
        struct cpu_device_launch *more =
            realloc(all->launch, (all->count + 1) * sizeof(*all->launch));

        if (!more)
            return complain(BAD_USAGE, "no memory left on the host");
        all->launch = more;
        all->launch[all->count++] = l;
    }
    fclose(file);
    return 0;
}

/* --- times ------------------------------------------------------------------------------------ */

static void add_launch(struct group *g, const struct machine *machine,
                       const struct cpu_device_launch *l)
{
    double part[WAITS_FOR] = {0}, us = estimate_launch(machine, l, 0, part);

    g->launches += l->launches;
    g->us += l->launches * us;
    g->polled |= l->polled > 0;
    g->sampled |= l->ran < l->blocks;
    for (int i = 0; i < WAITS_FOR; i++)
        g->waits.part[i] += l->launches * part[i];
    for (int i = 0; i < MENDS; i++) {
        double mended = mend_us(machine, l, i);

        g->changes[i] |= mended >= 0;
        g->mended[i] += l->launches * (mended >= 0 ? mended : us);
    }
}

static bool is_of(const struct group *g, const struct cpu_device_launch *l)
{
    return !g->kernel || (strcmp(g->kernel, l->kernel) == 0 && g->blocks == l->blocks &&
                          g->threads == l->threads);
}

/* In the order of their first launches; behind them the program. Returns how many, without that. */
static size_t group(const struct counted *all, const struct machine *machine, struct group *groups)
{
    struct group program = {0};
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct cpu_device_launch *l = &all->launch[i];
        size_t at = 0;

        while (at < count && !is_of(&groups[at], l))
            at++;
        if (at == count) {
            groups[count] =
                (struct group){.kernel = l->kernel, .blocks = l->blocks, .threads = l->threads};
            groups[count].resident = estimate_resident(machine, l, &groups[count].room);
            count++;
        }
        add_launch(&groups[at], machine, l);
        add_launch(&program, machine, l);
    }
    program.queue_us = estimate_queue(machine, program.launches);
    program.waits.part[FOR_LAUNCHES] = program.queue_us;
    program.us += program.queue_us;
    for (int i = 0; i < MENDS; i++)
        program.mended[i] += program.queue_us;
    groups[count] = program;
    return count;
}

/* The mends that change something, the most gain first. Returns how many. */
static int order_mends(const struct group *g, enum mend order[MENDS])
{
    int count = 0;

    for (enum mend i = 0; i < MENDS; i++) {
        int at = count;

        if (!g->changes[i])
            continue;
        for (; at > 0 && g->mended[order[at - 1]] > g->mended[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    return count;
}

/* --- as text ---------------------------------------------------------------------------------- */

static void print_waits(const struct group *g)
{
    enum wait_for first, second;

    estimate_limits(&g->waits, &first, &second);
    fprintf(stderr, "%s %.3g us", estimate_word(first), g->waits.part[first] / g->launches);
    if (g->waits.part[second] > 0)
        fprintf(stderr, ", %s %.3g us", estimate_word(second), g->waits.part[second] / g->launches);
    fputs(g->polled ? ", and for words that others write\n" : "\n", stderr);
}

/* Of one launch, or of the program. */
static void print_mends(const struct group *g)
{
    double per = g->kernel ? g->launches : 1;
    enum mend order[MENDS];
    int count = order_mends(g, order), told = 0;

    while (told < count && g->mended[order[told]] <= (1 - DIFFERENCE) * g->us) {
        fprintf(stderr, "      %-46s %10.4g us\n", mend_name(order[told]),
                g->mended[order[told]] / per);
        told++;
    }
    for (int i = told; i < count; i++)
        fprintf(stderr, "%s%s", i == told ? "      no difference: " : ", ", mend_name(order[i]));
    if (told < count)
        fputc('\n', stderr);
}

static void print_group(const struct group *g, size_t number)
{
    double us = g->us / g->launches;

    fprintf(stderr, "%3zu %-28s %9.0f %6.0f %6.0f %10.4g %10.3g %10.3g  ", number, g->kernel,
            g->blocks, g->threads, g->launches, us, us * (1 - ESTIMATE_RANGE),
            us * (1 + ESTIMATE_RANGE));
    print_waits(g);
    print_mends(g);
}

static void print_program(const struct group *g, size_t kernels)
{
    fprintf(stderr,
            "program: %.0f launch%s, %.4g us (%.3g to %.3g), of which %.3g us until %s in the "
            "queue\n",
            g->launches, g->launches > 1 ? "es" : "", g->us, g->us * (1 - ESTIMATE_RANGE),
            g->us * (1 + ESTIMATE_RANGE), g->queue_us, g->launches > 1 ? "they are" : "it is");
    if (g->sampled)
        fputs("blocks that did not run are taken to touch other memory than those that ran\n",
              stderr);
    if (kernels > 1)
        print_mends(g);
}

static void print(const struct machine *machine, const struct group *groups, size_t count)
{
    const struct group *program = &groups[count];

    fprintf(stderr,
            "\nEstimated for %s from counters, not measured: kernels alone, without copies\n"
            "  # kernel                          blocks threads  times    us each      least       "
            "most  waits for\n",
            machine->device);
    for (size_t i = 0; i < count; i++)
        print_group(&groups[i], i + 1);
    print_program(program, count);
}

/* --- for programs ----------------------------------------------------------------------------- */

static void field(FILE *out, const char *name, double value)
{
    fprintf(out, ", \"%s\": ", name);
    json_number(out, value);
}

/* What a kernel and the program both have; us are sums over the launches. */
static void write_times(FILE *out, const struct group *g)
{
    enum mend order[MENDS];
    int count = order_mends(g, order);
    const char *comma = "";

    field(out, "launches", g->launches);
    field(out, "us", g->us);
    field(out, "least_us", g->us * (1 - ESTIMATE_RANGE));
    field(out, "most_us", g->us * (1 + ESTIMATE_RANGE));
    fputs(", \"waits_for\": {", out);
    for (enum wait_for i = 0; i < WAITS_FOR; i++) {
        if (g->waits.part[i] <= 0)
            continue;
        fprintf(out, "%s\"%s\": ", comma, estimate_word(i));
        json_number(out, g->waits.part[i]);
        comma = ", ";
    }
    fputs("}, \"mends\": [", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s{\"mend\": \"%s\"", i ? ", " : "", mend_name(order[i]));
        field(out, "us", g->mended[order[i]]);
        fputs("}", out);
    }
    fputs("]", out);
}

static void write_kernel(FILE *out, const struct group *g)
{
    static const char *const rooms[] = {[ROOM_FOR_THREADS] = "threads",
                                        [ROOM_FOR_SHARED] = "shared memory",
                                        [ROOM_FOR_BLOCKS] = "blocks",
                                        [ROOM_FOR_REGISTERS] = "registers"};

    fputs("{\"kernel\": ", out);
    json_text(out, g->kernel);
    field(out, "blocks", g->blocks);
    field(out, "threads", g->threads);
    field(out, "resident_blocks", g->resident);
    fprintf(out, ", \"resident_limit\": \"%s\", \"polls\": %s", rooms[g->room],
            g->polled ? "true" : "false");
    write_times(out, g);
    fputs("}", out);
}

static int write_json(const char *path, const struct machine *machine, const struct group *groups,
                      size_t count)
{
    FILE *out = fopen(path, "w");
    bool written;

    if (!out)
        return complain(BAD_USAGE, "%s: %s", path, strerror(errno));
    fputs("{\"machine\": ", out);
    json_text(out, machine->device);
    field(out, "queue_us", groups[count].queue_us);
    fprintf(out, ", \"sampled\": %s", groups[count].sampled ? "true" : "false");
    write_times(out, &groups[count]);
    fputs(", \"kernels\": [", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        write_kernel(out, &groups[i]);
    }
    fputs("]}\n", out);
    written = !ferror(out);
    return fclose(out) == 0 && written ? 0 : complain(BAD_USAGE, "%s: cannot be written", path);
}

int main(int argc, char **argv)
{
    struct counted all = {0};
    struct machine machine;
    struct group *groups;
    size_t count;

    message_program("--estimate");
    if (argc < 3 || argc > 4)
        return -complain(BAD_USAGE, "estimate LAUNCHES MACHINE [JSON]");
    if (machine_read(&machine, argv[2]) != 0 || read_launches(&all, argv[1]) != 0)
        return 2;
    if (all.count == 0)
        return -complain(BAD_USAGE, "no kernel was launched");
    groups = calloc(all.count + 1, sizeof(*groups));
    if (!groups)
        return -complain(BAD_USAGE, "no memory left on the host");
    count = group(&all, &machine, groups);
    print(&machine, groups, count);
    return argc > 3 ? -write_json(argv[3], &machine, groups, count) : 0;
}
