/*
 * What was done, by serial number. A launch has a number for each of its blocks, and new ones after
 * each grid barrier; a copy has one. Of the latest ENTRIES it is known what they were, and so
 * whether they are in order before something else: by the counts of engine/order.h. What is older
 * is taken to be. All of it is under the lock.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/check/past.h"

enum { ENTRIES = 1 << 14 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct past entries[ENTRIES]; /* in rising order of serial numbers */
static unsigned count;
static uint64_t last[MAX_ORDERED + 1]; /* of each stream: the latest operation here */

void past_add(const struct past *p, bool merged)
{
    struct past *before;

    pthread_mutex_lock(&lock);
    before = count ? &entries[count - 1] : NULL;
    last[p->stream] = p->number;
    if (merged && before && before->stream == p->stream && before->to == p->from &&
        cpu_host_after[p->stream] < before->number) {
        before->to = p->to;
        before->number = p->number;
    } else {
        if (count == ENTRIES) {
            count -= ENTRIES / 4;
            memmove(entries, entries + ENTRIES / 4, count * sizeof(*entries));
        }
        entries[count++] = *p;
    }
    pthread_mutex_unlock(&lock);
}

void past_forget(void)
{
    pthread_mutex_lock(&lock);
    count = 0;
    memcpy(last, cpu_host_after, sizeof(last));
    pthread_mutex_unlock(&lock);
}

bool past_find(uint32_t serial, struct past *found)
{
    unsigned low = 0, high;
    bool known;

    pthread_mutex_lock(&lock);
    high = count;
    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (entries[middle].from <= serial)
            low = middle + 1;
        else
            high = middle;
    }
    known = low && serial < entries[low - 1].to;
    if (known)
        *found = entries[low - 1];
    pthread_mutex_unlock(&lock);
    return known;
}

bool past_unwaited(void)
{
    for (int i = 0; i < MAX_ORDERED; i++)
        if (last[i] > cpu_host_after[i])
            return true;
    return false;
}

uint64_t past_floor(const uint64_t *after)
{
    uint64_t floor = UINT64_MAX;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < count && floor == UINT64_MAX; i++)
        if (!past_in_order(&entries[i], after))
            floor = entries[i].from;
    pthread_mutex_unlock(&lock);
    return floor;
}

const struct past *past_keep(const struct past *p)
{
    struct past *kept = malloc(sizeof(*kept));

    if (kept)
        *kept = *p;
    return kept;
}
