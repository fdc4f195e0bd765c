/*
 * The counters' tables and CSV rows. A row stands for one launch; equal launches are counted in it.
 * Called by the host between launches; what was reported is gathered anew.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/counters/links.h"
#include "cpu/tools/counters/columns.h"
#include "cpu/tools/counters/differences.h"
#include "cpu/tools/counters/model.h"

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

/* --- CSV ------------------------------------------------------------------------------------- */

const char *cpu_device_csv_header(void)
{
    static char header[2048] = "";
    size_t length;

    if (*header)
        return header;
    length = (size_t)snprintf(header, sizeof(header), "kernel,grid,block,phase,launches");
    for (size_t i = 0; i < column_count; i++)
        if (columns[i].name)
            length +=
                (size_t)snprintf(header + length, sizeof(header) - length, ",%s", columns[i].name);
    return header;
}

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

/* Empty where nothing was counted that it could be divided by, or nothing can be. */
static void print_number(FILE *csv, const struct column *column, const struct counts *c)
{
    uint64_t number = column_number(c, column->at);
    uint64_t per = column->per ? column_number(c, column->per) : 0;

    fputc(',', csv);
    if (column->unit == UNIT_OPERATIONS && !counts_operations)
        return;
    if (!column->per)
        fprintf(csv, "%" PRIu64, number);
    else if (per)
        fprintf(csv, "%.2f", ratio(number, per));
}

static void print_csv(FILE *csv, const char *first, const struct launch_record *r)
{
    char grid[SHAPE], dim[SHAPE];

    fputs(first, csv);
    print_field(csv, r->name);
    fprintf(csv, ",%s,%s,%s,%" PRIu64, shape_text(grid, r->grid), shape_text(dim, r->dim), r->phase,
            r->launches);
    for (size_t i = 0; i < column_count; i++)
        if (columns[i].name)
            print_number(csv, &columns[i], &r->counts);
    fputc('\n', csv);
}

/* --- tables ---------------------------------------------------------------------------------- */

struct table_form {
    enum table table;
    int name_width;
    bool with_grid; /* grid, block and how often stand behind the name */
    size_t only;    /* in struct counts: rows that have some of it; 0: all */
    const char *head, *legend;
};

static const struct table_form forms[] = {
    {TABLE_GLOBAL, 20, true, 0,
     "Global memory, in one launch (sectors of 32 bytes; each/ideal: sectors a request, and the "
     "fewest)",
     NULL},
    {TABLE_SHARED, 16, false, 0,
     "Shared memory (wavefronts: passes through the 32 banks; conflicts: those above the fewest), "
     "and the rest",
     "most: lanes of an atomic on one address; barriers: one a warp; diverge: warps whose lanes "
     "went apart;\nactive: lanes in an access, on average; local: accesses of threads to their own "
     "arrays\n"},
    {TABLE_ATOMICS, 20, false, offsetof(struct counts, total.atomics),
     "Atomics (lanes that share an address go one after the other; not those that only count, in "
     "shared\nmemory; most: lanes on one address)",
     NULL},
    {TABLE_OPERATIONS, 20, false, offsetof(struct counts, total.flops),
     "Arithmetic of single precision, of threads (fma: a product and a sum in one; flops: 2 fma + "
     "add + mul;\neach: flops a byte of the global sectors)",
     NULL},
    {TABLE_TENSOR, 20, false, offsetof(struct counts, tensor),
     "Tensor cores (products: instructions of warps, one for each mma.sync; of wmma two, and four "
     "of tf32)",
     NULL},
    {TABLE_BULK, 20, false, offsetof(struct counts, bulk_copies),
     "Copies in bulk (cp.async.bulk: what they load and store is in no other count)", NULL},
    {TABLE_CLUSTERS, 20, false, offsetof(struct counts, cluster_blocks),
     "Clusters (blocks: of each; loads, stores, atomics: requests to the shared memory of other "
     "blocks, by the\nrules of the block's own; barriers of the cluster: one a warp)",
     NULL},
    {TABLE_SPAN, 20, false, 0,
     "Span: the longest chain of steps of a block, of which each waits for the one before, by what "
     "it waits for;\nand work: instructions of threads, by a rule (cached: loads that the "
     "multiprocessor's cache has)",
     NULL},
};
static_assert(SECTOR == 32 && BANKS == 32, "the tables' heads say so");

/* Right-aligned; a dash where nothing was counted. */
static void print_cell(FILE *out, const struct column *column, const struct counts *c)
{
    uint64_t number = column_number(c, column->at);
    uint64_t per = column->per ? column_number(c, column->per) : 0;

    if (column->per && per)
        fprintf(out, " %*.2f", column->print.width, ratio(number, per));
    else if (!column->per && number)
        fprintf(out, " %*" PRIu64, column->print.width, number);
    else
        fprintf(out, " %*s", column->print.width, "-");
}

static void print_head(FILE *out, const struct table_form *form)
{
    fprintf(out, "\n%s\n%3s %-*s", form->head, "#", form->name_width, "kernel");
    if (form->with_grid)
        fprintf(out, " %10s %8s %5s", "grid", "block", "times");
    for (size_t k = 0; k < column_count; k++)
        if (columns[k].print.table == form->table)
            fprintf(out, " %*s", columns[k].print.width, columns[k].print.title);
    fputc('\n', out);
}

/* Without a head where no launch has any of it. */
static void print_table(FILE *out, const struct table_form *form)
{
    char grid[SHAPE], dim[SHAPE], name[SHAPE];
    bool any = false;

    for (size_t i = 0; i < gathered.launches; i++) {
        const struct launch_record *r = &gathered.launch[i];

        if (form->only && !column_number(&r->counts, form->only))
            continue;
        if (!any)
            print_head(out, form);
        any = true;
        fprintf(out, "%3zu %-*s", i + 1, form->name_width, name_text(name, r, form->name_width));
        if (form->with_grid)
            fprintf(out, " %10s %8s %5" PRIu64, shape_text(grid, r->grid), shape_text(dim, r->dim),
                    r->launches);
        for (size_t k = 0; k < column_count; k++)
            if (columns[k].print.table == form->table)
                print_cell(out, &columns[k], &r->counts);
        fputc('\n', out);
    }
    if (form->legend)
        fputs(form->legend, out);
}

/* What the mark behind a name means, where there is one. */
static void print_doubt(FILE *out)
{
    bool doubt = false;

    for (size_t i = 0; i < gathered.launches; i++)
        doubt |= gathered.launch[i].counts.doubt;
    if (doubt)
        fprintf(out,
                "*: nvcc may differ, since the source alone cannot tell what a register keeps or "
                "a wide access joins\n");
}

static bool told_before(size_t launch, uint64_t bit)
{
    for (size_t i = 0; i < launch; i++)
        if (gathered.launch[i].counts.differences & bit &&
            !strcmp(gathered.launch[i].name, gathered.launch[launch].name))
            return true;
    return false;
}

/* In what a GPU's counters may differ: a line for each class, with the kernels of it. */
static void print_differences(FILE *out)
{
    const char *text;

    for (unsigned k = 0; (text = differences_text(k)); k++) {
        bool any = false;

        for (size_t i = 0; i < gathered.launches; i++) {
            if (!(gathered.launch[i].counts.differences & 1u << k) || told_before(i, 1u << k))
                continue;
            fprintf(out, "%s%s", any ? ", " : "", gathered.launch[i].name);
            any = true;
        }
        if (any)
            fprintf(out, ": %s\n", text);
    }
}

/* --- by source line ------------------------------------------------------------------------- */

static const char *const kind_names[] = {"global load",  "global store",  "shared load",
                                         "shared store", "global atomic", "shared atomic",
                                         "barrier"};

static int space_rank(enum kind kind) /* global, shared and atomics are measured in other units */
{
    return kind <= GLOBAL_STORE ? 0 : kind <= SHARED_STORE ? 1 : kind < OTHER ? 2 : 3;
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
        if (r->kind == OTHER) {
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

const char cpu_device_lines_header[] = "kernel,file,line,what,requests,accesses,cost,ideal";

void cpu_device_report_lines(FILE *csv, const char *first)
{
    for (size_t i = 0; i < gathered.lines; i++) {
        const struct line_record *r = &gathered.line[i];

        fputs(first, csv);
        print_field(csv, r->name);
        fprintf(csv, ",%s,%d,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                r->file ? r->file : "", r->line, kind_names[r->kind], r->requests, r->lanes,
                r->units, r->ideal);
    }
}

void cpu_device_report(FILE *out, FILE *csv, const char *first)
{
    if (out && gathered.launches) {
        for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
            print_table(out, &forms[i]);
            if (forms[i].table == TABLE_SHARED)
                print_doubt(out);
            if (forms[i].table == TABLE_ATOMICS)
                print_differences(out);
        }
        if (gathered.lines)
            print_lines(out);
    }
    links_print(out);
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

    if (i >= gathered.launches)
        return -1;
    *l = (struct cpu_device_launch){.kernel = r->name, .phase = r->phase};
    l->launches = (double)r->launches;
    l->blocks = all(r->grid);
    l->threads = all(r->dim);
    l->registers = r->registers;
    for (size_t k = 0; k < column_count; k++) {
        double number = (double)column_number(&r->counts, columns[k].at);

        if (columns[k].launch)
            *(double *)((char *)l + columns[k].launch) =
                columns[k].of == CPU_OF_AVERAGE_BLOCK ? number / l->blocks : number;
    }
    return 0;
}
