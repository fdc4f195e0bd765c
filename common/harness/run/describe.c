#include "harness/run/describe.h"

#include <string.h>

#include "harness/kit/machine.h"
#include "harness/run/json.h"
#include "harness/run/measurement.h"
#include "harness/run/version.h"

/* Print "key": and what separates it from the value before. */
static void key(FILE *out, const char *name)
{
    fputs(",\n ", out);
    json_text(out, name);
    fputs(": ", out);
}

static void bool_key(FILE *out, const char *name, bool value)
{
    fprintf(out, ", \"%s\": %s", name, value ? "true" : "false");
}

static void print_types(FILE *out, const struct program *p)
{
    key(out, "types");
    for (const struct step *const *step = p->steps; *step; step++) {
        fputs(step == p->steps ? "[" : ", ", out);
        json_text(out, (*step)->type->name);
    }
    putc(']', out);
}

static void print_options(FILE *out, const struct program *p)
{
    bool first = true;

    key(out, "options");
    putc('[', out);
    for (size_t i = 0; i < option_specs_count; i++) {
        if (!option_available(&option_specs[i], p))
            continue;
        fputs(first ? "" : ", ", out);
        json_text(out, option_specs[i].name);
        first = false;
    }
    for (size_t i = 0; i < p->family->axis_count; i++) {
        if (!p->family->axes[i].option)
            continue;
        fputs(", ", out);
        json_text(out, p->family->axes[i].option);
    }
    for (const struct parameter *own = p->family->parameters; own && own->option; own++) {
        fputs(", ", out);
        json_text(out, own->option);
    }
    putc(']', out);
    key(out, "parameters");
    putc('[', out);
    for (const struct parameter *own = p->family->parameters; own && own->option; own++) {
        fputs(own == p->family->parameters ? "" : ", ", out);
        json_text(out, own->option);
    }
    putc(']', out);
}

static void print_axes(FILE *out, const struct family *family)
{
    key(out, "axes");
    putc('[', out);
    for (size_t i = 0; i < family->axis_count; i++) {
        const struct axis *axis = &family->axes[i];

        fprintf(out, "%s\n  {\"name\": \"%s\", \"option\": \"%s\", ", i ? "," : "", axis->name,
                axis->option ? axis->option : "size");
        fputs("\"words\": ", out);
        json_text(out, axis->words ? axis->words : axis->name);
        fputs(", \"unit\": ", out);
        json_text(out, axis->unit ? axis->unit : "");
        fprintf(out, ", \"default\": {\"cpu\": %zu, \"cuda\": %zu}, \"test\": ", axis->cpu,
                axis->cuda);
        json_numbers(out, axis->test);
        fputs(", \"large\": ", out);
        json_numbers(out, axis->large);
        putc('}', out);
    }
    putc(']', out);
}

static void print_family(FILE *out, const struct family *family)
{
    static const char *const measures[] = {"gb_per_s", "gflop_per_s", "us_per_item"};
    bool several = options_size_axis(family, options_size_axis(family, -1)) >= 0;

    key(out, "sweep");
    json_text(out, family->options & OPTION_SWEEPS_BLOCKS ? "blocks" : several ? "side" : "n");
    key(out, "item");
    json_text(out, family->item);
    if (family->element) {
        key(out, "element");
        json_text(out, family->element);
    }
    key(out, "measure");
    json_text(out, measures[family->measure]);
    key(out, "charts");
    json_words(out, family->charts, ' ');
    key(out, "inputs");
    for (const char *const *input = family->inputs; input && *input; input++) {
        fputs(input == family->inputs ? "[" : ", ", out);
        json_text(out, *input);
    }
    fputs(family->inputs ? "]" : "[]", out);
    key(out, "test");
    fputs("{\"threads\": ", out);
    json_numbers(out, family->test.threads);
    fputs(", \"blocks\": ", out);
    json_numbers(out, family->test.blocks);
    fputs(", \"offsets\": ", out);
    json_numbers(out, family->test.offsets);
    putc('}', out);
}

/* What launch shapes the variant takes. */
static void print_takes(FILE *out, const struct variant *v, const struct family *family)
{
    const char *blocks = v->rules & GRID_BY_SIZE ? "by_size" : v->rules & ONE_BLOCK ? "one" : "any";

    fprintf(out, "\"takes\": {\"blocks\": \"%s\"",
            family->options & OPTION_BLOCKS ? blocks : "by_size");
    bool_key(out, "power_of_two", v->rules & POWER_OF_TWO);
    bool_key(out, "whole_warps", v->rules & WHOLE_WARPS);
    fprintf(out, ", \"least_threads\": %d", v->rules & AT_LEAST_TWO_THREADS ? 2 : 1);
    if (v->threads)
        fprintf(out, ", \"threads\": %d", v->threads);
    else
        fputs(", \"threads\": null", out);
    if (v->rules & ONE_BLOCK)
        fprintf(out, ", \"elements_a_thread\": %d", v->rules & ONE_ELEMENT_PER_THREAD ? 1 : 2);
    else
        fputs(", \"elements_a_thread\": null", out);
    bool_key(out, "threads_by_size", v->rules & THREADS_BY_SIZE);
    bool_key(out, "whole_quads", v->rules & WHOLE_QUADS);
    fputs(", \"only\": {", out);
    if (v->only) {
        fprintf(out, "\"%s\": ", family->axes[family->axis_count - 1].name);
        json_numbers(out, v->only);
    }
    putc('}', out);
    bool_key(out, "resident", v->resident != NULL);
    bool_key(out, "own_shape", v->default_shape != NULL);
    if (v->rules & ON_HOST && family->most_on_host)
        fprintf(out, ", \"most_elements\": %zu}", family->most_on_host);
    else
        fputs(", \"most_elements\": null}", out);
}

static void print_flags(FILE *out, unsigned rules)
{
    static const struct {
        unsigned rule;
        const char *name;
    } flags[] = {{UNSYNCHRONISED, "wrong_on_purpose"},
                 {IN_PLACE, "in_place"},
                 {DESTROYS_INPUT, "destroys_input"},
                 {WAITS, "waits"},
                 {UNORDERED, "unordered"},
                 {ROUNDED, "rounded"}};
    bool first = true;

    fputs("\"flags\": [", out);
    for (size_t i = 0; i < COUNT(flags); i++) {
        if (!(rules & flags[i].rule))
            continue;
        fprintf(out, "%s\"%s\"", first ? "" : ", ", flags[i].name);
        first = false;
    }
    putc(']', out);
}

/* The head of a variant: up to its types. */
static void print_head(FILE *out, const struct variant *v, bool peer, bool first)
{
    fputs(first ? "\n  {\"name\": " : ",\n  {\"name\": ", out);
    json_text(out, v->name);
    fputs(", \"summary\": ", out);
    json_text(out, v->summary);
    fprintf(out, ", \"role\": \"%s\", \"library\": %s, \"types\": [", role_name(role_of(v, peer)),
            peer ? "true" : "false");
}

static void print_tail(FILE *out, const struct variant *v, const struct family *family)
{
    fputs("],\n   ", out);
    print_takes(out, v, family);
    fputs(",\n   ", out);
    print_flags(out, v->rules);
    putc('}', out);
}

/* A step's variants are the same for all its types. */
static void print_variants(FILE *out, const struct program *p)
{
    const struct step *step = p->steps[0];

    key(out, "variants");
    putc('[', out);
    for (size_t i = 0; i < step->count; i++) {
        print_head(out, &step->variants[i], false, i == 0);
        for (const struct step *const *s = p->steps; *s; s++) {
            const struct type *only = step->variants[i].type;

            if (only && only != (*s)->type)
                continue;
            fputs(s == p->steps || only ? "" : ", ", out);
            json_text(out, (*s)->type->name);
        }
        print_tail(out, &step->variants[i], p->family);
    }
}

static bool seen_before(const struct peer *peers, const struct peer *peer)
{
    for (; peers != peer; peers++) {
        if (strcmp(peers->variant.name, peer->variant.name) == 0)
            return true;
    }
    return false;
}

static bool has_type(const struct program *p, const struct type *type)
{
    for (const struct step *const *s = p->steps; *s; s++) {
        if ((*s)->type == type)
            return true;
    }
    return false;
}

/* Whether the step has a type of a peer's, which stands in its table once for each of its own. */
static bool is_beside(const struct program *p, const struct peer *peer)
{
    for (const struct peer *other = peer; other->type; other++) {
        if (strcmp(other->variant.name, peer->variant.name) == 0 && has_type(p, other->type))
            return true;
    }
    return false;
}

/* Those that have a type of the step's, with the types that both have. */
static void print_peers(FILE *out, const struct program *p)
{
    for (const struct peer *peer = p->peers; peer && peer->type; peer++) {
        bool first = true;

        if (seen_before(p->peers, peer) || !is_beside(p, peer))
            continue;
        print_head(out, &peer->variant, true, false);
        for (const struct peer *other = peer; other->type; other++) {
            if (strcmp(other->variant.name, peer->variant.name) != 0 || !has_type(p, other->type))
                continue;
            fputs(first ? "" : ", ", out);
            json_text(out, other->type->name);
            first = false;
        }
        print_tail(out, &peer->variant, p->family);
    }
    putc(']', out);
}

/* The lines of a use: the family's, and the step's own behind them. Not those of the other device
 * alone. */
static void print_use(FILE *out, const struct program *p, unsigned use, unsigned other)
{
    const struct launches *const tables[] = {p->family->launches, p->steps[0]->launches};
    const char *between = "";

    putc('[', out);
    for (size_t t = 0; t < COUNT(tables); t++) {
        for (const struct launches *l = tables[t]; l && l->uses; l++) {
            if (!(l->uses & use) || l->uses & other)
                continue;
            for (size_t i = 0; i < MAX_LINES && l->lines[i]; i++) {
                fputs(between, out);
                json_text(out, l->lines[i]);
                between = ", ";
            }
        }
    }
    putc(']', out);
}

static bool has_use(const struct launches *table, unsigned use)
{
    for (; table && table->uses; table++) {
        if (table->uses & use)
            return true;
    }
    return false;
}

static void print_launches(FILE *out, const struct program *p)
{
    static const struct {
        unsigned use;
        const char *name;
    } uses[] = {{LADDER, "ladder"},   {SWEEP, "sweep"},     {QUICK, "quick"},
                {RECORD, "record"},   {COUNTED, "counted"}, {SANITIZED, "sanitized"},
                {MUTATED, "mutated"}, {CHECKED, "checked"}, {TESTED, "tested"},
                {LESSON, "lesson"}};
    bool first = true;

    key(out, "launches");
    putc('{', out);
    for (size_t i = 0; i < COUNT(uses); i++) {
        if (!has_use(p->family->launches, uses[i].use) &&
            !has_use(p->steps[0]->launches, uses[i].use))
            continue;
        fprintf(out, "%s\n  \"%s\": {\"cpu\": ", first ? "" : ",", uses[i].name);
        print_use(out, p, uses[i].use, GPU_ONLY);
        fputs(",\n    \"cuda\": ", out);
        print_use(out, p, uses[i].use, CPU_ONLY);
        putc('}', out);
        first = false;
    }
    putc('}', out);
}

static void print_numbers(FILE *out, const struct family *family)
{
    const struct machine_row *row = family->numbers;

    key(out, "numbers");
    putc('[', out);
    for (; row && row->number; row++) {
        fputs(row == family->numbers ? "\n  {\"number\": " : ",\n  {\"number\": ", out);
        json_text(out, row->number);
        fputs(", \"unit\": ", out);
        json_text(out, machine_unit_of(row->number));
        fputs(", \"what\": ", out);
        json_text(out, row->what);
        fputs(", \"variant\": ", out);
        json_text(out, row->variant);
        fputs(", \"where\": ", out);
        json_text(out, row->where);
        fputs(", \"column\": ", out);
        json_text(out, row->column);
        fputs(", \"factor\": ", out);
        json_number(out, row->factor);
        bool_key(out, "inverse", row->inverse);
        fprintf(out, ", \"multiprocessors\": %d}", row->multiprocessors);
    }
    putc(']', out);
}

void describe_print(FILE *out, const struct program *p)
{
    fputs("{\n \"step\": ", out);
    json_text(out, p->step);
    key(out, "family");
    json_text(out, p->family->name);
    key(out, "group");
    json_text(out, p->family->group ? p->family->group : p->family->name);
    key(out, "title");
    json_text(out, p->family->title);
    key(out, "backend");
    json_text(out, backend_name());
    key(out, "version");
    json_text(out, project_version());
    key(out, "commit");
    json_text(out, project_commit());
    print_types(out, p);
    print_options(out, p);
    print_axes(out, p->family);
    print_family(out, p->family);
    print_variants(out, p);
    print_peers(out, p);
    print_launches(out, p);
    print_numbers(out, p->family);
    fputs("\n}\n", out);
}
