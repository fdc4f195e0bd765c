/*
 * NCCL's calls. What is wrong with one alone is found here, and what is wrong between ranks in
 * nccl_clique.c. Of each thread the calls between ncclGroupStart and ncclGroupEnd are kept until
 * the group ends, and then handed over together.
 *
 * The calls of a group are operations of their streams. Nothing waits for ever: what waits for a
 * rank that does not come is ended when all threads of the host wait, or after a while
 * (queue_patience).
 */
#define _GNU_SOURCE
#include <nccl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/host_copies.h"
#include "cpu/runtime/nccl_clique.h"
#include "cpu/runtime/nccl_reduce.h"
#include "cpu/runtime/nccl_wire.h"
#include "cpu/runtime/streams.h"

enum { MAGIC = 0x6e63636c };

struct ncclComm {
    unsigned magic;
    struct clique *clique;
    int rank, device;
    int pending; /* operations that are posted and not done */
};

static struct clique *cliques; /* under the queue's lock */
static char last_line[320];    /* the same */

static ncclResult_t say(ncclResult_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static ncclResult_t say(ncclResult_t result, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(last_line, sizeof(last_line), format, args);
    va_end(args);
    return result;
}

/* --- what it is, and what went wrong ---------------------------------------------------------- */

ncclResult_t ncclGetVersion(int *version)
{
    if (!version)
        return say(ncclInvalidArgument, "ncclGetVersion: version is NULL");
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const texts[ncclNumResults] = {
        "no error",
        "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        "unhandled system error (run with NCCL_DEBUG=INFO for details)",
        "internal error - please report this issue to the NCCL developers",
        "invalid argument (run with NCCL_DEBUG=WARN for details)",
        "invalid usage (run with NCCL_DEBUG=WARN for details)",
        "remote process exited or there was a network error",
        "NCCL operation in progress",
    };

    return (int)result >= 0 && result < ncclNumResults ? texts[result] : "unknown result code";
}

static bool is_comm(const struct ncclComm *comm)
{
    return comm && comm->magic == MAGIC;
}

const char *ncclGetLastError(ncclComm_t comm)
{
    return is_comm(comm) && comm->clique->failed ? comm->clique->line : last_line;
}

static ncclResult_t comm_good(const struct ncclComm *comm, const char *call)
{
    if (is_comm(comm))
        return ncclSuccess;
    return say(ncclInvalidArgument, "%s: the communicator is %s", call, comm ? "none" : "NULL");
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    ncclResult_t result = comm_good(comm, "ncclCommGetAsyncError");

    if (result || !error)
        return result ? result : say(ncclInvalidArgument, "ncclCommGetAsyncError: error is NULL");
    queue_lock();
    *error = comm->clique->failed;
    queue_unlock();
    return ncclSuccess;
}

static ncclResult_t tell(const struct ncclComm *comm, const char *call, int *to, int value)
{
    ncclResult_t result = comm_good(comm, call);

    if (result || !to)
        return result ? result : say(ncclInvalidArgument, "%s: the pointer is NULL", call);
    *to = value;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    return tell(comm, "ncclCommCount", count, is_comm(comm) ? comm->clique->ranks : 0);
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    return tell(comm, "ncclCommCuDevice", device, is_comm(comm) ? comm->device : 0);
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    return tell(comm, "ncclCommUserRank", rank, is_comm(comm) ? comm->rank : 0);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* What a thread has called since the group began. */
struct kept {
    struct kept *next;
    struct ncclComm *comm;
    struct nccl_call call;
    cudaStream_t stream;
    uintptr_t site;
};
static _Thread_local int depth;
static _Thread_local struct kept *kept, **kept_end;
static _Thread_local ncclResult_t group_result; /* the first error in the group */

/* The default stream is that of the communicator's device. */
static struct CUstream_st *stream_of_comm(const struct ncclComm *comm, cudaStream_t stream)
{
    return stream && stream != cudaStreamLegacy ? stream_of(stream) : stream_default(comm->device);
}

/* The calls of one group of one rank, in one stream: an operation of it. */
struct nccl_work {
    struct work work;
    struct ncclComm *comm;
    int count;
    struct nccl_call call[];
};

static void post(struct nccl_work *n)
{
    n->comm->pending++;
    for (int i = 0; i < n->count; i++) {
        n->call[i].work = &n->work;
        clique_post(n->comm->clique, &n->call[i]);
    }
}

/* To the process that has all calls. */
static void send_away(struct clique *c, struct nccl_call *call)
{
    call->arrived = true;
    notify_touched(call->work, call->send, nccl_send_bytes(call, c->ranks), false);
    wire_call(c->wire, call);
}

static bool arrive(struct work *w)
{
    struct nccl_work *n = (struct nccl_work *)w;

    if (n->count && !n->call[0].posted) /* of a graph */
        post(n);
    for (int i = 0; i < n->count; i++)
        if (!n->call[i].done && n->comm->clique->wire && !n->call[i].set)
            send_away(n->comm->clique, &n->call[i]);
        else if (!n->call[i].done)
            clique_arrive(n->comm->clique, &n->call[i]);
    return true;
}

static bool are_done(struct work *w)
{
    const struct nccl_work *n = (const struct nccl_work *)w;

    for (int i = 0; i < n->count; i++)
        if (!n->call[i].done)
            return false;
    return true;
}

/* It is over, or the device has failed. */
static void forget(struct work *w)
{
    struct nccl_work *n = (struct nccl_work *)w;

    if (!n->count || !n->call[0].posted)
        return;
    if (!are_done(w))
        clique_fail(n->comm->clique, ncclUnhandledCudaError, "the device of rank %d has failed",
                    n->comm->rank);
    n->comm->pending--;
}

/* Those of this rank and stream, as one operation; they are taken out of the list. */
static ncclResult_t hand_over_one(struct kept **list)
{
    struct ncclComm *comm = (*list)->comm;
    cudaStream_t stream = (*list)->stream;
    struct CUstream_st *s = stream_of_comm(comm, stream);
    struct nccl_work *n;
    int count = 0;

    for (struct kept *k = *list; k; k = k->next)
        count += k->comm == comm && k->stream == stream;
    n = queue_new(sizeof(*n) + (size_t)count * sizeof(n->call[0]),
                  nccl_what_name((*list)->call.what), (*list)->site);
    if (!n)
        return say(ncclSystemError, "out of memory");
    n->work.begin = arrive;
    n->work.ended = are_done;
    n->work.forget = forget;
    n->comm = comm;
    for (struct kept **p = list; *p;) {
        struct kept *k = *p;

        if (k->comm != comm || k->stream != stream) {
            p = &k->next;
            continue;
        }
        n->call[n->count++] = k->call;
        *p = k->next;
        free(k);
    }
    if (comm->device != s->device) {
        queue_free(&n->work);
        return say(ncclInvalidUsage, "rank %d is on device %d, and its stream on device %d",
                   comm->rank, comm->device, s->device);
    }
    if (s->capture) {
        queue_add(&n->work, stream);
    } else {
        queue_put(&n->work, s);
        post(n);
    }
    return comm->clique->failed ? say(comm->clique->failed, "%s", comm->clique->line) : ncclSuccess;
}

static ncclResult_t hand_over(struct kept *list)
{
    ncclResult_t result = ncclSuccess;

    queue_lock();
    while (list) {
        ncclResult_t one = hand_over_one(&list);

        result = result ? result : one;
    }
    queue_unlock();
    return result;
}

static ncclResult_t joined(void);

ncclResult_t ncclGroupStart(void)
{
    if (!depth++) {
        kept = NULL;
        kept_end = &kept;
        group_result = ncclSuccess;
    }
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    ncclResult_t result;

    if (!depth)
        return say(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--depth)
        return ncclSuccess;
    result = joined();
    if (!result)
        result = group_result;
    if (!result)
        return hand_over(kept);
    while (kept) {
        struct kept *k = kept;

        kept = k->next;
        free(k);
    }
    return result;
}

/* --- communicators ---------------------------------------------------------------------------- */

/* Joins that the group's end waits for. */
static _Thread_local struct clique *joins[64];
static _Thread_local int joins_count;

static bool all_have_come(const void *of)
{
    const struct clique *c = of;

    return c->joined == c->ranks || c->failed || (c->wire && wire_ready(c->wire));
}

static ncclResult_t await_all(struct clique *c)
{
    int missing = 0;

    if (!queue_wait_for(all_have_come, c, queue_patience())) {
        while (c->present[missing])
            missing++;
        if (c->wire)
            clique_fail(c, ncclSystemError,
                        "ncclCommInitRank: not all of %d ranks have come within %d s", c->ranks,
                        queue_patience());
        clique_fail(c, ncclSystemError, "ncclCommInitRank: rank %d of %d has not come within %d s",
                    missing, c->ranks, queue_patience());
    }
    return c->failed ? say(c->failed, "%s", c->line) : ncclSuccess;
}

/* All ranks of the cliques that this group has joined are there. */
static ncclResult_t joined(void)
{
    ncclResult_t result = ncclSuccess;

    queue_lock();
    while (joins_count) {
        ncclResult_t one = await_all(joins[--joins_count]);

        result = result ? result : one;
    }
    queue_unlock();
    return result;
}

/* port: where other processes find this one; 0: nowhere. */
static void make_id(ncclUniqueId *id, int port)
{
    static unsigned made;
    struct timespec now;

    memset(id, 0, sizeof(*id));
    clock_gettime(CLOCK_REALTIME, &now);
    queue_lock();
    snprintf(id->internal, sizeof(id->internal), "cpu-device %d %d %u %lld.%09ld", (int)getpid(),
             port, ++made, (long long)now.tv_sec, now.tv_nsec);
    queue_unlock();
}

/* The clique of this name; made when it is new. */
static struct clique *find_clique(const ncclUniqueId *id, int ranks)
{
    struct clique *c = cliques;

    while (c && (c->wire || memcmp(&c->id, id, sizeof(*id))))
        c = c->next;
    if (!c && (c = calloc(1, sizeof(*c)))) {
        c->id = *id;
        c->ranks = ranks;
        c->next = cliques;
        cliques = c;
    }
    return c;
}

/* One of another process: NULL, or what is wrong. */
static const char *rank_joins(struct clique *c, int rank)
{
    if (rank < 0 || rank >= c->ranks)
        return "there is no such rank";
    if (c->present[rank])
        return "two ranks have the same number";
    c->present[rank] = c->shared = true;
    c->device[rank] = -1;
    c->joined++;
    return NULL;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    int port;

    if (!id)
        return say(ncclInvalidArgument, "ncclGetUniqueId: id is NULL");
    queue_lock();
    port = wire_serve(find_clique, rank_joins);
    queue_unlock();
    if (port < 0)
        return say(ncclSystemError, "ncclGetUniqueId: no socket on this host");
    make_id(id, port);
    return ncclSuccess;
}

static void leave_clique(struct clique *c)
{
    struct clique **p = &cliques;

    if (++c->left < c->joined || c->shared || c->wire)
        return;
    while (*p != c)
        p = &(*p)->next;
    *p = c->next;
    free(c);
}

/* Nothing goes on any more: who waits for another rank is told so. */
static bool give_up(bool in_time)
{
    bool any = false;

    for (struct clique *c = cliques; c; c = c->next)
        for (int r = 0; r < c->ranks && !c->failed; r++) {
            const struct nccl_call *call = c->calls[r];
            struct CUstream_st *s = call && call->work ? call->work->stream : NULL;
            char missing[120];

            if (!call || !call->arrived)
                continue;
            any = true;
            snprintf(missing, sizeof(missing), "%s",
                     c->wire ? "not all ranks of the other processes call it"
                             : clique_missing(c, call));
            if (!s) {
                clique_fail(c, ncclRemoteError, "rank %d of %d waits in %s: %s within %d s", r,
                            c->ranks, nccl_what_name(call->what), missing, queue_patience());
                continue;
            }
            snprintf(s->line, sizeof(s->line), "rank %d of %d waits in %s: %s", r, c->ranks,
                     nccl_what_name(call->what), missing);
            if (in_time)
                snprintf(s->line + strlen(s->line), sizeof(s->line) - strlen(s->line),
                         " within %d s", queue_patience());
            s->error = cudaErrorLaunchFailure;
            clique_fail(c, ncclRemoteError, "%s", s->line);
        }
    return any;
}

/* Is there anything that another process could end? */
static bool is_remote(void)
{
    for (const struct clique *c = cliques; c; c = c->next)
        for (int r = 0; r < c->ranks && (c->wire || c->shared) && !c->failed; r++)
            if (c->calls[r])
                return true;
    return false;
}

/* A clique of which another process has the calls. */
static struct clique *far_clique(const ncclUniqueId *id, int ranks, int rank, int port)
{
    struct clique *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->id = *id;
    c->ranks = ranks;
    c->wire = wire_connect(port, c, id, rank);
    if (!c->wire) {
        free(c);
        return NULL;
    }
    c->next = cliques;
    cliques = c;
    return c;
}

/* A rank comes, with the current device. */
static ncclResult_t join(struct ncclComm **to, int ranks, const ncclUniqueId *id, int rank)
{
    int process = 0, port = 0;
    bool far =
        sscanf(id->internal, "cpu-device %d %d", &process, &port) == 2 && process != (int)getpid();
    struct clique *c = far ? far_clique(id, ranks, rank, port) : find_clique(id, ranks);
    struct ncclComm *comm = calloc(1, sizeof(*comm));

    if (!c && far)
        return say(
            ncclSystemError,
            "ncclCommInitRank: rank %d of %d does not reach the process that made the unique "
            "id, %d",
            rank, ranks, process);
    if (!c || !comm)
        return say(ncclSystemError, "out of memory");
    if (c->ranks != ranks || c->present[rank]) {
        free(comm);
        return c->ranks != ranks
                   ? say(ncclInvalidArgument,
                         "ncclCommInitRank: rank %d is told of %d ranks, others of %d", rank, ranks,
                         c->ranks)
                   : say(ncclInvalidUsage, "ncclCommInitRank: rank %d has come already", rank);
    }
    for (int r = 0; r < ranks; r++)
        if (c->present[r] && c->device[r] == cpu_current_device) {
            free(comm);
            clique_fail(c, ncclInvalidUsage, "ranks %d and %d are both on device %d", r, rank,
                        cpu_current_device);
            return say(ncclInvalidUsage, "%s", c->line);
        }
    *comm = (struct ncclComm){MAGIC, c, rank, cpu_current_device, 0};
    c->present[rank] = true;
    c->device[rank] = comm->device;
    c->joined++;
    wire_joined(c);
    queue_needed();
    queue_give_up = give_up;
    queue_is_remote = is_remote;
    queue_changed();
    *to = comm;
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t *config)
{
    ncclResult_t result;

    if (!comm)
        return say(ncclInvalidArgument, "ncclCommInitRank: comm is NULL");
    *comm = NULL;
    if (ranks < 1 || ranks > NCCL_MAX_RANKS)
        return say(ncclInvalidArgument, "ncclCommInitRank: %d ranks; accepted: 1 to %d", ranks,
                   NCCL_MAX_RANKS);
    if (rank < 0 || rank >= ranks)
        return say(ncclInvalidArgument, "ncclCommInitRank: rank %d of %d", rank, ranks);
    if (config && config->magic != 0xcafebeef)
        return say(ncclInvalidArgument,
                   "ncclCommInitRankConfig: the config does not begin as NCCL_CONFIG_INITIALIZER");
    if (strncmp(id.internal, "cpu-device ", 11))
        return say(ncclInvalidArgument, "ncclCommInitRank: ncclGetUniqueId did not make this id");
    if (depth && joins_count == (int)(sizeof(joins) / sizeof(joins[0])))
        return say(ncclInvalidUsage, "ncclCommInitRank: too many in one group");
    queue_lock();
    result = join(comm, ranks, &id, rank);
    if (!result)
        joins[joins_count++] = (*comm)->clique;
    queue_unlock();
    if (depth) {
        group_result = group_result ? group_result : result;
        return result;
    }
    if (result)
        return result;
    result = joined();
    if (result) {
        ncclCommDestroy(*comm);
        *comm = NULL;
    }
    return result;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    return ncclCommInitRankConfig(comm, ranks, id, rank, NULL);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int devices, const int *list)
{
    ncclUniqueId id;
    int before = cpu_current_device;
    ncclResult_t result = ncclSuccess, end;

    if (!comms || devices < 1)
        return say(ncclInvalidArgument, "ncclCommInitAll: %d devices%s", devices,
                   comms ? "" : ", and comms is NULL");
    for (int i = 0; i < devices; i++) {
        int device = list ? list[i] : i;

        if (!device_exists(device))
            return say(ncclInvalidArgument, "ncclCommInitAll: there is no device %d", device);
        for (int k = 0; list && k < i; k++)
            if (list[k] == device)
                return say(ncclInvalidUsage, "ncclCommInitAll: device %d is there twice", device);
    }
    make_id(&id, 0);
    ncclGroupStart();
    for (int i = 0; i < devices && !result; i++) {
        cpu_current_device = list ? list[i] : i;
        result = ncclCommInitRank(&comms[i], devices, id, i);
    }
    cpu_current_device = before;
    end = ncclGroupEnd();
    return result ? result : end;
}

static bool is_idle(const void *comm)
{
    return ((const struct ncclComm *)comm)->pending == 0;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    ncclResult_t result = comm_good(comm, "ncclCommFinalize");

    if (!result)
        queue_wait(is_idle, comm);
    return result;
}

static ncclResult_t leave(struct ncclComm *comm, bool aborts)
{
    queue_wait(is_idle, comm);
    queue_lock();
    comm->magic = 0;
    if (comm->clique->wire)
        wire_end(comm->clique->wire, aborts);
    leave_clique(comm->clique);
    queue_unlock();
    free(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    ncclResult_t result = comm ? comm_good(comm, "ncclCommDestroy") : ncclSuccess;

    return result || !comm ? result : leave(comm, false);
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    ncclResult_t result = comm ? comm_good(comm, "ncclCommAbort") : ncclSuccess;

    if (result || !comm)
        return result;
    queue_lock();
    if (comm->clique->ranks > 1)
        clique_fail(comm->clique, ncclRemoteError, "rank %d has called ncclCommAbort", comm->rank);
    queue_unlock();
    return leave(comm, true);
}

/* --- calls that move data --------------------------------------------------------------------- */

/* Is it memory of kernels, all of it in one allocation? */
static bool range_good(const void *pointer, size_t bytes)
{
    const struct allocation *a;

    if (!bytes)
        return true;
    if (!memory_is_device((uintptr_t)pointer))
        return memory_is_variable((uintptr_t)pointer);
    a = memory_find((uintptr_t)pointer);
    return a && !a->freed && (uintptr_t)pointer - a->base <= a->bytes &&
           bytes <= a->bytes - ((uintptr_t)pointer - a->base);
}

static ncclResult_t call_good(const struct nccl_call *k, const struct ncclComm *comm)
{
    const char *name = nccl_what_name(k->what);
    int ranks = comm->clique->ranks;

    if (!nccl_type_bytes(k->type))
        return say(ncclInvalidArgument, "%s of rank %d: type %d is not one that the CPU device has",
                   name, k->rank, (int)k->type);
    if (!nccl_op_known(k->op))
        return say(ncclInvalidArgument, "%s of rank %d: there is no operation %d", name, k->rank,
                   (int)k->op);
    if (k->root < 0 || k->root >= ranks)
        return say(ncclInvalidArgument, "%s of rank %d: there is no rank %d, only 0 to %d", name,
                   k->rank, k->root, ranks - 1);
    if (k->count > SIZE_MAX / 8 / (size_t)ranks)
        return say(ncclInvalidArgument, "%s of rank %d: %zu elements", name, k->rank, k->count);
    if (!range_good(k->send, nccl_send_bytes(k, ranks)))
        return say(ncclInvalidArgument,
                   "%s of rank %d: the %zu bytes at %p that it sends are not in one allocation of "
                   "a device",
                   name, k->rank, nccl_send_bytes(k, ranks), k->send);
    if (!range_good(k->receive, nccl_receive_bytes(k, ranks)))
        return say(ncclInvalidArgument,
                   "%s of rank %d: the %zu bytes at %p that it receives into are not in one "
                   "allocation of a device",
                   name, k->rank, nccl_receive_bytes(k, ranks), k->receive);
    return ncclSuccess;
}

static ncclResult_t add(const struct nccl_call *call, struct ncclComm *comm, cudaStream_t stream,
                        uintptr_t site)
{
    struct kept *k;

    if (call_good(call, comm))
        return ncclInvalidArgument;
    if (stream_good(stream) || cpu_failure())
        return say(ncclUnhandledCudaError, "%s of rank %d: %s", nccl_what_name(call->what),
                   call->rank, cudaGetErrorString(cudaPeekAtLastError()));
    k = calloc(1, sizeof(*k));
    if (!k)
        return say(ncclSystemError, "out of memory");
    k->comm = comm;
    k->call = *call;
    k->stream = stream;
    k->site = site;
    *kept_end = k;
    kept_end = &k->next;
    return ncclSuccess;
}

static ncclResult_t begin(struct nccl_call call, struct ncclComm *comm, cudaStream_t stream,
                          uintptr_t site)
{
    ncclResult_t result = comm_good(comm, nccl_what_name(call.what)), end;

    if (result)
        return result;
    ncclGroupStart();
    call.rank = comm->rank;
    result = add(&call, comm, stream, site);
    group_result = group_result ? group_result : result;
    end = ncclGroupEnd();
    return result ? result : end;
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    return begin((struct nccl_call){NCCL_ALL_REDUCE, send, receive, count, type, op, .root = 0},
                 comm, stream, HERE);
}

ncclResult_t ncclReduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    return begin((struct nccl_call){NCCL_REDUCE, send, receive, count, type, op, .root = root},
                 comm, stream, HERE);
}

ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t receive_count,
                               ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream)
{
    return begin(
        (struct nccl_call){NCCL_REDUCE_SCATTER, send, receive, receive_count, type, op, .root = 0},
        comm, stream, HERE);
}

ncclResult_t ncclAllGather(const void *send, void *receive, size_t send_count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    return begin((struct nccl_call){NCCL_ALL_GATHER, send, receive, send_count, type, .root = 0},
                 comm, stream, HERE);
}

ncclResult_t ncclBroadcast(const void *send, void *receive, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream)
{
    return begin((struct nccl_call){NCCL_BROADCAST, send, receive, count, type, .root = root}, comm,
                 stream, HERE);
}

ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream)
{
    return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    return begin((struct nccl_call){NCCL_SEND, send, NULL, count, type, .root = peer}, comm, stream,
                 HERE);
}

ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    return begin((struct nccl_call){NCCL_RECEIVE, NULL, receive, count, type, .root = peer}, comm,
                 stream, HERE);
}
