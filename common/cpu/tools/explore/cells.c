/*
 * Words are found by a hash of their address; those of shared memory by their block's number and
 * offset, because each run may lay a block elsewhere. A word is saved when a run first touches it.
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
    uint64_t key; /* 0: free */
    char *at;     /* in this run */
    uint32_t saved, run;
    uint32_t cell;      /* the first that has bytes of it */
    struct touch write; /* the last one of this run */
    struct touch read;  /* the last, or one of those that no barrier orders, see `more` */
    uint32_t more;      /* the others of them: a number in `reader`, 0: none */
    uint8_t size;       /* of its cells */
    uint32_t toucher;
    uint32_t *adder, adders; /* threads that add to it, in rising order */
    bool contended, several, written, visible, strong, ordered; /* ordered: it is no sum */
};

/* Reads of words, as lists. */
struct reader {
    struct touch touch;
    uint32_t next; /* 0: the list ends */
};

enum { FIRST_ROOM = 4096 };

struct cell *cells;
uint32_t cell_count;
bool cells_changed, cells_mixed, cells_looking;
static uint32_t cell_room, run;
static struct word *word; /* a hash table, a power of two long */
static size_t words, room;
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
    words = 0;
    cell_count = 0;
    run = 1;
    cells_changed = cells_mixed = false;
    word = needed(calloc(room, sizeof(*word)));
    begin_run();
}

void cells_end(void)
{
    for (size_t i = 0; i < room; i++)
        free(word[i].adder);
    free(word);
    free(cells);
    for (unsigned i = 0; i < threads; i++)
        free(past[i].row);
    free(past);
    free(clocks);
    free(reader);
    word = NULL;
    cells = NULL;
    clocks = NULL;
    reader = NULL;
    cell_room = reader_room = 0;
}

static struct word *slot(uint64_t key)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15 >> 20) & (room - 1);

    while (word[i].key && word[i].key != key)
        i = (i + 1) & (room - 1);
    return &word[i];
}

static struct word *find(uint64_t key)
{
    struct word *w = slot(key), *old = word;
    size_t before = room;

    if (w->key || 2 * words < room) {
        words += !w->key;
        w->key = key;
        return w;
    }
    room *= 2;
    word = needed(calloc(room, sizeof(*word)));
    for (size_t i = 0; i < before; i++)
        if (old[i].key)
            *slot(old[i].key) = old[i];
    free(old);
    return find(key);
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
    uint32_t at = w->adders;

    while (at && w->adder[at - 1] >= thread)
        at--;
    if (at < w->adders && w->adder[at] == thread)
        return;
    w->adder = needed(realloc(w->adder, (w->adders + 1) * sizeof(*w->adder)));
    memmove(w->adder + at + 1, w->adder + at, (w->adders - at) * sizeof(*w->adder));
    w->adder[at] = thread;
    w->adders++;
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

static bool is_visible(const struct word *w)
{
    return w->contended || (w->strong && w->several && w->written);
}

void cells_touch(const struct block *b, unsigned thread, uintptr_t address, unsigned bytes,
                 unsigned flags)
{
    bool write = flags & TOUCH_WRITES, strong = flags & TOUCH_STRONG;
    uintptr_t end = address + bytes;

    if (strong && bytes == 8)
        address &= ~(uintptr_t)7;
    for (uintptr_t p = address & ~(uintptr_t)3; p < end; p += 4) {
        struct word *w = find(key_of(b, p));

        if (w->run != run) {
            w->run = run;
            w->at = (char *)p;
            memcpy(&w->saved, w->at, sizeof(w->saved));
            w->write = w->read = (struct touch){0, 0};
            w->more = 0;
        }
        if (!w->size) {
            w->size = 4;
            w->toucher = thread;
        }
        set_size(w, bytes, strong);
        note_sum(w, thread, p == address, bytes, flags);
        w->several |= w->toucher != thread;
        w->written |= write;
        w->contended |= !cells_looking && contends(w, thread, write);
        cells_changed |= is_visible(w) && !w->visible;
    }
}

static void add_cell(const struct word *w, unsigned skip, unsigned bytes)
{
    struct cell *c;

    if (cell_count == cell_room) {
        cell_room = cell_room ? 2 * cell_room : 256;
        cells = realloc(cells, cell_room * sizeof(*cells));
        if (!cells)
            abort();
    }
    c = &cells[cell_count++];
    *c = (struct cell){.bytes = (uint8_t)bytes, .block = -1, .at = w->at + skip, .key = w->key};
    if (w->key & SHARED_KEY) {
        c->block = (int)(w->key >> 20 & 0xffffffff) - 1;
        c->offset = (unsigned)(w->key & 0xfffff) * 4 + skip;
    }
}

static void add_parts(const struct word *w)
{
    uint32_t sum = cell_count - 1;

    for (uint32_t i = 0; i < w->adders; i++) {
        add_cell(w, 0, w->size);
        cells[cell_count - 1].part = true;
        cells[cell_count - 1].adder = w->adder[i];
    }
    cells[sum].parts = w->adders;
}

static int compare_keys(const void *a, const void *b)
{
    const struct word *const *x = a, *const *y = b;

    return ((*x)->key > (*y)->key) - ((*x)->key < (*y)->key);
}

/* In the order of their addresses, so that the numbers do not depend on the hash. */
static void number_cells(struct word **sorted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct word *w = sorted[i], *low = w->size == 8 ? find(w->key & ~(uint64_t)1) : w;

        if (!w->visible)
            continue;
        if (w->size == 8 && low != w) {
            w->cell = low->cell;
            continue;
        }
        w->cell = cell_count;
        for (unsigned skip = 0; skip < (w->size == 8 ? 1 : 4); skip += w->size)
            add_cell(w, skip, w->size);
        if (is_sum(w))
            add_parts(w);
    }
}

void cells_settle(void)
{
    struct word **sorted = malloc((words + 1) * sizeof(*sorted));
    size_t count = 0;

    if (!sorted)
        abort();
    for (size_t i = 0; i < room; i++)
        if (word[i].key)
            sorted[count++] = &word[i];
    for (size_t i = 0; i < count; i++) {
        struct word *w = sorted[i];

        w->visible |= is_visible(w);
        if (w->size == 8) { /* both halves, or none */
            struct word *other = find(w->key ^ 1);

            other->size = 8;
            other->visible |= w->visible;
            w->visible |= other->visible;
        }
    }
    qsort(sorted, count, sizeof(struct word *), compare_keys);
    cell_count = 0;
    number_cells(sorted, count);
    free(sorted);
    cells_changed = false;
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
        uint64_t key = w->key & ~(uint64_t)1;

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

uint64_t cells_state(void)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < room; i++) {
        uint32_t value;
        uint64_t hash;

        if (word[i].run != run || word[i].key & SHARED_KEY)
            continue;
        memcpy(&value, word[i].at, sizeof(value));
        if (value == word[i].saved)
            continue;
        hash = (word[i].key ^ (uint64_t)value << 32 ^ value) * 0x9e3779b97f4a7c15;
        hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9;
        sum += hash ^ hash >> 32;
    }
    return sum;
}

void cells_restore(void)
{
    for (size_t i = 0; i < room; i++)
        if (word[i].key && word[i].run == run)
            memcpy(word[i].at, &word[i].saved, sizeof(word[i].saved));
    for (uint32_t i = 0; i < cell_count; i++)
        cells[i].added = 0;
    run++;
    begin_run();
}
