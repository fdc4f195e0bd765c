/*
 * The devices. Their number is known before the program begins, and may change while nothing runs:
 * what belongs to a device is kept for as many as there may ever be. Host threads may change who is
 * whose peer at any time; a launch sees what holds when it begins.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cpu/engine/device_set.h"

int cpu_devices = 1;
_Thread_local int cpu_current_device;
bool cpu_runtime_begun;

static int by_environment = 1;
static _Atomic uint32_t peers[MAX_DEVICES]; /* of each: a bit for every peer */

/* Before the constructors of the program, which may call the runtime. */
__attribute__((constructor(101))) static void count_devices(void)
{
    const char *wanted = getenv("CPU_DEVICE_DEVICES");
    char *end;
    long count;

    if (!wanted || !*wanted)
        return;
    count = *wanted >= '1' && *wanted <= '9' ? strtol(wanted, &end, 10) : 0;
    if (count < 1 || count > MAX_DEVICES || *end) {
        fprintf(stderr, "CPU_DEVICE_DEVICES=%s: not accepted; accepted: 1 to %d\n", wanted,
                MAX_DEVICES);
        _exit(2);
    }
    cpu_devices = by_environment = (int)count;
}

bool device_set_count(int count)
{
    count = count ? count : by_environment;
    if (count < 1 || count > MAX_DEVICES)
        return false;
    cpu_devices = count;
    if (cpu_current_device >= count)
        cpu_current_device = 0;
    return true;
}

bool device_exists(int device)
{
    return device >= 0 && device < cpu_devices;
}

uint32_t device_reach(int device)
{
    return 1u << device | atomic_load(&peers[device]);
}

bool device_has_peer(int device, int peer)
{
    return atomic_load(&peers[device]) >> peer & 1;
}

bool device_set_peer(int device, int peer, bool access)
{
    uint32_t bit = 1u << peer;
    uint32_t old =
        access ? atomic_fetch_or(&peers[device], bit) : atomic_fetch_and(&peers[device], ~bit);

    return access != ((old & bit) != 0);
}

void device_forget_peers(int device)
{
    atomic_store(&peers[device], 0);
    for (int other = 0; other < cpu_devices; other++)
        device_set_peer(other, device, false);
}
