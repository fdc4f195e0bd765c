/* Launches that the host has not waited for. See unwaited.c. */
#ifndef CPU_TOOLS_CHECK_UNWAITED_H
#define CPU_TOOLS_CHECK_UNWAITED_H

#include <stdbool.h>
#include <stdint.h>

/* A launch begins on the device, whose blocks have serial numbers from this one on; and it ends,
 * where the next one's begin. One launch at a time. */
void unwaited_begin(uint64_t serial, int device);
void unwaited_end(uint64_t serial);

/* The host has waited for the device's launches, or for those of ALL_DEVICES. */
void unwaited_synchronised(int device);

bool unwaited_any(void);
bool is_unwaited(uint64_t serial); /* a block of one of these launches */

#endif
