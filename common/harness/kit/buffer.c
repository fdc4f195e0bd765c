#define _DEFAULT_SOURCE /* sysconf */
#include "harness/kit/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "harness/kit/checksum.h"
#include "harness/kit/device.h"
#include "harness/kit/element.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/opposite.h"

int buffer_poison_of(const struct type *type)
{
    return type == &type_f32 ? 0xff : 0xa5;
}

static size_t on_host; /* bytes of all arrays there */

static size_t guarded(const struct buffer *b, size_t elements)
{
    return elements * b->bytes + b->guard;
}

int buffer_reserve(struct buffer *b, size_t elements)
{
    size_t offset = (size_t)b->offset * b->bytes;
    int status;

    if (b->base && elements <= b->capacity)
        return 0;
    device_free(b->base);
    b->base = NULL;
    b->device = NULL;
    status = device_alloc((void **)&b->base, offset + guarded(b, elements), b->what);
    if (status != 0)
        return status;
    b->capacity = elements;
    b->device = b->base + offset;
    return 0;
}

int buffer_input(struct buffer *b, size_t elements, const struct setting *setting)
{
    int status = buffer_reserve(b, elements);

    if (status == 0)
        status = buffer_reserve_host(b, elements);
    if (status != 0)
        return status;
    input_fill(b->host, elements, setting);
    return buffer_upload(b);
}

/* Bytes that the machine has left for the host: malloc promises more. On the CPU device, what the
 * device has given out is the machine's too. */
static size_t left_on_host(void)
{
    size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), used = on_host;
#ifdef BACKEND_CPU
    size_t unused = 0, total = 0;

    if (cudaMemGetInfo(&unused, &total) == cudaSuccess)
        used += total - unused;
#endif
    return used < all ? all - used : 0;
}

int buffer_reserve_host(struct buffer *b, size_t elements)
{
    size_t bytes = guarded(b, elements);

    b->on_host = elements;
    b->host = bytes <= left_on_host() ? malloc(bytes ? bytes : 1) : NULL;
    if (b->host) {
        on_host += bytes;
        return 0;
    }
    return complain(BAD_DEVICE,
                    "no %.1f MiB of memory left for %s on the host; use a smaller "
                    "--size",
                    (double)bytes / 1048576, b->what);
}

int buffer_upload(struct buffer *b)
{
    int status = 0;

    b->dirty = b->opposite = false;
    b->runs = 0;
    if (b->capacity > 0)
        status = device_check(
            cudaMemcpy(b->device, b->host, b->capacity * b->bytes, cudaMemcpyHostToDevice));
    if (status == 0)
        status = checksum(b->device, b->host, b->capacity * b->bytes, &b->print);
    return status;
}

/* A second copy, as far as there is room for one. */
static int back_up(struct buffer *b)
{
    size_t bytes = b->capacity * b->bytes;

    b->backup_tried = true;
    b->backup = device_try_alloc(bytes);
    if (!b->backup)
        return 0;
    return device_check(cudaMemcpy(b->backup, b->device, bytes, cudaMemcpyDeviceToDevice));
}

/* What was uploaded, in place of what a run has left. */
static int copy_back(struct buffer *b)
{
    size_t bytes = b->capacity * b->bytes;

    b->opposite = false;
    if (bytes == 0)
        return 0;
    if (b->backup)
        return device_check(
            cudaMemcpyAsync(b->device, b->backup, bytes, cudaMemcpyDeviceToDevice, 0));
    return device_check(cudaMemcpy(b->device, b->host, bytes, cudaMemcpyHostToDevice));
}

/* Let the device hold the opposite of what was uploaded, or that itself: of the elements in use, so
 * that no others drive them out of the cache. */
static int turn(struct buffer *b, size_t elements, bool wanted)
{
    if (!b->type || b->opposite == wanted)
        return 0;
    b->opposite = wanted;
    b->turned = elements;
    return opposite(b->device, elements, b->type == &type_f32);
}

int buffer_restore(struct buffer *b, size_t elements, bool destroys)
{
    bool dirty = b->dirty, second = b->runs++ % 2 == 1;
    int status = dirty ? copy_back(b) : 0;

    b->dirty = destroys;
    if (status == 0 && destroys && !b->backup_tried)
        status = back_up(b);
    return status == 0 ? turn(b, elements, second) : status;
}

int buffer_poison(struct buffer *b, size_t elements)
{
    return device_check(cudaMemsetAsync(b->device, b->poison, guarded(b, elements), 0));
}

int buffer_download(struct buffer *b, size_t elements)
{
    return device_check(
        cudaMemcpy(b->host, b->device, guarded(b, elements), cudaMemcpyDeviceToHost));
}

/* How many elements of the guard were written to, or BAD_DEVICE. */
static int overwritten(const struct buffer *b, size_t elements, bool on_host)
{
    const char *array = (const char *)(on_host ? b->host : b->device);
    enum cudaMemcpyKind kind = on_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
    unsigned char guard[BUFFER_GUARD];
    int status = device_check(cudaMemcpy(guard, array + elements * b->bytes, b->guard, kind));
    int count = 0;

    for (size_t i = 0; status == 0 && i + b->bytes <= b->guard; i += b->bytes) {
        size_t k = 0;

        while (k < b->bytes && guard[i + k] == (unsigned char)b->poison)
            k++;
        count += k < b->bytes;
    }
    return status == 0 ? count : status;
}

int buffer_verdict(const struct buffer *b, const struct variant *variant, size_t elements,
                   size_t wrong, const char *where, struct result *result)
{
    int behind = b->guard ? overwritten(b, elements, variant->rules & ON_HOST) : 0;

    if (behind < 0)
        return behind;
    result->verdict = wrong || behind ? VERDICT_WRONG : VERDICT_OK;
    if (wrong)
        snprintf(result->note, sizeof(result->note), "%s", where);
    else if (behind)
        snprintf(result->note, sizeof(result->note), "%d elements behind %s", behind, b->what);
    return 0;
}

int buffer_settle(struct buffer *b, const struct variant *variant, struct result *result)
{
    uint64_t print = b->print;
    int status = b->dirty ? 0 : turn(b, b->turned, false);

    b->runs = 0;
    if (status == 0 && !(variant->rules & DESTROYS_INPUT))
        status = checksum(b->device, b->host, b->capacity * b->bytes, &print);
    if (status == 0 && print != b->print && result->verdict == VERDICT_OK) {
        result->verdict = VERDICT_WRONG;
        snprintf(result->note, sizeof(result->note), "the input was written to");
    }
    return status;
}

void buffer_free(struct buffer *b)
{
    device_free(b->base);
    device_free(b->backup);
    if (b->host)
        on_host -= guarded(b, b->on_host);
    free(b->host);
    *b = (struct buffer){0};
}

void *work_new(size_t bytes)
{
    void *work = calloc(1, bytes);

    if (!work)
        complain(BAD_DEVICE, "no memory left on the host");
    return work;
}
