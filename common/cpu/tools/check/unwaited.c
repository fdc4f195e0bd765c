/*
 * The launches that the host has not waited for, by their serial numbers: what the host touches of
 * what they did is a finding. Of host threads, under the lock.
 */
#include <pthread.h>
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/tools/check/check.h"

/* In rising order; launches of one device that follow each other are one entry. Should there ever
 * be more entries than there is room for, the oldest is taken for waited for. */
static struct range {
    uint64_t from, to; /* to: of the first behind it */
    int device;
} ranges[1024];
static _Atomic unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void unwaited_begin(uint64_t from, int device)
{
    unsigned n;

    pthread_mutex_lock(&lock);
    n = atomic_load(&count);
    if (n && ranges[n - 1].device == device) {
        ranges[n - 1].to = UINT64_MAX;
    } else {
        if (n == sizeof(ranges) / sizeof(ranges[0]))
            memmove(ranges, ranges + 1, --n * sizeof(ranges[0]));
        ranges[n] = (struct range){from, UINT64_MAX, device};
        atomic_store(&count, n + 1);
    }
    pthread_mutex_unlock(&lock);
}

void unwaited_end(uint64_t to)
{
    pthread_mutex_lock(&lock);
    if (atomic_load(&count))
        ranges[atomic_load(&count) - 1].to = to;
    pthread_mutex_unlock(&lock);
}

void unwaited_synchronised(int device)
{
    unsigned kept = 0;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < atomic_load(&count); i++)
        if (device != ALL_DEVICES && ranges[i].device != device)
            ranges[kept++] = ranges[i];
    atomic_store(&count, kept);
    pthread_mutex_unlock(&lock);
}

bool unwaited_any(void)
{
    return atomic_load(&count);
}

bool unwaited_has(uint32_t serial)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < atomic_load(&count); i++)
        found |= serial >= ranges[i].from && serial < ranges[i].to;
    pthread_mutex_unlock(&lock);
    return found;
}
