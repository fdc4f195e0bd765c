/* Bytes between devices. See links.c. */
#ifndef CPU_TOOLS_LINKS_H
#define CPU_TOOLS_LINKS_H

#include <stdio.h>
#include "cpu/engine/observer.h"

void links_access(const struct access *a);       /* by a kernel */
void links_copy(int from, int to, size_t bytes); /* ALL_DEVICES: the host */
void links_phase(const char *name);              /* what follows is apart: cpu_device_set_phase */
void links_print(FILE *out);                     /* NULL: only forget them */

#endif
