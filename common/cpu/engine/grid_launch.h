/* Launches. See grid_launch.c. */
#ifndef CPU_ENGINE_GRID_LAUNCH_H
#define CPU_ENGINE_GRID_LAUNCH_H

#include <cuda_runtime_api.h>
#include "cpu/engine/state.h"

/* Run the launch to its end. Returns CUDA's error for a bad shape, or the failure. */
cudaError_t launch_run(struct launch *l);

/* Of an observer of launch_coming, in a copy of the process: all of it by this thread. */
void launch_run_alone(struct launch *l);

/* Blocks of this shape that one multiprocessor of the modelled device holds. */
uint64_t launch_resident(unsigned threads, size_t shared);

#endif
