#include "harness/kit/guard.h"

#ifdef BACKEND_CPU
#include <cpu_device.h>

void guard_set(void *base, size_t bytes)
{
    cpu_device_set_guard(base, bytes);
}
#else
void guard_set(void *base, size_t bytes)
{
    (void)base;
    (void)bytes;
}
#endif
