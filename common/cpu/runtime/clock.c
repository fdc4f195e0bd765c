/*
 * clock(): CUDA's in a kernel, the C library's in host code, whose function this one takes the
 * place of in the program. A kernel's ticks are nanoseconds, those of clock64.
 */
#define _GNU_SOURCE
#include <time.h>
#include "cpu/abi.h"
#include "cpu/engine/schedule.h"

clock_t clock(void)
{
    struct timespec used;

    if (cpu_thread())
        return (clock_t)cpu_clock();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (clock_t)used.tv_sec * CLOCKS_PER_SEC +
           (clock_t)(used.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}
