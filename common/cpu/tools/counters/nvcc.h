/*
 * What nvcc made of the kernels, as far as somebody read it: a table of its memory instructions by
 * kernel and source line, which common/commands/cudacpu/sass.py writes. It is read once, by the
 * host.
 */
#ifndef CPU_TOOLS_NVCC_H
#define CPU_TOOLS_NVCC_H

#include <stdbool.h>
#include "cpu/tools/counters/groups.h"
#include "cpu_device.h"

/* Of one kind at one source line of a kernel. */
struct nvcc_line {
    unsigned widths; /* the bytes of a lane that its instructions have, or'ed; 0: it has none */
    bool outside;    /* they stand outside of a loop that goes on at this line */
    unsigned
        together; /* how many of them a round of the innermost loop has, where it has the most */
};

/* What a warp executes: cycles are those that the instructions take one after the other, and those
 * that each unit of a quarter of a multiprocessor is busy with them, and L1 with accesses to local
 * memory; waits are those for such loads. 0 where the table has instructions alone. */
struct nvcc_work {
    uint64_t instructions, cycles, unit[CPU_UNITS], local_waits, local_cycles;
};

/* Requests at a line, or an if whose condition ends there, and is true, or is not. */
enum nvcc_of { OF_REQUESTS, OF_TAKEN, OF_PASSED };

/* It does so for each `per` requests of the kind at the line; per 0: once. Of a loop of the source
 * whose head ends at round_line (0: it is not known), it has that many rounds. */
struct nvcc_code {
    enum nvcc_of of;
    const char *file;
    int line;
    enum kind kind;
    struct nvcc_work work;
    unsigned per;
    int round_line;
    unsigned rounds;
};

struct nvcc_kernel;

int nvcc_read(const char *path); /* in place of what was read before; NULL: nothing. 0, or -1 with
                                    errno and nothing changed */
const struct nvcc_kernel *nvcc_kernel(const char *name); /* NULL: it is not in the table */
struct nvcc_line nvcc_line(const struct nvcc_kernel *k, const char *file, int line, enum kind kind);
unsigned nvcc_widths(const struct nvcc_kernel *k, enum kind kind); /* of all its lines, or'ed */
bool nvcc_local(const struct nvcc_kernel *k);                      /* has it local memory? */
unsigned nvcc_registers(const struct nvcc_kernel *k); /* of a thread; 0: the table has none */

/* The at-th of the kernel's, 0 what is executed once; NULL: there are no more. */
const struct nvcc_code *nvcc_code(const struct nvcc_kernel *k, unsigned at);

/* The lines that have instructions of the kind: the at-th; false: there are no more. */
bool nvcc_nth(const struct nvcc_kernel *k, enum kind kind, unsigned at, const char **file,
              int *line);

#endif
