/*
 * The declarations of a source: just enough of C++ to tell functions, which of them run on the
 * device, and where their parameters and bodies are. What it cannot tell is a unit of kind OTHER
 * and stays as it is.
 */
#include <string.h>
#include "cpu/translate/device_code.h"
#include "cpu/translate/units.h"

static struct source *s;
static struct units all;

static const struct token *at(int i)
{
    return &s->token[i < 0 ? s->count : i];
}

/* The partner of the bracket at i; i itself if it has none, which the compiler will tell. */
static int partner(int i)
{
    return at(i)->match < 0 ? i : at(i)->match;
}

static struct unit *new_unit(enum unit_kind kind, int from, const char *scope, bool in_class)
{
    if (all.count % 256 == 0)
        all.at = grow(all.at, (size_t)(all.count + 256) * sizeof(*all.at));
    all.at[all.count] = (struct unit){.kind = kind,
                                      .from = from,
                                      .to = from + 1,
                                      .name = -1,
                                      .arguments = -1,
                                      .open = -1,
                                      .scope = scope,
                                      .in_class = in_class};
    return &all.at[all.count++];
}

int angle_end(const struct source *source, int i)
{
    int depth = 0;

    for (; i < source->count; i++) {
        const struct token *t = &source->token[i];

        if (is(t, "("))
            i = source->token[i].match < 0 ? i : source->token[i].match;
        else if (is(t, "<"))
            depth++;
        else if (is(t, "<<"))
            depth += 2;
        else if (is(t, ">") && --depth == 0)
            return i;
        else if (is(t, ";") || is(t, "{"))
            break;
    }
    return i;
}

/* What a declaration has shown so far. */
struct shown {
    bool type, is_enum, is_namespace, value, initialisers;
    int linkage; /* behind extern "C" */
};

static bool is_attribute(const struct token *t)
{
    static const char *const words[] = {"__attribute__",    "alignas",     "__align__",
                                        "decltype",         "noexcept",    "__launch_bounds__",
                                        "__declspec",       "explicit",    "requires",
                                        "__cluster_dims__", "__maxnreg__", "throw"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (is(t, words[i]))
            return true;
    return false;
}

/* Is the ( at i that of a function's parameters? Then its name is the token before. */
static bool opens_parameters(int i)
{
    const struct token *before = at(i - 1);

    if (is_attribute(before))
        return false;
    if (before->kind == WORD || is(before, ">"))
        return true;
    for (int k = i - 1; k >= 0 && k > i - 10; k--) { /* operator const T *() */
        if (is(at(k), "operator"))
            return true;
        if (is(at(k), ";") || is(at(k), "{") || is(at(k), "}") || is(at(k), ")"))
            break;
    }
    return false;
}

static void scope(int from, int to, const char *name, bool in_class);

/* The { at i opens a scope: its units, and the name that they stand under. */
static int inner_scope(struct unit *u, int i, const char *outer, bool is_class)
{
    int from = u->from, end = partner(i);
    const char *name = outer;

    for (int k = from; k < i && !is_class; k++)
        if (s->token[k].kind == WORD && !is(at(k), "namespace") && !is(at(k), "inline") &&
            !is(at(k), "extern") && (is(at(k - 1), "namespace") || is(at(k - 1), "::")))
            name = format_text("%s%.*s::", name, (int)s->token[k].length, s->token[k].at);
    u->kind = SCOPE_OPENS;
    u->to = i + 1;
    scope(i + 1, end, name, is_class || u->in_class);
    new_unit(SCOPE_CLOSES, end, outer, is_class);
    return end + 1;
}

static void note_word(struct unit *u, struct shown *shown, int i)
{
    const struct token *t = at(i);

    u->global |= is(t, "__global__");
    u->device |= is(t, "__device__");
    u->host |= is(t, "__host__");
    shown->is_namespace |= is(t, "namespace");
    shown->is_enum |= is(t, "enum");
    shown->type |= is(t, "class") || is(t, "struct") || is(t, "union");
    if (t->kind == STRING && is(at(i - 1), "extern"))
        shown->linkage = i + 1;
}

/* One declaration from i on, up to `to`. Returns the place behind it. */
static int declaration(int i, int to, const char *scope_name, bool in_class)
{
    int index = (new_unit(OTHER, i, scope_name, in_class), all.count - 1);
    struct shown shown = {.linkage = -1};

    for (; i < to; i++) {
        struct unit *u = &all.at[index];
        const struct token *t = at(i);

        note_word(u, &shown, i);
        if (is(t, "template") && is(at(i + 1), "<")) {
            i = angle_end(s, i + 1);
        } else if (is(t, "(")) {
            if (u->arguments < 0 && !shown.value && opens_parameters(i)) {
                u->kind = FUNCTION;
                u->arguments = i;
                u->name = i - 1;
            }
            i = partner(i);
        } else if (is(t, "[")) {
            i = partner(i);
        } else if (is(t, ";")) {
            u->to = i + 1;
            return i + 1;
        } else if (is(t, "=") && !is(at(i - 1), "operator")) {
            shown.value = true;
        } else if (is(t, ":") && u->arguments >= 0) {
            shown.initialisers = true;
        } else if (is(t, "{")) {
            if (shown.is_namespace || shown.linkage == i)
                return inner_scope(u, i, scope_name, false);
            if (u->kind == FUNCTION && !shown.value &&
                !(shown.initialisers && (at(i - 1)->kind == WORD || is(at(i - 1), ">")))) {
                u->open = i;
                u->to = partner(i) + 1;
                return u->to;
            }
            if (shown.type && !shown.is_enum && !shown.value) {
                i = inner_scope(u, i, scope_name, true);
                index = (new_unit(OTHER, i, scope_name, in_class), all.count - 1);
                shown.type = false;
                i--;
            } else {
                i = partner(i);
            }
        }
    }
    all.at[index].to = to;
    return to;
}

static void scope(int from, int to, const char *name, bool in_class)
{
    while (from < to) {
        const struct token *t = at(from);

        if (t->kind == PRAGMA || is(t, ";"))
            from++;
        else if (in_class && is(at(from + 1), ":") &&
                 (is(t, "public") || is(t, "private") || is(t, "protected")))
            from += 2;
        else
            from = declaration(from, to, name, in_class);
    }
}

struct units units_of(struct source *source)
{
    s = source;
    all = (struct units){0};
    scope(0, s->count, "", false);
    mark_device_code(s, &all);
    return all;
}

const struct unit *function_around(const struct units *u, int i)
{
    int low = 0, high = u->count; /* the last unit that begins at i or before is at low */

    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (u->at[middle].from <= i)
            low = middle;
        else
            high = middle;
    }
    return low < u->count && u->at[low].open >= 0 && u->at[low].open < i && i < u->at[low].to
               ? &u->at[low]
               : NULL;
}
