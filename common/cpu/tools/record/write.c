/* The file of a recording. docs/watch.md says what stands in it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cpu/engine/memory.h"
#include "cpu/engine/variables.h"
#include "cpu/tools/counters/model.h"
#include "cpu/tools/grow.h"
#include "cpu/tools/lines/lines.h"
#include "cpu/tools/record/record.h"

/* What is told of more than once: by number, in the order in which it first comes. */
struct place {
    const char *file;
    int line;
};
static struct place *places;
static size_t place_count, place_room;

struct area { /* an allocation, or a variable of the program */
    uintptr_t base;
    size_t bytes;
    unsigned number; /* of the allocation; 0: a variable */
    int device;
    const char *name;
};
static struct area *areas;
static size_t area_count, area_room;

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static long place_of(uintptr_t site)
{
    struct source_line found = site ? lines_find(site) : (struct source_line){0};

    if (!found.file || !found.line)
        return -1;
    for (size_t i = 0; i < place_count; i++)
        if (places[i].line == found.line && strcmp(places[i].file, found.file) == 0)
            return (long)i;
    places = tools_grow(places, place_count, &place_room, sizeof(*places));
    places[place_count] = (struct place){found.file, found.line};
    return (long)place_count++;
}

enum { NEAR = 4096 }; /* bytes past its end an access is still told as one of an allocation */

/* -1: an address that is nobody's. */
static long area_of(uint64_t address)
{
    const struct allocation *of = memory_find((uintptr_t)address);
    const struct variable *variable = variable_near((uintptr_t)address);
    struct area new = {0};

    if (memory_is_device((uintptr_t)address) && of && address - of->base < of->bytes + NEAR)
        new = (struct area){of->base, of->bytes - of->guard, of->number, of->device, ""};
    else if (variable && address - variable->at < variable->bytes)
        new = (struct area){variable->at, variable->bytes, 0, 0, variable->name};
    else
        return -1;
    for (size_t i = 0; i < area_count; i++)
        if (areas[i].base == new.base)
            return (long)i;
    areas = tools_grow(areas, area_count, &area_room, sizeof(*areas));
    areas[area_count] = new;
    return (long)area_count++;
}

static uint64_t offset_of(const struct step *s, uint64_t address)
{
    long area = s->shared ? -1 : area_of(address);

    return area < 0 ? address : address - areas[area].base;
}

/* --- a step ----------------------------------------------------------------------------------- */

static bool same_area(const struct step *s, unsigned lane, unsigned other)
{
    return s->shared ? s->owner[lane] == s->owner[other]
                     : area_of(s->address[lane]) == area_of(s->address[other]);
}

/* An area's number; shared memory by name, and of another block with that one's number. */
static void put_area(FILE *out, const struct step *s, unsigned lane)
{
    if (!s->shared)
        fprintf(out, "%ld", area_of(s->address[lane]));
    else if (s->owner[lane] == s->block)
        fputs("\"shared\"", out);
    else
        fprintf(out, "\"shared:%llu\"", (unsigned long long)s->owner[lane]);
}

/* "a": the area of all lanes, or of each. */
static void put_areas(FILE *out, const struct step *s)
{
    unsigned first = (unsigned)__builtin_ctz(s->lanes);
    bool same = true;

    for (uint32_t rest = s->lanes; rest; rest &= rest - 1)
        same &= same_area(s, (unsigned)__builtin_ctz(rest), first);
    fputs(same ? ",\"a\":" : ",\"a\":[", out);
    for (uint32_t rest = same ? 1u << first : s->lanes; rest; rest &= rest - 1) {
        put_area(out, s, (unsigned)__builtin_ctz(rest));
        if (rest & (rest - 1))
            fputc(',', out);
    }
    if (!same)
        fputc(']', out);
}

/* "o": the offset of each lane; or "f" and "d", that of the first one and so much more per lane. */
static void put_offsets(FILE *out, const struct step *s)
{
    unsigned first = (unsigned)__builtin_ctz(s->lanes);
    uint32_t others = s->lanes & (s->lanes - 1);
    long long at = (long long)offset_of(s, s->address[first]), apart = 0;
    bool even = true;

    if (others) {
        unsigned second = (unsigned)__builtin_ctz(others);

        apart = (long long)offset_of(s, s->address[second]) - at;
        even = apart % (long long)(second - first) == 0;
        apart /= (long long)(second - first);
    }
    for (uint32_t rest = s->lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        even &= (long long)offset_of(s, s->address[lane]) == at + apart * (long long)(lane - first);
    }
    if (even) {
        fprintf(out, ",\"f\":%lld,\"d\":%lld", at, apart);
        return;
    }
    fputs(",\"o\":", out);
    for (uint32_t rest = s->lanes; rest; rest &= rest - 1)
        fprintf(out, "%c%llu", rest == s->lanes ? '[' : ',',
                (unsigned long long)offset_of(s, s->address[__builtin_ctz(rest)]));
    fputc(']', out);
}

/* Does some lane reach into another block's shared memory? No counter says what that costs. */
static bool is_remote(const struct step *s)
{
    bool remote = false;

    for (uint32_t rest = s->lanes; rest; rest &= rest - 1)
        remote |= s->shared && s->owner[__builtin_ctz(rest)] != s->block;
    return remote;
}

/* "c": the wavefronts of an access to shared memory, or the sectors of one to global memory, as the
 * counters count them; "i": the fewest wavefronts, where there are more. */
static void put_cost(FILE *out, const struct step *s)
{
    enum atomic_form form = s->flags & ACCESS_SWAP    ? ATOMIC_SWAP
                            : s->flags & ACCESS_COUNT ? ATOMIC_COUNT
                                                      : ATOMIC_ANY;
    unsigned ideal = 1, cost;

    if (s->kind == STEP_ATOMIC)
        cost = (s->shared ? model_atomic_wavefronts(s->address, s->lanes, s->bytes, form)
                          : model_atomic_sectors(s->address, s->lanes, s->bytes));
    else
        cost = s->shared ? model_wavefronts(s->address, s->lanes, s->bytes, &ideal)
                         : model_sectors(s->address, s->lanes, s->bytes);
    fprintf(out, ",\"c\":%u", cost);
    if (s->shared && cost > ideal)
        fprintf(out, ",\"i\":%u", ideal);
}

/* A lane's value: words of 4 bytes, or one number where it is shorter; null: not known. */
static void put_value(FILE *out, const struct step *s, unsigned lane, bool written, unsigned bytes)
{
    const unsigned char *value = step_value(s, lane, written);
    unsigned piece = bytes < 4 ? bytes : 4;

    for (unsigned i = 0; i + piece <= bytes; i += piece) {
        uint32_t word = 0;

        memcpy(&word, value + i, piece);
        fprintf(out, s->known >> lane & 1 ? "%s%u" : "%snull", i ? "," : "", word);
    }
}

/* Of each lane, or once where all have the same. */
static void put_values(FILE *out, const struct step *s, const char *name, bool written,
                       unsigned bytes)
{
    unsigned first = (unsigned)__builtin_ctz(s->lanes);
    bool same = (s->known & s->lanes) == s->lanes;

    for (uint32_t rest = s->lanes; rest; rest &= rest - 1)
        same &= !memcmp(step_value(s, (unsigned)__builtin_ctz(rest), written),
                        step_value(s, first, written), bytes);
    fprintf(out, ",\"%s\":[", name);
    for (uint32_t rest = same ? 1u << first : s->lanes; rest; rest &= rest - 1) {
        put_value(out, s, (unsigned)__builtin_ctz(rest), written, bytes);
        if (rest & (rest - 1))
            fputc(',', out);
    }
    fputc(']', out);
}

/* Of a warp operation's 8 bytes the second half, where some lane has something there. */
static unsigned bytes_of(const struct step *s)
{
    if (s->kind != STEP_WARP)
        return s->bytes;
    for (uint32_t rest = s->lanes; rest; rest &= rest - 1)
        for (int written = 0; written < 2; written++)
            for (unsigned i = 4; i < 8; i++)
                if (step_value(s, (unsigned)__builtin_ctz(rest), written)[i])
                    return 8;
    return 4;
}

static void put_step(FILE *out, const struct step *s)
{
    static const char *const kinds[STEP_KINDS] = {"load",   "store", "atomic",   "copy", "arrive",
                                                  "warp",   "fence", "wait",     "grid", "cluster",
                                                  "object", "pass",  "together", "end",  "refused"};
    static const char *const operations[] = {[CPU_WARP_SYNC] = "sync",
                                             [CPU_WARP_SHFL] = "shfl",
                                             [CPU_WARP_SHFL_UP] = "shfl_up",
                                             [CPU_WARP_SHFL_DOWN] = "shfl_down",
                                             [CPU_WARP_SHFL_XOR] = "shfl_xor",
                                             [CPU_WARP_BALLOT] = "ballot",
                                             [CPU_WARP_ANY] = "any",
                                             [CPU_WARP_ALL] = "all",
                                             [CPU_WARP_MATCH_ANY] = "match_any",
                                             [CPU_WARP_MATCH_ALL] = "match_all",
                                             [CPU_WARP_TOGETHER] = "tensor",
                                             [CPU_WARP_ADD] = "add",
                                             [CPU_WARP_MIN_S] = "min",
                                             [CPU_WARP_MAX_S] = "max",
                                             [CPU_WARP_MIN_U] = "min",
                                             [CPU_WARP_MAX_U] = "max",
                                             [CPU_WARP_AND] = "and",
                                             [CPU_WARP_OR] = "or",
                                             [CPU_WARP_XOR] = "xor"};
    bool accesses = s->bytes && s->kind != STEP_WARP, refused = s->kind == STEP_REFUSED;
    /* What the lanes bring to a tensor core is a pointer of ours each: no value of the program. */
    bool values = s->bytes && (s->kind != STEP_WARP || (s->op && s->op != CPU_WARP_TOGETHER));
    unsigned bytes = s->kind == STEP_WARP && s->op == CPU_WARP_TOGETHER ? 4 : bytes_of(s);

    fprintf(out, "{\"k\":\"%s\",\"l\":%u,\"b\":%llu", kinds[s->kind], s->launch,
            (unsigned long long)s->block);
    if (s->lanes)
        fprintf(out, ",\"w\":%u,\"m\":%u", s->warp, s->lanes);
    if (place_of(s->site) >= 0)
        fprintf(out, ",\"p\":%ld", place_of(s->site));
    if (s->kind == STEP_WARP)
        fprintf(out, ",\"op\":\"%s\"", operations[s->op]);
    if (refused)
        fprintf(out, ",\"write\":%s", s->writes ? "true" : "false");
    if (s->bytes)
        fprintf(out, ",\"n\":%u", bytes);
    if (accesses) {
        put_areas(out, s);
        put_offsets(out, s);
    }
    if (accesses && !refused && s->bytes <= 16 && !is_remote(s))
        put_cost(out, s);
    if (values && !refused && s->kind != STEP_ARRIVE)
        put_values(out, s, "v", false, bytes);
    if (values && !refused && (s->writes || s->kind == STEP_WARP))
        put_values(out, s, "r", true, bytes);
    fputc('}', out);
}

/* --- the rest --------------------------------------------------------------------------------- */

static void put_dim(FILE *out, const char *name, struct cpu_dim d)
{
    fprintf(out, ",\"%s\":[%u,%u,%u]", name, d.x, d.y, d.z);
}

static void put_launch(FILE *out, const struct told_launch *l)
{
    fputs("{\"kernel\":", out);
    put_text(out, l->kernel);
    fputs(",\"label\":", out);
    put_text(out, l->label);
    put_dim(out, "grid", l->grid);
    put_dim(out, "block", l->dim);
    fprintf(out, ",\"failed\":%s,\"shared\":[", l->failed ? "true" : "false");
    for (unsigned i = 0; i < l->parts; i++) {
        const struct shared_part *p = &l->part[i];

        fprintf(out, "%s{\"name\":", i ? "," : "");
        put_text(out, p->name);
        fprintf(out, ",\"at\":%zu,\"bytes\":%zu,\"element\":%zu,\"lengths\":[", p->offset, p->bytes,
                p->element);
        for (unsigned k = 0; k < p->lengths; k++)
            fprintf(out, "%s%zu", k ? "," : "", p->length[k]);
        fputs("]}", out);
    }
    fputs("],\"arrays\":[", out);
    for (unsigned i = 0, told = 0; i < l->arrays; i++) {
        const struct told_array *a = &l->array[i];
        long area = area_of(a->address);

        if (area < 0)
            continue;
        fprintf(out, "%s{\"name\":", told++ ? "," : "");
        put_text(out, a->name);
        fprintf(out, ",\"area\":%ld,\"at\":%llu,\"element\":%zu}", area,
                (unsigned long long)(a->address - areas[area].base), a->element);
    }
    fputs("]}", out);
}

static void put_finding(FILE *out, const struct found *f)
{
    fprintf(out, "{\"step\":%ld,\"text\":", f->step);
    put_text(out, f->text);
    fputs(",\"threads\":[", out);
    for (unsigned i = 0; i < f->parties && i < 2; i++)
        fprintf(out, "%s[%llu,%u]", i ? "," : "", (unsigned long long)f->block[i], f->thread[i]);
    fputs("]}", out);
}

/* "step" and "lane": who wrote it; -1 and none: no step of the recording. */
static void put_wrong(FILE *out, const struct wrong_element *w)
{
    long area = w->address ? area_of(w->address) : -1;

    fprintf(out, "{\"step\":%ld,\"l\":%u", w->step, w->launch);
    if (w->step >= 0)
        fprintf(out, ",\"lane\":%u", w->lane);
    if (area >= 0)
        fprintf(out, ",\"a\":%ld,\"o\":%llu,\"n\":%zu", area,
                (unsigned long long)(w->address - areas[area].base), w->bytes);
    fputs(",\"text\":", out);
    put_text(out, w->text);
    fputc('}', out);
}

static void put_tables(FILE *out)
{
    fputs("\n],\n\"places\":[", out);
    for (size_t i = 0; i < place_count; i++) {
        fputs(i ? ",[" : "[", out);
        put_text(out, places[i].file);
        fprintf(out, ",%d]", places[i].line);
    }
    fputs("],\n\"areas\":[", out);
    for (size_t i = 0; i < area_count; i++) {
        fprintf(out, "%s{\"allocation\":%u,\"device\":%d,\"bytes\":%zu,\"name\":", i ? "," : "",
                areas[i].number, areas[i].device, areas[i].bytes);
        put_text(out, areas[i].name);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

static void put_all(FILE *out, const struct recording *r)
{
    const struct found *found = r->found;
    bool first = true;

    fprintf(out, "{\"recording\":1,\"cut\":%s,\n\"launches\":[\n", record_cut ? "true" : "false");
    for (size_t i = 0; i < r->launches; i++) {
        fputs(i ? ",\n" : "", out);
        put_launch(out, &r->launch[i]);
    }
    fputs("\n],\n\"findings\":[", out);
    for (size_t i = 0; i < r->founds; i++) {
        if (!found[i].text) /* the checks thought better of it */
            continue;
        fputs(first ? "\n" : ",\n", out);
        put_finding(out, &found[i]);
        first = false;
    }
    for (size_t i = 0; i < r->wrongs; i++) {
        fputs(i ? ",\n" : "\n],\n\"wrong\":[\n", out);
        put_wrong(out, &r->wrong[i]);
    }
    fputs("\n],\n\"steps\":[\n", out);
    for (size_t i = 0; i < record_count; i++) {
        fputs(i ? ",\n" : "", out);
        put_step(out, &record_steps[i]);
    }
    put_tables(out);
}

/* Beside it first: what was there is left as it is until all of the new one is written. */
int record_write(const char *path, const struct recording *recording)
{
    char new[4096];
    FILE *out;
    int failed;

    if (snprintf(new, sizeof(new), "%s.%d", path, (int)getpid()) >= (int)sizeof(new)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    out = fopen(new, "w");
    if (!out)
        return -1;
    put_all(out, recording);
    failed = ferror(out);
    failed |= fclose(out) != 0;
    if (!failed && rename(new, path) == 0)
        return 0;
    failed = errno;
    unlink(new);
    errno = failed;
    return -1;
}
