/*
 * Where the threads of a launch are that does not end: a loop that never gives way cannot be asked,
 * so each worker is interrupted some times, by a signal, and the calls on its stack tell the line.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cpu/engine/observer.h"
#include "cpu/engine/where.h"

enum {
    SAMPLES = 24,
    PAUSE = 4000,    /* microseconds between two */
    PATIENCE = 1000, /* looks for an answer, a tenth of a millisecond apart */
    FRAMES = 32,
    INTERRUPTED = 2, /* this frame, below the handler and what the system puts there */
    LINES = 8,
};

/* What a worker was seen at: its stack each time, and then the lines, in order. */
struct seen {
    const struct thread *thread; /* the first */
    void *frame[SAMPLES][FRAMES];
    int frames[SAMPLES];
    const char *file;
    int line[LINES];
    unsigned lines;
};
static struct seen seen[MAX_WORKERS];

static void *frame[FRAMES];
static _Atomic int frames; /* of the worker that was asked; -1: it has not answered */
static atomic_bool last;   /* it stays in the handler: what comes then needs the processor */

static void answer(int signal)
{
    (void)signal;
    atomic_store(&frames, backtrace(frame, FRAMES));
    while (atomic_load(&last))
        pause();
}

static void ask(const struct worker *w, struct seen *s, int sample)
{
    const struct thread *t = w->thread;

    if (!t || !atomic_load(&w->running))
        return;
    atomic_store(&frames, -1);
    if (pthread_kill(w->os_thread, SIGUSR2))
        return;
    for (int i = 0; i < PATIENCE && atomic_load(&frames) < 0; i++)
        usleep(100);
    if (!s->thread)
        s->thread = t;
    s->frames[sample] = atomic_load(&frames);
    memcpy(s->frame[sample], frame, sizeof(frame));
}

static void add(struct seen *s, const char *file, int line)
{
    unsigned at = 0;

    if (s->lines == LINES || (s->file && strcmp(s->file, file)))
        return;
    s->file = file;
    while (at < s->lines && s->line[at] < line)
        at++;
    if (at < s->lines && s->line[at] == line)
        return;
    memmove(&s->line[at + 1], &s->line[at], (s->lines - at) * sizeof(s->line[0]));
    s->line[at] = line;
    s->lines++;
}

/* The innermost call of a source of kernels. */
static void look(struct seen *s, int sample)
{
    for (int i = 0; i < s->frames[sample]; i++) {
        int line = 0;
        const char *file =
            cpu_source_line((uintptr_t)s->frame[sample][i] + (i == INTERRUPTED), &line);

        if (line && file && strstr(file, ".cu")) {
            add(s, file, line);
            return;
        }
    }
}

/* Of an index, of is the size of its space; of a size it is the size itself. */
static void print_dim(struct cpu_dim i, struct cpu_dim of)
{
    if (of.y * of.z == 1)
        fprintf(stderr, "%u", i.x);
    else
        fprintf(stderr, "(%u, %u, %u)", i.x, i.y, i.z);
}

static void print(const struct launch *l, const struct seen *s)
{
    char place[128];
    int used = snprintf(place, sizeof(place), "%.60s", s->file);

    for (unsigned i = 0; i < s->lines; i++)
        used +=
            snprintf(place + used, sizeof(place) - (size_t)used, "%c%d", i ? ',' : ':', s->line[i]);
    fprintf(stderr, "    runs      %-24s thread ", place);
    print_dim(s->thread->index, l->dim);
    fprintf(stderr, " of block ");
    print_dim(s->thread->block->index, l->grid);
    fprintf(stderr, ", in its warp %u\n", s->thread->id / WARP);
}

void where_print(const struct launch *l, const struct worker *workers, unsigned count)
{
    const struct sigaction action = {.sa_handler = answer, .sa_flags = SA_RESTART};

    fprintf(stderr, "CPU device: %s<<<", l->name);
    print_dim(l->grid, l->grid);
    fprintf(stderr, ", ");
    print_dim(l->dim, l->dim);
    fprintf(stderr, ">>> has not ended\n");
    backtrace(frame, FRAMES); /* what it needs is loaded now, and not in the handler */
    if (!cpu_source_line || sigaction(SIGUSR2, &action, NULL))
        return;
    for (int i = 0; i < SAMPLES; i++, usleep(PAUSE)) {
        atomic_store(&last, i == SAMPLES - 1);
        for (unsigned k = 0; k < count; k++)
            ask(&workers[k], &seen[k], i);
    }
    for (unsigned k = 0; k < count; k++) {
        for (int i = 0; i < SAMPLES; i++)
            look(&seen[k], i);
        if (seen[k].lines)
            print(l, &seen[k]);
    }
}
