/*
 * The devices: how many there are, which one the calls of a host thread mean, and whose memory the
 * kernels of each may touch. All are alike, and each is the one that is modelled (state.h). See
 * device_set.c.
 */
#ifndef CPU_ENGINE_DEVICE_SET_H
#define CPU_ENGINE_DEVICE_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_DEVICES = 16, ALL_DEVICES = -1 };

extern int cpu_devices; /* CPU_DEVICE_DEVICES in the environment; 1 without it */
extern _Thread_local int cpu_current_device; /* of this host thread; 0 at first */
extern bool cpu_runtime_begun; /* the runtime API is used: for the driver API then each device's
                                  primary context is there */

bool device_exists(int device); /* has one this number? */

/* So many from now on, 0: as the environment says. false, and nothing changed: not so many. */
bool device_set_count(int count);

/* A bit for each device whose memory kernels of this one may touch: itself, and its peers. */
uint32_t device_reach(int device);

/* May its kernels touch the peer's memory? The second says whether it changed anything. */
bool device_has_peer(int device, int peer);
bool device_set_peer(int device, int peer, bool access);
void device_forget_peers(int device); /* those that it has, and those whose peer it is */

#endif
