/* Launches. See grid_launch.c. */
#ifndef CPU_ENGINE_GRID_LAUNCH_H
#define CPU_ENGINE_GRID_LAUNCH_H

#include <cuda_runtime_api.h>
#include "cpu/engine/state.h"

/* Run the launch to its end. Returns CUDA's error for a bad shape, or the failure. */
cudaError_t launch_run(struct launch *l);

/* The same in parts. The error for a bad shape, before anything is done: */
cudaError_t launch_prepare(struct launch *l);

/* Are these a grid and a block that a GPU takes? */
bool launch_has_shape(const struct launch *l);

/* Nothing of it has run then. false: its device has no room for it until another has ended. */
bool launch_begin(struct launch *l);

/* Let it go on until it has ended, or all its threads wait. true: it has ended. */
bool launch_go_on(struct launch *l);

struct launch *launches_begun(void); /* those that have not ended, by next_begun; NULL: none */
uint64_t launch_progress(void);      /* grows whenever some thread does something for others */

/* Between two rounds over all of them without progress, turn 1, 2 ...: do all their threads loop
 * for ever? Then they can be made to fail. */
bool launches_loop(uint64_t turn);
void launches_fail(void);

/* Of an observer of launch_coming, in a copy of the process: all of it by this thread. */
void launch_run_alone(struct launch *l);

/* How many blocks of each launch run, evenly from its grid; 0: all. Then of how many of all
 * launches that were not all. */
void launch_set_sample(uint64_t blocks);
uint64_t launch_sampled(uint64_t *all);

/* After how many seconds of a launch a line on standard error says how far it is; 0: never. */
void launch_tell_progress(unsigned seconds);

/* Multiprocessors of the modelled device: CPU_DEVICE_SMS in the environment, or MODEL_SMS. */
unsigned launch_sms(void);

/* Blocks of this shape that one multiprocessor of the modelled device holds. */
uint64_t launch_resident(unsigned threads, size_t shared);

#endif
