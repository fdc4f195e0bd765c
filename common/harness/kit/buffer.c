#define _DEFAULT_SOURCE /* sysconf */
#include "harness/kit/buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "harness/kit/checksum.h"
#include "harness/kit/element.h"
#include "harness/kit/guard.h"
#include "harness/kit/handed.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"
#include "harness/kit/opposite.h"
#include "harness/kit/staged_copy.h"

int buffer_poison_of(const struct type *type)
{
    return type == &type_f32 || (type && type->bytes == sizeof(uint16_t)) ? 0xff : 0xa5;
}

static size_t host_bytes; /* of all arrays there */

static size_t guarded(const struct buffer *b, size_t elements)
{
    return elements * b->bytes + b->guard;
}

/* The start of the device memory, from which the array is offset. */
static void *base_of(const struct buffer *b)
{
    return b->device ? (char *)b->device - (size_t)b->offset * b->bytes : NULL;
}

int buffer_reserve(struct buffer *b, size_t elements)
{
    size_t offset = (size_t)b->offset * b->bytes;
    void *base = NULL;
    int status;

    if (b->device && elements <= b->capacity)
        return 0;
    if (!b->place.device && !(b->place.device = device_in_use()))
        return BAD_DEVICE;
    device_free(base_of(b));
    b->device = NULL;
    status = device_use(b->place.device);
    if (status == 0)
        status = device_alloc(&base, offset + guarded(b, elements), b->what);
    if (status != 0)
        return status;
    guard_set(base, b->guard);
    b->capacity = elements;
    b->device = (char *)base + offset;
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

#ifdef BACKEND_CPU
int buffer_input_there(struct buffer *b, size_t elements, const struct setting *setting)
{
    return buffer_input(b, elements, setting);
}

/* The input as it was made, in place of what the device holds. */
static int make_again(const struct buffer *b)
{
    return copy_to_device(&b->place, b->device, b->host, b->capacity * b->bytes);
}
#else
int buffer_input_there(struct buffer *b, size_t elements, const struct setting *setting)
{
    int status = buffer_reserve(b, elements);

    if (input_kind(setting) == INPUT_HOSTILE)
        return status == 0 ? buffer_input(b, elements, setting) : status;
    b->state.setting = setting;
    if (status == 0)
        status = input_fill_device(&b->place, b->device, elements, setting);
    return status == 0 ? buffer_made(b) : status;
}

static int make_again(const struct buffer *b)
{
    return b->state.setting ? input_fill_device(&b->place, b->device, b->capacity, b->state.setting)
                            : copy_to_device(&b->place, b->device, b->host, b->capacity * b->bytes);
}
#endif

#ifdef BACKEND_CPU
/* Bytes that the CPU devices have given out, which are the machine's, too. */
static size_t used_by_devices(void)
{
    const struct device *current = device_in_use();
    size_t used = 0;
    int count = device_visible_count();

    for (int i = 0; i < count; i++) {
        size_t unused = 0, total = 0;

        if (device_open(i) && cudaMemGetInfo(&unused, &total) == cudaSuccess)
            used += total - unused;
    }
    device_use(current);
    return used;
}
#else
static size_t used_by_devices(void)
{
    return 0;
}
#endif

/* Bytes that the machine has left for the host: malloc promises more. */
static size_t left_on_host(void)
{
    size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t used = host_bytes + used_by_devices();

    return used < all ? all - used : 0;
}

/* Ask for pages of 2 MiB, of which the system has to hand out fewer. Where it has none, nothing
 * changes. */
static void large_pages(void *start, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), ahead = -(uintptr_t)start & (page - 1);

    if (bytes >= STAGED_FROM)
        madvise((char *)start + ahead, bytes - ahead, MADV_HUGEPAGE);
}

int buffer_reserve_host(struct buffer *b, size_t elements)
{
    size_t bytes = guarded(b, elements);

    b->host_capacity = elements;
    b->host = bytes <= left_on_host() ? malloc(bytes ? bytes : 1) : NULL;
    if (b->host) {
        large_pages(b->host, bytes);
        host_bytes += bytes;
        return 0;
    }
    return complain(BAD_DEVICE,
                    "no %.1f MiB of memory left for %s on the host; use a smaller "
                    "--size",
                    (double)bytes / 1048576, b->what);
}

int buffer_upload(struct buffer *b)
{
    size_t bytes = b->capacity * b->bytes;
    int status = bytes > 0 ? copy_to_device(&b->place, b->device, b->host, bytes) : 0;

    return status == 0 ? buffer_made(b) : status;
}

int buffer_made(struct buffer *b)
{
    b->state.dirty = b->opposite = false;
    b->state.runs = 0;
    return checksum(&b->place, b->device, b->host, b->capacity * b->bytes, &b->state.checksum);
}

/* A second copy, as far as there is room for one. */
static int back_up(struct buffer *b)
{
    size_t bytes = b->capacity * b->bytes;
    int status = device_use(b->place.device);

    if (status != 0)
        return status;
    b->state.backup_tried = true;
    b->state.backup = device_try_alloc(bytes);
    return b->state.backup ? device_copy(&b->place, b->state.backup, b->device, bytes) : 0;
}

/* What was uploaded, in place of what a run has left. */
static int copy_back(struct buffer *b)
{
    size_t bytes = b->capacity * b->bytes;
    int status;

    b->opposite = false;
    if (bytes == 0)
        return 0;
    if (!b->state.backup)
        return make_again(b);
    status = device_use(b->place.device);
    return status == 0 ? device_check(cudaMemcpyAsync(b->device, b->state.backup, bytes,
                                                      cudaMemcpyDeviceToDevice, b->place.stream))
                       : status;
}

/* Let the device hold the opposite of what was uploaded, or that itself: of the elements in use, so
 * that no others drive them out of the cache. */
static int turn(struct buffer *b, size_t elements, bool wanted)
{
    if (!b->type || b->opposite == wanted)
        return 0;
    b->opposite = wanted;
    b->state.turned = elements;
    return opposite(&b->place, b->device, elements, b->bytes, b->type == &type_f32);
}

static unsigned variants; /* begun so far */

void buffer_begin_variant(void)
{
    variants++;
}

int buffer_restore(struct buffer *b, size_t elements, bool destroys)
{
    bool second = b->state.variant == variants && b->state.runs % 2 == 1;
    int status = b->state.dirty ? copy_back(b) : 0;

    b->state.runs = b->state.variant == variants ? b->state.runs + 1 : 1;
    b->state.variant = variants;
    b->state.dirty = destroys;
    if (destroys)
        handed_note(b, elements * b->bytes);
    if (status == 0 && destroys && !b->state.backup_tried)
        status = back_up(b);
    return status == 0 ? turn(b, elements, second) : status;
}

int buffer_poison(struct buffer *b, size_t elements)
{
    int status = device_use(b->place.device);

    handed_note(b, guarded(b, elements));
    return status == 0 ? device_check(cudaMemsetAsync(b->device, b->poison, guarded(b, elements),
                                                      b->place.stream))
                       : status;
}

int buffer_download(struct buffer *b, size_t elements)
{
    return copy_to_host(&b->place, b->host, b->device, guarded(b, elements));
}

/* How many elements of the guard were written to, or BAD_DEVICE; the first of them. */
static int overwritten(const struct buffer *b, size_t elements, bool on_host, size_t *first)
{
    const char *behind = (const char *)(on_host ? b->host : b->device) + elements * b->bytes;
    unsigned char guard[BUFFER_GUARD];
    int status = 0, count = 0;

    if (on_host)
        memcpy(guard, behind, b->guard);
    else
        status = device_copy(&b->place, guard, behind, b->guard);
    for (size_t i = 0; status == 0 && i + b->bytes <= b->guard; i += b->bytes) {
        size_t k = 0;

        while (k < b->bytes && guard[i + k] == (unsigned char)b->poison)
            k++;
        if (k < b->bytes && count++ == 0)
            *first = elements + i / b->bytes;
    }
    return status == 0 ? count : status;
}

void buffer_point(const struct buffer *b, size_t element, struct result *result)
{
    result->wrong = (const char *)b->device + element * b->bytes;
    result->wrong_bytes = b->bytes;
}

int buffer_verdict(const struct buffer *b, const struct variant *variant, size_t elements,
                   struct wrong wrong, struct result *result)
{
    bool on_host = variant->rules & ON_HOST;
    size_t first = 0;
    int behind = b->guard ? overwritten(b, elements, on_host, &first) : 0;

    if (behind < 0)
        return behind;
    if (wrong.count)
        first = wrong.first;
    result->verdict = wrong.count || behind ? VERDICT_WRONG : VERDICT_OK;
    if (result->verdict == VERDICT_WRONG && first != NO_ELEMENT && !on_host)
        buffer_point(b, first, result);
    if (wrong.count)
        snprintf(result->note, sizeof(result->note), "%s", wrong.where);
    else if (behind)
        snprintf(result->note, sizeof(result->note), "%d elements behind %s", behind, b->what);
    return 0;
}

int buffer_settle(struct buffer *b, const struct variant *variant, struct result *result)
{
    uint64_t now = b->state.checksum;
    int status = b->state.dirty ? 0 : turn(b, b->state.turned, false);

    if (status == 0 && !(variant->rules & DESTROYS_INPUT))
        status = checksum(&b->place, b->device, b->host, b->capacity * b->bytes, &now);
    if (status == 0 && now != b->state.checksum && result->verdict == VERDICT_OK) {
        size_t bytes = b->capacity * b->bytes, at = first_changed(b->device, b->host, bytes);

        result->verdict = VERDICT_WRONG;
        result->wrong = NULL;
        if (at < bytes)
            buffer_point(b, at / b->bytes, result);
        snprintf(result->note, sizeof(result->note), "the input was written to");
    }
    return status;
}

void buffer_free(struct buffer *b)
{
    device_free(base_of(b));
    device_free(b->state.backup);
    if (b->host)
        host_bytes -= guarded(b, b->host_capacity);
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
