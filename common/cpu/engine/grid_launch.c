/*
 * Launches, and the workers that run them: one OS thread a core. The thread that launches is worker
 * 0, so a small grid costs no wake-up. CPU_DEVICE_WORKERS in the environment sets another number.
 *
 * One launch runs at a time. launch_run runs it to its end; launch_begin and launch_go_on until it
 * pauses, so that others can run before it goes on. All of this is called by one thread at a time,
 * and for launches that pause always the same, because their fibers stay with their workers.
 * The workers are made at the first launch and wait, between launches, for the ticket to change;
 * `current`, `ticket` and `helping` change under the lock alone. A launch has ended when worker 0
 * has and `helping` has come to 0: from then on no other worker reads it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cpu/engine/cluster.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/where.h"
#include "cpu/engine/worker.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/stall.h"

enum {
    HANG_SECONDS = 60, /* without any event: a loop that never gives way */
    LOOKS_PER_SECOND = 20,
};

static uint64_t sample;              /* blocks of a launch that run; 0: all */
static uint64_t launched, shortened; /* launches, and those of which some blocks ran */
static atomic_uint progress_seconds; /* 0: no line about it */

static struct worker workers[MAX_WORKERS];
static unsigned worker_count; /* 0 before the first launch */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static struct launch *current; /* that the workers shall help with */
static uint64_t ticket;        /* grows with each launch that wants help */
static unsigned helping;

static void *worker_main(void *argument)
{
    struct worker *w = argument;
    uint64_t seen = 0;

    pthread_mutex_lock(&lock);
    for (;;) {
        struct launch *l;

        while (ticket == seen)
            pthread_cond_wait(&wake, &lock);
        seen = ticket;
        l = current;
        if (!l || w->number >= l->workers)
            continue;
        pthread_mutex_unlock(&lock);
        run_worker(w, l);
        pthread_mutex_lock(&lock);
        if (--helping == 0)
            pthread_cond_signal(&finished);
    }
    return NULL;
}

static atomic_bool asked; /* by SIGQUIT: where are you? */

static void note_asked(int signal)
{
    (void)signal;
    atomic_store(&asked, true);
}

void launch_set_sample(uint64_t blocks)
{
    sample = blocks;
}

uint64_t launch_sampled(uint64_t *all)
{
    *all = launched;
    return shortened;
}

void launch_tell_progress(unsigned seconds)
{
    atomic_store(&progress_seconds, seconds);
}

/* A line about the launch that runs, once it has run for so many seconds, and again whenever it has
 * run twice as long; on a terminal each second, in place. */
static void tell_progress(const struct launch *running, uint64_t number)
{
    static uint64_t of;
    static unsigned next;
    static time_t begun;
    unsigned wanted = atomic_load(&progress_seconds), seconds;
    bool terminal = isatty(STDERR_FILENO);
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!running || number != of) {
        if (next && terminal)
            fputs("\r\033[K", stderr);
        of = number;
        next = 0;
        begun = now.tv_sec;
    }
    seconds = (unsigned)(now.tv_sec - begun);
    if (!running || !wanted || seconds < (next ? next : wanted))
        return;
    next = terminal ? seconds + 1 : 2 * seconds;
    fprintf(stderr, "%sCPU device: launch %llu, %.100s: %llu of %llu blocks done after %u s%s",
            terminal ? "\r" : "", (unsigned long long)number, running->name,
            (unsigned long long)atomic_load(&running->done), (unsigned long long)running->sampled,
            seconds, terminal ? "" : "\n");
}

/* Ends the program and says where its threads are: when SIGQUIT asks (Ctrl-\ on a terminal), and
 * when a launch shows no event for HANG_SECONDS. Some thread loops for ever then without reading
 * memory that another could change, and cannot be interrupted. */
static void *watchdog_main(void *argument)
{
    uint64_t last = 0, same = 0;

    (void)argument;
    for (;;) {
        const struct launch *running;
        uint64_t sum = 0;

        usleep(1000000 / LOOKS_PER_SECOND);
        pthread_mutex_lock(&lock);
        running = current;
        sum = ticket;
        tell_progress(running, launched);
        pthread_mutex_unlock(&lock);
        for (unsigned i = 0; i < worker_count; i++)
            sum += atomic_load_explicit(&workers[i].progress, memory_order_relaxed);
        same = running && sum == last ? same + 1 : 0;
        last = sum;
        if (!atomic_load(&asked) && same < HANG_SECONDS * LOOKS_PER_SECOND)
            continue;
        if (running)
            where_print(running, workers, worker_count);
        else
            fprintf(stderr, "CPU device: no kernel runs\n");
        if (!atomic_load(&asked))
            fprintf(stderr,
                    "CPU device: no progress for %d s: a loop that waits for memory it reads "
                    "without volatile or atomics?\n",
                    HANG_SECONDS);
        _exit(3);
    }
    return NULL;
}

static void start_watchdog(void)
{
    const struct sigaction action = {.sa_handler = note_asked, .sa_flags = SA_RESTART};
    struct sigaction before;
    pthread_t thread;

    if (!sigaction(SIGQUIT, NULL, &before) && before.sa_handler == SIG_DFL)
        sigaction(SIGQUIT, &action, NULL);
    if (!pthread_create(&thread, NULL, watchdog_main, NULL))
        pthread_detach(thread);
}

static void start_workers(void)
{
    const char *wanted = getenv("CPU_DEVICE_WORKERS");
    long n = wanted ? strtol(wanted, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t thread;

    n = n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : n;
    for (unsigned i = 0; i < n; i++)
        workers[i].number = i;
    worker_count = (unsigned)n;
    for (unsigned i = 1; i < n; i++) {
        if (pthread_create(&thread, NULL, worker_main, &workers[i])) {
            worker_count = i;
            break;
        }
        pthread_detach(thread);
    }
    start_watchdog();
}

unsigned launch_sms(void)
{
    static atomic_uint sms; /* 0: not asked yet */
    unsigned n = atomic_load(&sms);

    if (!n) {
        const char *wanted = getenv("CPU_DEVICE_SMS");
        long asked = wanted ? strtol(wanted, NULL, 10) : MODEL_SMS;

        n = asked < 1 ? 1 : asked > MOST_SMS ? MOST_SMS : (unsigned)asked;
        atomic_store(&sms, n);
    }
    return n;
}

uint64_t launch_resident(unsigned threads, size_t shared)
{
    unsigned warps = (threads + WARP - 1) / WARP;
    uint64_t blocks = MODEL_THREADS_PER_SM / WARP / (warps ? warps : 1);
    uint64_t by_shared = MODEL_SHARED_PER_SM / (shared + MODEL_SHARED_RESERVED);

    if (blocks > MODEL_BLOCKS_PER_SM)
        blocks = MODEL_BLOCKS_PER_SM;
    if (blocks > by_shared)
        blocks = by_shared;
    return blocks;
}

/* What an H100 with CUDA 13 takes; dimensions that are all 0 say nothing. */
static bool fits_clusters(const struct launch *l)
{
    const struct cpu_dim *g = &l->grid, *c = &l->cluster;

    if (!c->x && !c->y && !c->z)
        return true;
    return c->x && c->y && c->z && (uint64_t)c->x * c->y * c->z <= l->cluster_limit &&
           g->x % c->x == 0 && g->y % c->y == 0 && g->z % c->z == 0;
}

bool launch_has_shape(const struct launch *l)
{
    const struct cpu_dim *g = &l->grid, *b = &l->dim;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;

    return g->x && g->y && g->z && g->x <= 0x7fffffff && g->y <= 65535 && g->z <= 65535 &&
           threads && threads <= MAX_THREADS && b->z <= 64;
}

/* The rules of the CUDA C++ Programming Guide's table of technical specifications; each is an
 * invalid value, as an H200 with CUDA 13 says. */
static cudaError_t check_launch(const struct launch *l)
{
    if (cpu_failure())
        return cpu_failure();
    if (!launch_has_shape(l) || l->dynamic_shared > l->shared_limit)
        return cudaErrorInvalidValue;
    return fits_clusters(l) ? cudaSuccess : cudaErrorInvalidClusterSize;
}

void launch_run_alone(struct launch *l)
{
    l->sampled = l->blocks;
    l->parts = l->sampled / cluster_blocks(l);
    l->worker = workers;
    l->workers = 1;
    OBSERVE(launch_begin, l);
    run_worker(&workers[0], l);
}

cudaError_t launch_prepare(struct launch *l)
{
    cudaError_t error = check_launch(l);

    if (error)
        return error;
    l->threads = l->dim.x * l->dim.y * l->dim.z;
    l->blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    l->resident = launch_sms() * launch_resident(l->threads, l->dynamic_shared + l->static_shared);
    if (l->cluster.x && l->resident < cluster_blocks(l))
        return cudaErrorLaunchOutOfResources;
    return l->cooperative && l->blocks > l->resident ? cudaErrorCooperativeLaunchTooLarge
                                                     : cudaSuccess;
}

/* Whole clusters. */
static void choose_sample(struct launch *l)
{
    uint64_t each = cluster_blocks(l);
    uint64_t wanted = (sample + each - 1) / each * each;

    l->sampled = sample && !l->cooperative && wanted < l->blocks ? wanted : l->blocks;
    l->parts = l->sampled / each;
}

static void begin(struct launch *l)
{
    l->stripes = memory_stripes(device_reach(l->device));
    memory_open_part(l->device, l->stripes, &l->open_from, &l->open_bytes);
    choose_sample(l);
    launched++;
    shortened += l->sampled < l->blocks;
    if (!worker_count)
        start_workers();
    OBSERVE(launch_coming, l);
    if (l->done_before)
        return;
    l->worker = workers;
    l->workers = cpu_steady ? 1 : worker_count;
    if (l->parts < l->workers)
        l->workers = (unsigned)l->parts;
    OBSERVE(launch_begin, l);
}

/* With all its workers, to its end or until it pauses. */
static void go_on(struct launch *l)
{
    pthread_mutex_lock(&lock);
    current = l;
    ticket++;
    if (l->workers > 1) {
        helping = l->workers - 1;
        pthread_cond_broadcast(&wake);
    }
    pthread_mutex_unlock(&lock);
    run_worker(&workers[0], l);
    pthread_mutex_lock(&lock);
    while (helping)
        pthread_cond_wait(&finished, &lock);
    current = NULL;
    pthread_mutex_unlock(&lock);
}

cudaError_t launch_run(struct launch *l)
{
    cudaError_t error = launch_prepare(l);

    if (error)
        return error;
    begin(l);
    if (l->done_before)
        return cpu_failure();
    go_on(l);
    OBSERVE(launch_end, l);
    return cpu_failure();
}

/* --- several at a time ------------------------------------------------------------------------ */

static struct launch *begun; /* in the order in which they began */

/* How much of its device a launch may have while the others have what they have: 0 to 1. */
static double room_for(const struct launch *l)
{
    double room = 1;

    for (const struct launch *other = begun; other; other = other->next_begun)
        if (other != l && other->device == l->device)
            room -= other->share;
    return room;
}

static bool fits(struct launch *l)
{
    uint64_t full =
        launch_sms() * launch_resident(l->threads, l->dynamic_shared + l->static_shared);
    uint64_t room = (uint64_t)((double)full * room_for(l) + 0.5);

    l->resident = room < full ? room : full;
    l->share = (double)(l->blocks < l->resident ? l->blocks : l->resident) / (double)full;
    return l->resident >= cluster_blocks(l) && (!l->cooperative || l->blocks <= l->resident);
}

bool launch_begin(struct launch *l)
{
    struct launch **end = &begun;

    l->beside = true;
    if (!fits(l))
        return false;
    if (!worker_count)
        start_workers();
    l->kept = calloc(worker_count, sizeof(*l->kept));
    if (!l->kept) {
        fprintf(stderr, "CPU device: out of memory for a launch\n");
        exit(3);
    }
    while (*end)
        end = &(*end)->next_begun;
    *end = l;
    begin(l);
    return true;
}

bool launch_go_on(struct launch *l)
{
    struct launch **p = &begun;

    fits(l);
    atomic_store(&l->pauses, false);
    if (cpu_failure())
        atomic_store(&l->failed, true);
    OBSERVE(launch_resume, l);
    go_on(l);
    if (atomic_load(&l->pauses) && !atomic_load(&l->failed))
        return false;
    while (*p != l)
        p = &(*p)->next_begun;
    *p = l->next_begun;
    OBSERVE(launch_end, l);
    free(l->kept);
    l->kept = NULL;
    return true;
}

struct launch *launches_begun(void)
{
    return begun;
}

uint64_t launch_progress(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < worker_count; i++)
        sum += atomic_load(&workers[i].progress);
    return sum;
}

bool launches_loop(uint64_t turn)
{
    uint64_t progress = launch_progress();
    bool all = true;

    for (struct launch *l = begun; l; l = l->next_begun)
        for (unsigned i = 0; i < l->workers; i++)
            all &= stall_loops(l->kept[i], progress + 1, turn);
    return all;
}

void launches_fail(void)
{
    for (struct launch *l = begun; l; l = l->next_begun)
        for (unsigned i = 0; i < l->workers; i++)
            for (struct block *b = l->kept[i]; b; b = b->next)
                OBSERVE(stuck, b);
    fail_deadlock(begun, begun->kept ? begun->kept[0] : NULL);
}
