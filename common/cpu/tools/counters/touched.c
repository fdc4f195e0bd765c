/*
 * What a launch has touched: a bit for each sector of memory that was read, and for each that was
 * written, in regions of 64 KiB that are made when they are needed; and for each line of 128 bytes,
 * what atomic operations came to it. A worker has one of its own, and at the end of the launch they
 * are merged.
 */
#include <math.h>
#include <stdlib.h>
#include "cpu/tools/counters/model.h"
#include "cpu/tools/counters/touched.h"
#include "cpu/tools/grow.h"

enum {
    REGION = 1 << 16,
    REGION_SECTORS = REGION / SECTOR,
    REGION_WORDS = REGION_SECTORS / 64,
    LINE_SECTORS = 4,
    TOGETHER_BLOCKS = 1024, /* that may be resident at once */
    REGION_LINES = REGION_SECTORS / LINE_SECTORS
};

/* Sectors of a line that blocks lacked in their caches, and the first and the last of these blocks
 * by their numbers. */
struct missing {
    uint32_t sectors, first, last;
};

struct region {
    uint64_t number; /* address / REGION + 1; 0: an empty slot */
    uint64_t *read, *written;
    struct missing *missing; /* of each line; NULL: of none */
};

struct hot {
    uint64_t line; /* + 1 */
    struct line_atomics sum;
};

struct touched {
    struct region *region;
    size_t regions, region_slots;
    struct hot *hot;
    size_t hots, hot_slots;
    struct region *last;
};

static size_t slot_of(uint64_t key, size_t slots)
{
    return (key * 0x9e3779b97f4a7c15) >> 20 & (slots - 1);
}

static void *allot(size_t count, size_t size)
{
    void *p = calloc(count, size);

    if (!p)
        tools_out_of_memory();
    return p;
}

static struct region *find_region(struct region *table, size_t slots, uint64_t number)
{
    size_t i = slot_of(number, slots);

    while (table[i].number && table[i].number != number)
        i = (i + 1) & (slots - 1);
    return &table[i];
}

static struct region *region_of(struct touched *t, uint64_t number)
{
    struct region *r;

    if (t->last && t->last->number == number)
        return t->last;
    if (2 * t->regions >= t->region_slots) {
        size_t slots = t->region_slots ? 2 * t->region_slots : 64;
        struct region *table = allot(slots, sizeof(*table));

        for (size_t i = 0; i < t->region_slots; i++)
            if (t->region[i].number)
                *find_region(table, slots, t->region[i].number) = t->region[i];
        free(t->region);
        t->region = table;
        t->region_slots = slots;
    }
    r = find_region(t->region, t->region_slots, number);
    if (!r->number) {
        r->number = number;
        r->read = allot(2 * REGION_WORDS, sizeof(*r->read));
        r->written = r->read + REGION_WORDS;
        t->regions++;
    }
    t->last = r;
    return r;
}

void touched_sector(struct touched *t, uint64_t sector, bool write)
{
    struct region *r = region_of(t, sector / REGION_SECTORS + 1);
    unsigned at = sector % REGION_SECTORS;

    (write ? r->written : r->read)[at / 64] |= (uint64_t)1 << at % 64;
}

static void add_missing(struct region *r, int line, struct missing more)
{
    struct missing *m;

    if (!r->missing)
        r->missing = allot(REGION_LINES, sizeof(*r->missing));
    m = &r->missing[line];
    m->first = m->sectors && m->first < more.first ? m->first : more.first;
    m->last = m->sectors && m->last > more.last ? m->last : more.last;
    m->sectors += more.sectors;
}

void touched_missing(struct touched *t, uint64_t sector, uint32_t block)
{
    add_missing(region_of(t, sector / REGION_SECTORS + 1),
                (int)(sector % REGION_SECTORS / LINE_SECTORS), (struct missing){1, block, block});
}

static struct hot *find_hot(struct hot *table, size_t slots, uint64_t line)
{
    size_t i = slot_of(line, slots);

    while (table[i].line && table[i].line != line)
        i = (i + 1) & (slots - 1);
    return &table[i];
}

void touched_by_atomics(struct touched *t, uint64_t line, struct line_atomics more)
{
    struct hot *h;

    if (2 * t->hots >= t->hot_slots) {
        size_t slots = t->hot_slots ? 2 * t->hot_slots : 64;
        struct hot *table = allot(slots, sizeof(*table));

        for (size_t i = 0; i < t->hot_slots; i++)
            if (t->hot[i].line)
                *find_hot(table, slots, t->hot[i].line) = t->hot[i];
        free(t->hot);
        t->hot = table;
        t->hot_slots = slots;
    }
    h = find_hot(t->hot, t->hot_slots, line + 1);
    t->hots += !h->line;
    h->line = line + 1;
    h->sum.lanes += more.lanes;
    h->sum.sectors += more.sectors;
    h->sum.words |= more.words;
    h->sum.passes += more.passes;
    h->sum.integers += more.integers;
}

/* What others have touched, too. */
static void merge(struct touched *to, const struct touched *from)
{
    for (size_t i = 0; i < from->region_slots; i++) {
        const struct region *r = &from->region[i];
        struct region *mine = r->number ? region_of(to, r->number) : NULL;

        for (int w = 0; mine && w < 2 * REGION_WORDS; w++)
            mine->read[w] |= r->read[w];
        for (int line = 0; mine && r->missing && line < REGION_LINES; line++)
            if (r->missing[line].sectors)
                add_missing(mine, line, r->missing[line]);
    }
    for (size_t i = 0; i < from->hot_slots; i++)
        if (from->hot[i].line)
            touched_by_atomics(to, from->hot[i].line - 1, from->hot[i].sum);
}

void touched_free(struct touched *t)
{
    for (size_t i = 0; t && i < t->region_slots; i++) {
        free(t->region[i].read);
        free(t->region[i].missing);
    }
    if (t) {
        free(t->region);
        free(t->hot);
    }
    free(t);
}

struct touched *touched_create(void)
{
    return allot(1, sizeof(struct touched));
}

static bool is_hotter(const struct line_atomics *a, const struct line_atomics *b)
{
    uint64_t x = a->passes + a->integers, y = b->passes + b->integers;

    return x > y || (x == y && a->lanes > b->lanes);
}

/* Of so many sectors of a line that blocks lacked in their caches, those that another one at the
 * same multiprocessor has brought there. The blocks that read the line are anywhere among the
 * groups that are resident together, and of each group that has any of them one brings it. */
static double expected(double missing, double sectors, double groups)
{
    double brought = sectors * groups * (1 - pow(1 - 1 / groups, missing / sectors));

    return fmax(missing - brought, 0); /* asynchronous copies read sectors past the caches */
}

/* What blocks lacked of a region's lines. Blocks that run at about the same time read a line's
 * sectors at about the same time, too; others each sector for itself. */
static void add_lines(struct footprint *f, const struct region *r, double groups, double *common)
{
    for (int line = 0; r->missing && line < REGION_LINES; line++) {
        const struct missing *m = &r->missing[line];
        int at = line * LINE_SECTORS;
        unsigned read = r->read[at / 64] >> at % 64 & ((1 << LINE_SECTORS) - 1);
        unsigned sectors = (unsigned)__builtin_popcount(read);
        bool together = m->last - m->first < TOGETHER_BLOCKS;

        if (!m->sectors)
            continue;
        *common += expected(m->sectors, sectors, groups);
        f->opened += together ? 1 : sectors;
        f->whole += together && sectors == LINE_SECTORS;
    }
}

static struct footprint sum_up(const struct touched *t, double groups)
{
    struct footprint f = {0};
    double common = 0;

    for (size_t i = 0; i < t->region_slots; i++)
        add_lines(&f, &t->region[i], groups, &common);
    f.common = (uint64_t)(common + 0.5);
    for (size_t i = 0; i < t->region_slots; i++)
        for (int w = 0; t->region[i].number && w < REGION_WORDS; w++) {
            uint64_t read = t->region[i].read[w], written = t->region[i].written[w];

            f.read += (uint64_t)__builtin_popcountll(read);
            f.written += (uint64_t)__builtin_popcountll(written);
            f.any += (uint64_t)__builtin_popcountll(read | written);
        }
    for (size_t i = 0; i < t->hot_slots; i++)
        if (is_hotter(&t->hot[i].sum, &f.hot))
            f.hot = t->hot[i].sum;
    if (!(f.hot.words & (f.hot.words - 1))) /* additions to one word need not wait for others */
        f.hot.sectors = 0;
    return f;
}

struct footprint touched_sum(struct touched **of, unsigned count, double blocks, double resident)
{
    struct touched *all = NULL;
    struct footprint f = {0};

    for (unsigned i = 0; i < count; i++) {
        if (!of[i])
            continue;
        if (!all) {
            all = of[i];
        } else {
            merge(all, of[i]);
            touched_free(of[i]);
        }
    }
    if (all)
        f = sum_up(all, fmax(blocks / resident, 1));
    touched_free(all);
    return f;
}
