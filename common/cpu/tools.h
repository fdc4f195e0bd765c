/*
 * The tools that watch a kernel: counters (counters.c), checks (check.c), and source lines for
 * both (lines.c). observe.c tells each of them what happens, if it is on.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include "cpu.h"

/* One access of one thread, as observe_access has it; space is global, shared, local or other. */
struct access {
    struct thread *thread;
    uintptr_t address, site;
    unsigned bytes, flags; /* flags: enum access_flag */
    enum space space;
};

/* lines.c: where a code address comes from. Both strings live as long as the program. */
struct source_line {
    const char *file; /* as the step's page would name it: without folders; NULL: unknown */
    int line;         /* 0: unknown */
};
struct source_line lines_find(uintptr_t site);

/* counters.c */
void counters_access(const struct access *a);
void counters_barrier(struct block *b);
void counters_warp_done(struct block *b, struct warp *w, uint32_t mask);
void counters_thread_end(struct thread *t);
void counters_block_begin(struct block *b);
void counters_block_end(struct block *b);
void counters_launch_begin(struct launch *l);
void counters_launch_end(struct launch *l);

/* check.c. check_access returns false when the access must not be done: the thread is ended. */
bool check_access(const struct access *a);
void check_barrier(struct block *b);
void check_warp(struct thread *t, uint32_t mask, uintptr_t site);
void check_warp_done(struct block *b, struct warp *w, uint32_t mask);
void check_grid_barrier(struct launch *l);
void check_fence(struct thread *t, int scope);
void check_thread_end(struct thread *t);
void check_block_begin(struct block *b);
void check_block_end(struct block *b);
void check_launch_begin(struct launch *l);
void check_launch_end(struct launch *l);
void check_stuck(struct block *b);
void check_host_write(uintptr_t address, size_t bytes);
void check_malloc(struct allocation *a);
void check_free(struct allocation *a);

#endif
