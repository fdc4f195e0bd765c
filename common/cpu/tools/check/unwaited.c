/*
 * Launches that the host has not waited for, by the serial numbers of their blocks. Launches of one
 * device that follow each other are one entry. Should there ever be more entries than there is room
 * for, the oldest is taken for waited for. By host threads, under the lock.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/tools/check/unwaited.h"

enum { MAX_ENTRIES = 1024 };

static struct entry {
    uint64_t from, to; /* to: of the first behind it */
    int device;
} entries[MAX_ENTRIES]; /* in rising order */
static _Atomic unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void unwaited_begin(uint64_t serial, int device)
{
    unsigned n;

    pthread_mutex_lock(&lock);
    n = atomic_load(&count);
    if (n && entries[n - 1].device == device) {
        entries[n - 1].to = UINT64_MAX;
    } else {
        if (n == MAX_ENTRIES)
            memmove(entries, entries + 1, --n * sizeof(entries[0]));
        entries[n] = (struct entry){serial, UINT64_MAX, device};
        atomic_store(&count, n + 1);
    }
    pthread_mutex_unlock(&lock);
}

void unwaited_end(uint64_t serial)
{
    unsigned n;

    pthread_mutex_lock(&lock);
    n = atomic_load(&count);
    if (n && entries[n - 1].to == UINT64_MAX) /* else another host thread has waited for it */
        entries[n - 1].to = serial;
    pthread_mutex_unlock(&lock);
}

void unwaited_synchronised(int device)
{
    unsigned kept = 0;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < atomic_load(&count); i++)
        if (device != ALL_DEVICES && entries[i].device != device)
            entries[kept++] = entries[i];
    atomic_store(&count, kept);
    pthread_mutex_unlock(&lock);
}

bool unwaited_any(void)
{
    return atomic_load(&count) > 0;
}

bool is_unwaited(uint64_t serial)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < atomic_load(&count); i++)
        found |= serial >= entries[i].from && serial < entries[i].to;
    pthread_mutex_unlock(&lock);
    return found;
}
