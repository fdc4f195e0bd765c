/*
 * reduce-cluster: eight blocks add in the shared memory of one
 *
 * Idea      The blocks of a cluster run at the same time, and may store to each other's shared memory. So
 *           each sends its sum to the first one, which adds them: no partial sum goes through global
 *           memory, and there is no ticket. A cluster of 8 blocks reads up to 2^17 elements in one round.
 * Since     In reduce-vector each block left its sum in global memory and took a ticket, one round trip
 *           after the other.
 * Expect    Sooner from 2^15 to 2^17 elements. Fewer still take one block, and more still take a ticket:
 *           there the time is reduce-vector's.
 * Source    The CUDA C++ Programming Guide, "Distributed Shared Memory"; the PTX ISA: st.async.
 */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include "families/reduce/reduce.h"
#include "harness/kit/byte_barrier.h"
#include "harness/kit/cluster.h"

#define BLOCKS 8 /* of a cluster: the most that every device with clusters holds */

/* From here to sum_small() all is reduce-vector's. */
static __device__ unsigned tickets; /* taken so far; zero between launches */

static __device__ element warp_sum(element sum)
{
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, k);
    return sum;
}

static __device__ element block_sum(element sum)
{
    __shared__ element s[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    sum = warp_sum(sum);
    if (lane == 0)
        s[warp] = sum;
    __syncthreads();
    if (warp == 0)
        sum = warp_sum(lane < blockDim.x / 32 ? s[lane] : 0);
    return sum;
}

static __device__ bool last_to_finish(element *partial, element sum)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> taken(tickets);

        partial[blockIdx.x] = sum;
        last = taken.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
        if (last)
            tickets = 0; /* no other block is left to read it before the next launch */
    }
    __syncthreads();
    return last;
}

/* From the sums of a block's threads to the sum of all blocks. */
static __device__ void finish(element *out, element *partial, element sum)
{
    element rest = 0;

    sum = block_sum(sum);
    if (gridDim.x > 1) { /* a single block is the last without asking */
        if (!last_to_finish(partial, sum))
            return;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            rest += partial[i];
        sum = block_sum(rest);
    }
    if (threadIdx.x == 0)
        *out = sum;
}

static __device__ element sum4(element4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

/* reduce-float4's slice of an aligned array: four loads of 16 bytes in flight. Up to three elements
 * behind the last whole group are added singly. */
static __device__ element slice_wide(const element *x, size_t n)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t groups = n / 4, tile = 4 * blockDim.x, first = blockIdx.x * tile;
    const element4 *v = (const element4 *)x;
    element sum = thread < n % 4 ? x[n - 1 - thread] : 0;

    for (; first + tile <= groups; first += gridDim.x * tile) {
        const element4 *p = v + first + threadIdx.x;
        element4 a = p[0], b = p[blockDim.x], c = p[2 * blockDim.x], d = p[3 * blockDim.x];

        sum += (sum4(a) + sum4(b)) + (sum4(c) + sum4(d));
    }
    for (size_t i = first + threadIdx.x; i < groups; i += blockDim.x)
        sum += sum4(v[i]);
    return sum;
}

/* How many elements stand before the first address that is a multiple of so many bytes. */
static __device__ unsigned before(const element *x, unsigned bytes)
{
    return (unsigned)(-(intptr_t)x & (bytes - 1)) / sizeof(element);
}

/* And of any array, as there. */
static __device__ element slice_any(const element *x, size_t n)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = min(n, (size_t)before(x, 16));
    element sum = thread < head ? x[thread] : 0;

    return sum + slice_wide(x + head, n - head);
}

static __global__ void __launch_bounds__(1024)
sum_any(element *out, element *partial, const element *x, size_t n)
{
    finish(out, partial, slice_any(x, n));
}

static __device__ element4 inside(const element4 *v, unsigned i, unsigned groups)
{
    element4 zero = {0, 0, 0, 0};

    return i < groups ? v[i] : zero;
}

/* What thread t of so many has of an array that they read in one round: four loads, no loop, no 64-bit index. */
static __device__ element part_of_round(const element *x, unsigned n, unsigned t, unsigned threads)
{
    unsigned head = min(n, before(x, 16)), groups = (n - head) / 4;
    const element4 *v = (const element4 *)(x + head);
    element4 a = inside(v, t, groups), b = inside(v, t + threads, groups);
    element4 c = inside(v, t + 2 * threads, groups), d = inside(v, t + 3 * threads, groups);
    element sum = t < head ? x[t] : 0;

    if (t < (n - head) % 4)
        sum += x[n - 1 - t];
    return sum + ((sum4(a) + sum4(b)) + (sum4(c) + sum4(d)));
}

static __global__ void __launch_bounds__(1024)
sum_small(element *out, const element *x, unsigned n)
{
    element sum = block_sum(part_of_round(x, n, threadIdx.x, blockDim.x));

    if (threadIdx.x == 0)
        *out = sum;
}

#ifdef CLUSTERS
/* To the shared memory of another block: the sum comes later, and its 4 bytes count at the barrier. */
static __device__ void send(element *to, element sum, uint64_t *barrier)
{
    unsigned bits;

    memcpy(&bits, &sum, sizeof(bits));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                     shared_address(to)),
                 "r"(bits), "r"(shared_address(barrier))
                 : "memory");
}

/* In the first block's shared memory. */
struct mail {
    element of_block[BLOCKS];
    uint64_t come;
};

/* The sum of the cluster's blocks, in the first one; sum: the block's, in thread 0. Behind the barrier all sums are
 * there. */
static __device__ element meet(struct mail *mail, element sum)
{
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    element all = 0;

    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&mail->of_block[cluster.block_rank()], 0) = sum;
    cluster.sync();
    for (unsigned k = 0; blockIdx.x == 0 && k < BLOCKS; k++)
        all += mail->of_block[k];
    return all;
}

/* The same; only the first block waits, until all bytes have come. */
static __device__ element receive(struct mail *mail, element sum)
{
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    element all = 0;

    if (threadIdx.x == 0)
        send(cluster.map_shared_rank(&mail->of_block[cluster.block_rank()], 0), sum,
             cluster.map_shared_rank(&mail->come, 0));
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return 0;
    wait_in_cluster(&mail->come, 0);
    for (unsigned k = 0; k < BLOCKS; k++)
        all += mail->of_block[k];
    return all;
}
#endif

/* One cluster. A block arrives at the first barrier before it loads, and waits there behind that: then all have
 * begun, and their shared memory is there. To arrive relaxed orders nothing but what the fence orders. */
template <bool SEND> static __global__ void __launch_bounds__(1024)
sum_cluster(element *out, const element *x, unsigned n)
{
#ifdef CLUSTERS
    __shared__ struct mail mail;
    element sum;

    if (SEND && threadIdx.x == 0) {
        begin_barrier(&mail.come, 1);
        show_barriers();
        if (blockIdx.x == 0)
            arrive_expecting(&mail.come, sizeof(mail.of_block));
    }
    __cluster_barrier_arrive_relaxed();
    sum =
        block_sum(part_of_round(x, n, blockIdx.x * blockDim.x + threadIdx.x, BLOCKS * blockDim.x));
    __cluster_barrier_wait();
    sum = (SEND ? receive : meet)(&mail, sum);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *out = sum;
#endif
}

/* Elements that so many blocks read in one round. */
static size_t of_round(const struct work *w, size_t blocks)
{
    return 16 * blocks * (size_t)w->threads;
}

template <bool SEND> static void launch(struct work *w)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = cluster_launch(&cluster, BLOCKS, w->threads);
    const element *x = w->x;

    if (w->blocks == 1 && w->n <= of_round(w, 1))
        sum_small<<<1, w->threads>>>(w->sum, x, (unsigned)w->n);
    else if (w->blocks == BLOCKS && w->n <= of_round(w, BLOCKS))
        cudaLaunchKernelEx(&config, sum_cluster<SEND>, w->sum, x, (unsigned)w->n);
    else
        sum_any<<<w->blocks, w->threads>>>(w->sum, w->partial, x, w->n);
}

/* One block or one cluster, if it can read all in one round; else as in reduce-vector. */
static void shape(struct shape *s)
{
    size_t tiles;

    if (s->threads == 0)
        s->threads = (s->n > 16 * 512 && s->n <= 16 * 1024 && s->blocks <= 1) ||
                             (s->n > BLOCKS * 16 * 512 && s->n <= BLOCKS * 16 * 1024)
                         ? 1024
                         : 512;
    tiles = (s->n + 16 * (size_t)s->threads - 1) / (16 * (size_t)s->threads);
    if (s->blocks > 0)
        return;
    reduce_default_shape(s); /* as many as the device holds, and none without a tile */
    if ((size_t)s->blocks > tiles)
        s->blocks = tiles > 0 ? (int)tiles : 1;
    if (tiles > 1 && tiles <= BLOCKS)
        s->blocks = BLOCKS;
}

/* reduce-vector's, and the additions over the cluster's blocks. */
static double depth(const struct shape *s)
{
    return reduce_depth_wide(s) + BLOCKS;
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    return cluster_refused(sum_cluster<false>, BLOCKS, s->threads, why, room);
}

static const struct variant variants[] = {
    {"barrier", "a cluster's blocks store their sums to the first, and meet", launch<false>,
     WHOLE_WARPS, depth, NULL, shape, .refuse = refuse},
    {"async", "the stores count at a barrier of the first, which alone waits", launch<true>,
     WHOLE_WARPS, depth, NULL, shape, .refuse = refuse},
};

/* A block, a cluster and several blocks; whole rounds, one element more or less. */
static const struct launches launches[] = {
    {COUNTED, {"-n 2^16 -b 8 -t 512", "-n 32003 -b 8 -t 256 --offset 1"}},
    {SANITIZED, {"-n 20011 -b 8 -t 256"}},
    {MUTATED,
     {"-n 4001 -b 8 -t 64 --offset 1", "-n 8192 -b 8 -t 64", "-n 8193 -b 8 -t 64",
      "-n 5 -b 8 -t 32 --offset 3", "-n 0 -b 8 -t 32", "-n 1000 -b 1 -t 64 --offset 1",
      "-n 20011 -b 7 -t 64 --offset 2"}},
    {CHECKED, {"-n 5000 -b 8 -t 64 --offset 1", "-n 70 -b 8 -t 256", "-n 0 -b 8", "-n 1 -b 8"}},
    {TESTED, {"-n 2^17", "-n 131073", "-n 131071 --offset 1", "-n 65537", "-n 16385", "-n 100003"}},
    {0},
};

STEP("reduce-cluster", reduce_family, variants, launches);
