/* Devices by their numbers. See devices.c. */
#ifndef CPU_RUNTIME_DEVICES_H
#define CPU_RUNTIME_DEVICES_H

#include <stdbool.h>

bool device_exists(int device);

#endif
