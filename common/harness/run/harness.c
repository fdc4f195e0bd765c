/*
 * The whole program: what the command line asks for, and the exit status.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/run/attributes.h"
#include "harness/run/batch.h"
#include "harness/run/describe.h"
#include "harness/run/estimate_session.h"

/* Whether the command line asks for something else than measuring; it is printed. */
static bool answer(const struct program *program, const struct options *o)
{
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

int harness_main(int argc, char **argv, const struct step *const *steps, const struct peer *peers)
{
    struct program program = {steps[0]->name, steps[0]->family, steps, peers};
    struct options options;
    int status;

    message_program(program.step);
    status = options_parse(&options, argc, argv, &program);
    if (status < 0)
        return -status;
    if (answer(&program, &options))
        return leave(0);
    progress_as_lines(options.progress);
    if (options.attributes)
        return leave(-attributes_print(stdout));
    status = options.batch      ? batch_run(&program, argc, argv, options.batch)
             : options.estimate ? estimate_session(&program, &options, NULL)
                                : session_run(&program, &options, NULL);
    return leave(status < 0 ? -status : status);
}
