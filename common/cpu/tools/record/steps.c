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

void step_read(struct step *s, unsigned lane, const void *at, bool written)
{
    memcpy(step_value(s, lane, written), at, s->bytes);
    s->known |= 1u << lane;
}
