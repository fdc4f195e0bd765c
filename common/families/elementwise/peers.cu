/*
 * The peer of the elementwise family: Thrust's transform.
 */
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

#include "harness/kit/peer.h"
#include "families/elementwise/elementwise.h"

/* In the default stream, and without waiting for its end. */
template <typename T> static void add(struct work *w)
{
    const T *a = (const T *)w->a, *b = (const T *)w->b;

    thrust::transform(thrust::cuda::par_nosync, a, a + w->n, b, (T *)w->c, thrust::plus<T>());
}

extern "C" {
extern const struct peer PEER_TABLE[];
}
const struct peer PEER_TABLE[] = {
#if defined(PEERS_f32)
    {&type_f32, {"thrust", "thrust::transform", add<float>, GRID_BY_SIZE}},
#elif defined(PEERS_i32)
    {&type_i32, {"thrust", "thrust::transform", add<int>, GRID_BY_SIZE}},
#endif
    {NULL},
};
