/*
 * Each rank has a connection to rank 0, and a thread that reads from its connections. So a rank
 * that ends is noticed whatever the others are waiting for: its connection ends without a farewell,
 * rank 0 tells the others, and all of them end. A host that is gone is noticed by TCP's probes.
 */
#define _GNU_SOURCE /* accept4 */
#include "harness/kit/ranks.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "harness/kit/message.h"
#include "harness/kit/ranks_environment.h"

#define MEET_SECONDS 25 /* until all must have come */
#define NEWS_SECONDS 2  /* until the end of another rank is known */

enum kind { HELLO = 0x72616e6b, WELCOME, ABSENT, DATA, LAST, FAREWELL, LOST };

struct frame {
    int32_t kind;
    int32_t rank;     /* that says it; of what rank 0 passes on, that said it */
    int32_t value;    /* HELLO: how many ranks; FAREWELL: its status; ABSENT, LOST: which rank */
    uint32_t options; /* HELLO: a checksum of the step and its options */
    char data[RANKS_BYTES];
};

static struct ranks_environment here = {.size = 1};
static int sockets[MAX_RANKS]; /* of rank 0: to each; else the first is the one to rank 0 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct frame came[MAX_RANKS]; /* by the rank that said it */
static bool has_come[MAX_RANKS];
static bool leaving; /* a connection may end now */
static char name[80];

int ranks_count(void)
{
    return here.size;
}

int ranks_own(void)
{
    return here.rank;
}

/* Connections of this process. */
static int links(void)
{
    return here.rank == 0 ? here.size : 1;
}

static bool get(int socket, struct frame *f)
{
    return recv(socket, f, sizeof(*f), MSG_WAITALL) == (ssize_t)sizeof(*f);
}

/* What cannot be sent is noticed by the thread that reads. */
static bool put(int socket, const struct frame *f)
{
    return send(socket, f, sizeof(*f), MSG_NOSIGNAL) == (ssize_t)sizeof(*f);
}

static void put_all(const struct frame *f)
{
    for (int i = here.rank == 0; i < links(); i++)
        if (sockets[i] > 0)
            put(sockets[i], f);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Rows of the log are written already; the table may stand in the buffer. */
static void end_now(int status)
{
    if (ftrylockfile(stdout) == 0)
        fflush_unlocked(stdout);
    _exit(status);
}

static void lost(int rank)
{
    struct frame f = {.kind = LOST, .value = rank};

    if (here.rank == 0)
        put_all(&f);
    complain(0, "rank %d of %d has ended before the others, so this one ends, too", rank,
             here.size);
    end_now(-BAD_DEVICE);
}

/* A call fails at once where another rank has ended: that is told then, in place of the call. What
 * is wrong with the options is wrong for all ranks, and rank 0 says so. */
static void await_news(int status)
{
    if (status == BAD_DEVICE || here.rank > 0)
        nanosleep(&(struct timespec){.tv_sec = NEWS_SECONDS}, NULL);
}

/* One more: a socket that is no rank's, or 0. Who hears it ends at once, maybe before this one. */
static void say_farewell(int one_more, int status)
{
    struct frame f = {.kind = FAREWELL, .rank = here.rank, .value = status};

    pthread_mutex_lock(&lock);
    leaving = true;
    pthread_mutex_unlock(&lock);
    put_all(&f);
    if (one_more > 0)
        put(one_more, &f);
}

/* --- the thread that reads -------------------------------------------------------------------- */

static void take(const struct frame *f)
{
    if (f->kind == LOST)
        lost(f->value);
    if (f->kind == FAREWELL) {
        if (here.rank == 0)
            say_farewell(0, f->value);
        end_now(f->value);
    }
    pthread_mutex_lock(&lock);
    came[f->rank] = *f;
    has_come[f->rank] = true;
    leaving |= f->kind == LAST && here.rank != 0 && f->rank == here.size - 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static bool may_end(void)
{
    bool may;

    pthread_mutex_lock(&lock);
    may = leaving;
    pthread_mutex_unlock(&lock);
    return may;
}

static void *read_all(void *unused)
{
    struct pollfd from[MAX_RANKS];

    for (int i = 0; i < links(); i++)
        from[i] = (struct pollfd){.fd = sockets[i] > 0 ? sockets[i] : -1, .events = POLLIN};
    for (;;) {
        poll(from, (nfds_t)links(), -1);
        for (int i = 0; i < links(); i++) {
            struct frame f;

            if (from[i].fd < 0 || !from[i].revents)
                continue;
            if (get(from[i].fd, &f)) {
                take(&f);
                continue;
            }
            if (!may_end())
                lost(here.rank == 0 ? i : 0);
            from[i].fd = -1;
        }
    }
    return unused;
}

/* --- meeting ---------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* FNV-1a of the words, each with its end. */
static uint32_t checksum(const char *step, int argc, char **argv)
{
    uint32_t sum = 2166136261u;

    for (int i = 0; i < argc; i++) {
        const char *word = i ? argv[i] : step;

        for (size_t k = 0; k <= strlen(word); k++)
            sum = (sum ^ (unsigned char)word[k]) * 16777619u;
    }
    return sum;
}

/* The kernel probes a silent connection, and gives it up after 20 s. */
static void prepare(int socket, int seconds)
{
    struct timeval most = {.tv_sec = seconds};

    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &(int){5}, sizeof(int));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &(int){5}, sizeof(int));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &(int){3}, sizeof(int));
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &(int){20000}, sizeof(int));
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
}

static int find_address(struct addrinfo **to)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    char port[16];
    int error;

    snprintf(port, sizeof(port), "%d", here.port);
    error = getaddrinfo(here.address, port, &wanted, to);
    return error ? complain(BAD_USAGE,
                            "MASTER_ADDR=%s: not accepted (%s); accepted: a host's name "
                            "or address",
                            here.address, gai_strerror(error))
                 : 0;
}

/* Rank 0's door: on this host alone where all ranks are on it. */
static int listen_here(int *door)
{
    struct addrinfo *at;
    struct sockaddr_in any;
    int status = find_address(&at);

    if (status != 0)
        return status;
    memcpy(&any, at->ai_addr, sizeof(any));
    if (ntohl(any.sin_addr.s_addr) != INADDR_LOOPBACK)
        any.sin_addr.s_addr = htonl(INADDR_ANY);
    freeaddrinfo(at);
    *door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(*door, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (*door < 0 || bind(*door, (struct sockaddr *)&any, sizeof(any)) || listen(*door, MAX_RANKS))
        return complain(BAD_DEVICE, "rank 0 cannot listen at MASTER_PORT %d (%s); choose another",
                        here.port, strerror(errno));
    return 0;
}

/* What a rank says that has come, or BAD_USAGE after one line; others than ranks are ignored. */
static int let_in(int one, uint32_t options)
{
    struct frame f;

    prepare(one, 5);
    if (!get(one, &f) || f.kind != HELLO) {
        close(one);
        return 0;
    }
    if (f.value != here.size)
        return complain(BAD_USAGE, "rank %d is told of %d ranks, and rank 0 of %d", f.rank, f.value,
                        here.size);
    if (f.rank <= 0 || f.rank >= here.size || sockets[f.rank] > 0)
        return complain(BAD_USAGE, "two processes have rank %d", f.rank);
    if (f.options != options)
        return complain(BAD_USAGE,
                        "rank %d runs something else than rank 0: its step or its "
                        "options differ",
                        f.rank);
    sockets[f.rank] = one;
    return 0;
}

static int first_absent(void)
{
    int rank = 1;

    while (rank < here.size && sockets[rank] > 0)
        rank++;
    return rank;
}

/* Until all have come. */
static int receive(int door, uint32_t options)
{
    double end = now() + MEET_SECONDS;
    int status = 0;

    while (status == 0 && first_absent() < here.size) {
        struct pollfd p = {.fd = door, .events = POLLIN};
        int left = (int)(1e3 * (end - now())), one;

        if (left <= 0 || poll(&p, 1, left) <= 0) {
            struct frame f = {.kind = ABSENT, .value = first_absent()};

            put_all(&f);
            return complain(BAD_DEVICE, "rank %d of %d has not come within %d s", first_absent(),
                            here.size, MEET_SECONDS);
        }
        one = accept4(door, NULL, NULL, SOCK_CLOEXEC);
        if (one >= 0)
            status = let_in(one, options);
        if (one >= 0 && status != 0)
            say_farewell(one, -status);
    }
    return status;
}

static int meet_as_first(uint32_t options)
{
    struct frame f = {.kind = WELCOME};
    int door = -1, status = listen_here(&door);

    if (status == 0)
        status = receive(door, options);
    if (door >= 0)
        close(door);
    if (status == 0)
        put_all(&f);
    return status;
}

/* Rank 0 may begin later than this one. */
static int reach_first(void)
{
    struct addrinfo *at;
    double end = now() + MEET_SECONDS;
    int status = find_address(&at), failed = -1;

    while (status == 0 && failed) {
        sockets[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        failed = connect(sockets[0], at->ai_addr, at->ai_addrlen);
        if (failed) {
            close(sockets[0]);
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        }
        if (failed && now() > end)
            status =
                complain(BAD_DEVICE, "rank 0 of %d does not answer at %s, port %d, within %d s",
                         here.size, here.address, here.port, MEET_SECONDS);
    }
    if (at && status != BAD_USAGE)
        freeaddrinfo(at);
    return status;
}

static int meet_first(uint32_t options)
{
    struct frame f = {.kind = HELLO, .rank = here.rank, .value = here.size, .options = options};
    int status = reach_first();

    if (status != 0)
        return status;
    prepare(sockets[0], MEET_SECONDS + 5);
    if (!put(sockets[0], &f) || !get(sockets[0], &f))
        return complain(BAD_DEVICE, "rank 0 of %d has ended before all had come", here.size);
    if (f.kind == FAREWELL) /* it has said why */
        end_now(f.value);
    if (f.kind == ABSENT)
        return complain(BAD_DEVICE, "rank %d of %d has not come within %d s", f.value, here.size,
                        MEET_SECONDS);
    return f.kind == WELCOME ? 0
                             : complain(BAD_DEVICE, "at %s, port %d, is no rank 0 of ours",
                                        here.address, here.port);
}

int ranks_begin(const char *step, int argc, char **argv)
{
    pthread_t thread;
    uint32_t options = checksum(step, argc, argv);
    int status = ranks_environment(&here);

    if (status != 0 || here.size == 1)
        return status;
    if (here.rank > 0) {
        snprintf(name, sizeof(name), "%s rank %d", step, here.rank);
        message_program(name);
    }
    status = here.rank == 0 ? meet_as_first(options) : meet_first(options);
    if (status != 0)
        return status;
    for (int i = 0; i < links(); i++)
        if (sockets[i] > 0)
            prepare(sockets[i], 0);
    if (pthread_create(&thread, NULL, read_all, NULL))
        return complain(BAD_DEVICE, "no thread for the connections of the ranks");
    pthread_detach(thread);
    message_before_failure(await_news);
    return 0;
}

int ranks_device(int visible)
{
#ifdef BACKEND_CPU
    (void)visible;
    return 0;
#else
    if (visible == 1 && getenv("CUDA_VISIBLE_DEVICES"))
        return 0;
    if (here.local < visible)
        return here.local;
    return complain(BAD_DEVICE,
                    "rank %d is number %d of its host, whose devices are 0 to %d: start one rank "
                    "per GPU",
                    here.rank, here.local, visible - 1);
#endif
}

/* --- what is exchanged ------------------------------------------------------------------------ */

/* Wait until these ranks' frames are there, and take them. */
static void take_frames(struct frame *all, int first, int end)
{
    pthread_mutex_lock(&lock);
    for (int r = first; r < end; r++) {
        while (!has_come[r])
            pthread_cond_wait(&changed, &lock);
        all[r] = came[r];
        has_come[r] = false;
    }
    leaving |= here.rank == 0 && all[first].kind == LAST;
    pthread_mutex_unlock(&lock);
}

static void gather(enum kind kind, const void *own, void *to, size_t bytes)
{
    struct frame all[MAX_RANKS] = {{.kind = kind, .rank = here.rank}};

    memcpy(all[0].data, own, bytes);
    if (here.rank == 0) {
        take_frames(all, 1, here.size);
        for (int r = 0; r < here.size; r++)
            put_all(&all[r]);
    } else {
        put(sockets[0], &all[0]);
        take_frames(all, 0, here.size);
    }
    for (int r = 0; r < here.size; r++)
        memcpy((char *)to + (size_t)r * bytes, all[r].data, bytes);
}

void ranks_gather(const void *own, void *all, size_t bytes)
{
    if (here.size == 1)
        memcpy(all, own, bytes);
    else
        gather(DATA, own, all, bytes);
}

bool ranks_agree(bool own)
{
    bool all[MAX_RANKS], agreed = true;

    ranks_gather(&own, all, sizeof(own));
    for (int r = 0; r < here.size; r++)
        agreed &= all[r];
    return agreed;
}

double ranks_largest(double own)
{
    double all[MAX_RANKS], largest = -INFINITY;

    ranks_gather(&own, all, sizeof(own));
    for (int r = 0; r < here.size; r++)
        largest = isnan(all[r]) || all[r] > largest ? all[r] : largest;
    return largest;
}

int ranks_end(int status)
{
    int all[MAX_RANKS], worst = 0;

    if (here.size == 1)
        return status;
    if (status > 1) {
        say_farewell(0, status);
        return status;
    }
    gather(LAST, &status, all, sizeof(status));
    for (int r = 0; r < here.size; r++)
        worst = all[r] > worst ? all[r] : worst;
    return worst;
}
