/*
 * --explore: each launch is run again and again, once per execution that CUDA's memory model
 * allows, and its memory put back in between; then the program goes on with the natural order.
 *
 * An execution is wrong if threads race, wait for ever or fail, or if the program finds its result
 * wrong: for each different result of a launch a copy of the process goes on with it to its end,
 * and its status is the verdict. Of the wrong ones the shortest is told.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cpu/engine/failure.h"
#include "cpu/engine/schedule.h"
#include "cpu/tools/explore/cells.h"
#include "cpu/tools/explore/drive.h"
#include "cpu/tools/explore/explore.h"
#include "cpu/tools/explore/tell.h"
#include "cpu_device.h"

enum {
    MOST_THREADS = 2048, /* of a launch */
    BUDGET = 60,         /* seconds of a launch */
    MORE = 2,            /* seconds, after the first wrong execution, to find a shorter one */
    COPY_SECONDS = 20,   /* that a copy of the process has for the rest of the program */
    MOST_RESULTS = 1000,
};

enum wrong { RIGHT, WRONG_RESULT, WRONG_RACE, WRONG_WAIT, WRONG_FAILURE, WRONGS };

/* What the executions of a launch came to. */
struct tally {
    unsigned long right, wrong, cut, bounded, runs;
    unsigned long of_kind[WRONGS];
    enum wrong kind; /* of the shortest wrong one */
    struct story story;
    char what[700]; /* of it, in words */
    uint64_t result[MOST_RESULTS];
    bool result_right[MOST_RESULTS];
    unsigned results;
    double begin, first_wrong;
    const char *given_up; /* why it is not complete; NULL: it is */
};

static bool wanted, races_allowed, in_copy;
static double budget = BUDGET;
static struct step *steps;
static size_t step_count;
static unsigned long wrong_launches, unfinished;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int explore_set(const char *spec)
{
    char *end;

    wanted = spec != NULL;
    races_allowed = false;
    budget = BUDGET;
    free(steps);
    steps = NULL;
    step_count = 0;
    if (!spec || !*spec)
        return 0;
    if (!strcmp(spec, "races")) {
        races_allowed = true;
        return 0;
    }
    if (!strncmp(spec, "seconds:", 8) && spec[8] >= '0' && spec[8] <= '9') {
        budget = strtod(spec + 8, &end);
        return *end || budget <= 0 || budget > 86400 ? -1 : 0;
    }
    return strncmp(spec, "replay:", 7) ? -1 : steps_parse(spec + 7, &steps, &step_count);
}

int cpu_device_set_explore(const char *spec)
{
    return explore_set(spec);
}

unsigned long cpu_device_explored(unsigned long *not_complete)
{
    *not_complete = unfinished;
    return wrong_launches;
}

/* --- the result ------------------------------------------------------------------------------ */

/* A copy of the process goes on with what the launch has left. Returns 0 in the parent, with
 * whether the program's status was 0; 1 in the copy. */
static int go_on_in_copy(struct launch *l, bool *right)
{
    int status = 0;
    pid_t copy;

    fflush(NULL);
    copy = fork();
    if (copy == 0) {
        int nowhere = open("/dev/null", O_WRONLY);

        dup2(nowhere, 1);
        dup2(nowhere, 2);
        signal(SIGALRM, SIG_DFL);
        alarm(COPY_SECONDS);
        in_copy = true;
        wanted = false;
        wrong_launches = 0;
        unfinished = 0;
        cpu_observers = NULL;
        cpu_steady = true;
        l->done_before = true;
        return 1;
    }
    while (copy > 0 && waitpid(copy, &status, 0) < 0 && errno == EINTR)
        ;
    *right = copy > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return 0;
}

void cpu_device_explore_verdict(int right)
{
    if (in_copy)
        _exit(right ? 0 : 1);
}

/* Memory is as the execution leaves it. */
static void place_results(void)
{
    const struct graph *g = drive_search.g;

    for (uint32_t cell = 0; cell < cell_count && cell < g->cells; cell++) {
        uint32_t last = graph_last_write(g, cell), parts = cells[cell].parts;
        uint64_t value = last != NO_EVENT ? g->event[last].value : cells[cell].initial;
        bool touched = last != NO_EVENT || g->reads[cell].count;

        for (uint32_t i = 1; i <= parts; i++) {
            last = graph_last_write(g, cell + i);
            value += last != NO_EVENT ? g->event[last].value : 0;
            touched |= last != NO_EVENT;
        }
        if (touched)
            cells_place(cell, value);
        cell += parts;
    }
}

/* Is the result right? -1 in the copy that finds out. */
static int judge_result(struct tally *t, struct launch *l)
{
    uint64_t state;
    bool right = false;

    place_results();
    state = cells_state();
    for (unsigned i = 0; i < t->results; i++)
        if (t->result[i] == state)
            return t->result_right[i];
    if (t->results == MOST_RESULTS) {
        t->given_up = "more than 1000 different results";
        return true;
    }
    if (go_on_in_copy(l, &right))
        return -1;
    t->result[t->results] = state;
    t->result_right[t->results++] = right;
    return right;
}

/* --- a wrong execution ----------------------------------------------------------------------- */

static void describe_waits(struct tally *t, const struct launch *l)
{
    size_t used = (size_t)snprintf(t->what, sizeof(t->what), "threads wait for ever:");
    unsigned told = 0;

    for (unsigned i = 0; i < l->blocks * l->threads; i++) {
        char line[96], thread[64];
        bool polls;
        uintptr_t site = drive_waits(i, &polls);

        if (site && told++ < 4 && used < sizeof(t->what))
            used += (size_t)snprintf(t->what + used, sizeof(t->what) - used, "%s %s %s %s",
                                     told > 1 ? "," : "", tell_thread(thread, sizeof(thread), i, l),
                                     polls ? "polls at" : "waits at",
                                     tell_line(line, sizeof(line), site));
    }
    if (told > 4 && used < sizeof(t->what))
        snprintf(t->what + used, sizeof(t->what) - used, " and %u more", told - 4);
}

static void keep(struct tally *t, struct launch *l, enum wrong kind)
{
    static const uint32_t no_race[2] = {NO_EVENT, NO_EVENT};
    struct story s;

    t->wrong++;
    t->of_kind[kind]++;
    if (!t->first_wrong)
        t->first_wrong = now();
    story_make(&s, kind == WRONG_RACE ? drive_search.race : no_race);
    if (t->kind &&
        (s.count > t->story.count || (s.count == t->story.count && s.turns >= t->story.turns))) {
        story_free(&s);
        return;
    }
    story_free(&t->story);
    t->story = s;
    t->kind = kind;
    if (kind == WRONG_RACE)
        snprintf(t->what, sizeof(t->what),
                 "a race: nothing orders the two accesses that are marked");
    else if (kind == WRONG_RESULT)
        snprintf(t->what, sizeof(t->what), "the program finds the result wrong");
    else if (kind == WRONG_WAIT)
        describe_waits(t, l);
    else
        snprintf(t->what, sizeof(t->what), "the launch fails: %s", cpu_failure_text(cpu_failure()));
}

/* --- the search ------------------------------------------------------------------------------ */

/* 1 in a copy of the process. */
static int count_run(struct tally *t, struct launch *l, enum run_end end)
{
    int right;

    t->runs++;
    switch (end) {
    case RUN_DONE:
        right = judge_result(t, l);
        if (right < 0)
            return 1;
        if (right)
            t->right++;
        else
            keep(t, l, WRONG_RESULT);
        break;
    case RUN_RACE:
        keep(t, l, WRONG_RACE);
        break;
    case RUN_WAITS:
        keep(t, l, WRONG_WAIT);
        break;
    case RUN_FAILED:
        keep(t, l, WRONG_FAILURE);
        break;
    case RUN_BOUNDED:
        t->bounded++;
        break;
    default:
        t->cut++;
    }
    return 0;
}

static void forget_runs(struct tally *t)
{
    struct tally fresh = {.begin = t->begin};

    story_free(&t->story);
    *t = fresh;
}

static const char *reason_to_stop(const struct tally *t, enum run_end end)
{
    if (cells_mixed)
        return "atomics of different sizes touch the same bytes";
    if (drive_unknown)
        return drive_unknown;
    if (end == RUN_STRANGE)
        return "a thread did another thing than before with the same values: a clock?";
    if (end == RUN_TOO_LONG)
        return "an execution has more than 20000 events";
    if (t->given_up)
        return t->given_up;
    if (t->first_wrong && now() - t->first_wrong > MORE)
        return "there is a wrong one";
    return now() - t->begin > budget ? "its time is over" : NULL;
}

static int search_all(struct tally *t, struct launch *l)
{
    while (search_next(&drive_search) && !t->given_up) {
        enum run_end end = drive_run(l, NULL, 0);
        int copy = end == RUN_AGAIN ? 0 : count_run(t, l, end);

        if (copy)
            return copy;
        cells_restore();
        cpu_failure_forget();
        if (end == RUN_AGAIN) {
            forget_runs(t);
            drive_forget();
        }
        if (drive_search.pending || end > RUN_FAILED)
            t->given_up = reason_to_stop(t, end);
    }
    return 0;
}

/* The execution that was given. The program goes on with its result. */
static void replay(struct tally *t, struct launch *l)
{
    search_next(&drive_search);
    for (int i = 0; i < 8; i++) { /* again when more has become visible */
        enum run_end end = drive_run(l, steps, step_count);

        if (end == RUN_AGAIN) {
            cells_restore();
            drive_forget();
            search_next(&drive_search);
            continue;
        }
        if (end == RUN_DONE) {
            place_results();
            l->done_before = true;
            keep(t, l, WRONG_RESULT);
            snprintf(t->what, sizeof(t->what), "it ends; the program goes on with its result");
            t->wrong = 0;
        } else {
            count_run(t, l, end);
        }
        return;
    }
}

/* --- what is printed ------------------------------------------------------------------------- */

static void print_launch(const struct launch *l)
{
    fprintf(stderr, "--explore: %s<<<%llu, %u>>>: ", l->name, (unsigned long long)l->blocks,
            l->threads);
}

/* Where executions are wrong in several ways, how many in each. */
static void print_kinds(const struct tally *t)
{
    static const char *const text[WRONGS] = {NULL, "wrong results", "races", "waits for ever",
                                             "failures"};
    const char *before = " (";

    for (int i = WRONG_RESULT; i < WRONGS; i++)
        if (t->of_kind[i] && t->of_kind[i] < t->wrong) {
            fprintf(stderr, "%s%s: %lu", before, text[i], t->of_kind[i]);
            before = ", ";
        }
    if (*before == ',')
        fputc(')', stderr);
}

static void print_counts(const struct tally *t)
{
    double seconds = now() - t->begin;

    if (t->given_up)
        fprintf(stderr, "not complete: %s; wrong: %lu of %lu executions", t->given_up, t->wrong,
                t->right + t->wrong);
    else if (t->wrong)
        fprintf(stderr, "wrong: %lu of %lu executions", t->wrong, t->right + t->wrong);
    else
        fprintf(stderr, "right: all executions, %lu", t->right);
    print_kinds(t);
    if (t->cut)
        fprintf(stderr, "; cut short: %lu", t->cut);
    fprintf(stderr, "; %.0f executions per second\n",
            (double)t->runs / (seconds > 1e-6 ? seconds : 1e-6));
}

static void report(const struct tally *t, const struct launch *l)
{
    char line[96];

    print_launch(l);
    if (steps)
        fputs("one execution\n", stderr);
    else
        print_counts(t);
    if (drive_bounded)
        fprintf(stderr,
                "    bounded at %s: a loop that reads the same value there goes around 3 "
                "times; %lu executions were left there\n",
                tell_line(line, sizeof(line), drive_bounded), t->bounded);
    if (!t->kind)
        return;
    fprintf(stderr, "  %s%s\n", steps ? "" : "a shortest wrong one: ", t->what);
    story_print(&t->story, l);
    if (!steps) {
        fputs("  again: --explore=replay:", stderr);
        story_write_steps(&t->story);
        fputc('\n', stderr);
    }
}

/* --- launches -------------------------------------------------------------------------------- */

static int out = -1;

/* What kernels print in runs that only the explorer sees goes nowhere. */
static void silence(bool on)
{
    fflush(stdout);
    if (on) {
        int nowhere = open("/dev/null", O_WRONLY);

        out = dup(1);
        dup2(nowhere, 1);
        close(nowhere);
    } else if (out >= 0) {
        dup2(out, 1);
        close(out);
        out = -1;
    }
}

static void refuse(const struct launch *l)
{
    print_launch(l);
    if (l->beside)
        fputs("not explored: other launches run beside it\n", stderr);
    else if (l->cluster.x)
        fputs("not explored: it has clusters\n", stderr);
    else
        fprintf(stderr, "too large: %llu threads; at most %d can be explored\n",
                (unsigned long long)(l->blocks * l->threads), MOST_THREADS);
    unfinished++;
}

static void explore(struct launch *l)
{
    static struct tally tally;
    const struct observer *before = cpu_observers;
    struct tally *t = &tally;
    int copy = 0;

    if (!wanted)
        return;
    if (l->beside || l->cluster.x || l->blocks > MOST_THREADS ||
        l->blocks * l->threads > MOST_THREADS || l->blocks > l->resident) {
        refuse(l);
        return;
    }
    *t = (struct tally){.begin = now()};
    cpu_observers = &drive_observer;
    silence(true);
    drive_begin(l);
    drive_search.races_allowed = races_allowed;
    drive_look(l);
    cells_restore();
    cpu_failure_forget();
    drive_forget();
    t->given_up = reason_to_stop(t, RUN_DONE);
    if (steps)
        replay(t, l);
    else if (!t->given_up)
        copy = search_all(t, l);
    if (copy) {
        drive_end();
        return;
    }
    silence(false);
    cpu_observers = before;
    if (!t->given_up && drive_unforced)
        t->given_up = "nothing orders the arrivals at two phases of a barrier";
    report(t, l);
    wrong_launches += t->wrong != 0;
    unfinished += t->given_up || drive_bounded;
    story_free(&t->story);
    if (!l->done_before)
        cells_restore();
    cpu_failure_forget();
    drive_end();
}

static bool any_access(const struct access *a)
{
    (void)a;
    return true;
}

const struct observer explore_observer = {.launch_coming = explore, .access = any_access};
