/*
 * Words stand in pages, which are found by a hash of their address; those of shared memory by their
 * block's number and offset, because each run may lay a block elsewhere. A word is saved when a run
 * first touches it.
 *
 * A word becomes visible when several threads touch it, one writes it, and one access is strong: or
 * when all are weak, and two of them, of which one writes, are not ordered. That is asked in each
 * run, by vector clocks (FastTrack; Flanagan and Freund, PLDI 2009) that barriers join, and events
 * by what is before them in base causality order. Where all such pairs are ordered, what a read
 * reads is decided, in each execution: the search would find nothing to choose.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/state.h"
#include "cpu/tools/explore/cells.h"

/* A thread did it at this time of its own; time 0: nobody did. */
struct touch {
    uint32_t thread, time;
};

struct word {
    uint32_t saved, run;
    uint32_t cell;      /* the first that has bytes of it */
    struct touch write; /* the last one of this run */
    struct touch read;  /* the last, or one of those that no barrier orders, see `more` */
    uint32_t more;      /* the others of them: a number in `reader`, 0: none */
    uint32_t toucher;
    uint32_t adders; /* a number in `adders`, 0: none */
    uint8_t size;    /* of its cells; 0: nobody has touched it */
    bool contended : 1, several : 1, written : 1, visible : 1, strong : 1;
    bool ordered : 1; /* it is no sum */
};

enum { PAGE = 64 };

/* Words that lie together. */
struct page {
    uint64_t key; /* of its first word */
    char *at;     /* in the run that touched it last */
    uint32_t run;
    struct word word[PAGE];
};

/* Threads that add to a word, in rising order. */
struct adders {
    uint32_t *thread, count;
};

/* Reads of words, as lists. */
struct reader {
    struct touch touch;
    uint32_t next; /* 0: the list ends */
};

enum { FIRST_ROOM = 4096 };

struct cell *cells;
uint32_t cell_count;
bool cells_changed, cells_late, cells_mixed, cells_looking;
static uint32_t cell_room, run;
static struct page **page; /* a hash table, a power of two long */
static size_t pages, room;
static struct page *last; /* that was found */
static struct adders *adders;
static uint32_t adders_count;
static struct reader *reader;
static uint32_t readers, reader_room;
static unsigned threads;
/* [thread][other]: up to this time of the other all is ordered before it */
static uint32_t *clocks;
static struct past *past;

/* What was ordered before each event of a thread, a row of its clocks each. */
struct past {
    uint32_t *row, count, room;
};

static void *needed(void *p)
{
    if (!p)
        abort();
    return p;
}

static uint32_t *clock_of(unsigned thread)
{
    return clocks + (size_t)thread * threads;
}

/* Nothing has been read or written, and each thread is at its time 1. */
static void begin_run(void)
{
    readers = 1;
    for (unsigned i = 0; i < threads; i++)
        past[i].count = 0;
    memset(clocks, 0, (size_t)threads * threads * sizeof(*clocks));
    for (unsigned i = 0; i < threads; i++)
        clock_of(i)[i] = 1;
}

void cells_begin(unsigned of_launch)
{
    threads = of_launch;
    past = needed(calloc(threads, sizeof(*past)));
    clocks = needed(malloc((size_t)threads * threads * sizeof(*clocks)));
    room = FIRST_ROOM;
    pages = 0;
    last = NULL;
    adders_count = 1;
    cell_count = 0;
    run = 1;
    cells_changed = cells_late = cells_mixed = false;
    page = needed(calloc(room, sizeof(*page)));
    begin_run();
}

void cells_end(void)
{
    for (size_t i = 0; i < room; i++)
        free(page[i]);
    for (uint32_t i = 1; i < adders_count; i++)
        free(adders[i].thread);
    free(adders);
    free(page);
    free(cells);
    for (unsigned i = 0; i < threads; i++)
        free(past[i].row);
    free(past);
    free(clocks);
    free(reader);
    page = NULL;
    adders = NULL;
    cells = NULL;
    clocks = NULL;
    reader = NULL;
    cell_room = reader_room = 0;
}

static struct page **slot(uint64_t key)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15 >> 20) & (room - 1);

    while (page[i] && page[i]->key != key)
        i = (i + 1) & (room - 1);
    return &page[i];
}

static void double_room(void)
{
    struct page **old = page;
    size_t before = room;

    room *= 2;
    page = needed(calloc(room, sizeof(*page)));
    for (size_t i = 0; i < before; i++)
        if (old[i])
            *slot(old[i]->key) = old[i];
    free(old);
}

static struct page *page_of(uint64_t key)
{
    struct page **p;

    key -= key % PAGE;
    if (last && last->key == key)
        return last;
    p = slot(key);
    if (!*p && 2 * pages >= room) {
        double_room();
        p = slot(key);
    }
    if (!*p) {
        *p = needed(calloc(1, sizeof(**p)));
        (*p)->key = key;
        pages++;
    }
    last = *p;
    return last;
}

static struct word *find(uint64_t key)
{
    return &page_of(key)->word[key % PAGE];
}

#define SHARED_KEY ((uint64_t)1 << 62)

static uint64_t key_of(const struct block *b, uintptr_t address)
{
    uintptr_t offset = address - (uintptr_t)b->shared;

    return offset < SHARED_BYTES ? SHARED_KEY | (b->number + 1) << 20 | offset / 4 : address / 4;
}

/* Its bytes belong to cells of this size, if they do not to larger ones that must be whole. */
static void set_size(struct word *w, unsigned bytes, bool strong)
{
    uint8_t size = w->size;

    if (strong && w->strong && bytes != size)
        cells_mixed = true;
    if (strong)
        size = (uint8_t)(bytes < 8 ? bytes : 8);
    else if (!w->strong && bytes < size)
        size = (uint8_t)bytes;
    w->strong |= strong;
    cells_changed |= size != w->size && w->visible;
    w->size = size;
}

/* --- sums ------------------------------------------------------------------------------------- */

static bool is_sum(const struct word *w)
{
    return w->adders && !w->ordered && (w->size == 4 || w->size == 8);
}

static void set_ordered(struct word *w)
{
    cells_changed |= w->visible && is_sum(w);
    w->ordered = true;
}

static void add_adder(struct word *w, unsigned thread)
{
    struct adders *a;
    uint32_t at;

    if (!w->adders) {
        adders = needed(realloc(adders, (adders_count + 1) * sizeof(*adders)));
        adders[adders_count] = (struct adders){0};
        w->adders = adders_count++;
    }
    a = &adders[w->adders];
    for (at = a->count; at && a->thread[at - 1] >= thread;)
        at--;
    if (at < a->count && a->thread[at] == thread)
        return;
    a->thread = needed(realloc(a->thread, (a->count + 1) * sizeof(*a->thread)));
    memmove(a->thread + at + 1, a->thread + at, (a->count - at) * sizeof(*a->thread));
    a->thread[at] = thread;
    a->count++;
    cells_changed |= w->visible && is_sum(w);
}

/* Plain stores, as of zeros before, are the sum's beginning. */
static void note_sum(struct word *w, unsigned thread, bool first, unsigned bytes, unsigned flags)
{
    if (!(flags & TOUCH_ADDS) || (bytes != 4 && bytes != 8)) {
        if ((flags & (TOUCH_WRITES | TOUCH_STRONG)) == (TOUCH_WRITES | TOUCH_STRONG))
            set_ordered(w);
    } else if (first) {
        add_adder(w, thread);
    }
}

void cells_no_sum(uint32_t cell)
{
    set_ordered(find(cells[cell].key));
}

uint32_t cells_part(uint32_t cell, unsigned thread)
{
    uint32_t part = cell + 1;

    while (cells[part].adder != thread)
        part++;
    return part;
}

/* --- what barriers order ---------------------------------------------------------------------- */

void cells_together(const unsigned *thread, unsigned count)
{
    uint32_t *all = clock_of(thread[0]);

    for (unsigned i = 1; i < count; i++) {
        const uint32_t *one = clock_of(thread[i]);

        for (unsigned j = 0; j < threads; j++)
            all[j] = all[j] > one[j] ? all[j] : one[j];
    }
    for (unsigned i = 1; i < count; i++)
        memcpy(clock_of(thread[i]), all, threads * sizeof(*all));
    for (unsigned i = 0; i < count; i++)
        clock_of(thread[i])[thread[i]]++;
}

void cells_event(unsigned thread)
{
    struct past *p = &past[thread];

    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 16;
        p->row = needed(realloc(p->row, (size_t)p->room * threads * sizeof(*p->row)));
    }
    memcpy(p->row + (size_t)p->count++ * threads, clock_of(thread), threads * sizeof(*p->row));
    clock_of(thread)[thread]++;
}

void cells_after(unsigned thread, const uint16_t *before)
{
    uint32_t *own = clock_of(thread);

    for (unsigned i = 0; i < threads; i++) {
        uint32_t count = before[i] < past[i].count ? before[i] : past[i].count;
        const uint32_t *row = past[i].row + (size_t)(count - 1) * threads;

        if (i == thread || count == 0 || row[i] <= own[i])
            continue;
        for (unsigned j = 0; j < threads; j++)
            own[j] = own[j] > row[j] ? own[j] : row[j];
    }
}

static bool ordered(struct touch before, unsigned thread)
{
    return before.time <= clock_of(thread)[before.thread] || before.thread == thread;
}

static void note_read(struct word *w, struct touch now)
{
    uint32_t at = w->more;

    if (w->read.thread == now.thread || (ordered(w->read, now.thread) && !w->more)) {
        w->read = now;
        return;
    }
    while (at && reader[at].touch.thread != now.thread)
        at = reader[at].next;
    if (at) {
        reader[at].touch = now;
        return;
    }
    if (readers >= reader_room) {
        reader_room = reader_room ? 2 * reader_room : 1024;
        reader = needed(realloc(reader, reader_room * sizeof(*reader)));
    }
    reader[readers] = (struct reader){now, w->more};
    w->more = readers++;
}

/* Notes the access; is there one before it of another thread that no barrier orders, and does one
 * of the two write? */
static bool contends(struct word *w, unsigned thread, bool write)
{
    struct touch now = {thread, clock_of(thread)[thread]};
    bool good = ordered(w->write, thread);

    if (!write) {
        note_read(w, now);
        return !good;
    }
    good &= ordered(w->read, thread);
    for (uint32_t at = w->more; at; at = reader[at].next)
        good &= ordered(reader[at].touch, thread);
    w->write = now;
    w->read = (struct touch){0, 0};
    w->more = 0;
    return !good;
}

/* ---------------------------------------------------------------------------------------------- */

/* What one thread alone touches, or nobody writes, is not followed. */
static bool is_shared(const struct word *w)
{
    return w->several && w->written;
}

/* Where a word turns out to be shared after the first run, what was touched before is not known. */
static void note_sharing(struct word *w, bool several, bool write)
{
    bool before = is_shared(w);

    w->several |= several;
    w->written |= write;
    cells_late |= !cells_looking && !before && is_shared(w);
}

static bool is_visible(const struct word *w)
{
    return w->contended || (w->strong && is_shared(w));
}

void cells_touch(const struct block *b, unsigned thread, uintptr_t address, unsigned bytes,
                 unsigned flags)
{
    bool write = flags & TOUCH_WRITES, strong = flags & TOUCH_STRONG;
    uintptr_t end = address + bytes;

    if (strong && bytes == 8)
        address &= ~(uintptr_t)7;
    for (uintptr_t p = address & ~(uintptr_t)3; p < end; p += 4) {
        uint64_t key = key_of(b, p);
        struct page *all = page_of(key);
        struct word *w = &all->word[key % PAGE];

        if (w->run != run) {
            w->run = all->run = run;
            all->at = (char *)p - key % PAGE * sizeof(w->saved);
            memcpy(&w->saved, (const void *)p, sizeof(w->saved));
            w->write = w->read = (struct touch){0, 0};
            w->more = 0;
        }
        if (!w->size) {
            w->size = 4;
            w->toucher = thread;
        }
        set_size(w, bytes, strong);
        note_sum(w, thread, p == address, bytes, flags);
        note_sharing(w, w->toucher != thread, write);
        w->contended |= !cells_looking && is_shared(w) && contends(w, thread, write);
        cells_changed |= w->strong && is_shared(w) && !w->visible;
        cells_late |= w->contended && !w->visible; /* where threads race, many words do */
    }
}

static void add_cell(const struct page *p, const struct word *w, unsigned skip, unsigned bytes)
{
    uint64_t key = p->key + (uint64_t)(w - p->word);
    struct cell *c;

    if (cell_count == cell_room) {
        cell_room = cell_room ? 2 * cell_room : 256;
        cells = realloc(cells, cell_room * sizeof(*cells));
        if (!cells)
            abort();
    }
    c = &cells[cell_count++];
    *c = (struct cell){.bytes = (uint8_t)bytes,
                       .block = -1,
                       .at = p->at + key % PAGE * sizeof(w->saved) + skip,
                       .key = key};
    if (key & SHARED_KEY) {
        c->block = (int)(key >> 20 & 0xffffffff) - 1;
        c->offset = (unsigned)(key & 0xfffff) * 4 + skip;
    }
}

static void add_parts(const struct page *p, const struct word *w)
{
    uint32_t sum = cell_count - 1;

    for (uint32_t i = 0; i < adders[w->adders].count; i++) {
        add_cell(p, w, 0, w->size);
        cells[cell_count - 1].part = true;
        cells[cell_count - 1].adder = adders[w->adders].thread[i];
    }
    cells[sum].parts = adders[w->adders].count;
}

static int compare_keys(const void *a, const void *b)
{
    const struct page *const *x = a, *const *y = b;

    return ((*x)->key > (*y)->key) - ((*x)->key < (*y)->key);
}

/* The two halves of 8 bytes stand in one page. */
static struct word *half(struct page *p, struct word *w, unsigned which)
{
    return &p->word[((unsigned)(w - p->word) & ~1u) + which];
}

/* In the order of their addresses, so that the numbers do not depend on the hash. */
static void number_cells(struct page *p)
{
    for (struct word *w = p->word; w < p->word + PAGE; w++) {
        if (!w->visible)
            continue;
        if (w->size == 8 && w != half(p, w, 0)) {
            w->cell = half(p, w, 0)->cell;
            continue;
        }
        w->cell = cell_count;
        for (unsigned skip = 0; skip < (w->size == 8 ? 1 : 4); skip += w->size)
            add_cell(p, w, skip, w->size);
        if (is_sum(w))
            add_parts(p, w);
    }
}

static void see_words(struct page *p)
{
    for (struct word *w = p->word; w < p->word + PAGE; w++) {
        w->visible |= is_visible(w);
        for (unsigned i = 0; i < 2 && w->size == 8; i++) { /* both halves, or none */
            half(p, w, i)->size = 8;
            half(p, w, i)->visible |= w->visible;
            w->visible |= half(p, w, i)->visible;
        }
    }
}

void cells_settle(void)
{
    struct page **sorted = needed(malloc((pages + 1) * sizeof(*sorted)));
    size_t count = 0;

    for (size_t i = 0; i < room; i++)
        if (page[i])
            sorted[count++] = page[i];
    qsort(sorted, count, sizeof(*sorted), compare_keys);
    cell_count = 0;
    for (size_t i = 0; i < count; i++) {
        see_words(sorted[i]);
        number_cells(sorted[i]);
    }
    free(sorted);
    cells_changed = cells_late = false;
}

uint32_t cells_find(const struct block *b, uintptr_t address, unsigned bytes, unsigned *length)
{
    struct word *w = find(key_of(b, address));
    unsigned skip = (unsigned)(address & 3);
    uint32_t cell;

    if (!w->visible) {
        *length = 4 - skip < bytes ? 4 - skip : bytes;
        return NO_CELL;
    }
    cell = w->cell + (w->size < 4 ? skip / w->size : 0);
    for (uint32_t i = 0; i <= cells[cell].parts; i++)
        cells[cell + i].at = (char *)(address & ~(uintptr_t)(w->size - 1));
    if (w->size == 8) { /* saved as two words */
        uint64_t key = key_of(b, address) & ~(uint64_t)1;

        cells[cell].initial = find(key)->saved | (uint64_t)find(key | 1)->saved << 32;
        *length = 8 - (unsigned)(address & 7);
    } else {
        unsigned shift = 8 * (skip & (4u - w->size));

        cells[cell].initial = w->saved >> shift;
        if (w->size < 4)
            cells[cell].initial &= (1u << 8 * w->size) - 1;
        *length = w->size - (unsigned)(address & (w->size - 1u));
    }
    *length = *length < bytes ? *length : bytes;
    return cell;
}

uint64_t cells_value(uint32_t cell)
{
    uint64_t value = 0;

    memcpy(&value, cells[cell].at, cells[cell].bytes);
    return value;
}

void cells_place(uint32_t cell, uint64_t value)
{
    memcpy(cells[cell].at, &value, cells[cell].bytes);
}

static uint64_t page_state(const struct page *p)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < PAGE; i++) {
        uint32_t value;
        uint64_t hash;

        if (p->word[i].run != run)
            continue;
        memcpy(&value, p->at + i * sizeof(value), sizeof(value));
        if (value == p->word[i].saved)
            continue;
        hash = ((p->key + i) ^ (uint64_t)value << 32 ^ value) * 0x9e3779b97f4a7c15;
        hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
        sum += hash ^ hash >> 32;
    }
    return sum;
}

uint64_t cells_state(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < room; i++)
        if (page[i] && page[i]->run == run && !(page[i]->key & SHARED_KEY))
            sum += page_state(page[i]);
    return sum;
}

void cells_restore(void)
{
    for (size_t i = 0; i < room; i++)
        for (unsigned j = 0; page[i] && page[i]->run == run && j < PAGE; j++) {
            const struct word *w = &page[i]->word[j];

            if (w->run == run)
                memcpy(page[i]->at + j * sizeof(w->saved), &w->saved, sizeof(w->saved));
        }
    for (uint32_t i = 0; i < cell_count; i++)
        cells[i].added = 0;
    run++;
    begin_run();
}
