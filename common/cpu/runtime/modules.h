/* Modules: kernels and variables that are loaded while the program runs. See modules.c. */
#ifndef CPU_RUNTIME_MODULES_H
#define CPU_RUNTIME_MODULES_H

#include <stdbool.h>
#include <stddef.h>

struct CUfunc_st {
    struct CUfunc_st *next;
    struct CUmod_st *module;
    const void *kernel;
    char name[];
};

struct CUmod_st {
    void *handle;
    bool unloaded;
    struct CUfunc_st *functions; /* that were asked for */
};

/* Where the module has what goes by this name, and its bytes; NULL: nowhere. */
const void *module_find(const struct CUmod_st *module, const char *name, size_t *bytes);

#endif
