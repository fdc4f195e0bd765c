/*
 * The program's __device__ and __constant__ variables, one by one, as assemble/variables.c lists
 * them in the section cpu_variables. Nothing does on a machine without that (see meson.build).
 */
#include <pthread.h>
#include <stdlib.h>
#include "cpu/engine/memory.h"
#include "cpu/engine/variables.h"

extern struct variable __start_cpu_variables[] __attribute__((weak));
extern struct variable __stop_cpu_variables[] __attribute__((weak));

static size_t count;

static int by_address(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static void sort(void)
{
    count = __start_cpu_variables ? (size_t)(__stop_cpu_variables - __start_cpu_variables) : 0;
    if (count)
        qsort(__start_cpu_variables, count, sizeof(struct variable), by_address);
}

const struct variable *variable_near(uintptr_t address)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct variable *all = __start_cpu_variables, *v;
    size_t low = 0, high;

    pthread_once(&once, sort);
    if (!count || !memory_is_placed(address))
        return NULL;
    high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (all[middle].at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    v = low ? &all[low - 1] : all;
    if (low && low < count && address >= v->at + v->bytes &&
        all[low].at - address < address - v->at - v->bytes)
        v++;
    return v;
}
