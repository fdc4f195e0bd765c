/* How accesses of one place in the code are to be counted, where nvcc's code is known. */
#ifndef CPU_TOOLS_NVCC_SHAPE_H
#define CPU_TOOLS_NVCC_SHAPE_H

#include <stdbool.h>

struct nvcc_shape {
    unsigned widths;   /* that the source line's instructions have, or'ed; 0: it has none */
    bool join;         /* accesses side by side may be one */
    bool once;         /* of those to the same addresses only one is done */
    unsigned together; /* of the line's, how many are in flight at once; 0: not known */
    const char *file;  /* without folders; NULL: not known */
    int line;
};

#endif
