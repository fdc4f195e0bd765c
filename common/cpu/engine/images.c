/*
 * Where loaded code lies. An image tells of itself, by a constructor that the module has
 * (libraries/module.c), and the system where the rest of it is. The list grows at its head only, so
 * that it is read without a lock.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "cpu/engine/images.h"
#include "cpu/engine/variables.h"

struct owned {
    struct image image;
    int file;
};

static _Atomic(const struct image *) first;
static atomic_uint count;
static int next_file = -1;

const struct image *image_of(uintptr_t address)
{
    const struct image *i = atomic_load(&first);

    while (i && address - i->start >= i->end - i->start)
        i = i->next;
    return i;
}

unsigned image_count(void)
{
    return atomic_load(&count);
}

void image_set_file(int file)
{
    next_file = file;
}

int image_file(uintptr_t address)
{
    const struct image *i = image_of(address);

    return i ? ((const struct owned *)i)->file : -1;
}

/* Takes the bounds of the loaded object that holds the parts. */
static int find_bounds(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct image *i = argument;
    struct image found = {.start = UINTPTR_MAX, .data = UINTPTR_MAX};

    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[k];
        uintptr_t at = info->dlpi_addr + part->p_vaddr;

        if (part->p_type != PT_LOAD)
            continue;
        if (at < found.start)
            found.start = at;
        if (part->p_flags & PF_W && at < found.data)
            found.data = at;
        if (at + part->p_memsz > found.end)
            found.end = at + part->p_memsz;
    }
    if ((uintptr_t)i->parts - found.start >= found.end - found.start)
        return 0;
    i->start = found.start;
    i->data = found.data < found.end ? found.data : found.end;
    i->end = found.end;
    return 1;
}

static int by_address(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

void images_sort_variables(const char *const list[2])
{
    if (list[0] != list[1])
        qsort((void *)(uintptr_t)list[0], (size_t)(list[1] - list[0]) / sizeof(struct variable),
              sizeof(struct variable), by_address);
}

void cpu_module_begin(const struct cpu_module_parts *parts)
{
    struct owned *o = calloc(1, sizeof(*o));

    if (!o)
        abort();
    o->image.parts = parts;
    o->file = next_file;
    if (!dl_iterate_phdr(find_bounds, &o->image))
        abort();
    images_sort_variables(parts->variables);
    o->image.next = atomic_load(&first);
    atomic_store(&first, &o->image);
    atomic_fetch_add(&count, 1);
}
