/*
 * An execution in words: a line per event, in an order that one could have watched.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/memory.h"
#include "cpu/tools/explore/cells.h"
#include "cpu/tools/explore/phases.h"
#include "cpu/tools/explore/tell.h"

enum { MOST_LINES = 60 }; /* of a story */

/* --- the order ------------------------------------------------------------------------------- */

/* Has all that the event needs been told? Of a look at a sum, all that the whole of it needs. */
static bool may_follow(const struct graph *g, uint32_t e, const uint32_t *told)
{
    uint32_t end = g->event[e].kind == EVENT_READ ? graph_look_end(g, e) : e;
    const uint16_t *clock = g->porf + (size_t)end * g->threads;

    for (unsigned i = 0; i < g->threads; i++)
        if (told[i] < clock[i] && i != g->event[e].thread)
            return false;
    return true;
}

/* Is the event part of the story? Of a race what comes before it. */
static bool is_told(const struct graph *g, uint32_t e, const uint32_t race[2])
{
    return race[0] == NO_EVENT || e == race[0] || e == race[1] || graph_porf(g, e, race[0]) ||
           graph_porf(g, e, race[1]);
}

/* How many of the cell's writes told so far stand behind this place in coherence order? */
static uint32_t count_older(const struct graph *g, const struct event *x, uint32_t e,
                            const uint32_t *told)
{
    const struct list *l = &g->writes[x->cell];
    uint32_t mine = x->kind == EVENT_WRITE ? e : x->from, count = 0;
    bool behind = mine == NO_EVENT;

    for (uint32_t i = 0; i < l->count; i++) {
        const struct event *w = &g->event[l->item[i]];

        count += behind && w->index < told[w->thread];
        behind |= l->item[i] == mine;
    }
    return count;
}

static void tell(struct story *s, const struct graph *g, uint32_t e, uint32_t *told,
                 const uint32_t race[2])
{
    const struct event *x = &g->event[e];

    for (int i = 0; i < 2; i++)
        if (e == race[i])
            s->race[i] = s->count;
    s->older[s->count] = x->kind <= EVENT_WRITE ? count_older(g, x, e, told) : 0;
    s->turns += s->count && s->event[s->count - 1].thread != x->thread;
    s->was[s->count] = e;
    s->event[s->count++] = *x;
    told[x->thread]++;
}

/* All that the thread may do now. */
static bool tell_thread_on(struct story *s, const struct graph *g, unsigned thread, uint32_t *told,
                           const uint32_t race[2])
{
    const struct event *x;
    bool any = false;

    while ((x = graph_at(g, thread, told[thread]))) {
        uint32_t e = (uint32_t)(x - g->event);

        if (!is_told(g, e, race) || !may_follow(g, e, told))
            break;
        tell(s, g, e, told, race);
        any = true;
    }
    return any;
}

void story_make(struct story *s, const uint32_t race[2])
{
    const struct graph *g = drive_search.g;
    uint32_t *told = calloc(g->threads, sizeof(*told));
    bool any = true;

    *s = (struct story){.race = {NO_EVENT, NO_EVENT}};
    s->event = malloc((g->count + 1) * sizeof(*s->event));
    s->was = malloc((g->count + 1) * sizeof(*s->was));
    s->older = malloc((g->count + 1) * sizeof(*s->older));
    if (!told || !s->event || !s->was || !s->older)
        abort();
    while (any) {
        any = false;
        for (unsigned t = 0; t < g->threads; t++)
            any |= tell_thread_on(s, g, t, told, race);
    }
    free(told);
}

void story_free(struct story *s)
{
    free(s->event);
    free(s->was);
    free(s->older);
    *s = (struct story){0};
}

/* --- words ----------------------------------------------------------------------------------- */

const char *tell_line(char *text, size_t room, uintptr_t site)
{
    int line = 0;
    const char *file = cpu_source_line ? cpu_source_line(site, &line) : NULL;

    if (file)
        snprintf(text, room, "%s:%d", file, line);
    else
        snprintf(text, room, "%#" PRIxPTR, site);
    return text;
}

const char *tell_thread(char *text, size_t room, unsigned number, const struct launch *l)
{
    snprintf(text, room, "thread %u of block %u", number % l->threads, number / l->threads);
    return text;
}

/* The parameter that points to the address's allocation, nearest below. */
static const struct cpu_parameter *parameter_of(const struct launch *l, uintptr_t address,
                                                const char **name, int *length)
{
    const struct allocation *a = memory_find(address);
    const struct cpu_parameter *best = NULL;
    const char *next = l->parameter_names;

    for (unsigned i = 0; a && next && *next && i < l->parameters; i++) {
        const struct cpu_parameter *p = &l->parameter[i];
        uintptr_t at = (uintptr_t)p->pointer;
        int letters = (int)strcspn(next, ",");

        if (p->element && *next != '?' && at <= address && at - a->base < a->bytes &&
            (!best || at > (uintptr_t)best->pointer)) {
            best = p;
            *name = next;
            *length = letters;
        }
        next += letters;
        next += strspn(next, ", ");
    }
    return best;
}

static const char *cell_text(char *text, size_t room, uint32_t cell, const struct launch *l)
{
    const struct cell *c = &cells[cell];
    const char *name = NULL;
    int length = 0;
    const struct cpu_parameter *p = NULL;
    const struct allocation *a = memory_find((uintptr_t)c->at);

    if (c->block < 0)
        p = parameter_of(l, (uintptr_t)c->at, &name, &length);
    if (c->block >= 0)
        snprintf(text, room, "shared byte %u", c->offset);
    else if (p)
        snprintf(text, room, "%.*s[%zu]", length, name,
                 ((uintptr_t)c->at - (uintptr_t)p->pointer) / p->element);
    else if (a && a->number)
        snprintf(text, room, "byte %zu of allocation %u", (uintptr_t)c->at - a->base, a->number);
    else
        snprintf(text, room, "the variable at %#" PRIxPTR, (uintptr_t)c->at);
    return text;
}

static long long number_of(uint64_t value, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;

    return (long long)(value << shift) >> shift;
}

static const char *order_text(unsigned flags)
{
    static const char *const text[] = {"relaxed", "acquire", "release", "acquire and release"};
    static char line[48];

    if (!(flags & EVENT_STRONG))
        return "";
    snprintf(line, sizeof(line), ", %s%s", text[(flags & (EVENT_ACQUIRE | EVENT_RELEASE)) >> 1],
             flags & EVENT_BLOCK ? ", of block scope" : "");
    return line;
}

static uint64_t value_read(const struct story *s, const struct event *e)
{
    for (uint32_t i = 0; e->from != NO_EVENT && i < s->count; i++)
        if (s->was[i] == e->from)
            return s->event[i].value;
    return cells[e->cell].initial;
}

/* Is it the read of an atomic update, whose write follows? */
static bool is_update(const struct story *s, uint32_t i)
{
    const struct event *e = &s->event[i];

    return e->kind == EVENT_READ && e->flags & EVENT_UPDATE && i + 1 < s->count &&
           e[1].kind == EVENT_WRITE && e[1].flags & EVENT_UPDATE && e[1].thread == e->thread;
}

/* What its thread added to the sum: what stands in the part, without what stood there before. */
static long long added(const struct story *s, uint32_t i)
{
    const struct event *e = &s->event[i];
    uint64_t before = 0;

    for (uint32_t j = 0; j < i; j++)
        if (s->event[j].kind == EVENT_WRITE && s->event[j].cell == e->cell)
            before = s->event[j].value;
    return number_of(e->value - before, cells[e->cell].bytes);
}

/* The last event that is told on the line of this one: of an update its write, of a look at a sum
 * the last of its reads, of threads that come together the last. */
static uint32_t line_end(const struct story *s, uint32_t i)
{
    const struct event *first = &s->event[i];
    uint32_t last = i;

    if (is_update(s, i))
        return i + 1;
    while (first->kind == EVENT_GROUP && last + 1 < s->count &&
           s->event[last + 1].kind == EVENT_GROUP && s->event[last + 1].from == first->from &&
           s->event[last + 1].thread == s->event[last].thread + 1)
        last++;
    while (first->kind == EVENT_READ && last - i < cells[first->cell].parts &&
           last + 1 < s->count && s->event[last + 1].kind == EVENT_READ &&
           s->event[last + 1].thread == first->thread &&
           s->event[last + 1].cell == first->cell + (last + 1 - i))
        last++;
    return last;
}

static void print_phase(const struct event *e)
{
    char name[64];

    phases_name(name, sizeof(name), e->cell);
    if (e->kind == EVENT_ARRIVE && e->flags & EVENT_BEGINS)
        fprintf(stderr, "initialises %s", name);
    else if (e->value == UINT64_MAX)
        fprintf(stderr, "passes %s, of which no phase has ended", name);
    else
        fprintf(stderr, "%s phase %" PRIu64 " of %s",
                e->kind == EVENT_PASS ? "passes" : "arrives at", e->value, name);
}

static void print_older(const struct event *e, uint32_t older)
{
    if (e->kind == EVENT_READ && older)
        fprintf(stderr, "; %u later write%s it does not see", older, older > 1 ? "s" : "");
    else if (e->kind == EVENT_WRITE && older)
        fprintf(stderr, "; it stands before %u write%s told above", older, older > 1 ? "s" : "");
}

/* What the events of a line did. */
static void print_event(const struct story *s, uint32_t i, uint32_t last, const struct launch *l)
{
    const struct event *e = &s->event[i];
    uint64_t value = e->kind == EVENT_READ ? 0 : e->value;
    uint32_t older = 0;
    unsigned flags = e->flags;
    char cell[96];

    if (e->kind == EVENT_FENCE) {
        fprintf(stderr, "%s fence%s",
                e->flags & EVENT_SC ? "sequentially consistent" : "acquire-release",
                e->flags & EVENT_BLOCK ? " of the block" : "");
        return;
    }
    if (e->kind == EVENT_GROUP) {
        fprintf(stderr, e->flags & EVENT_ORDERS ? "passes a barrier" : "exchanges with its warp");
        if (last > i)
            fprintf(stderr, ", with the threads up to %s",
                    tell_thread(cell, sizeof(cell), s->event[last].thread, l));
        return;
    }
    if (e->kind == EVENT_ARRIVE || e->kind == EVENT_PASS) {
        print_phase(e);
        return;
    }
    cell_text(cell, sizeof(cell), e->cell, l);
    for (uint32_t j = i; j <= last && s->event[j].kind == e->kind; j++) {
        value += e->kind == EVENT_READ ? value_read(s, &s->event[j]) : 0;
        older += s->older[j];
    }
    if (e->kind == EVENT_WRITE && cells[e->cell].part)
        fprintf(stderr, "adds %lld to %s", added(s, i), cell);
    else
        fprintf(stderr, "%s %s: %lld",
                is_update(s, i)         ? "updates"
                : e->kind == EVENT_READ ? "reads"
                                        : "writes",
                cell, number_of(value, cells[e->cell].bytes));
    if (is_update(s, i)) {
        flags |= s->event[last].flags;
        fprintf(stderr, " to %lld", number_of(s->event[last].value, cells[e->cell].bytes));
    }
    fputs(order_text(flags), stderr);
    print_older(e, older);
}

/* Is one of the events up to `last` a part of the race? */
static bool is_marked(const struct story *s, uint32_t i, uint32_t last)
{
    return (s->race[0] >= i && s->race[0] <= last) || (s->race[1] >= i && s->race[1] <= last);
}

void story_print(const struct story *s, const struct launch *l)
{
    uint32_t lines = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t last = line_end(s, i);
        char thread[64], line[96], mark = is_marked(s, i, last) ? '>' : ' ';
        bool same = i && s->event[i].thread == s->event[i - 1].thread;

        if (lines++ == MOST_LINES) {
            fprintf(stderr, "      ... and %u more events\n", s->count - i);
            break;
        }
        fprintf(stderr, "    %c %-22s %-22s ", mark,
                same ? "" : tell_thread(thread, sizeof(thread), s->event[i].thread, l),
                tell_line(line, sizeof(line), s->event[i].site));
        print_event(s, i, last, l);
        fputc('\n', stderr);
        i = last;
    }
}

/* --- the given execution --------------------------------------------------------------------- */

void story_write_steps(const struct story *s)
{
    uint32_t events = 0;
    bool first = true;

    for (uint32_t i = 0; i < s->count; i++) {
        bool last = i + 1 == s->count || s->event[i + 1].thread != s->event[i].thread;

        events += s->event[i].kind != EVENT_GROUP;
        if (!events || !(last || s->older[i]))
            continue;
        fprintf(stderr, "%s%u:%u", first ? "" : ",", s->event[i].thread, events);
        if (s->older[i])
            fprintf(stderr, "<%u", s->older[i]);
        first = false;
        events = 0;
    }
}

int steps_parse(const char *text, struct step **steps, size_t *count)
{
    size_t room = 1;

    for (const char *p = text; *p; p++)
        room += *p == ',';
    *steps = calloc(room, sizeof(**steps));
    *count = 0;
    while (*steps && *count < room) {
        struct step *s = &(*steps)[(*count)++];
        int used = 0;

        if (sscanf(text, "%" SCNu32 ":%" SCNu32 "%n", &s->thread, &s->events, &used) != 2 ||
            !s->events)
            break;
        text += used;
        if (*text == '<') {
            if (sscanf(text, "<%" SCNu32 "%n", &s->older, &used) != 1)
                break;
            text += used;
        }
        if (!*text)
            return 0;
        if (*text++ != ',')
            break;
    }
    free(*steps);
    *steps = NULL;
    return -1;
}
