#define _POSIX_C_SOURCE 200809L /* strtok_r, getline */
#include "harness/run/batch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/run/estimate_session.h"
#include "harness/run/json.h"
#include "harness/run/tools.h"

#define MAX_WORDS 128

struct batch {
    const struct program *program;
    FILE *out; /* where the verdicts go */
    unsigned long line;
    char message[2048]; /* what the present variant, or the line, would have complained of */
};

/* Begin the JSON line of a verdict. */
static void begin(const struct batch *b, const char *variant, const char *verdict,
                  unsigned long findings, const char *message)
{
    fprintf(b->out, "{\"line\": %lu, \"variant\": ", b->line);
    json_text(b->out, variant);
    fprintf(b->out, ", \"verdict\": \"%s\", \"findings\": %lu, \"message\": ", verdict, findings);
    json_text(b->out, message);
}

static void end(struct batch *b)
{
    fputs("}\n", b->out);
    fflush(b->out);
    b->message[0] = '\0';
}

static void print_shape(const struct batch *b, const struct shape *s)
{
    const struct family *family = b->program->family;

    fprintf(b->out, ", \"n\": %zu", s->n);
    for (size_t i = 0; i < family->axis_count; i++) {
        if (strcmp(family->axes[i].name, "n") != 0)
            fprintf(b->out, ", \"%s\": %zu", family->axes[i].name, s->axis[i]);
    }
    fprintf(b->out, ", \"type\": \"%s\", \"blocks\": %d, \"threads\": %d", s->type->name, s->blocks,
            s->threads);
}

static void number(const struct batch *b, const char *name, double value, bool known)
{
    fprintf(b->out, ", \"%s\": ", name);
    if (known)
        json_value(b->out, value);
    else
        json_number(b->out, value);
}

static void measured(void *context, const struct measurement *m)
{
    struct batch *b = context;
    const struct result *r = &m->result;

    begin(b, m->variant->name, verdict_name(r->verdict), m->findings,
          b->message[0] ? b->message : r->note);
    print_shape(b, &m->shape);
    fprintf(b->out, ", \"runs\": %d", m->runs);
    number(b, "median_us", m->us.median, false);
    number(b, "flops", m->flops, false);
    number(b, "value", r->has_value ? r->value : NAN, r->has_value);
    number(b, "reference", r->has_value ? r->reference : NAN, r->has_value);
    number(b, "error", r->error, false);
    number(b, "bound", r->bound, false);
    end(b);
}

static void refused(void *context, const struct item *item)
{
    struct batch *b = context;

    begin(b, item->variant->name, "refused", 0, item->refused);
    print_shape(b, &item->shape);
    end(b);
}

/* The words of argv but --batch and its value, and then those of the line. Returns how many. */
static int join_words(char **words, int argc, char **argv, char *line)
{
    int count = 0;
    char *rest = NULL;

    for (int i = 0; i < argc && count < MAX_WORDS - 1; i++) {
        if (strncmp(argv[i], "--batch=", 8) == 0)
            continue;
        if (strcmp(argv[i], "--batch") == 0)
            i++;
        else
            words[count++] = argv[i];
    }
    for (char *w = strtok_r(line, " \t\r\n", &rest); w && count < MAX_WORDS - 1;
         w = strtok_r(NULL, " \t\r\n", &rest))
        words[count++] = w;
    words[count] = NULL;
    return count;
}

/* Whether the options ask for something that is no measurement. */
static bool measures_nothing(const struct options *o)
{
    return o->help || o->version || o->list || o->describe || o->attributes || o->batch || o->log;
}

/* One line. Returns as session_run does; bad usage is reported in its JSON and counts as good. */
static int run_line(struct batch *b, int argc, char **argv, char *line)
{
    const struct listener listener = {b, measured, refused};
    unsigned long findings = tools_findings();
    char *words[MAX_WORDS];
    int count = join_words(words, argc, argv, line), status;
    struct options options;

    message_capture(b->message, sizeof(b->message));
    status = options_parse(&options, count, words, b->program);
    if (status == 0 && measures_nothing(&options))
        status = complain(BAD_USAGE, "a line of a batch measures; it takes no --help, --version, "
                                     "--list, --describe, --attributes, --batch or --log");
    options.in_batch = true;
    if (status == 0)
        status =
            (options.estimate ? estimate_session : session_run)(b->program, &options, &listener);
    message_capture(NULL, 0);
    if (status < 0) {
        begin(b, NULL, status == BAD_USAGE ? "usage" : "device", tools_findings() - findings,
              b->message);
        end(b);
    }
    return status == BAD_USAGE ? OUTCOME_GOOD : status;
}

static bool says_nothing(const char *line)
{
    line += strspn(line, " \t\r\n");
    return !*line || *line == '#';
}

/* Where the verdicts go: beside what the runs hand over, a kernel's printf must not write between
 * them. NULL after one line. */
static FILE *open_out(const char *hand_over)
{
    char name[4096];
    FILE *out = stdout;

    if (hand_over) {
        snprintf(name, sizeof(name), "%s.rows", hand_over);
        out = fopen(name, "w");
    }
    if (!out)
        complain(BAD_USAGE, "--hand-over %s: %s", hand_over, strerror(errno));
    return out;
}

int batch_run(const struct program *program, int argc, char **argv, const char *path,
              const char *hand_over)
{
    struct batch batch = {.program = program, .out = open_out(hand_over)};
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    int status = OUTCOME_GOOD;

    if (!batch.out)
        return BAD_USAGE;
    if (!file)
        return complain(BAD_USAGE, "--batch %s: cannot be read (%s)", path, strerror(errno));
    errno = 0;
    while (status >= 0 && getline(&line, &room, file) >= 0) {
        batch.line++;
        if (!says_nothing(line)) {
            int own = run_line(&batch, argc, argv, line);

            status = own < 0 || own > status ? own : status;
        }
    }
    if (ferror(file))
        status = complain(BAD_USAGE, "--batch %s: cannot be read (%s)", path, strerror(errno));
    free(line);
    if (batch.out != stdout)
        fclose(batch.out);
    if (file != stdin)
        fclose(file);
    return status;
}
