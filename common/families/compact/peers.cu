/*
 * The peers of the compact family: CUB's DeviceSelect, by predicate and by flags.
 */
#include <cub/device/device_select.cuh>

#include "harness/kit/peer.h"
#include "families/compact/compact.h"

template <typename T> struct at_most {
    T limit;
    __device__ bool operator()(T x) const
    {
        return x <= limit;
    }
};

static float limit_for(const struct work *w, float)
{
    return w->limit.f32;
}

static int limit_for(const struct work *w, int)
{
    return w->limit.i32;
}

template <typename T, bool BY_FLAGS>
static cudaError_t call(void *memory, size_t &bytes, struct work *w)
{
    const T *x = (const T *)w->x;
    T *y = (T *)w->y;
    long long n = (long long)w->n; /* all 64 bits */
    at_most<T> predicate = {limit_for(w, T())};

    return BY_FLAGS ? cub::DeviceSelect::Flagged(memory, bytes, x, w->flags, y, w->count, n)
                    : cub::DeviceSelect::If(memory, bytes, x, y, w->count, n, predicate);
}

template <typename T, bool BY_FLAGS> static void compact(struct work *w)
{
    static struct scratch scratch;
    size_t bytes = 0;

    peer_check(call<T, BY_FLAGS>(NULL, bytes, w), "cub::DeviceSelect");
    void *memory = peer_scratch(&scratch, bytes);
    peer_check(call<T, BY_FLAGS>(memory, bytes, w), "cub::DeviceSelect");
}

#define IF "cub", "CUB DeviceSelect::If"
#define BY_FLAG "cub-flagged", "CUB DeviceSelect::Flagged"
#define FLAGS_BYTES NULL, NULL, NULL, NULL, 0, NULL, compact_bytes_flagged

extern "C" {
extern const struct peer PEER_TABLE[];
}
const struct peer PEER_TABLE[] = {
#if defined(PEERS_f32)
    {&type_f32, {IF, compact<float, false>, GRID_BY_SIZE}},
    {&type_f32, {BY_FLAG, compact<float, true>, GRID_BY_SIZE | FLAGGED, FLAGS_BYTES}},
#elif defined(PEERS_i32)
    {&type_i32, {IF, compact<int, false>, GRID_BY_SIZE}},
    {&type_i32, {BY_FLAG, compact<int, true>, GRID_BY_SIZE | FLAGGED, FLAGS_BYTES}},
#endif
    {NULL},
};
