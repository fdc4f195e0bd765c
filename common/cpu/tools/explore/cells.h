/*
 * The memory of an explored launch, in words of 4 bytes: which threads touch each, what stood in it
 * before the launch, and which are visible: what several threads touch and one writes, with a
 * strong access or with two that nothing orders. The rest is a thread's own, read only, or handed
 * over behind barriers and events, and no event itself. See cells.c.
 */
#ifndef CPU_TOOLS_EXPLORE_CELLS_H
#define CPU_TOOLS_EXPLORE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;

/*
 * A cell is what one access touches: 1, 2, 4 or 8 bytes. Where threads only add to it, and nobody
 * takes the value before, it is a sum: their order changes nothing. Then each of these threads has
 * a part of it, a cell behind it with what this one has added; a thread that reads the sum reads
 * the cell and the parts.
 */
struct cell {
    uint64_t initial; /* value, before the launch */
    char *at;         /* its memory, in this run */
    uint8_t bytes;
    int block;       /* whose shared memory it is in; -1: global memory */
    unsigned offset; /* there */
    uint64_t key;
    uint32_t parts; /* of a sum; 0: it is none */
    bool part;
    uint32_t adder; /* of a part */
    uint64_t added; /* of a part, in this run so far */
};

extern struct cell *cells; /* by their numbers */
extern uint32_t cell_count;
extern bool cells_changed; /* since cells_settle: more is visible, or in other parts */
extern bool cells_late;    /* the same, and it may have been missed what is visible: at the end */
extern bool cells_mixed;   /* atomics of different sizes touch the same bytes */

void cells_begin(unsigned threads); /* a launch of so many threads */
void cells_end(void);               /* forget all */
void cells_settle(void);            /* what is visible from here on */

extern bool cells_looking; /* in this run nothing is ordered by events */

/* The thread does an event; what it has done before comes before it. */
void cells_event(unsigned thread);
/* So many events of each thread are before the one that it has done. */
void cells_after(unsigned thread, const uint16_t *before);

/* These threads have come together at a barrier or __syncwarp(). */
void cells_together(const unsigned *thread, unsigned count);

enum touch_flag {
    TOUCH_WRITES = 1,
    TOUCH_STRONG = 2, /* in one piece */
    TOUCH_ADDS = 4,   /* integers, and takes nothing: nor does it acquire */
};

/* A thread of this block is about to touch memory. flags: enum touch_flag. */
void cells_touch(const struct block *b, unsigned thread, uintptr_t address, unsigned bytes,
                 unsigned flags);

/* The cell is no sum: a thread does what needs the order. */
void cells_no_sum(uint32_t cell);

/* The thread's part of a sum. */
uint32_t cells_part(uint32_t cell, unsigned thread);

/* The visible cell at the address, NO_CELL: none; and how many bytes from there on are of it, or of
 * none. */
#define NO_CELL UINT32_MAX
uint32_t cells_find(const struct block *b, uintptr_t address, unsigned bytes, unsigned *length);

uint64_t cells_value(uint32_t cell);             /* what its memory holds now */
void cells_place(uint32_t cell, uint64_t value); /* put it there */

/* A number for what global memory holds of all that was touched. */
uint64_t cells_state(void);
void cells_restore(void); /* memory is as it was before the launch */

#endif
