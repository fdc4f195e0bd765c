#include "harness/run/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/run/measure.h"

#define FIELD 48

static char *grid_text(char text[FIELD], const struct shape *s)
{
    if (s->blocks)
        snprintf(text, FIELD, "%d x %d", s->blocks, s->threads);
    else
        snprintf(text, FIELD, "%d a block", s->threads);
    return text;
}

/* At least two digits that count, or a dash for NaN. */
static char *number_text(char text[FIELD], double value)
{
    if (isnan(value))
        snprintf(text, FIELD, "-");
    else if (value < 0.01 && value > 0)
        snprintf(text, FIELD, "%.1e", value);
    else
        snprintf(text, FIELD, "%.*f",
                 value >= 1000  ? 0
                 : value >= 100 ? 1
                 : value >= 10  ? 2
                                : 3,
                 value);
    return text;
}

static int widen(int width, const char *text)
{
    int length = (int)strlen(text);

    return length > width ? length : width;
}

static void print_settings(const struct options *o, const struct program *p,
                           const struct device *device)
{
    char memory[FIELD];

    printf("%s: %s", p->step, o->setting.type->name);
    if (p->family->options & OPTION_INPUT)
        printf(", input %s (seed %" PRIu64 ")", o->setting.input, o->setting.seed);
    if (o->setting.offset)
        printf(", offset %d", o->setting.offset);
    printf("; %s%d runs after %d to warm up; %s cache\n",
           !o->budget && (o->runs_given || o->runs <= FEWEST_RUNS) ? "" : "up to ", o->runs,
           o->warmup, o->cold ? "cold" : "warm");
#ifdef BACKEND_CPU
    (void)memory;
    printf("CPU device (%s): times are the simulation's\n\n", device->name);
#else
    printf("%s: %d multiprocessors", device->name, device->multiprocessors);
    if (!isnan(device->memory_bytes_per_s))
        printf(", memory %s GB/s by its clock and width",
               number_text(memory, device->memory_bytes_per_s / 1e9));
    printf("\n\n");
#endif
}

void table_start(struct table *t, const struct plan *plan, const struct options *o,
                 const struct program *p, const struct device *device)
{
    char text[FIELD], size[SIZE_TEXT];

    *t = (struct table){.family = p->family,
                        .bytes = p->family->bytes != NULL,
                        .flops = p->family->flops != NULL,
                        .name_width = (int)strlen("variant"),
                        .size_width = (int)strlen("size"),
                        .grid_width = (int)strlen("grid")};
    for (size_t i = 0; i < plan->count; i++) {
        t->bytes = t->bytes || plan->items[i].variant->bytes;
        t->flops = t->flops || (!p->family->bytes && plan->items[i].variant->flops);
        t->name_width = widen(t->name_width, plan->items[i].variant->name);
        t->size_width = widen(t->size_width, size_text(size, p->family, &plan->items[i].shape));
        t->grid_width = widen(t->grid_width, grid_text(text, &plan->items[i].shape));
    }
    print_settings(o, p, device);
    printf("%-*s  %-*s  %-*s  %10s  %9s %10s", t->name_width, "variant", t->size_width, "size",
           t->grid_width, "grid", "median us", "[min", "max]");
    if (p->family->item)
        printf("  us/%-8s", p->family->item);
    if (t->bytes)
        printf("  %7s", "GB/s");
    if (p->family->bytes)
        printf("  %6s", "% copy");
    if (t->flops)
        printf("  %8s", "Gflop/s");
    printf("  %-19s  result\n", "error / bound");
}

void table_gap(const struct table *t)
{
    (void)t;
    printf("\n");
}

static void print_times(const struct table *t, const char *name, const struct shape *s,
                        const char *grid, const struct stats *us)
{
    char size[SIZE_TEXT], median[FIELD], min[FIELD], max[FIELD];

    printf("%-*s  %-*s  %-*s  %10s  [%8s %9s]", t->name_width, name, t->size_width,
           size_text(size, t->family, s), t->grid_width, grid, number_text(median, us->median),
           number_text(min, us->min), number_text(max, us->max));
}

void table_copy(const struct table *t, const struct shape *s, const struct stats *us,
                double gb_per_s)
{
    char rate[FIELD];

    print_times(t, "(copy)", s, "-", us);
    if (t->family->item)
        printf("  %-11s", "-");
    printf("  %7s  %6s\n", number_text(rate, gb_per_s), "100.0");
    fflush(stdout);
}

void table_refused(const struct table *t, const struct item *item)
{
    char size[SIZE_TEXT], grid[FIELD];

    printf("%-*s  %-*s  %-*s  refused: %s\n", t->name_width, item->variant->name, t->size_width,
           size_text(size, t->family, &item->shape), t->grid_width, grid_text(grid, &item->shape),
           item->refused);
    fflush(stdout);
}

static void print_error(const struct result *r)
{
    char text[FIELD] = "-";

    if (!isnan(r->error) && r->error == 0 && r->bound == 0)
        snprintf(text, sizeof(text), "exact");
    else if (!isnan(r->error))
        snprintf(text, sizeof(text), "%.2g / %.2g", r->error, r->bound);
    else if (r->has_value)
        snprintf(text, sizeof(text), "%g for %g", r->value, r->reference);
    printf("  %-19s", text);
}

void table_row(const struct table *t, const struct measurement *m)
{
    const struct result *r = &m->result;
    double us = m->us.median;
    char text[FIELD];

    print_times(t, m->variant->name, &m->shape, grid_text(text, &m->shape), &m->us);
    if (t->family->item)
        printf("  %-11s", number_text(text, m->shape.n ? us / (double)m->shape.n : NAN));
    if (t->bytes) {
        double gb_per_s = rate(m->bytes, us);

        printf("  %7s", number_text(text, gb_per_s));
        if (t->family->bytes) /* then a copy was measured */
            printf("  %6s", number_text(text, 100 * gb_per_s / m->copy_gb_per_s));
    }
    if (t->flops)
        printf("  %8s", number_text(text, rate(m->flops, us)));
    print_error(r);
    if (r->verdict == VERDICT_WRONG) /* the note begins with the word */
        printf("  %s\n", r->note);
    else
        printf("  %s%s%s\n", verdict_name(r->verdict), r->note[0] ? ": " : "", r->note);
    fflush(stdout);
}
