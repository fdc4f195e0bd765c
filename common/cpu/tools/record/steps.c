/* The steps of a recording, and the values that lanes read and wrote. See record.h. */
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/grow.h"
#include "cpu/tools/record/record.h"

struct step *record_steps;
size_t record_count;
bool record_cut;
static size_t steps_room;

static unsigned char *values;
static size_t values_count, values_room;

struct step *step_last(void)
{
    return record_count ? &record_steps[record_count - 1] : NULL;
}

struct step *step_add(struct step s)
{
    size_t bytes = 2 * (size_t)WARP * s.bytes;

    if (record_count == MOST_STEPS) {
        record_cut = true;
        return NULL;
    }
    record_steps = tools_grow(record_steps, record_count, &steps_room, sizeof(*record_steps));
    while (values_count + bytes > values_room)
        values = tools_grow(values, values_room, &values_room, 1);
    s.values = values_count;
    if (bytes)
        memset(values + values_count, 0, bytes);
    values_count += bytes;
    record_steps[record_count] = s;
    return &record_steps[record_count++];
}

unsigned char *step_value(const struct step *s, unsigned lane, bool written)
{
    return values + s->values + ((written ? WARP : 0) + lane) * s->bytes;
}

/* What a lane wrote, of the bytes from there on: 0 nothing, 1 what stands there, -1 another. */
static int lane_wrote(const struct step *s, unsigned lane, uintptr_t at, size_t bytes)
{
    uintptr_t own = (uintptr_t)s->address[lane];
    uintptr_t from = own > at ? own : at;
    uintptr_t to = own + s->bytes < at + bytes ? own + s->bytes : at + bytes;

    if (!(s->known & s->lanes & 1u << lane) || from >= to)
        return 0;
    return memcmp((const void *)from, step_value(s, lane, true) + (from - own), to - from) ? -1 : 1;
}

long step_wrote(size_t from, const void *at, size_t bytes, unsigned *lane)
{
    for (size_t i = record_count; i > from; i--) {
        const struct step *s = &record_steps[i - 1];
        int wrote = 0;

        for (unsigned k = 0; s->writes && !s->shared && k < WARP && wrote <= 0; k++) {
            int own = lane_wrote(s, k, (uintptr_t)at, bytes);

            wrote = own ? own : wrote;
            *lane = k;
        }
        if (wrote)
            return wrote > 0 ? (long)i - 1 : -1;
    }
    return -1;
}

void step_read(struct step *s, unsigned lane, const void *at, bool written)
{
    memcpy(step_value(s, lane, written), at, s->bytes);
    s->known |= 1u << lane;
}
