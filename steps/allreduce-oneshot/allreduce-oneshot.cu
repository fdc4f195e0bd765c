/*
 * allreduce-oneshot: each GPU sums all arrays
 *
 * Idea      One shot: each GPU loads all arrays and keeps the whole sum. A barrier across the GPUs stands
 *           before, and one behind. Handing the arrays over by stores needs one barrier; and none if each
 *           word that is stored says itself that it has come.
 * Since     allreduce-ring took 2 (p - 1) steps, with a launch or a copy in each.
 * Expect    The fewest steps of the way, so the least time for small arrays. For large ones (p - 1) n elements
 *           come in over each link, p / 2 times as many as in the ring.
 * Source    NCCL's LL protocol: a flag beside each word; the custom all-reduce kernels of inference servers.
 */
#include "families/allreduce/allreduce.h"

/* What a kernel gets. */
struct arrays {
    struct device_barrier barrier;
    const element *in[MAX_SPREAD];
    element *out; /* this device's */
    element *scratch[MAX_SPREAD];
    size_t n, packets;
    unsigned epoch;
};

static __device__ size_t self_in_grid()
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ void add(element4 *sum, element4 x)
{
    sum->x += x.x;
    sum->y += x.y;
    sum->z += x.z;
    sum->w += x.w;
}

/* The second barrier is for the inputs: who has left may write to his own again. */
static __global__ void by_loads(struct arrays a)
{
    size_t quads = a.n / 4, stride = (size_t)gridDim.x * blockDim.x;

    wait_for_devices(&a.barrier, 2 * a.epoch + 1);
    for (size_t i = self_in_grid(); i < quads; i += stride) {
        element4 sum = ((const element4 *)a.in[0])[i];

        for (int d = 1; d < a.barrier.devices; d++)
            add(&sum, ((const element4 *)a.in[d])[i]);
        ((element4 *)a.out)[i] = sum;
    }
    for (size_t i = 4 * quads + self_in_grid(); i < a.n; i += stride) {
        element sum = a.in[0][i];

        for (int d = 1; d < a.barrier.devices; d++)
            sum += a.in[d][i];
        a.out[i] = sum;
    }
    wait_for_devices(&a.barrier, 2 * a.epoch + 2);
}

/* A value and the number of the launch that it belongs to, in one word of 8 bytes: whoever sees the number
 * sees the value, without a fence. */
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

/* Where device d's scratch memory has the packets that came from this one: halves in turn, because another may
 * still read those of the launch before, but not of the one before that. */
static __device__ packet *packets(const struct arrays &a, int d, int from)
{
    return (packet *)a.scratch[d] + (a.epoch % 2 * a.barrier.devices + from) * a.packets;
}

/* No barrier: each packet is waited for by itself, and all are under way before. */
static __global__ void by_packets(struct arrays a)
{
    int p = a.barrier.devices, rank = a.barrier.rank;
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = self_in_grid(); i < a.n; i += stride) {
        packet own = packed(a.in[rank][i], a.epoch);

        for (int step = 1; step < p; step++) {
            int d = (rank + step) % p; /* no two at the same time to the same device */

            system_packet(packets(a, d, rank)[i]).store(own, cuda::memory_order_relaxed);
        }
    }
    for (size_t i = self_in_grid(); i < a.n; i += stride) {
        element own = a.in[rank][i], sum = 0;

        for (int d = 0; d < p; d++)
            sum += d == rank ? own : arrived(&packets(a, rank, d)[i], a.epoch, a.barrier.limit);
        a.out[i] = sum;
    }
}

/* Make device d the current one; what its kernel gets. */
static struct arrays on_device(const struct work *w, int d)
{
    struct arrays a = {.barrier = w->barrier, .n = w->n, .packets = w->packets, .epoch = w->epoch};

    a.barrier.devices = w->devices;
    a.barrier.rank = d;
    a.out = w->out[d];
    for (int k = 0; k < w->devices; k++) {
        a.in[k] = w->in[k];
        a.scratch[k] = w->scratch[k];
    }
    cudaSetDevice(w->places[d].device->ordinal);
    return a;
}

static void loads(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct arrays a = on_device(w, d);

        by_loads<<<w->blocks, w->threads, 0, w->places[d].stream>>>(a);
    }
}

static void packets_of_all(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct arrays a = on_device(w, d);

        by_packets<<<w->blocks, w->threads, 0, w->places[d].stream>>>(a);
    }
}

static int most_loads(int threads)
{
    return most_resident(by_loads, threads);
}

static int most_packets(int threads)
{
    return most_resident(by_packets, threads);
}

static bool too_many(const struct shape *s, char *why, size_t room)
{
    if (s->n <= MAX_PACKED)
        return false;
    snprintf(why, room, "packets are for at most %zu elements; got %zu", MAX_PACKED, s->n);
    return true;
}

/* A thread per element, as far as they are resident. */
static void packets_shape(struct shape *s)
{
    size_t threads = s->threads ? (size_t)s->threads : 512, wanted = s->n / threads + 1;
    size_t most = 2 * (size_t)device_to_fill(s);

    if (s->blocks == 0)
        s->blocks = (int)(wanted < most ? wanted : most);
    allreduce_default_shape(s);
}

static const struct variant variants[] = {
    {"loads", "each GPU loads all inputs, between two barriers", loads, WAITS | WHOLE_WARPS, NULL,
     most_loads},
    {"packets", "values are stored to all with a flag beside each", packets_of_all,
     WAITS | WHOLE_WARPS, NULL, most_packets, packets_shape, NULL, 0, NULL, NULL, NULL, too_many},
};

STEP("allreduce-oneshot", allreduce_family, variants);
