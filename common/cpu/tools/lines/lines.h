/* Source lines and names of kernels. See lines.c; without libdw lines_unknown.c. */
#ifndef CPU_TOOLS_LINES_H
#define CPU_TOOLS_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

extern const bool lines_known; /* false: built without libdw, so no line is ever known */

/* Where a code address comes from. The string lives as long as the program. */
struct source_line {
    const char *file; /* as the step's page would name it: without folders; NULL: unknown */
    const char *path; /* one that can be opened; NULL: unknown */
    int line;         /* 0: unknown */
    bool ours;        /* the CPU device's own code */
};
struct source_line lines_find(uintptr_t site);

/* Is it a header of the system or the compiler? Here, because both forms need it. */
static inline bool lines_is_system(const char *path)
{
    return !strncmp(path, "/usr/include/", 13) || !strncmp(path, "/usr/lib/", 9);
}

/*
 * The name of a kernel: as the launch has it, unless that is an expression such as an element of a
 * table; then as the function's source has it. Not for use inside a kernel.
 */
const char *lines_kernel(const void *kernel, const char *name);

/* Does one of the kernel's arguments point to structures, such as float2? true if that is not
 * known. Not for use inside a kernel. */
bool lines_structures(const void *kernel);

#endif
