/*
 * The runtime calls that copy and set memory, which are operations of a stream. Called by the host
 * only. A copy or set that CUDA would refuse changes nothing, and is not queued; what one touches
 * is told to the tools when its turn has come.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/graphs.h"
#include "cpu/runtime/host_copies.h"

/* What an address can be taken for. Pinned and managed memory is both; so is a variable of the
 * program, which may be the host's or a __device__ one. */
enum side { HOST = 1, DEVICE = 2, BOTH = 3 };

static enum side side_of(uintptr_t address)
{
    if (memory_is_hidden(address))
        return DEVICE;
    return memory_is_device(address) || memory_is_program(address) ? BOTH : HOST;
}

/* A range of a copy: all of it in one allocation, or none of it in device memory. */
static cudaError_t range_allowed(const char *call, uintptr_t start, size_t bytes)
{
    struct allocation *a;

    if (!memory_is_device(start))
        return start ? cudaSuccess : error_say(cudaErrorInvalidValue, "%s: a null pointer", call);
    a = memory_find(start);
    if (!a || a->kind == MEMORY_HEAP || start - a->base >= a->bytes + 4096)
        return error_say(cudaErrorInvalidValue, "%s: no allocation holds the address %#zx", call,
                         (size_t)start);
    if (a->freed)
        return error_say(cudaErrorInvalidValue, "%s: the memory at %#zx was freed", call,
                         (size_t)start);
    if (start - a->base > a->bytes || bytes > a->bytes - (start - a->base))
        return error_say(cudaErrorInvalidValue,
                         "%s: %zu bytes from byte %zu of an allocation that has %zu", call, bytes,
                         (size_t)(start - a->base), a->bytes);
    return cudaSuccess;
}

cudaError_t copy_allowed(const char *call, const void *to, size_t to_bytes, const void *from,
                         size_t from_bytes, enum cudaMemcpyKind kind)
{
    static const struct {
        const char *name;
        enum side to, from;
    } kinds[] = {
        {"cudaMemcpyHostToHost", HOST, HOST},     {"cudaMemcpyHostToDevice", DEVICE, HOST},
        {"cudaMemcpyDeviceToHost", HOST, DEVICE}, {"cudaMemcpyDeviceToDevice", DEVICE, DEVICE},
        {"cudaMemcpyDefault", BOTH, BOTH},
    };
    cudaError_t error;

    if (cpu_thread())
        cpu_stop("a copy by a call of CUDA's in a kernel, which the CPU device does not have");
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return error_say(cudaErrorInvalidMemcpyDirection, "%s: there is no kind %d", call,
                         (int)kind);
    if (!to_bytes)
        return cudaSuccess;
    error = range_allowed(call, (uintptr_t)to, to_bytes);
    if (!error)
        error = range_allowed(call, (uintptr_t)from, from_bytes);
    if (error)
        return error;
    if (!(kinds[kind].to & side_of((uintptr_t)to)))
        return error_say(cudaErrorInvalidValue, "%s: the target of %s is %s memory", call,
                         kinds[kind].name, kinds[kind].to == HOST ? "device" : "host");
    if (!(kinds[kind].from & side_of((uintptr_t)from)))
        return error_say(cudaErrorInvalidValue, "%s: the source of %s is %s memory", call,
                         kinds[kind].name, kinds[kind].from == HOST ? "device" : "host");
    return cudaSuccess;
}

cudaError_t set_allowed(const char *call, const void *to, size_t bytes)
{
    if (cpu_thread())
        cpu_stop("a set by a call of CUDA's in a kernel, which the CPU device does not have");
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!bytes)
        return cudaSuccess;
    if (!(side_of((uintptr_t)to) & DEVICE))
        return error_say(cudaErrorInvalidValue, "%s: %p is no device memory", call, to);
    return range_allowed(call, (uintptr_t)to, bytes);
}

void notify_host_write(const void *to, size_t bytes)
{
    if (bytes && memory_is_device((uintptr_t)to))
        OBSERVE(host_write, (uintptr_t)to, bytes);
}

void notify_touched(const struct work *w, const void *at, size_t bytes, bool write)
{
    struct stream_access a = {.address = (uintptr_t)at,
                              .site = w->site,
                              .bytes = bytes,
                              .write = write,
                              .call = w->call,
                              .device = w->stream->device,
                              .stream = w->stream->number,
                              .number = w->number,
                              .after = w->after};

    if (!bytes || !memory_is_device((uintptr_t)at))
        return;
    if (queue_is_needed())
        OBSERVE(stream_access, &a);
    if (write)
        OBSERVE(host_write, (uintptr_t)at, bytes);
}

void copy_waits(const void *to, const void *from)
{
    int owner[] = {cpu_current_device, memory_device((uintptr_t)to),
                   memory_device((uintptr_t)from)};

    for (int i = 0; i < 3; i++)
        if (owner[i] != ALL_DEVICES)
            stream_wait(stream_default(owner[i]));
}

bool is_pageable(const void *p)
{
    return !memory_is_device((uintptr_t)p);
}

/* --- one range -------------------------------------------------------------------------------- */

struct copy {
    struct work work;
    void *to;
    const void *from;
    size_t bytes;
    void *staged; /* what it copies in place of `from`, which the host may change; NULL: that */
};

void notify_copied(const void *to, const void *from, size_t bytes)
{
    OBSERVE(copied_between, memory_device((uintptr_t)from), memory_device((uintptr_t)to), bytes);
}

static bool do_copy(struct work *w)
{
    struct copy *c = (struct copy *)w;

    notify_copied(c->to, c->from, c->bytes);
    if (!c->staged)
        notify_touched(w, c->from, c->bytes, false);
    notify_touched(w, c->to, c->bytes, true);
    memmove(c->to, c->staged ? c->staged : c->from, c->bytes);
    return true;
}

static void forget_copy(struct work *w)
{
    free(((struct copy *)w)->staged);
}

/* waits: it is done when the call returns. A copy from the host's own memory has read it then in
 * any case, and one to it is done. */
static cudaError_t copy(const char *call, uintptr_t site, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    cudaError_t error = copy_allowed(call, to, bytes, from, bytes, kind);
    struct copy *c;
    bool captured;

    if (!error)
        error = stream_good(stream);
    if (error || !bytes)
        return error;
    c = queue_new(sizeof(*c), call, site);
    if (!c)
        return cudaErrorMemoryAllocation;
    captured = stream_of(stream)->capture != NULL;
    c->work.begin = do_copy;
    c->work.copies = true;
    c->work.forget = forget_copy;
    c->to = to;
    c->from = from;
    c->bytes = bytes;
    if (!waits && !captured && is_pageable(from) && queue_is_needed()) {
        c->staged = malloc(bytes);
        if (c->staged)
            memcpy(c->staged, from, bytes);
    }
    error = queue_add(&c->work, stream);
    if (!error && !captured && (waits || is_pageable(to))) {
        stream_wait(stream_of(stream));
        error = stream_error(stream_of(stream));
    }
    return error;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    copy_waits(to, from);
    return copy("cudaMemcpy", HERE, to, from, bytes, kind, NULL, true);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy("cudaMemcpyAsync", HERE, to, from, bytes, kind, stream, false);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *needed, size_t count, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaStream_t entry;
    cudaError_t error = graph_node_begin(graph, needed, count, &entry);

    if (!error)
        error = copy("cudaGraphAddMemcpyNode1D", HERE, to, from, bytes, kind, entry, false);
    return graph_node_end(node, error);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    cudaStream_t entry;
    cudaError_t error = graph_change_begin(exec, node, &entry);

    if (!error)
        error =
            copy("cudaGraphExecMemcpyNodeSetParams1D", HERE, to, from, bytes, kind, entry, false);
    return graph_change_end(error);
}

static cudaError_t copy_peer(const char *call, uintptr_t site, void *to, int to_device,
                             const void *from, int from_device, size_t bytes, cudaStream_t stream,
                             bool waits)
{
    if (!device_exists(to_device) || !device_exists(from_device))
        return error_say(cudaErrorInvalidDevice, "%s: there is no device %d", call,
                         device_exists(to_device) ? from_device : to_device);
    return copy(call, site, to, from, bytes, cudaMemcpyDeviceToDevice, stream, waits);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    copy_waits(to, from);
    return copy_peer("cudaMemcpyPeer", HERE, to, to_device, from, from_device, bytes, NULL, true);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream)
{
    return copy_peer("cudaMemcpyPeerAsync", HERE, to, to_device, from, from_device, bytes, stream,
                     false);
}

struct set {
    struct work work;
    void *to;
    unsigned value; /* its first `width` bytes, again and again */
    size_t width, bytes;
};

static bool do_set(struct work *w)
{
    struct set *s = (struct set *)w;

    notify_touched(w, s->to, s->bytes, true);
    if (s->width == 1)
        memset(s->to, (int)s->value, s->bytes);
    else
        for (size_t i = 0; i < s->bytes; i += s->width)
            memcpy((char *)s->to + i, &s->value, s->width);
    return true;
}

static cudaError_t set(const char *call, uintptr_t site, void *to, unsigned value, size_t width,
                       size_t bytes, cudaStream_t stream)
{
    cudaError_t error = set_allowed(call, to, bytes);
    struct set *s;

    if (!error)
        error = stream_good(stream);
    if (error || !bytes)
        return error;
    s = queue_new(sizeof(*s), call, site);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->work.begin = do_set;
    s->to = to;
    s->value = value;
    s->width = width;
    s->bytes = bytes;
    return queue_add(&s->work, stream);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return set("cudaMemset", HERE, to, (unsigned)value, 1, bytes, NULL);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return set("cudaMemsetAsync", HERE, to, (unsigned)value, 1, bytes, stream);
}

cudaError_t set_pattern(const char *call, void *to, unsigned value, size_t width, size_t count,
                        cudaStream_t stream)
{
    if ((uintptr_t)to % width)
        return error_say(cudaErrorInvalidValue, "%s: %p is no multiple of %zu bytes", call, to,
                         width);
    return set(call, HERE, to, value, width, width * count, stream);
}
