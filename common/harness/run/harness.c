/*
 * The whole program: what the command line asks for, and the exit status.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/kit/ranks.h"
#include "harness/run/attributes.h"
#include "harness/run/batch.h"
#include "harness/run/describe.h"
#include "harness/run/estimate_session.h"
#include "harness/run/peers.h"

/* Whether the command line asks for something else than measuring; it is printed, by rank 0. */
static bool answer(const struct program *program, const struct options *o)
{
    if (ranks_own() > 0)
        return o->help || o->version || o->describe || o->list;
    if (o->help)
        help_print(program);
    else if (o->version)
        help_version(program);
    else if (o->describe)
        describe_print(stdout, program);
    else if (o->list)
        help_list(program);
    else
        return false;
    return true;
}

/* The exit status, unless what was printed did not get out. */
static int leave(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return -complain(BAD_DEVICE, "standard output cannot be written (%s)",
                     errno ? strerror(errno) : "no room");
}

/* Before a line is worked off: wait if it says so, and show it if there are several, also one that
 * was not understood. *status is that of reading it, and afterwards of waiting. */
static void begin_line(int *status, const struct options *o, bool several, int argc, char **argv,
                       const char *name)
{
    if (*status == 0 && o->wait)
        *status = session_wait();
    if (!several || ranks_own() > 0)
        return;
    printf("$ %s", name);
    for (int i = 1; i < argc; i++)
        printf(" %s", argv[i]);
    putchar('\n');
    fflush(stdout);
}

/* What one line of options asks for; the exit status. */
static int run_line(struct options *o, const struct program *program, int argc, char **argv,
                    bool several)
{
    int status = options_parse(o, argc, argv, program);

    begin_line(&status, o, several, argc, argv, program->step);
    if (status < 0)
        return -status;
    if (answer(program, o))
        return 0;
    progress_as_lines(o->progress);
    if (o->attributes)
        return ranks_own() > 0 ? 0 : -attributes_print(stdout);
    status = o->batch      ? batch_run(program, argc, argv, o->batch, o->hand_over)
             : o->estimate ? estimate_session(program, o, NULL)
                           : session_run(program, o, NULL);
    return status < 0 ? -status : status;
}

/* Words of the line that begins behind argv[0], up to --then or the end. */
static int line_length(int argc, char **argv)
{
    int n = 1;

    while (n < argc && strcmp(argv[n], "--then") != 0)
        n++;
    return n;
}

/* The end of the last line. A process that holds a GPU takes a while to leave after it. */
static int end(int status, bool told)
{
    status = leave(status);
    if (told && status <= OUTCOME_WRONG)
        fprintf(stderr, "done: %d\n", status);
    return ranks_end(status);
}

/* No further line is begun where one cannot go on. */
int harness_main(int argc, char **argv, const struct step *const *steps,
                 const struct peer *const *peers)
{
    struct program program = {steps[0]->name, steps[0]->family, steps, peers_join(steps[0], peers)};
    int status, n = line_length(argc, argv);
    bool several = n < argc;
    char *name = argv[0];

    message_program(program.step);
    status = ranks_begin(program.step, argc, argv);
    if (status != 0)
        return -status;
    for (;;) {
        struct options options;
        int own = run_line(&options, &program, n, argv, several);

        status = own > status ? own : status;
        if (n >= argc || own > OUTCOME_WRONG)
            return end(status, options.done);
        argv += n; /* --then stands where the program's name does */
        argc -= n;
        argv[0] = name;
        n = line_length(argc, argv);
    }
}
