/*
 * Code that was loaded while the program ran: modules of the driver API. Each stays to the end of
 * the program. See images.c.
 */
#ifndef CPU_ENGINE_IMAGES_H
#define CPU_ENGINE_IMAGES_H

#include <stdbool.h>
#include <stdint.h>
#include "cpu/abi.h"

struct image {
    const struct image *next;
    uintptr_t start, data, end; /* code and constants, then what may be written, up to the end */
    const struct cpu_module_parts *parts;
};

/* The image that holds the address; NULL: none does. By any thread. */
const struct image *image_of(uintptr_t address);

/* How many there are: it only grows. */
unsigned image_count(void);

/* The next image to be added comes from this file; -1: from none. And that of an image that holds
 * the address, for reading; -1: none. */
void image_set_file(int file);
int image_file(uintptr_t address);

/* Puts a list of variables (variables.h) in order of address. */
void images_sort_variables(const char *const list[2]);

/* Is the address in one of these parts of the image? */
static inline bool image_part_holds(const char *const part[2], uintptr_t address)
{
    return address - (uintptr_t)part[0] < (uintptr_t)part[1] - (uintptr_t)part[0];
}

#endif
