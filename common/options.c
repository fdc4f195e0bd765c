#include "options.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "number.h"
#include "version.h"

#define MOST_RUNS 1000000
#define MOST_THREADS 1024
#define MOST_OFFSET 63
#define LARGEST_POWER 40 /* MOST_ELEMENTS is 2^40 */

#ifdef BACKEND_CPU
static const bool cpu_device = true;
#else
static const bool cpu_device = false;
#endif

static int refuse(const char *name, const char *value, const char *accepted)
{
    return complain(BAD_USAGE, "--%s %s: not accepted; accepted: %s", name, *value ? value : "''",
                    accepted);
}

/* Parse an integer from low to high into *to. */
static int parse_int(const char *name, const char *value, int low, int high, int *to)
{
    char accepted[64];
    uint64_t number;

    if (number_parse(value, &number) && number >= (uint64_t)low && number <= (uint64_t)high) {
        *to = (int)number;
        return 0;
    }
    snprintf(accepted, sizeof(accepted), "an integer from %d to %d", low, high);
    return refuse(name, value, accepted);
}

static int parse_size(struct options *o, const char *value, const struct family *family)
{
    uint64_t n;

    if (family->matrix) {
        if (!number_parse_matrix(value, &o->rows, &o->cols))
            return refuse("size", value,
                          "SIDE or ROWSxCOLS, as 4096 or 1000x3000, of at most 2^40 elements");
        o->n = o->rows * o->cols;
        return 0;
    }
    if (!number_parse(value, &n) || n > MOST_ELEMENTS)
        return refuse("size", value, "an integer from 0 to 2^40, as 1000003, 2^24, 16Mi or 1e6");
    o->n = n;
    return 0;
}

static int parse_sweep(struct options *o, const char *value, const struct family *family)
{
    int most = family->options & OPTION_SWEEPS_BLOCKS ? 30
               : family->matrix                       ? LARGEST_POWER / 2
                                                      : LARGEST_POWER;
    const char *colon = strchr(value, ':');
    char first[16] = "", accepted[64];
    uint64_t from, to;

    if (colon && (size_t)(colon - value) < sizeof(first)) {
        memcpy(first, value, (size_t)(colon - value));
        if (number_parse(first, &from) && number_parse(colon + 1, &to) && from <= to &&
            to <= (uint64_t)most) {
            o->sweep_from = (int)from;
            o->sweep_to = (int)to;
            return 0;
        }
    }
    snprintf(accepted, sizeof(accepted), "A:B with 0 <= A <= B <= %d, as 10:24", most);
    return refuse("sweep", value, accepted);
}

static int parse_variant(struct options *o, const char *value, const struct program *program)
{
    char names[512] = "";
    size_t used = 0;

    for (size_t i = 0; i < program->count; i++) {
        if (strcmp(value, program->variants[i].name) == 0) {
            o->chosen |= (uint64_t)1 << i;
            return 0;
        }
        if (used < sizeof(names))
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
                                     program->variants[i].name);
    }
    return refuse("variant", value, names);
}

static int parse_input(struct options *o, const char *value)
{
    for (int kind = INPUT_RANDOM; kind <= INPUT_HOSTILE; kind++) {
        if (strcmp(value, input_name((enum input)kind)) == 0) {
            o->input = (enum input)kind;
            return 0;
        }
    }
    return refuse("input", value, "random, ones, ramp, hostile");
}

static int parse_type(struct options *o, const char *value, const struct program *program)
{
    const char *only = program->type == TYPE_F32 ? "f32" : "i32";

    if (strcmp(value, "f32") == 0)
        o->type = TYPE_F32;
    else if (strcmp(value, "i32") == 0)
        o->type = TYPE_I32;
    else
        return refuse("type", value, program->other_type ? "f32, i32" : only);
    if (o->type != program->type && !program->other_type)
        return complain(BAD_USAGE, "--type %s: this step has no such type; accepted: %s", value,
                        only);
    return 0;
}

static int parse_counters(struct options *o, const char *value)
{
    if (value && strcmp(value, "lines") != 0)
        return refuse("counters", value, "no value, or lines");
    o->counters = value ? COUNTERS_LINES : COUNTERS_LAUNCHES;
    return 0;
}

static int parse_value(struct options *o, int key, const char *value, const struct program *program)
{
    switch (key) {
    case 'n':
        return parse_size(o, value, program->family);
    case 's':
        return parse_sweep(o, value, program->family);
    case 'b':
        return parse_int("blocks", value, 1, INT_MAX, &o->blocks);
    case 't':
        return parse_int("threads", value, 1, MOST_THREADS, &o->threads);
    case 'v':
        return parse_variant(o, value, program);
    case 'r':
        return parse_int("runs", value, 1, MOST_RUNS, &o->runs);
    case 'w':
        return parse_int("warmup", value, 0, MOST_RUNS, &o->warmup);
    case KEY_INPUT:
        return parse_input(o, value);
    case KEY_SEED:
        return number_parse(value, &o->seed) ? 0
                                             : refuse("seed", value, "an integer from 0 to 2^64-1");
    case KEY_OFFSET:
        return parse_int("offset", value, 0, MOST_OFFSET, &o->offset);
    case KEY_TYPE:
        return parse_type(o, value, program);
    case KEY_COLD:
        o->cold = true;
        return 0;
    case KEY_OVERSUBSCRIBE:
        o->oversubscribe = true;
        return 0;
    case KEY_PEERS:
        o->peers = true;
        return 0;
    case 'o':
        o->log = value;
        return *value ? 0 : refuse("log", value, "the name of a file");
    case 'q':
        o->quiet = true;
        return 0;
    case KEY_COUNTERS:
        return parse_counters(o, value);
    case KEY_CHECK:
        o->check = true;
        return 0;
    case KEY_SCHEDULE:
        o->schedule = value;
        return *value ? 0 : refuse("schedule", value, "random:SEED");
    case KEY_TRACE:
        return parse_int("trace", value, 1, INT_MAX, &o->trace_line);
    case KEY_LIST:
        o->list = true;
        return 0;
    case 'h':
        help_print(program);
        return ANSWERED;
    default:
        printf("%s (cuda-steps) %s%s%s, %s device\n", program->step, project_version(),
               *project_commit() ? ", commit " : "", project_commit(), cpu_device ? "CPU" : "CUDA");
        return ANSWERED;
    }
}

static const struct option_spec *find_spec(int key)
{
    for (size_t i = 0; i < option_specs_count; i++) {
        if (option_specs[i].key == key)
            return &option_specs[i];
    }
    return NULL;
}

/* Refuse an option that this family or this build does not have. */
static int check_available(const struct option_spec *spec, const struct family *family)
{
    if ((spec->family & family->options) != spec->family)
        return complain(BAD_USAGE, "--%s: not an option of the %s steps; see --help", spec->name,
                        family->name);
    if (spec->need == NEEDS_CPU_DEVICE && !cpu_device)
        return complain(BAD_USAGE,
                        "--%s: only the CPU device has it; use a build with -Ddevice=cpu",
                        spec->name);
#ifndef HAVE_PEERS
    if (spec->need == NEEDS_PEERS)
        return complain(BAD_USAGE,
                        "--%s: this build has no peers; use one with -Dpeers=enabled and "
                        "-Ddevice=cuda",
                        spec->name);
#endif
    return 0;
}

/* getopt returned '?' or ':': say why. */
static int complain_of_option(int code, char **argv)
{
    const struct option_spec *spec = optopt ? find_spec(optopt) : NULL;
    const char *argument = argv[optind - 1];
    int name = (int)strcspn(argument, "=");

    if (code == ':' && spec)
        return complain(BAD_USAGE, "--%s: its value is missing; accepted: --%s %s", spec->name,
                        spec->name, spec->value);
    if (spec && strncmp(argument, "--", 2) == 0)
        return complain(BAD_USAGE, "%s: --%s takes no value", argument, spec->name);
    if (strncmp(argument, "--", 2) == 0)
        return complain(BAD_USAGE, "%.*s: unknown or ambiguous option; see --help", name, argument);
    return complain(BAD_USAGE, "-%c: unknown option; see --help", optopt);
}

/* The short option string and the long options that getopt wants, from the table. */
static void getopt_tables(char *letters, struct option *longs)
{
    *letters++ = ':'; /* tell a missing value from an unknown option */
    for (size_t i = 0; i < option_specs_count; i++) {
        const struct option_spec *s = &option_specs[i];
        int takes = !s->value          ? no_argument
                    : *s->value == '[' ? optional_argument
                                       : required_argument;

        longs[i] = (struct option){s->name, takes, NULL, s->key};
        if (s->key >= KEY_INPUT)
            continue;
        *letters++ = (char)s->key;
        if (takes == required_argument)
            *letters++ = ':';
    }
    *letters = '\0';
    longs[option_specs_count] = (struct option){NULL, 0, NULL, 0};
}

/* Fill in what the command line left open, and refuse what contradicts itself. */
static int finish(struct options *o, bool sized, const struct family *family)
{
    /* Then one run tells all. */
    bool once = o->counters || o->check || o->trace_line || o->oversubscribe;

    if (o->sweep_from >= 0 && family->options & OPTION_SWEEPS_BLOCKS && o->blocks)
        return complain(BAD_USAGE, "--sweep and --blocks exclude each other");
    if (o->sweep_from >= 0 && !(family->options & OPTION_SWEEPS_BLOCKS) && sized)
        return complain(BAD_USAGE, "--sweep and --size exclude each other");
    if (!sized) {
        o->n = family->default_n ? family->default_n : (size_t)1 << (cpu_device ? 20 : 24);
        if (family->matrix) {
            o->rows = family->default_n ? family->default_n : (size_t)1 << (cpu_device ? 10 : 12);
            o->cols = o->rows;
            o->n = o->rows * o->cols;
        }
    }
    if (o->runs < 0)
        o->runs = once ? 1 : cpu_device ? 5 : 25;
    if (o->warmup < 0)
        o->warmup = once ? 0 : cpu_device ? 1 : 3;
    return PARSED;
}

int options_parse(struct options *o, int argc, char **argv, const struct program *program)
{
    char letters[128];
    struct option longs[64];
    bool sized = false;
    int key;

    _Static_assert(sizeof(longs) / sizeof(longs[0]) > 32, "room for the table of options");
    *o = (struct options){.sweep_from = -1,
                          .sweep_to = -1,
                          .runs = -1,
                          .warmup = -1,
                          .seed = 1,
                          .type = program->type};
    getopt_tables(letters, longs);
    opterr = 0; /* the messages are ours */
    optind = 0; /* start afresh: the program of the other type parses again */
    while ((key = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const struct option_spec *spec = find_spec(key);
        int status;

        if (key == '?' || key == ':')
            return complain_of_option(key, argv);
        status = check_available(spec, program->family);
        if (status == 0)
            status = parse_value(o, key, optarg, program);
        if (status != 0)
            return status;
        sized |= key == 'n';
    }
    if (optind < argc)
        return complain(BAD_USAGE, "%s: not an option; accepted: options only, see --help",
                        argv[optind]);
    return finish(o, sized, program->family);
}
