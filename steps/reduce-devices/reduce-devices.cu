/*
 * reduce-devices: a sum over several GPUs
 *
 * Idea      The array is spread: each GPU sums the part in its own memory, at the rate of its own memory. Then a
 *           single word per GPU goes to all others, and each adds up p words. In one launch: the block that
 *           finishes last on a GPU hands its word over, and waits for those of the others.
 * Since     reduce-vector summed an array of one GPU; allreduce-oneshot summed arrays that are large, and here
 *           they have one element.
 * Expect    p times the rate, less the time of the exchange: tens of microseconds through the host, a second
 *           launch with events, and about that of a barrier across the GPUs in one launch.
 * Source    CUDA guide, "Memory Fence Functions"; allreduce-oneshot for the packets.
 */
#include "families/spreadsum/spreadsum.h"

#define WARP 0xffffffffu

/* What a kernel gets. */
struct part {
    struct device_barrier barrier;
    const element *x;
    size_t n;
    element *partial;
    unsigned *tickets;
    element *out;
    const element *total[MAX_SPREAD];
    unsigned long long *inbox[MAX_SPREAD];
    unsigned epoch;
};

/* The same in all lanes: each adds the same pairs. */
static __device__ element warp_sum(element sum)
{
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_xor_sync(WARP, sum, k);
    return sum;
}

/* The sum over a block of whole warps, in its first warp. */
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

static __device__ element sum4(element4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

/* reduce-vector's slice of an aligned array: four loads of 16 bytes in flight. */
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

/* And its ticket: one atomic that releases and acquires. */
static __device__ bool last_to_finish(const struct part &p, element sum)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> taken(*p.tickets);

        p.partial[blockIdx.x] = sum;
        last = taken.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
        if (last)
            *p.tickets = 0; /* no other block is left to read it before the next launch */
    }
    __syncthreads();
    return last;
}

/* The sum of the part, in the first warp of the block that finishes last: true there. */
static __device__ bool sum_part(const struct part &p, element *sum)
{
    element rest = 0;

    *sum = block_sum(slice_wide(p.x, p.n));
    if (gridDim.x > 1) {
        if (!last_to_finish(p, *sum))
            return false;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            rest += p.partial[i];
        *sum = block_sum(rest);
    }
    return threadIdx.x < 32;
}

static __global__ void __launch_bounds__(1024)
sum_alone(struct part p)
{
    element sum;

    if (sum_part(p, &sum) && threadIdx.x == 0)
        *p.out = sum;
}

/* One warp: lane d loads the total of device d from there. */
static __global__ void add_totals(struct part p)
{
    int lane = (int)threadIdx.x;
    element sum = warp_sum(lane < p.barrier.devices ? *p.total[lane] : 0);

    if (lane == 0)
        *p.out = sum;
}

/* Where device d has the word that came from another one: halves in turn, because it may still read those of the
 * launch before. */
static __device__ unsigned long long *word_of(const struct part &p, int d, int from)
{
    return p.inbox[d] + p.epoch % 2 * MAX_SPREAD + from;
}

/* The word, then a flag behind it: lane d hands both to device d, and waits for those of device d. */
static __device__ element exchange_flags(const struct part &p, element own)
{
    int lane = (int)threadIdx.x, rank = p.barrier.rank;
    element theirs = 0;

    if (lane < p.barrier.devices) {
        *(element *)word_of(p, lane, rank) = own;
        system_word(p.barrier.flags[lane][rank]).store(p.epoch, cuda::memory_order_release);
        await_word(&p.barrier.flags[rank][lane], p.epoch, p.barrier.limit);
        theirs = *(element *)word_of(p, rank, lane);
    }
    return theirs;
}

/* The word and the number of the launch in one packet, as in allreduce-oneshot: no fence is needed. */
typedef unsigned long long packet;
typedef cuda::atomic_ref<packet, cuda::thread_scope_system> system_packet;

static __device__ packet packed(element x, unsigned epoch)
{
    unsigned bits;

    memcpy(&bits, &x, sizeof(bits));
    return (packet)epoch << 32 | bits;
}

static __device__ element arrived(packet *at, unsigned epoch, long long limit)
{
    long long begun = wait_began(limit);
    packet p;
    unsigned bits;
    element x;

    while ((p = system_packet(*at).load(cuda::memory_order_relaxed)) >> 32 != epoch)
        wait_goes_on(begun, limit);
    bits = (unsigned)p;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static __device__ element exchange_packets(const struct part &p, element own)
{
    int lane = (int)threadIdx.x, rank = p.barrier.rank;
    element theirs = 0;

    if (lane < p.barrier.devices) {
        system_packet(*word_of(p, lane, rank))
            .store(packed(own, p.epoch), cuda::memory_order_relaxed);
        theirs = arrived(word_of(p, rank, lane), p.epoch, p.barrier.limit);
    }
    return theirs;
}

/* The same sum of the same words on all devices, and so the same bits. */
template <bool PACKETS> static __global__ void __launch_bounds__(1024)
sum_all(struct part p)
{
    element sum;

    if (!sum_part(p, &sum))
        return;
    sum = warp_sum(PACKETS ? exchange_packets(p, sum) : exchange_flags(p, sum));
    if (threadIdx.x == 0)
        *p.out = sum;
}

/* Make device d the current one; what its kernel gets. */
static struct part on_device(const struct work *w, int d)
{
    struct part p = {.barrier = w->barrier, .x = w->x[d], .n = w->length[d]};

    p.barrier.devices = w->devices;
    p.barrier.rank = d;
    p.partial = w->partial[d];
    p.tickets = w->tickets[d];
    p.out = w->sum[d];
    p.epoch = w->epoch;
    for (int k = 0; k < w->devices; k++) {
        p.total[k] = w->total[k];
        p.inbox[k] = w->inbox[k];
    }
    cudaSetDevice(w->places[d].device->ordinal);
    return p;
}

/* The sum of each part to total[d], and an event behind it. */
static void sum_parts(struct work *w)
{
    for (int d = 0; d < w->devices; d++) {
        struct part p = on_device(w, d);

        p.out = w->total[d];
        sum_alone<<<w->blocks, w->threads, 0, w->places[d].stream>>>(p);
    }
}

/* Runs on the host, behind the copies of all words: the one after them is their sum. */
static void add_on_host(void *context)
{
    struct work *w = (struct work *)context;

    w->host[w->devices] = w->host[0];
    for (int d = 1; d < w->devices; d++)
        w->host[w->devices] += w->host[d];
}

/* The words go down to the host, which adds them and sends the sum up. */
static void host(struct work *w)
{
    sum_parts(w);
    for (int d = 0; d < w->devices; d++) {
        cudaSetDevice(w->places[d].device->ordinal);
        cudaMemcpyAsync(&w->host[d], w->total[d], sizeof(element), cudaMemcpyDeviceToHost,
                        w->places[d].stream);
        cudaEventRecord(w->ready[d], w->places[d].stream);
        cudaStreamWaitEvent(w->places[0].stream, w->ready[d], 0);
    }
    cudaSetDevice(w->places[0].device->ordinal);
    cudaLaunchHostFunc(w->places[0].stream, add_on_host, w);
    cudaEventRecord(w->done[0], w->places[0].stream);
    for (int d = 0; d < w->devices; d++) {
        cudaSetDevice(w->places[d].device->ordinal);
        cudaStreamWaitEvent(w->places[d].stream, w->done[0], 0);
        cudaMemcpyAsync(w->sum[d], &w->host[w->devices], sizeof(element), cudaMemcpyHostToDevice,
                        w->places[d].stream);
    }
}

/* Each stream waits for an event of all others. */
static void wait_for_all(struct work *w, struct CUevent_st **events)
{
    for (int d = 0; d < w->devices; d++) {
        for (int k = 0; k < w->devices; k++)
            cudaStreamWaitEvent(w->places[d].stream, events[k], 0);
    }
}

/* A second launch loads the words of all devices. The next launch waits until they have been read. */
static void loads(struct work *w)
{
    wait_for_all(w, w->done);
    sum_parts(w);
    for (int d = 0; d < w->devices; d++) {
        cudaSetDevice(w->places[d].device->ordinal);
        cudaEventRecord(w->ready[d], w->places[d].stream);
    }
    wait_for_all(w, w->ready);
    for (int d = 0; d < w->devices; d++) {
        struct part p = on_device(w, d);

        add_totals<<<1, 32, 0, w->places[d].stream>>>(p);
        cudaEventRecord(w->done[d], w->places[d].stream);
    }
}

template <bool PACKETS> static void one_launch(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct part p = on_device(w, d);

        sum_all<PACKETS><<<w->blocks, w->threads, 0, w->places[d].stream>>>(p);
    }
}

static const struct variant variants[] = {
    {"host", "the words go to the host, and their sum back", host, WHOLE_WARPS},
    {"loads", "a second launch loads all words over the links", loads, WHOLE_WARPS},
    {"flags", "one launch: the last block hands its word over, with a flag", one_launch<false>,
     WHOLE_WARPS | WAITS},
    {"packets", "the same, word and flag in one store", one_launch<true>, WHOLE_WARPS | WAITS},
};

STEP("reduce-devices", spreadsum_family, variants);
