#include "harness/run/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/kit/device.h"
#include "harness/kit/machine.h"
#include "harness/kit/message.h"
#include "harness/kit/ranks.h"
#include "harness/kit/number.h"

#define MAX_RUNS 1000000
#define MAX_BUDGET 1000000 /* milliseconds */
#define MAX_THREADS_PER_BLOCK 1024
#define MAX_OFFSET 63
#define MAX_POWER 40   /* MAX_ELEMENTS is 2^40 */
#define MAX_OPTIONS 64 /* long ones, with those of a family */

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

/* --- the problem's size ------------------------------------------------------------------------
 */

int options_size_axis(const struct family *family, int after)
{
    for (int i = after + 1; i < (int)family->axis_count; i++) {
        if (!family->axes[i].option)
            return i;
    }
    return -1;
}

size_t options_elements(const struct family *family, const size_t *axis)
{
    size_t n = 1;

    for (int i = options_size_axis(family, -1); i >= 0; i = options_size_axis(family, i))
        n = multiply_or_max(n, axis[i]);
    return n;
}

/* The largest n, and its power of two. */
static size_t most_of(const struct family *family)
{
    return family->most ? family->most : MAX_ELEMENTS;
}

static int power_of(size_t n)
{
    int power = 0;

    while (n >> (power + 1))
        power++;
    return power;
}

static int size_axes(const struct family *family)
{
    int count = 0;

    for (int i = options_size_axis(family, -1); i >= 0; i = options_size_axis(family, i))
        count++;
    return count;
}

/* "ROWSxCOLS", from the names of the axes that --size gives. */
static void name_sides(char *text, size_t room, const struct family *family)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = options_size_axis(family, -1); i >= 0; i = options_size_axis(family, i)) {
        for (const char *c = family->axes[i].name; *c && used + 2 < room; c++)
            text[used++] = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        if (options_size_axis(family, i) >= 0 && used + 2 < room)
            text[used++] = 'x';
        text[used] = '\0';
    }
}

static bool in_range(const struct axis *axis, uint64_t value)
{
    return value >= axis->least && value <= (axis->most ? axis->most : MAX_ELEMENTS);
}

static int refuse_size(const char *value, const struct family *family)
{
    char sides[64], accepted[160];

    if (size_axes(family) == 1)
        return refuse("size", value, "an integer from 0 to 2^40, as 1000003, 2^24, 16Mi or 1e6");
    name_sides(sides, sizeof(sides), family);
    snprintf(accepted, sizeof(accepted), "SIDE or %s, as 4096 or 1000x3000%s, of at most 2^%d %ss",
             sides, size_axes(family) > 2 ? "x500" : "", power_of(most_of(family)),
             family->element ? family->element : "element");
    return refuse("size", value, accepted);
}

/* One number for all axes of --size, or one for each with an x between. */
static int parse_size(struct options *o, const char *value, const struct family *family)
{
    int axes = size_axes(family), parts = 0;
    size_t sides[MAX_AXES] = {0};
    const char *part = value;
    bool more = true;

    for (; more && parts < axes; parts++) {
        size_t length = strcspn(part, "x");
        char text[32];
        uint64_t number;

        if (length >= sizeof(text))
            return refuse_size(value, family);
        memcpy(text, part, length);
        text[length] = '\0';
        if (!number_parse(text, &number) || number > MAX_ELEMENTS)
            return refuse_size(value, family);
        sides[parts] = (size_t)number;
        more = part[length] == 'x';
        part += length + more;
    }
    if (more || (parts != 1 && parts != axes))
        return refuse_size(value, family);
    for (int i = options_size_axis(family, -1), k = 0; i >= 0;
         i = options_size_axis(family, i), k++) {
        o->axis[i] = sides[parts == 1 ? 0 : k];
        if (!in_range(&family->axes[i], o->axis[i]))
            return refuse_size(value, family);
    }
    return options_elements(family, o->axis) <= most_of(family) ? 0 : refuse_size(value, family);
}

static int parse_axis(struct options *o, int place, const char *value, const struct family *family)
{
    const struct axis *axis = &family->axes[place];
    char accepted[96];
    uint64_t number;

    if (number_parse(value, &number) && in_range(axis, number)) {
        o->axis[place] = (size_t)number;
        o->given[place] = true;
        return 0;
    }
    snprintf(accepted, sizeof(accepted), "an integer from %zu to %zu", axis->least,
             axis->most ? axis->most : MAX_ELEMENTS);
    return refuse(axis->option, value, accepted);
}

/* What the name before '=' in --sweep NAME=A:B says; false for none that there is. */
static bool find_sweep(struct options *o, const char *name, size_t length,
                       const struct family *family)
{
    if (length == 6 && strncmp(name, "blocks", 6) == 0 && family->options & OPTION_BLOCKS) {
        o->sweep = SWEEP_BLOCKS;
        return true;
    }
    for (int i = 0; i < (int)family->axis_count; i++) {
        const char *own = family->axes[i].name;

        if (strlen(own) == length && strncmp(own, name, length) == 0) {
            o->sweep = i;
            return true;
        }
    }
    return false;
}

static int largest_power(const struct options *o, const struct family *family)
{
    if (o->sweep == SWEEP_BLOCKS)
        return 30;
    return o->sweep == SWEEP_SIZE ? power_of(most_of(family)) / size_axes(family) : MAX_POWER;
}

static int parse_sweep(struct options *o, const char *value, const struct family *family)
{
    const char *equals = strchr(value, '='), *range = equals ? equals + 1 : value;
    char accepted[96];
    int end = 0; /* of what is understood */

    o->sweep = family->options & OPTION_SWEEPS_BLOCKS ? SWEEP_BLOCKS : SWEEP_SIZE;
    if (equals && !find_sweep(o, value, (size_t)(equals - value), family))
        return refuse("sweep", value, "A:B, or NAME=A:B with an axis of the problem or blocks");
    o->sweep_from = o->sweep_to = -1;
    o->sweep_step = 1;
    sscanf(range, "%9d:%9d%n:%9d%n", &o->sweep_from, &o->sweep_to, &end, &o->sweep_step, &end);
    if (!range[strspn(range, "0123456789:")] && end && !range[end] && o->sweep_step > 0 &&
        o->sweep_from <= o->sweep_to && o->sweep_to <= largest_power(o, family))
        return 0;
    snprintf(accepted, sizeof(accepted), "A:B or A:B:STEP with 0 <= A <= B <= %d, as 10:24",
             largest_power(o, family));
    return refuse("sweep", value, accepted);
}

/* --- what is measured ----------------------------------------------------------------------------
 */

static int parse_variant(struct options *o, const char *value)
{
    if (o->name_count == MAX_VARIANTS)
        return complain(BAD_USAGE, "--variant %s: there are %d before it; accepted: at most %d",
                        value, MAX_VARIANTS, MAX_VARIANTS);
    o->names[o->name_count++] = value; /* looked up once the type is known */
    return 0;
}

/* The peers' names, each behind a comma. 0, or BAD_USAGE after one line: the value is a peer's, and
 * they are not asked for. */
static int name_peers(char *names, size_t room, const char *value, const struct options *o,
                      const struct program *program)
{
    size_t used = 0;

    for (const struct peer *p = program->peers; p && p->type && used < room; p++) {
        if (o->peers && p->type == o->setting.type)
            used += (size_t)snprintf(names + used, room - used, ", %s", p->variant.name);
        else if (!o->peers && strcmp(value, p->variant.name) == 0)
            return complain(BAD_USAGE, "--variant %s: a library's, which --peers measures", value);
    }
    return 0;
}

static int refuse_variant(const struct options *o, const char *value, const struct program *program)
{
    char names[512] = "";
    size_t used = 0;

    for (size_t i = 0; i < o->step->count && used < sizeof(names); i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
                                 o->step->variants[i].name);
    if (used < sizeof(names) && name_peers(names + used, sizeof(names) - used, value, o, program))
        return BAD_USAGE;
    return refuse("variant", value, names);
}

static bool choose_peer(struct options *o, const char *name, const struct program *program)
{
    for (size_t i = 0; o->peers && program->peers && program->peers[i].type; i++) {
        if (program->peers[i].type == o->setting.type &&
            strcmp(name, program->peers[i].variant.name) == 0) {
            o->chosen_peers |= (uint64_t)1 << i;
            return true;
        }
    }
    return false;
}

static bool choose(struct options *o, const char *name, const struct program *program)
{
    for (size_t i = 0; i < o->step->count; i++) {
        if (strcmp(name, o->step->variants[i].name) == 0) {
            o->chosen |= (uint64_t)1 << i;
            return true;
        }
    }
    return choose_peer(o, name, program);
}

static int choose_all_peers(struct options *o, const struct program *program)
{
    for (size_t i = 0; o->peers && program->peers[i].type; i++) {
        if (program->peers[i].type == o->setting.type)
            o->chosen_peers |= (uint64_t)1 << i;
    }
    if (o->peers && !o->chosen_peers)
        return complain(BAD_USAGE, "--peers: there is no peer for the %s steps with this --type",
                        program->family->name);
    return 0;
}

/* Turn the names of -v into bits. Without any, all run; where only the step's own are named, the
 * peers all run beside them. */
static int choose_variants(struct options *o, const struct program *program)
{
    for (size_t i = 0; i < o->name_count; i++) {
        if (!choose(o, o->names[i], program))
            return refuse_variant(o, o->names[i], program);
    }
    if (o->name_count == 0)
        o->chosen = o->step->count == 64 ? UINT64_MAX : ((uint64_t)1 << o->step->count) - 1;
    return o->chosen_peers ? 0 : choose_all_peers(o, program);
}

static int parse_input(struct options *o, const char *value, const struct family *family)
{
    char names[256] = "";
    size_t used = 0;

    for (const char *const *name = family->inputs; *name; name++) {
        if (strcmp(value, *name) == 0) {
            o->setting.input = *name;
            return 0;
        }
        if (used < sizeof(names))
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
                                     *name);
    }
    return refuse("input", value, names);
}

#ifdef SOME_TYPES
#define OTHER_TYPES                                                                                \
    "; others that the step has: meson configure BUILD -Dtypes=all, then ninja -C BUILD"
#else
#define OTHER_TYPES ""
#endif

static int parse_type(struct options *o, const char *value, const struct program *program)
{
    char names[128] = "";
    size_t used = 0;

    for (const struct step *const *step = program->steps; *step; step++) {
        if (strcmp(value, (*step)->type->name) == 0) {
            o->step = *step;
            o->setting.type = (*step)->type;
            return 0;
        }
        if (used < sizeof(names))
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
                                     (*step)->type->name);
    }
    return complain(BAD_USAGE, "--type %s: this program has no such type; accepted: %s" OTHER_TYPES,
                    *value ? value : "''", names);
}

static int parse_counters(struct options *o, const char *value)
{
    if (value && strcmp(value, "lines") != 0)
        return refuse("counters", value, "no value, or lines");
    o->counters = value ? COUNTERS_LINES : COUNTERS_LAUNCHES;
    return 0;
}

/* Without a file, that of the H200, which comes with the source. */
static int parse_estimate(struct options *o, const char *value)
{
    static struct machine machine;

    o->estimate = true;
    o->machine = &machine;
    o->machine_file = value ? value : MACHINE_FILE;
    return machine_read(&machine, o->machine_file);
}

static int parse_file(const char *name, const char *value, const char **to)
{
    *to = value;
    return *value ? 0 : refuse(name, value, "the name of a file");
}

/* --- the table -----------------------------------------------------------------------------------
 */

static int parse_flag(struct options *o, int key)
{
    bool *flag = key == KEY_COLD            ? &o->cold
                 : key == KEY_OVERSUBSCRIBE ? &o->setting.oversubscribe
                 : key == KEY_PEERS         ? &o->peers
                 : key == KEY_TIMELINE      ? &o->timeline
                 : key == 'q'               ? &o->quiet
                 : key == KEY_CHECK         ? &o->check
                 : key == KEY_PROGRESS      ? &o->progress
                 : key == KEY_DONE          ? &o->done
                 : key == KEY_WAIT          ? &o->wait
                 : key == KEY_LIST          ? &o->list
                 : key == 'h'               ? &o->help
                 : key == KEY_VERSION       ? &o->version
                 : key == KEY_ATTRIBUTES    ? &o->attributes
                                            : &o->describe;

    *flag = true;
    return 0;
}

static int parse_value(struct options *o, int key, const char *value, const struct program *program)
{
    if (key >= KEY_PARAMETER) {
        o->setting.parameters[key - KEY_PARAMETER] = value;
        return 0;
    }
    if (key >= KEY_AXIS)
        return parse_axis(o, key - KEY_AXIS, value, program->family);
    switch (key) {
    case 'n':
        return parse_size(o, value, program->family);
    case 's':
        return parse_sweep(o, value, program->family);
    case 'b':
        return parse_int("blocks", value, 1, INT_MAX, &o->blocks);
    case 't':
        return parse_int("threads", value, 1, MAX_THREADS_PER_BLOCK, &o->threads);
    case 'v':
        return parse_variant(o, value);
    case 'r':
        return parse_int("runs", value, 1, MAX_RUNS, &o->runs);
    case 'w':
        return parse_int("warmup", value, 0, MAX_RUNS, &o->warmup);
    case KEY_INPUT:
        return parse_input(o, value, program->family);
    case KEY_SEED:
        return number_parse(value, &o->setting.seed)
                   ? 0
                   : refuse("seed", value, "an integer from 0 to 2^64-1");
    case KEY_OFFSET:
        return parse_int("offset", value, 0, MAX_OFFSET, &o->setting.offset);
    case KEY_TYPE:
        return parse_type(o, value, program);
    case KEY_BUDGET:
        return parse_int("budget", value, 1, MAX_BUDGET, &o->budget);
    case 'o':
        return parse_file("log", value, &o->log);
    case KEY_BATCH:
        return parse_file("batch", value, &o->batch);
    case KEY_HAND_OVER:
        return parse_file("hand-over", value, &o->hand_over);
    case KEY_HANDED_OVER:
        return parse_file("handed-over", value, &o->handed_over);
    case KEY_COUNTERS:
        return parse_counters(o, value);
    case KEY_ESTIMATE:
        return parse_estimate(o, value);
    case KEY_EXPLORE:
        o->explore = value ? value : "";
        return 0;
    case KEY_SCHEDULE:
        o->schedule = value;
        return *value ? 0 : refuse("schedule", value, "random:SEED");
    case KEY_GPUS:
        return parse_int("gpus", value, 1, cpu_device ? 16 : MAX_DEVICES, &o->gpus);
    case KEY_THEN:
        return complain(BAD_USAGE, "--then must be written out, and ends no line of --batch");
    case KEY_RECORD:
        o->record = value;
        return *value ? 0 : refuse("record-steps", value, "a file");
    case KEY_RECORD_PART:
        o->record_part = true;
        return 0;
    case KEY_TRACE:
        return parse_int("trace", value, 1, INT_MAX, &o->trace_line);
    default:
        return parse_flag(o, key);
    }
}

/* The options that the family's axes and parameters add to the table. */
static struct option_spec own_specs[MAX_AXES + MAX_PARAMETERS];

static void make_own_specs(const struct family *family)
{
    for (size_t i = 0; i < family->axis_count; i++)
        own_specs[i] = (struct option_spec){
            KEY_AXIS + (int)i, family->axes[i].option, "N", family->axes[i].help, 0, NEEDS_NOTHING};
    for (int i = 0; family->parameters && family->parameters[i].option; i++) {
        const struct parameter *p = &family->parameters[i];

        own_specs[MAX_AXES + i] =
            (struct option_spec){KEY_PARAMETER + i, p->option, p->value, p->help, 0, NEEDS_NOTHING};
    }
}

static const struct option_spec *find_spec(int key)
{
    if (key >= KEY_AXIS)
        return &own_specs[key - KEY_AXIS];
    for (size_t i = 0; i < option_specs_count; i++) {
        if (option_specs[i].key == key)
            return &option_specs[i];
    }
    return NULL;
}

bool option_available(const struct option_spec *spec, const struct program *program)
{
    return (spec->family & program->family->options) == spec->family &&
           (spec->need != NEEDS_CPU_DEVICE || cpu_device) &&
           (spec->need != NEEDS_GPU || !cpu_device) &&
           (spec->need != NEEDS_PEERS || program->peers);
}

/* Refuse an option that this build does not have. */
static int refuse_need(const struct option_spec *spec, const struct program *program)
{
    if (spec->need == NEEDS_CPU_DEVICE)
        return complain(BAD_USAGE,
                        "--%s: only the CPU device has it; use a build with -Ddevice=cpu",
                        spec->name);
    if (spec->need == NEEDS_GPU)
        return complain(BAD_USAGE,
                        "--%s: the CPU device does one operation after the other, and its times "
                        "are the simulation's; use a build with -Ddevice=cuda",
                        spec->name);
    if (program->family->devices)
        return complain(BAD_USAGE,
                        "--%s: NCCL was missing when this was built, so its variants are left out; "
                        "install it (PyPI: nvidia-nccl-cu13, in .venv), and build again",
                        spec->name);
    return complain(BAD_USAGE,
                    "--%s: this build has no peers; use one with -Dpeers=enabled and "
                    "-Ddevice=cuda",
                    spec->name);
}

/* Refuse an option that this family or this build does not have. */
static int check_available(const struct option_spec *spec, const struct program *program)
{
    if (option_available(spec, program))
        return 0;
    if ((spec->family & program->family->options) != spec->family)
        return complain(BAD_USAGE, "--%s: not an option of the %s steps; see --help", spec->name,
                        program->family->name);
    return refuse_need(spec, program);
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

/* The short option string and the long options that getopt wants, from the tables. */
static void getopt_tables(char *letters, struct option *longs, const struct family *family)
{
    *letters++ = ':'; /* a missing value is ':', an unknown option '?' */
    for (size_t i = 0; i < option_specs_count; i++) {
        const struct option_spec *s = &option_specs[i];
        int takes = !s->value          ? no_argument
                    : *s->value == '[' ? optional_argument
                                       : required_argument;

        *longs++ = (struct option){s->name, takes, NULL, s->key};
        if (s->key >= KEY_INPUT)
            continue;
        *letters++ = (char)s->key;
        if (takes == required_argument)
            *letters++ = ':';
    }
    *letters = '\0';
    for (size_t i = 0; i < family->axis_count; i++) {
        if (family->axes[i].option)
            *longs++ =
                (struct option){family->axes[i].option, required_argument, NULL, KEY_AXIS + (int)i};
    }
    for (int i = 0; family->parameters && family->parameters[i].option; i++)
        *longs++ = (struct option){family->parameters[i].option, required_argument, NULL,
                                   KEY_PARAMETER + i};
    *longs = (struct option){NULL, 0, NULL, 0};
}

/* Ranks work together by a library's variants. Rank 0 alone prints, and writes the log. */
static void join_ranks(struct options *o, const struct program *program)
{
    o->peers = program->peers != NULL;
    if (ranks_own() == 0)
        return;
    o->quiet = true;
    o->log = NULL;
}

/* What scripts and tools are told to do together. 0, or BAD_USAGE after one line. */
static int check_tools(const struct options *o)
{
    if (ranks_count() > 1 && o->batch)
        return complain(BAD_USAGE, "--batch: not for several ranks; use --then");
    if (o->explore && (o->counters || o->estimate || o->check || o->trace_line || o->schedule))
        return complain(BAD_USAGE, "--explore takes none of --counters, --estimate, --check, "
                                   "--schedule and --trace");
    if (o->record && (o->counters || o->estimate || o->trace_line || o->explore || o->in_batch))
        return complain(BAD_USAGE, "--record-steps takes none of --counters, --estimate, "
                                   "--explore, --trace and --batch");
    if (o->record_part && !o->record)
        return complain(BAD_USAGE, "--record-part is for --record-steps");
    if (o->batch && o->log)
        return complain(BAD_USAGE, "--batch and --log exclude each other");
    if (o->hand_over && o->handed_over)
        return complain(BAD_USAGE, "--hand-over and --handed-over exclude each other");
    return 0;
}

/* Refuse what contradicts itself, and fill in what the command line left open. */
static int finish(struct options *o, bool sized, const struct program *program)
{
    /* Then every run would show the same. */
    bool once = o->counters || o->estimate || o->check || o->trace_line || o->explore ||
                o->record || o->setting.oversubscribe;

    if (o->sweep_from >= 0 && o->sweep == SWEEP_BLOCKS && o->blocks)
        return complain(BAD_USAGE, "--sweep and --blocks exclude each other");
    if (o->sweep_from >= 0 && o->sweep == SWEEP_SIZE && sized)
        return complain(BAD_USAGE, "--sweep and --size exclude each other");
    if (check_tools(o) != 0)
        return BAD_USAGE;
    o->setting.briefly = o->explore != NULL;
    if (ranks_count() > 1)
        join_ranks(o, program);
    o->runs_given = o->runs >= 0;
    if (!o->runs_given)
        o->runs = once ? 1 : cpu_device ? 5 : 25;
    if (o->warmup < 0)
        o->warmup = once || o->handed_over ? 0 : cpu_device ? 1 : 3;
    if (o->handed_over && o->warmup > 0)
        return complain(BAD_USAGE,
                        "--handed-over: of a warm-up nothing was handed over; with -w 0");
    if (program->family->accept) {
        int status = program->family->accept(&o->setting, o->axis, sized);

        if (status != 0)
            return status;
    }
    return choose_variants(o, program);
}

static void set_defaults(struct options *o, const struct program *program)
{
    const struct family *family = program->family;

    *o = (struct options){.sweep_from = -1,
                          .sweep_to = -1,
                          .sweep_step = 1,
                          .runs = -1,
                          .warmup = -1,
                          .step = program->steps[0]};
    o->setting.seed = 1;
    o->setting.type = program->steps[0]->type;
    o->setting.input = family->inputs ? family->inputs[0] : NULL;
    for (size_t i = 0; i < family->axis_count; i++)
        o->axis[i] = cpu_device ? family->axes[i].cpu : family->axes[i].cuda;
}

int options_parse(struct options *o, int argc, char **argv, const struct program *program)
{
    char letters[128];
    struct option longs[MAX_OPTIONS];
    bool sized = false;
    int key;

    set_defaults(o, program);
    make_own_specs(program->family);
    getopt_tables(letters, longs, program->family);
    opterr = 0; /* the messages are ours */
    optind = 0; /* start afresh: a batch parses many lines */
    while ((key = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const struct option_spec *spec = find_spec(key);
        int status;

        if (key == '?' || key == ':')
            return complain_of_option(key, argv);
        status = check_available(spec, program);
        if (status == 0)
            status = parse_value(o, key, optarg, program);
        if (status != 0 || o->help || o->version)
            return status;
        sized |= key == 'n';
    }
    if (optind < argc)
        return complain(BAD_USAGE, "%s: not an option; accepted: options only, see --help",
                        argv[optind]);
    return finish(o, sized, program);
}
