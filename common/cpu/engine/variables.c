/*
 * The program's __device__ and __constant__ variables, one by one, as assemble/variables.c lists
 * them in the section cpu_variables. Nothing does on a machine without that (see meson.build).
 */
#include <pthread.h>
#include <stdlib.h>
#include "cpu/engine/images.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/variables.h"

extern struct variable __start_cpu_variables[] __attribute__((weak));
extern struct variable __stop_cpu_variables[] __attribute__((weak));

/* The program's own list. */
static const char *own[2];

static void sort(void)
{
    own[0] = (const char *)__start_cpu_variables;
    own[1] = (const char *)__stop_cpu_variables;
    images_sort_variables(own);
}

const struct variable *variable_near(uintptr_t address)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct image *image = image_of(address);
    const char *const *list = image ? image->parts->variables : own;
    const struct variable *all, *v;
    size_t low = 0, high, count;

    pthread_once(&once, sort);
    all = (const struct variable *)(uintptr_t)list[0];
    count = (size_t)(list[1] - list[0]) / sizeof(*all);
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
