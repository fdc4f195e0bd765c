/*
 * block-sync-cooperative: the barrier that CUDA brings
 *
 * Idea      cooperative_groups has a barrier for the grid, and a launch that makes it safe: it refuses
 *           a grid whose blocks are not all resident at once.
 * Since     block-sync-lock and block-sync-lockfree were built by hand from fences and counters.
 * Expect    The cost of block-sync-lock: inside there is one counter too. --oversubscribe gets a
 *           refusal here where the others deadlock.
 * Source    CUDA C++ Programming Guide, "Cooperative Groups"; docs/sources.md: Block barriers.
 */
#include <cooperative_groups.h>
#include "families/barrier/barrier.h"

__global__ void sync_grid(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        cooperative_groups::this_grid().sync();
        after_barrier(&task, round);
    }
}

static void grid(struct work *w)
{
    cudaError_t error =
        cudaLaunchCooperativeKernel(sync_grid, w->blocks, w->threads, w->arguments, 0, 0);

    if (w->oversubscribe && error == cudaErrorCooperativeLaunchTooLarge) {
        w->refused = true;
        cudaGetLastError(); /* told already, and not kept */
    }
}

static int most_grid(int threads)
{
    return most_resident(sync_grid, threads);
}

static const struct variant variants[] = {
    {"grid", "cooperative_groups::this_grid().sync()", grid, WAITS, NULL, most_grid},
};

STEP("block-sync-cooperative", barrier_family, variants);
