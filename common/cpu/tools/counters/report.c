/*
 * The counters' tables and CSV rows. A row stands for one launch; equal launches are counted in it.
 * Called by the host between launches; what was reported is gathered anew.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/counters/counters.h"
#include "cpu/tools/counters/model.h"
#include "cpu_device.h"

const char cpu_device_csv_header[] =
    "kernel,grid,block,phase,launches,global_load_requests,global_load_sectors,"
    "global_store_requests,global_store_sectors,shared_load_instructions,shared_load_wavefronts,"
    "shared_store_instructions,shared_store_wavefronts,global_atomic_requests,"
    "global_atomic_sectors,shared_atomic_instructions,shared_atomic_wavefronts,bank_conflicts,"
    "atomic_requests,atomic_max_same_address,barriers,divergent_warps,active_lanes,local_accesses,"
    "flops_fma,flops_add,flops_mul,instructions,"
    "span_global,span_cache,span_shared,span_warp,span_barrier,span_atomic,span_fence,"
    "sectors_read,sectors_written,sectors_touched,hot_line_lanes,hot_line_passes,cache_sectors,"
    "lines,"
    "partial_sector_stores,shared_bytes,nvcc_may_differ";

/* Only kernels of x86-64 count them: see cpu/assemble. */
#ifdef COUNTS_OPERATIONS
static const bool counts_operations = true;
#else
static const bool counts_operations = false;
#endif

enum { SHAPE = 40 };

/* 256, 32x32 or 8x8x8: without the ones at the end. */
static const char *shape_text(char text[SHAPE], struct cpu_dim d)
{
    if (d.z > 1)
        snprintf(text, SHAPE, "%ux%ux%u", d.x, d.y, d.z);
    else if (d.y > 1)
        snprintf(text, SHAPE, "%ux%u", d.x, d.y);
    else
        snprintf(text, SHAPE, "%u", d.x);
    return text;
}

/* The kernel's name in so many columns, with a mark where nvcc may differ. */
static const char *name_text(char text[SHAPE], const struct launch_record *r, int columns)
{
    snprintf(text, SHAPE, "%.*s%s", r->counts.doubt ? columns - 1 : columns, r->name,
             r->counts.doubt ? "*" : "");
    return text;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static uint64_t requests(const struct counts *c)
{
    uint64_t sum = 0;

    for (int k = 0; k < KINDS; k++)
        sum += c->requests[k];
    return sum;
}

static uint64_t atomics(const struct counts *c)
{
    return c->requests[GLOBAL_ATOMIC] + c->requests[SHARED_ATOMIC];
}

static uint64_t bank_conflicts(const struct counts *c)
{
    return c->units[SHARED_LOAD] - c->ideal[SHARED_LOAD] + c->units[SHARED_STORE] -
           c->ideal[SHARED_STORE];
}

/* --- CSV ------------------------------------------------------------------------------------- */

/* RFC 4180: a template's name may hold commas. */
static void print_field(FILE *csv, const char *s)
{
    if (!strpbrk(s, ",\"\n")) {
        fputs(s, csv);
        return;
    }
    fputc('"', csv);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', csv);
        fputc(*s, csv);
    }
    fputc('"', csv);
}

static void print_csv(FILE *csv, const char *first, const struct launch_record *r)
{
    const struct counts *c = &r->counts;
    char grid[SHAPE], dim[SHAPE];

    fputs(first, csv);
    print_field(csv, r->name);
    fprintf(csv, ",%s,%s,%s,%" PRIu64, shape_text(grid, r->grid), shape_text(dim, r->dim), r->phase,
            r->launches);
    for (int k = GLOBAL_LOAD; k <= SHARED_STORE; k++)
        fprintf(csv, ",%" PRIu64 ",%" PRIu64, c->requests[k], c->units[k]);
    for (int k = GLOBAL_ATOMIC; k <= SHARED_ATOMIC; k++)
        fprintf(csv, ",%" PRIu64 ",%" PRIu64, c->requests[k], c->passes[k]);
    fprintf(csv, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, bank_conflicts(c),
            atomics(c), c->same_address, c->barriers, c->divergent_warps);
    if (requests(c))
        fprintf(csv, ",%.2f", ratio(c->lanes, requests(c)));
    else
        fputc(',', csv);
    fprintf(csv, ",%" PRIu64, c->local);
    for (int i = 0; i < OPERATION_GUESSED; i++)
        if (counts_operations)
            fprintf(csv, ",%" PRIu64, c->operations[i]);
        else
            fputc(',', csv);
    fprintf(csv, ",%" PRIu64, c->instructions);
    for (int i = 0; i < CPU_WAIT_KINDS; i++)
        fprintf(csv, ",%" PRIu64, c->span.waits[i]);
    fprintf(csv, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, c->footprint.read,
            c->footprint.written, c->footprint.any, c->footprint.hot.lanes,
            c->footprint.hot.passes + c->footprint.hot.integers);
    fprintf(csv, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", c->cache_sectors,
            c->lines, c->partial, c->shared, c->doubt);
}

/* --- tables ---------------------------------------------------------------------------------- */

/* Right-aligned; a dash where nothing was counted. */
static void cell(FILE *out, int width, uint64_t value)
{
    if (value)
        fprintf(out, " %*" PRIu64, width, value);
    else
        fprintf(out, " %*s", width, "-");
}

static void ratio_cell(FILE *out, int width, uint64_t a, uint64_t b)
{
    if (b)
        fprintf(out, " %*.2f", width, ratio(a, b));
    else
        fprintf(out, " %*s", width, "-");
}

static void print_global(FILE *out)
{
    char grid[SHAPE], dim[SHAPE], name[SHAPE];

    fprintf(out,
            "\nGlobal memory, in one launch (sectors of %d bytes; each/ideal: sectors a request, "
            "and the fewest)\n",
            SECTOR);
    fprintf(out, "%3s %-20s %10s %8s %5s %9s %9s %5s %5s %9s %9s %5s %5s\n", "#", "kernel", "grid",
            "block", "times", "loads", "sectors", "each", "ideal", "stores", "sectors", "each",
            "ideal");
    for (size_t i = 0; i < gathered.launches; i++) {
        const struct launch_record *r = &gathered.launch[i];
        const struct counts *c = &r->counts;

        fprintf(out, "%3zu %-20s %10s %8s %5" PRIu64, i + 1, name_text(name, r, 20),
                shape_text(grid, r->grid), shape_text(dim, r->dim), r->launches);
        for (int k = GLOBAL_LOAD; k <= GLOBAL_STORE; k++) {
            cell(out, 9, c->requests[k]);
            cell(out, 9, c->units[k]);
            ratio_cell(out, 5, c->units[k], c->requests[k]);
            ratio_cell(out, 5, c->ideal[k], c->requests[k]);
        }
        fputc('\n', out);
    }
}

static void print_shared(FILE *out)
{
    char name[SHAPE];
    bool doubt = false;

    fprintf(out,
            "\nShared memory (wavefronts: passes through the %d banks; conflicts: those above "
            "the fewest), and the rest\n",
            BANKS);
    fprintf(out, "%3s %-16s %8s %9s %8s %9s %9s %8s %4s %8s %8s %6s %7s\n", "#", "kernel", "loads",
            "wavefr.", "stores", "wavefr.", "conflicts", "atomics", "most", "barriers", "diverge",
            "active", "local");
    for (size_t i = 0; i < gathered.launches; i++) {
        const struct launch_record *r = &gathered.launch[i];
        const struct counts *c = &r->counts;

        fprintf(out, "%3zu %-16s", i + 1, name_text(name, r, 16));
        doubt |= c->doubt;
        for (int k = SHARED_LOAD; k <= SHARED_STORE; k++) {
            cell(out, 8, c->requests[k]);
            cell(out, 9, c->units[k]);
        }
        cell(out, 9, bank_conflicts(c));
        cell(out, 8, atomics(c));
        cell(out, 4, c->same_address);
        cell(out, 8, c->barriers);
        cell(out, 8, c->divergent_warps);
        ratio_cell(out, 6, c->lanes, requests(c));
        cell(out, 7, c->local);
        fputc('\n', out);
    }
    fprintf(out, "most: lanes of an atomic on one address; barriers: one a warp; diverge: warps "
                 "whose lanes went apart;\nactive: lanes in an access, on average; local: accesses "
                 "of threads to their own arrays\n");
    if (doubt)
        fprintf(out,
                "*: nvcc may differ, since the source alone cannot tell what a register keeps or "
                "a wide access joins\n");
}

/* Only where there are any. */
static void print_atomics(FILE *out)
{
    char name[SHAPE];
    bool any = false;

    for (size_t i = 0; i < gathered.launches; i++) {
        const struct launch_record *r = &gathered.launch[i];
        const struct counts *c = &r->counts;

        if (!atomics(c))
            continue;
        if (!any)
            fprintf(out,
                    "\nAtomics (lanes that share an address go one after the other; not those that "
                    "only count, in shared\nmemory; most: lanes on one address)\n"
                    "%3s %-20s %9s %9s %5s %9s %9s %5s %5s\n",
                    "#", "kernel", "global", "sectors", "each", "shared", "wavefr.", "each",
                    "most");
        any = true;
        fprintf(out, "%3zu %-20s", i + 1, name_text(name, r, 20));
        for (int k = GLOBAL_ATOMIC; k <= SHARED_ATOMIC; k++) {
            cell(out, 9, c->requests[k]);
            cell(out, 9, c->passes[k]);
            ratio_cell(out, 5, c->passes[k], c->requests[k]);
        }
        cell(out, 5, c->same_address);
        fputc('\n', out);
    }
}

/* Only where there are any. */
static void print_operations(FILE *out)
{
    char name[SHAPE];
    bool any = false;

    for (size_t i = 0; i < gathered.launches; i++) {
        const struct launch_record *r = &gathered.launch[i];
        const uint64_t *n = r->counts.operations;
        uint64_t bytes = SECTOR * (r->counts.units[GLOBAL_LOAD] + r->counts.units[GLOBAL_STORE]);
        uint64_t flops = 2 * n[OPERATION_FMA] + n[OPERATION_ADD] + n[OPERATION_MUL];

        if (!flops)
            continue;
        if (!any)
            fprintf(
                out,
                "\nArithmetic of single precision, of threads (fma: a product and a sum in one; "
                "flops: 2 fma + add + mul;\neach: flops a byte of the global sectors)\n"
                "%3s %-20s %13s %13s %13s %14s %7s\n",
                "#", "kernel", "fma", "add", "mul", "flops", "each");
        any = true;
        fprintf(out, "%3zu %-20s", i + 1, name_text(name, r, 20));
        for (int k = 0; k < OPERATION_GUESSED; k++)
            cell(out, 13, n[k]);
        cell(out, 14, flops);
        ratio_cell(out, 7, flops, bytes);
        fputc('\n', out);
    }
}

static void print_span(FILE *out)
{
    char name[SHAPE];

    fprintf(
        out,
        "\nSpan: the longest chain of steps of a block, of which each waits for the one before, "
        "by what it waits for;\nand work: instructions of threads, by a rule (cached: loads that "
        "the multiprocessor's cache has)\n");
    fprintf(out, "%3s %-20s %8s %8s %8s %8s %8s %8s %8s %13s\n", "#", "kernel", "global", "cached",
            "shared", "warp", "barrier", "atomic", "fence", "instructions");
    for (size_t i = 0; i < gathered.launches; i++) {
        const struct launch_record *r = &gathered.launch[i];

        fprintf(out, "%3zu %-20s", i + 1, name_text(name, r, 20));
        for (int k = 0; k < CPU_WAIT_KINDS; k++)
            cell(out, 8, r->counts.span.waits[k]);
        cell(out, 13, r->counts.instructions);
        fputc('\n', out);
    }
}

/* --- by source line ------------------------------------------------------------------------- */

static const char *const kind_names[] = {"global load",  "global store",  "shared load",
                                         "shared store", "global atomic", "shared atomic",
                                         "barrier"};

static int space_rank(enum kind kind) /* global, shared and atomics are measured in other units */
{
    return kind <= GLOBAL_STORE ? 0 : kind <= SHARED_STORE ? 1 : kind < BARRIER ? 2 : 3;
}

/* By kernel, then space; the most above the ideal first, then the most traffic. */
static int compare_lines(const void *a, const void *b)
{
    const struct line_record *x = a, *y = b;
    uint64_t excess_x = x->units - x->ideal, excess_y = y->units - y->ideal;
    int order = strcmp(x->name, y->name);

    if (!order)
        order = space_rank(x->kind) - space_rank(y->kind);
    if (!order && excess_x != excess_y)
        order = excess_x > excess_y ? -1 : 1;
    if (!order && x->units != y->units)
        order = x->units > y->units ? -1 : 1;
    if (!order)
        order = x->line - y->line;
    return order ? order : (int)x->kind - (int)y->kind;
}

static bool same_part(const struct line_record *a, const struct line_record *b)
{
    return !strcmp(a->name, b->name) && space_rank(a->kind) == space_rank(b->kind);
}

/* The lines of one kernel in one space. The first is to blame if it alone costs a twentieth more
 * than all of them would at best. */
static void print_part(FILE *out, const struct line_record *line, size_t count)
{
    uint64_t total = 0, ideal = 0;

    for (size_t i = 0; i < count; i++) {
        total += line[i].units;
        ideal += line[i].ideal;
    }
    for (size_t i = 0; i < count; i++) {
        const struct line_record *r = &line[i];
        char place[64];

        snprintf(place, sizeof(place), "%.40s:%d", r->file ? r->file : "?", r->line);
        if (r->kind == BARRIER) {
            fprintf(out, "%-20.20s %-24s %-13s %11" PRIu64 " %11s %6s %6s %6s\n", r->name, place,
                    kind_names[r->kind], r->requests, "-", "-", "-", "-");
            continue;
        }
        fprintf(out, "%-20.20s %-24s %-13s %11" PRIu64 " %11" PRIu64 " %6.2f %6.2f %5.1f%%%s\n",
                r->name, place, kind_names[r->kind], r->requests, r->units,
                ratio(r->units, r->requests), ratio(r->ideal, r->requests),
                100 * ratio(r->units, total),
                i == 0 && 20 * (r->units - r->ideal) > ideal ? " <== here" : "");
    }
}

static void print_lines(FILE *out)
{
    size_t first = 0;

    qsort(gathered.line, gathered.lines, sizeof(*gathered.line), compare_lines);
    fprintf(out, "\nBy source line, all launches together (cost: sectors of global memory, "
                 "wavefronts of shared memory, and for\natomics the most lanes on one address; "
                 "share: of the kernel's cost in that memory; <== here: the most to gain)\n");
    fprintf(out, "%-20s %-24s %-13s %11s %11s %6s %6s %6s\n", "kernel", "line", "what", "requests",
            "cost", "each", "ideal", "share");
    for (size_t i = 1; i <= gathered.lines; i++)
        if (i == gathered.lines || !same_part(&gathered.line[first], &gathered.line[i])) {
            print_part(out, &gathered.line[first], i - first);
            first = i;
        }
}

void cpu_device_report(FILE *out, FILE *csv, const char *first)
{
    if (out && gathered.launches) {
        print_global(out);
        print_shared(out);
        print_atomics(out);
        print_operations(out);
        print_span(out);
        if (gathered.lines)
            print_lines(out);
    }
    if (csv)
        for (size_t i = 0; i < gathered.launches; i++)
            print_csv(csv, first, &gathered.launch[i]);
    gathered.launches = gathered.lines = 0;
}

static double all(struct cpu_dim d)
{
    return (double)d.x * d.y * d.z;
}

int cpu_device_launch(size_t i, struct cpu_device_launch *l)
{
    const struct launch_record *r = &gathered.launch[i];
    const struct counts *c = &r->counts;
    const struct footprint *f = &c->footprint;

    if (i >= gathered.launches)
        return -1;
    *l = (struct cpu_device_launch){.kernel = r->name, .phase = r->phase};
    l->launches = (double)r->launches;
    l->blocks = all(r->grid);
    l->threads = all(r->dim);
    for (int k = 0; k < CPU_WAIT_KINDS; k++) {
        l->span[k] = (double)c->chains.waits[k] / l->blocks;
        l->longest[k] = (double)c->span.waits[k];
        l->tail[k] = (double)c->tails.waits[k] / l->blocks;
    }
    l->warp_instructions = (double)c->warp_instructions;
    l->tail_instructions = (double)c->tail_instructions;
    for (int k = 0; k < OPERATION_GUESSED; k++)
        l->operations += (double)c->operations[k];
    l->load_sectors = (double)c->units[GLOBAL_LOAD];
    l->store_sectors = (double)(c->units[GLOBAL_STORE] + c->passes[GLOBAL_ATOMIC]);
    l->cache_sectors = (double)c->cache_sectors;
    l->lines = (double)c->lines;
    l->wavefronts =
        (double)(c->units[SHARED_LOAD] + c->units[SHARED_STORE] + c->passes[SHARED_ATOMIC]);
    l->sectors_read = (double)f->read;
    l->sectors_written = (double)f->written;
    l->sectors_touched = (double)f->any;
    l->partial_stores = (double)c->partial;
    l->partial_lines = (double)c->partial_lines;
    l->hot_lanes = (double)f->hot.lanes;
    l->hot_passes = (double)f->hot.passes;
    l->hot_integers = (double)f->hot.integers;
    l->shared_bytes = (double)c->shared;
    return 0;
}
