#include "harness/kit/spread.h"

#include <stdio.h>

#include <cuda_runtime_api.h>

#include "harness/kit/message.h"

bool spread_is_here(int part)
{
    return ranks_count() == 1 || part == ranks_own();
}

static int connect(const struct device *from, const struct device *to)
{
    int can = 0, status = device_check(cudaDeviceCanAccessPeer(&can, from->ordinal, to->ordinal));
    cudaError_t error;

    if (status == 0 && !can)
        return complain(BAD_DEVICE,
                        "device %d cannot reach the memory of device %d: this needs peer access, "
                        "by NVLink or PCIe; use fewer --devices",
                        from->ordinal, to->ordinal);
    if (status == 0)
        status = device_use(from);
    if (status != 0)
        return status;
    error = cudaDeviceEnablePeerAccess(to->ordinal, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError(); /* no error of the next launch */
        return 0;
    }
    return device_checked((int)error, "cudaDeviceEnablePeerAccess");
}

static bool alike(const struct device *a, const struct device *b)
{
    return a->multiprocessors == b->multiprocessors &&
           a->threads_per_multiprocessor == b->threads_per_multiprocessor &&
           a->blocks_per_multiprocessor == b->blocks_per_multiprocessor;
}

int spread_connect(const struct device_stream *places, int count)
{
    int status = 0;

    if (ranks_count() > 1)
        return device_use(places[0].device);
    for (int i = 0; i < count && status == 0; i++) {
        if (!alike(places[0].device, places[i].device))
            return complain(BAD_DEVICE,
                            "devices 0 and %d are different (%s, %s): a spread problem wants equal "
                            "ones; choose them with CUDA_VISIBLE_DEVICES",
                            i, places[0].device->name, places[i].device->name);
        for (int k = 0; k < count && status == 0; k++) {
            if (k != i)
                status = connect(places[i].device, places[k].device);
        }
    }
    return status == 0 ? device_use(places[0].device) : status;
}

void spread_default_devices(size_t *devices)
{
    int count = *devices ? 0 : ranks_count() > 1 ? ranks_count() : device_visible_count();

    if (*devices == 0)
        *devices = count < 1 ? 1 : count < MAX_SPREAD ? (size_t)count : MAX_SPREAD;
}

int spread_calls(const struct shape *s)
{
    size_t bytes = s->n * s->type->bytes;

    return bytes <= (size_t)16 << 20 ? 20 : bytes <= (size_t)256 << 20 ? 4 : 2;
}

int spread_input(struct spread *s, const struct buffer *like, const struct setting *setting,
                 int count, size_t elements)
{
    struct setting own = *setting;
    int status = 0;

    for (s->count = 0; s->count < count && status == 0; s->count++) {
        struct buffer *part = &s->part[s->count];

        *part = *like;
        part->place = setting->places[s->count];
        own.seed = setting->seed + (uint64_t)s->count;
        status = buffer_input(part, elements, &own);
    }
    return status;
}

int spread_output(struct spread *s, const struct buffer *like, const struct setting *setting,
                  int count, size_t elements)
{
    int status = 0;

    for (s->count = 0; s->count < count && status == 0; s->count++) {
        struct buffer *part = &s->part[s->count];

        *part = *like;
        part->place = setting->places[s->count];
        if (spread_is_here(s->count))
            status = buffer_reserve(part, elements);
    }
    return status;
}

int spread_restore(struct spread *s, int count, size_t elements, bool destroys)
{
    int status = 0;

    for (int i = count - 1; i >= 0 && status == 0; i--)
        status = buffer_restore(&s->part[i], elements, destroys);
    return status;
}

int spread_poison(struct spread *s, int count, size_t elements)
{
    int status = 0;

    for (int i = count - 1; i >= 0 && status == 0; i--) {
        if (s->part[i].device)
            status = buffer_poison(&s->part[i], elements);
    }
    return status;
}

int spread_wait(const struct spread *s, int count)
{
    int status = 0;

    for (int i = count - 1; i >= 0 && status == 0; i--) {
        status = device_use(s->part[i].place.device);
        if (status == 0)
            status = device_check(cudaDeviceSynchronize());
    }
    return status;
}

int spread_settle(struct spread *s, int count, const struct variant *variant, struct result *result)
{
    int status = 0;

    for (int i = count - 1; i >= 0 && status == 0; i--)
        status = buffer_settle(&s->part[i], variant, result);
    return status;
}

void spread_free(struct spread *s)
{
    for (int i = 0; i < s->count; i++)
        buffer_free(&s->part[i]);
    s->count = 0;
}

int spread_events(struct CUevent_st **events, const struct device_stream *places, int count)
{
    int status = 0;

    for (int i = count - 1; i >= 0 && status == 0; i--) {
        status = device_use(places[i].device);
        if (status == 0)
            status = device_check(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
    }
    return status;
}

void spread_events_free(struct CUevent_st **events)
{
    for (int i = 0; i < MAX_SPREAD; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
}

size_t spread_share(size_t n, int devices)
{
    size_t quads = n / 4 + (n % 4 != 0);

    return 4 * (quads / (size_t)devices + (quads % (size_t)devices != 0));
}

size_t dealt_to(const struct dealt *a, int device)
{
    size_t chunks = a->n / a->chunk, all = (size_t)a->devices, last = chunks % all;

    return chunks / all * a->chunk + (last > (size_t)device ? a->chunk : 0) +
           (last == (size_t)device ? a->n % a->chunk : 0);
}

#define MOST_PITCH ((size_t)INT32_MAX) /* that a copy of rows takes */

int spread_rows(const struct buffer *part, size_t offset, void *whole, size_t bytes, size_t pitch,
                size_t rows, bool deals)
{
    char *here = (char *)part->device + offset, *there = (char *)whole;
    cudaStream_t stream = part->place.stream;
    int status = device_use(part->place.device);

    if (status != 0 || rows == 0 || bytes == 0)
        return status;
    if (rows > 1 && pitch <= MOST_PITCH)
        return device_check(cudaMemcpy2DAsync(deals ? here : there, deals ? bytes : pitch,
                                              deals ? there : here, deals ? pitch : bytes, bytes,
                                              rows, cudaMemcpyDefault, stream));
    for (size_t r = 0; r < rows && status == 0; r++, here += bytes, there += pitch)
        status = device_check(cudaMemcpyAsync(deals ? here : there, deals ? there : here, bytes,
                                              cudaMemcpyDefault, stream));
    return status;
}

/* Whole chunks, then the rest of one. */
static int move_part(const struct buffer *part, const struct buffer *whole, const struct dealt *a,
                     int device, bool deals)
{
    size_t bytes = whole->bytes * a->chunk, pitch = bytes * (size_t)a->devices;
    size_t length = dealt_to(a, device), rows = length / a->chunk;
    char *there = (char *)whole->device + (size_t)device * bytes;
    int status = spread_rows(part, 0, there, bytes, pitch, rows, deals);

    return status == 0 ? spread_rows(part, rows * bytes, there + rows * pitch,
                                     length % a->chunk * whole->bytes, 0, 1, deals)
                       : status;
}

static int move(const struct spread *parts, const struct buffer *whole, const struct dealt *a,
                bool deals)
{
    int status = spread_wait(parts, a->devices);

    for (int d = 0; d < a->devices && status == 0; d++) {
        if (spread_is_here(d))
            status = move_part(&parts->part[d], whole, a, d, deals);
    }
    return status == 0 ? spread_wait(parts, a->devices) : status;
}

int spread_deal(struct spread *parts, const struct buffer *whole, const struct dealt *a)
{
    return move(parts, whole, a, true);
}

int spread_collect(struct buffer *whole, const struct spread *parts, const struct dealt *a)
{
    return move(parts, whole, a, false);
}

void spread_point(const struct spread *parts, const struct buffer *whole, const struct dealt *a,
                  struct result *result)
{
    size_t i = ((uintptr_t)result->wrong - (uintptr_t)whole->device) / whole->bytes;
    size_t chunk = i / a->chunk, all = (size_t)a->devices;

    if (result->wrong && i < a->n) /* else it is none of the whole */
        buffer_point(&parts->part[chunk % all], chunk / all * a->chunk + i % a->chunk, result);
}

/* Whether nothing was written to element i. */
static int untouched(const struct buffer *b, size_t i, bool *is)
{
    uint32_t bits = 0;
    int status =
        device_copy(&b->place, &bits, (const char *)b->device + i * b->bytes, sizeof(bits));

    *is = bits == 0x01010101u * (unsigned)b->poison;
    return status;
}

int spread_verdict(struct spread *out, int part, const struct spread_sum *sum,
                   const struct variant *variant, bool first, struct result *result)
{
    struct buffer *b = &out->part[part];
    struct worst worst = WORST_NONE;
    struct result own;
    bool nothing = false;
    char where[96] = "";
    int status = spread_compare(&b->place, sum, &worst);

    own = (struct result){.has_value = sum->n > 0,
                          .value = worst.value,
                          .reference = worst.reference,
                          .error = worst.error, /* without elements 0, as the bound */
                          .bound = worst.bound};
    if (status == 0 && worst.wrong)
        status = untouched(b, worst.at, &nothing);
    if (worst.wrong)
        snprintf(where, sizeof(where), "device %d: %zu elements, first out[%zu]%s", part,
                 worst.wrong, worst.at, nothing ? " not written" : "");
    if (status == 0)
        status =
            buffer_verdict(b, variant, sum->n, (struct wrong){worst.wrong, worst.at, where}, &own);
    if (status == 0 && (first || (result->verdict == VERDICT_OK &&
                                  (own.verdict != VERDICT_OK || own.error > result->error))))
        *result = own;
    return status;
}
