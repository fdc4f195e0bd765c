/*
 * Launches that must choose, as the translator writes them: of a template, of one of several
 * kernels of a name, with default arguments. And what a kernel tells of itself.
 */
#ifndef LAUNCH_CHOICE_H
#define LAUNCH_CHOICE_H

#include <type_traits>
#include "cpu/abi.h"

/* What a call would choose: a kernel. See common/cpu/translate/kernel_choice.c. */
template <auto KERNEL> struct cpu_kernel {
    static const void *address()
    {
        return (const void *)KERNEL;
    }
};

/* call() calls the kernel, in each thread, on values that it keeps; its type is the cpu_kernel. */
struct cpu_choice {
    const char *name;
    dim3 grid, dim;
    size_t shared;
    cudaStream_t stream;

    template <typename F> __attribute__((no_sanitize("thread"))) static void body(void *call)
    {
        (*(const F *)call)();
    }

    template <typename F> void operator()(const F &call)
    {
        const void *kernel = decltype(call())::address();

        if (!cpu_stream_takes_launch(stream))
            (void)cpu_launch(kernel, name, cpu_dim{grid.x, grid.y, grid.z},
                             cpu_dim{dim.x, dim.y, dim.z}, shared, false, body<F>, (void *)&call);
    }
};

static inline cpu_choice cpu_chooser(const char *name, dim3 grid, dim3 dim, size_t shared = 0,
                                     cudaStream_t stream = nullptr)
{
    return cpu_choice{name, grid, dim, shared, stream};
}

/* __launch_bounds__ of a kernel: told at the start of every program that the kernel is in. */
template <auto KERNEL, unsigned THREADS> struct cpu_bounds {
    static const bool noted;
};
template <auto KERNEL, unsigned THREADS>
const bool cpu_bounds<KERNEL, THREADS>::noted = (cpu_kernel_bounds((const void *)KERNEL, THREADS),
                                                 true);

/* Where a kernel's returns end; the same. */
template <auto KERNEL, unsigned LINE> struct cpu_returns {
    static const bool noted;
};
template <auto KERNEL, unsigned LINE>
const bool cpu_returns<KERNEL, LINE>::noted = (cpu_kernel_returns((const void *)KERNEL, LINE),
                                               true);

#endif
