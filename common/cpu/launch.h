/*
 * Between the scheduler (launch.c) and the workers that it runs on (workers.c).
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "cpu.h"

enum { CPU_MAX_WORKERS = 256 };

/* Run blocks of the launch on this worker until none is left or the launch has failed. */
void cpu_run_worker(struct worker *w, struct launch *l);

struct worker *cpu_worker_at(unsigned number);
uint64_t cpu_block_order(const struct launch *l, uint64_t i); /* a permutation of the blocks */
void cpu_free_block(struct block *b);

#endif
