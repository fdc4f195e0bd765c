/*
 * Ranks in other processes of this host. The process that made the unique id is the hub: the calls
 * of all other processes come to it through sockets, with their data, and what they receive goes
 * back. There they are calls like those of its own ranks. So it also knows who has gone: a
 * connection that ends without a farewell is a rank that died, and all others are told at once.
 *
 * Each connection has a thread that reads and one that writes, which take the queue's lock only for
 * moments, so that no two processes wait for each other's sockets.
 */
#define _GNU_SOURCE
#include "cpu/runtime/nccl_wire.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "cpu/runtime/nccl_reduce.h"

enum frame_kind { HELLO, READY, CALL, RESULT, FAILED, FAREWELL, ABORT };

struct frame {
    enum frame_kind kind;
    int rank, ranks;
    ncclUniqueId id; /* of HELLO */
    uint64_t number; /* of a call and its result: where it is in the caller's memory */
    struct nccl_call call;
    ncclResult_t result;
    uint64_t bytes; /* that follow */
    char line[256];
};

struct message {
    struct message *next;
    struct frame frame;
    char data[];
};

struct wire {
    int socket, rank;
    struct clique *clique;
    int hub_rank; /* of the process at the other end */
    bool ready, over;
    pthread_mutex_t lock; /* of what is to be sent */
    pthread_cond_t more;
    struct message *first, **last;
    struct wire *next; /* of the hub's */
};

/* A call of another process, at the hub. */
struct foreign_call {
    struct nccl_call call; /* first */
    struct wire *wire;
    uint64_t number;
    size_t receives;
};

static struct wire *served;
static struct clique *(*clique_of)(const ncclUniqueId *, int);
static const char *(*rank_joins)(struct clique *, int);

/* --- bytes ------------------------------------------------------------------------------------ */

static bool get(int socket, void *to, size_t bytes)
{
    while (bytes) {
        ssize_t n = recv(socket, to, bytes, 0);

        if (n <= 0)
            return false;
        to = (char *)to + n;
        bytes -= (size_t)n;
    }
    return true;
}

static bool put(int socket, const void *from, size_t bytes)
{
    while (bytes) {
        ssize_t n = send(socket, from, bytes, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        from = (const char *)from + n;
        bytes -= (size_t)n;
    }
    return true;
}

static void *write_all(void *argument)
{
    struct wire *w = argument;

    for (;;) {
        struct message *m;
        bool good;

        pthread_mutex_lock(&w->lock);
        while (!w->first)
            pthread_cond_wait(&w->more, &w->lock);
        m = w->first;
        w->first = m->next;
        if (!w->first)
            w->last = &w->first;
        pthread_mutex_unlock(&w->lock);
        good = put(w->socket, &m->frame, sizeof(m->frame)) &&
               put(w->socket, m->data, (size_t)m->frame.bytes);
        free(m);
        if (!good)
            return NULL;
    }
}

/* Data: frame.bytes of them. */
static void queue_frame(struct wire *w, const struct frame *frame, const void *data)
{
    struct message *m = malloc(sizeof(*m) + (size_t)frame->bytes);

    if (!m)
        return; /* the other end will say that this rank does not come */
    m->next = NULL;
    m->frame = *frame;
    if (frame->bytes)
        memcpy(m->data, data, (size_t)frame->bytes);
    pthread_mutex_lock(&w->lock);
    *w->last = m;
    w->last = &m->next;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
}

/* --- the hub ---------------------------------------------------------------------------------- */

static void tell_failure(const struct clique *c)
{
    struct frame f = {.kind = FAILED, .result = c->failed};

    snprintf(f.line, sizeof(f.line), "%s", c->line);
    for (struct wire *w = served; w; w = w->next)
        if (w->clique == c && !w->over)
            queue_frame(w, &f, NULL);
}

/* Of a call of another process: it is done. */
static void send_result(struct nccl_call *call)
{
    struct foreign_call *f = (struct foreign_call *)call;
    struct frame frame = {.kind = RESULT, .number = f->number, .result = call->result};

    frame.bytes = call->result ? 0 : f->receives;
    snprintf(frame.line, sizeof(frame.line), "%s", f->wire->clique->line);
    queue_frame(f->wire, &frame, call->receive);
    free((void *)(uintptr_t)call->send);
    free(call->receive);
    free(f);
}

static void take_call(struct wire *w, const struct frame *frame, void *data)
{
    struct foreign_call *f = calloc(1, sizeof(*f));

    if (!f)
        return;
    f->call = frame->call;
    f->call.rank = w->rank;
    f->call.posted = f->call.arrived = f->call.done = false;
    f->call.work = NULL;
    f->call.set = NULL;
    f->call.next = NULL;
    f->call.foreign_done = send_result;
    f->call.send = data;
    f->receives = nccl_receive_bytes(&f->call, w->clique->ranks);
    f->call.receive = malloc(f->receives ? f->receives : 1);
    f->wire = w;
    f->number = frame->number;
    clique_post(w->clique, &f->call);
    if (!w->clique->failed) /* else it is given back */
        clique_arrive(w->clique, &f->call);
}

void wire_joined(const struct clique *c)
{
    struct frame ready = {.kind = READY};

    while (ready.rank + 1 < c->ranks && c->device[ready.rank] < 0)
        ready.rank++; /* to the first that is this process's */
    if (c->joined == c->ranks)
        for (struct wire *w = served; w; w = w->next)
            if (w->clique == c)
                queue_frame(w, &ready, NULL);
}

/* What the first frame says; false: it is refused. */
static bool greet(struct wire *w)
{
    struct frame f, answer = {.kind = FAILED, .result = ncclInvalidUsage};
    const char *wrong;

    if (!get(w->socket, &f, sizeof(f)) || f.kind != HELLO)
        return false;
    queue_lock();
    w->rank = f.rank;
    w->clique = clique_of(&f.id, f.ranks);
    wrong = !w->clique                    ? "out of memory"
            : w->clique->ranks != f.ranks ? "ranks are told of different numbers of ranks"
                                          : rank_joins(w->clique, f.rank);
    if (!wrong) {
        w->next = served;
        served = w;
    }
    if (!wrong)
        wire_joined(w->clique);
    queue_changed();
    queue_unlock();
    if (wrong) {
        snprintf(answer.line, sizeof(answer.line), "%s", wrong);
        queue_frame(w, &answer, NULL);
    }
    return !wrong;
}

static void fail(struct clique *c, ncclResult_t result, const char *line)
{
    if (result == ncclRemoteError)
        clique_mark_streams(c, line);
    clique_fail(c, result, "%s", line);
}

static void *serve_one(void *argument)
{
    struct wire *w = argument;
    struct frame f = {.kind = HELLO};
    char line[80];

    queue_helper();
    if (!greet(w))
        return NULL;
    while (get(w->socket, &f, sizeof(f)) && f.kind == CALL) {
        void *data = malloc(f.bytes ? (size_t)f.bytes : 1);

        if (!data || !get(w->socket, data, (size_t)f.bytes)) {
            free(data);
            f.kind = CALL;
            break;
        }
        queue_lock();
        take_call(w, &f, data);
        queue_changed();
        queue_unlock();
        f.kind = CALL;
    }
    queue_lock();
    w->over = true;
    if (f.kind != FAREWELL) {
        snprintf(line, sizeof(line),
                 f.kind == ABORT ? "rank %d has called ncclCommAbort"
                                 : "rank %d has ended: its process is gone",
                 w->rank);
        fail(w->clique, ncclRemoteError, line);
    }
    queue_changed();
    queue_unlock();
    return NULL;
}

static bool start(struct wire *w, void *(*reads)(void *))
{
    pthread_t thread;

    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->more, NULL);
    w->last = &w->first;
    setsockopt(w->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (pthread_create(&thread, NULL, write_all, w))
        return false;
    pthread_detach(thread);
    if (pthread_create(&thread, NULL, reads, w))
        return false;
    pthread_detach(thread);
    return true;
}

static void *accept_all(void *argument)
{
    int listener = (int)(intptr_t)argument, one;

    while ((one = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        struct wire *w = calloc(1, sizeof(*w));

        if (!w) {
            close(one);
            continue;
        }
        w->socket = one;
        start(w, serve_one);
    }
    return NULL;
}

static bool all_are_over(const void *unused)
{
    (void)unused;
    for (const struct wire *w = served; w; w = w->next)
        if (!w->over && !w->clique->failed)
            return false;
    return true;
}

/* The hub stays until the others have said farewell. */
static void wait_at_exit(void)
{
    struct timespec moment = {0, 50000000};

    queue_wait_for(all_are_over, NULL, queue_patience());
    if (served)
        nanosleep(&moment, NULL); /* what is told last goes out */
}

int wire_serve(struct clique *(*of)(const ncclUniqueId *, int),
               const char *(*joins)(struct clique *, int))
{
    static int port = -1;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof(at);
    pthread_t thread;
    int listener;

    if (port > 0)
        return port;
    clique_of = of;
    rank_joins = joins;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof(at)) ||
        listen(listener, NCCL_MAX_RANKS) || getsockname(listener, (struct sockaddr *)&at, &bytes) ||
        pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener))
        return -1;
    pthread_detach(thread);
    atexit(wait_at_exit);
    clique_on_failure = tell_failure;
    port = ntohs(at.sin_port);
    return port;
}

/* --- the others ------------------------------------------------------------------------------- */

/* A result for a call that still waits for it. */
static void take_result(struct wire *w, const struct frame *f, const void *data)
{
    for (struct nccl_call *call = w->clique->calls[w->rank]; call; call = call->next)
        if ((uint64_t)(uintptr_t)call == f->number) {
            if (f->result)
                fail(w->clique, f->result, f->line);
            else
                clique_take(w->clique, call, data);
            return;
        }
}

static void *listen_to_hub(void *argument)
{
    struct wire *w = argument;
    struct frame f;

    queue_helper();
    while (get(w->socket, &f, sizeof(f))) {
        void *data = malloc(f.bytes ? (size_t)f.bytes : 1);
        bool good = data && get(w->socket, data, (size_t)f.bytes);

        queue_lock();
        if (good && !w->over && f.kind == READY) {
            w->ready = true;
            w->hub_rank = f.rank;
        }
        if (good && !w->over && f.kind == RESULT)
            take_result(w, &f, data);
        if (good && !w->over && f.kind == FAILED)
            fail(w->clique, f.result, f.line);
        queue_changed();
        queue_unlock();
        free(data);
        if (!good)
            break;
    }
    queue_lock();
    if (!w->over) {
        snprintf(f.line, sizeof(f.line),
                 w->ready ? "rank %d has ended: its process is gone"
                          : "the process that made the unique id is gone",
                 w->hub_rank);
        fail(w->clique, ncclRemoteError, f.line);
    }
    w->over = true;
    queue_changed();
    queue_unlock();
    return NULL;
}

struct wire *wire_connect(int port, struct clique *c, const ncclUniqueId *id, int rank)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)port)};
    struct frame hello = {.kind = HELLO, .rank = rank, .ranks = c->ranks, .id = *id};
    struct wire *w = calloc(1, sizeof(*w));

    if (!w)
        return NULL;
    w->rank = rank;
    w->clique = c;
    w->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (w->socket < 0 || connect(w->socket, (struct sockaddr *)&at, sizeof(at)) ||
        !start(w, listen_to_hub)) {
        close(w->socket);
        free(w);
        return NULL;
    }
    queue_frame(w, &hello, NULL);
    return w;
}

bool wire_ready(const struct wire *w)
{
    return w->ready;
}

void wire_call(struct wire *w, struct nccl_call *call)
{
    struct frame f = {.kind = CALL,
                      .number = (uint64_t)(uintptr_t)call,
                      .call = *call,
                      .bytes = nccl_send_bytes(call, w->clique->ranks)};

    queue_frame(w, &f, call->send);
}

void wire_end(struct wire *w, bool aborts)
{
    struct frame f = {.kind = aborts ? ABORT : FAREWELL};

    w->over = true; /* its threads and its memory stay until the hub closes */
    queue_frame(w, &f, NULL);
}
