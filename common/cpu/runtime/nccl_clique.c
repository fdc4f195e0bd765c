/*
 * What the ranks of a communicator call, put together. A collective call is carried out when the
 * oldest one of every rank is there and all are the same; a send when the other rank has called for
 * it. Until then a call waits in its rank's list. So no rank can be left behind: what does not fit
 * is an error of all ranks, at once. The data is moved when the calls' turn has come in the streams
 * of all ranks.
 *
 * The data goes through memory of this process, so the arrays may be on any device. In place is
 * what NCCL says it is: of reduce-scatter and all-gather the rank's own part of the longer array.
 */
#include "cpu/runtime/nccl_clique.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/engine/device_set.h"
#include "cpu/runtime/host_copies.h"
#include "cpu/runtime/nccl_reduce.h"

enum { PIECE = 16 * 1024 }; /* bytes that are put together at once */

void (*clique_on_failure)(const struct clique *c);

/* Calls that are carried out together: of all ranks, in their order; or a send and a receive. */
struct nccl_set {
    int count;
    struct nccl_call *call[];
};

const char *nccl_what_name(enum nccl_what what)
{
    static const char *const names[] = {"ncclAllReduce", "ncclReduce",    "ncclReduceScatter",
                                        "ncclAllGather", "ncclBroadcast", "ncclSend",
                                        "ncclRecv"};

    return names[what];
}

static bool is_pair(enum nccl_what what)
{
    return what == NCCL_SEND || what == NCCL_RECEIVE;
}

static bool has_op(enum nccl_what what)
{
    return what <= NCCL_REDUCE_SCATTER;
}

static size_t bytes_of(const struct nccl_call *call)
{
    return call->count * nccl_type_bytes(call->type);
}

size_t nccl_send_bytes(const struct nccl_call *call, int ranks)
{
    if (call->what == NCCL_RECEIVE || (call->what == NCCL_BROADCAST && call->rank != call->root))
        return 0;
    return bytes_of(call) * (call->what == NCCL_REDUCE_SCATTER ? (size_t)ranks : 1);
}

size_t nccl_receive_bytes(const struct nccl_call *call, int ranks)
{
    if (call->what == NCCL_SEND || (call->what == NCCL_REDUCE && call->rank != call->root))
        return 0;
    return bytes_of(call) * (call->what == NCCL_ALL_GATHER ? (size_t)ranks : 1);
}

/* --- the end of calls ------------------------------------------------------------------------- */

/* It is taken out of its rank's list. */
static void end_call(struct clique *c, struct nccl_call *call, ncclResult_t result)
{
    struct nccl_call **p = &c->calls[call->rank];

    while (*p && *p != call)
        p = &(*p)->next;
    if (*p)
        *p = call->next;
    call->result = result;
    call->done = true;
    if (call->foreign_done)
        call->foreign_done(call);
}

/* The others of its set are left alone, and will be ended too. */
static void leave_set(struct nccl_call *call)
{
    struct nccl_set *set = call->set;

    call->set = NULL;
    if (set && !--set->count)
        free(set);
}

void clique_fail(struct clique *c, ncclResult_t result, const char *format, ...)
{
    va_list args;

    if (c->failed)
        return;
    c->failed = result;
    va_start(args, format);
    vsnprintf(c->line, sizeof(c->line), format, args);
    va_end(args);
    for (int rank = 0; rank < c->ranks; rank++)
        while (c->calls[rank]) {
            leave_set(c->calls[rank]);
            end_call(c, c->calls[rank], result);
        }
    if (clique_on_failure && c->shared)
        clique_on_failure(c);
    queue_changed();
}

void clique_mark_streams(struct clique *c, const char *line)
{
    for (int rank = 0; rank < c->ranks && !c->failed; rank++)
        for (const struct nccl_call *call = c->calls[rank]; call; call = call->next)
            if (call->work) {
                struct CUstream_st *s = call->work->stream;

                s->error = cudaErrorLaunchFailure;
                snprintf(s->line, sizeof(s->line), "%s", line);
            }
}

void clique_take(struct clique *c, struct nccl_call *call, const void *data)
{
    size_t bytes = nccl_receive_bytes(call, c->ranks);

    notify_touched(call->work, call->receive, bytes, true);
    if (bytes)
        memcpy(call->receive, data, bytes);
    end_call(c, call, ncclSuccess);
}

/* --- collective calls ------------------------------------------------------------------------- */

/* The oldest collective call of a rank that is in no set; NULL: none. */
static struct nccl_call *oldest(const struct clique *c, int rank)
{
    struct nccl_call *call = c->calls[rank];

    while (call && (call->set || is_pair(call->what)))
        call = call->next;
    return call;
}

/* The ranks' calls are put together in pieces: those of `root`, or of all, get the result. `skip`:
 * elements from the start of what is sent. */
static void reduce_to(struct nccl_call **all, int ranks, int root, size_t skip)
{
    const struct nccl_call *first = all[0];
    size_t element = nccl_type_bytes(first->type), most = PIECE / element;
    _Alignas(16) char piece[PIECE];

    for (size_t from = 0; from < first->count; from += most) {
        size_t count = first->count - from < most ? first->count - from : most;
        const void *input[NCCL_MAX_RANKS];

        for (int r = 0; r < ranks; r++)
            input[r] = (const char *)all[r]->send + (skip + from) * element;
        nccl_reduce(piece, input, ranks, count, first->type, first->op);
        for (int r = 0; r < ranks; r++)
            if (root < 0 || r == root)
                memcpy((char *)all[r]->receive + from * element, piece, count * element);
    }
}

static void move_data(struct nccl_call **all, int ranks)
{
    size_t bytes = bytes_of(all[0]);
    int root = all[0]->root;

    switch (all[0]->what) {
    case NCCL_ALL_REDUCE:
        reduce_to(all, ranks, -1, 0);
        break;
    case NCCL_REDUCE:
        reduce_to(all, ranks, root, 0);
        break;
    case NCCL_REDUCE_SCATTER:
        for (int r = 0; r < ranks; r++)
            reduce_to(all, ranks, r, (size_t)r * all[0]->count);
        break;
    case NCCL_ALL_GATHER:
        for (int to = 0; to < ranks; to++)
            for (int r = 0; r < ranks; r++)
                memmove((char *)all[to]->receive + (size_t)r * bytes, all[r]->send, bytes);
        break;
    default:
        for (int to = 0; to < ranks; to++)
            memmove(all[to]->receive, all[root]->send, bytes);
    }
}

/* Each rank's operation is in order behind what the others did before, and what follows it behind
 * theirs. */
static void put_in_order(const struct nccl_set *set)
{
    uint64_t all[MAX_ORDERED + 1] = {0};

    for (int i = 0; i < set->count; i++) {
        const struct work *w = set->call[i]->work;

        if (!w)
            continue;
        queue_join(all, w->after);
        if (all[w->stream->number] < w->number)
            all[w->stream->number] = w->number;
    }
    for (int i = 0; i < set->count; i++)
        if (set->call[i]->work)
            queue_join(set->call[i]->work->after, all);
}

static void carry_out(struct clique *c, struct nccl_set *set)
{
    for (int i = 0; i < set->count; i++) {
        const struct nccl_call *call = set->call[i];

        if (!call->work)
            continue;
        notify_touched(call->work, call->send, nccl_send_bytes(call, c->ranks), false);
        notify_touched(call->work, call->receive, nccl_receive_bytes(call, c->ranks), true);
    }
    if (is_pair(set->call[0]->what))
        memmove(set->call[1]->receive, set->call[0]->send, bytes_of(set->call[0]));
    else
        move_data(set->call, c->ranks);
    put_in_order(set);
    for (int i = 0; i < set->count; i++) {
        set->call[i]->set = NULL;
        end_call(c, set->call[i], ncclSuccess);
    }
    free(set);
}

static bool make_set(struct clique *c, struct nccl_call **call, int count)
{
    struct nccl_set *set = calloc(1, sizeof(*set) + (size_t)count * sizeof(*call));

    if (!set) {
        clique_fail(c, ncclSystemError, "out of memory");
        return false;
    }
    set->count = count;
    memcpy(set->call, call, (size_t)count * sizeof(*call));
    for (int i = 0; i < count; i++)
        call[i]->set = set;
    return true;
}

static void describe(const struct nccl_call *call, char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room, "%s(%zu x %s", nccl_what_name(call->what), call->count,
                                nccl_type_name(call->type));

    if (has_op(call->what) && n < room)
        n += (size_t)snprintf(text + n, room - n, ", %s", nccl_op_name(call->op));
    if (call->what == NCCL_REDUCE || call->what == NCCL_BROADCAST)
        n += (size_t)snprintf(text + n, room - n, ", root %d", call->root);
    if (n < room)
        snprintf(text + n, room - n, ")");
}

static bool are_alike(const struct nccl_call *a, const struct nccl_call *b)
{
    return a->what == b->what && a->count == b->count && a->type == b->type && a->op == b->op &&
           a->root == b->root;
}

static void refuse_unlike(struct clique *c, const struct nccl_call *a, const struct nccl_call *b)
{
    char one[100], other[100];

    describe(a, one, sizeof(one));
    describe(b, other, sizeof(other));
    clique_fail(c, ncclInvalidUsage, "rank %d calls %s and rank %d %s", a->rank, one, b->rank,
                other);
}

/* Put one collective call together, if all ranks have called it. */
static bool match_collective(struct clique *c)
{
    struct nccl_call *all[NCCL_MAX_RANKS] = {NULL};

    for (int r = 0; r < c->ranks; r++) {
        all[r] = oldest(c, r);
        for (int before = 0; all[r] && before < r; before++)
            if (all[before] && !are_alike(all[before], all[r])) {
                refuse_unlike(c, all[before], all[r]);
                return false;
            }
    }
    for (int r = 0; r < c->ranks; r++)
        if (!all[r])
            return false;
    return make_set(c, all, c->ranks);
}

/* --- sends and receives ----------------------------------------------------------------------- */

static void match_pair(struct clique *c, struct nccl_call *call)
{
    enum nccl_what wanted = call->what == NCCL_SEND ? NCCL_RECEIVE : NCCL_SEND;
    struct nccl_call *other = c->calls[call->root], *pair[2];

    while (other && (other->what != wanted || other->root != call->rank || other->set))
        other = other->next;
    if (!other)
        return;
    pair[0] = call->what == NCCL_SEND ? call : other;
    pair[1] = call->what == NCCL_SEND ? other : call;
    if (bytes_of(pair[0]) != bytes_of(pair[1]))
        refuse_unlike(c, pair[0], pair[1]);
    else
        make_set(c, pair, 2);
}

/* --- what calls are handed to ----------------------------------------------------------------- */

void clique_post(struct clique *c, struct nccl_call *call)
{
    struct nccl_call **end = &c->calls[call->rank];

    call->posted = true;
    call->next = NULL;
    while (*end)
        end = &(*end)->next;
    *end = call;
    if (c->failed)
        end_call(c, call, c->failed);
    else if (is_pair(call->what))
        match_pair(c, call);
    else
        while (match_collective(c))
            ;
}

void clique_arrive(struct clique *c, struct nccl_call *call)
{
    bool all = call->set != NULL;

    call->arrived = true;
    for (int i = 0; all && i < call->set->count; i++)
        all = call->set->call[i]->arrived;
    if (all)
        carry_out(c, call->set);
}

const char *clique_missing(const struct clique *c, const struct nccl_call *call)
{
    static char text[80];

    if (is_pair(call->what) && !call->set) {
        snprintf(text, sizeof(text), "rank %d has not called %s", call->root,
                 nccl_what_name(call->what == NCCL_SEND ? NCCL_RECEIVE : NCCL_SEND));
        return text;
    }
    for (int r = 0; r < c->ranks && !call->set; r++)
        if (!oldest(c, r)) {
            snprintf(text, sizeof(text), "rank %d has not called it", r);
            return text;
        }
    for (int i = 0; call->set && i < call->set->count; i++)
        if (!call->set->call[i]->arrived) {
            snprintf(text, sizeof(text), "the stream of rank %d does not come to it",
                     call->set->call[i]->rank);
            return text;
        }
    return "another call stands before it";
}
