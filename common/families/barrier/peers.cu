/*
 * The peer of the barrier family: cooperative groups' grid synchronisation, as the step
 * block-sync-cooperative uses it, so that it stands beside every other method in the same run.
 */
#include <cooperative_groups.h>

#include "harness/kit/peer.h"
#include "families/barrier/barrier.h"

static __global__ void grid_sync(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        cooperative_groups::this_grid().sync();
        after_barrier(&task, round);
    }
}

static void launch(struct work *w)
{
    w->refused = cudaLaunchCooperativeKernel((void *)grid_sync, dim3(w->blocks), dim3(w->threads),
                                             w->arguments, 0, 0) != cudaSuccess;
}

static int resident(int threads)
{
    return most_resident(grid_sync, threads);
}

extern "C" {
extern const struct peer barrier_peers[];
}
const struct peer barrier_peers[] = {
    {&type_i32,
     {"cooperative-groups", "cooperative_groups::this_grid().sync()", launch, WAITS, NULL,
      resident}},
    {NULL},
};
