/*
 * What the runtime calls (runtime.c) share with launches.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "cpu.h"

/* Run the launch to its end. Returns CUDA's error for a bad shape, or the failure. */
cudaError_t cpu_run_launch(struct launch *l);

/* Blocks of this shape that one multiprocessor of the modelled device holds. */
uint64_t cpu_resident_blocks(unsigned threads, size_t shared);

size_t cpu_shared_limit(const void *kernel); /* dynamic bytes a block, as raised by attribute */
size_t cpu_static_bytes(const void *kernel); /* static bytes, as seen when it last ran */
void cpu_note_static(const void *kernel, size_t bytes);
void cpu_set_error(cudaError_t error);

#endif
