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

/* The size of an element of an array of T; 1 where it has none, or none is known. */
template <typename T, typename = void> struct cpu_element {
    static constexpr size_t bytes = 1;
};
template <typename T> struct cpu_element<T, decltype((void)sizeof(T))> {
    static constexpr size_t bytes = sizeof(T);
};

template <typename T> static inline cpu_parameter cpu_parameter_of(const T &value)
{
    using pointee = std::remove_pointer_t<T>;

    if constexpr (std::is_pointer_v<T> && !std::is_function_v<pointee>)
        return {(const void *)value, std::is_void_v<pointee> ? 1 : cpu_element<pointee>::bytes};
    else
        return {nullptr, 0};
}

/* call() calls the kernel, in each thread, on values that it keeps; its type is the cpu_kernel.
 * call(f) gives f these values. */
struct cpu_choice {
    const char *name;
    dim3 grid, dim;
    size_t shared;
    cudaStream_t stream;

    /* Values that a constructor copies are copied out of the thread's own memory. */
    template <typename F> __attribute__((no_sanitize("thread"))) static void body(void *call)
    {
        if constexpr (std::is_trivially_copyable_v<F>) {
            (*(const F *)call)();
        } else {
            alignas(F) char copy[sizeof(F)];

            __builtin_memcpy(copy, call, sizeof(copy));
            (*(const F *)copy)();
        }
    }

    template <typename F> static void *keep(const void *call)
    {
        return new F(*(const F *)call);
    }

    template <typename F> static void drop(void *call)
    {
        delete (F *)call;
    }

    template <typename F> void operator()(const F &call)
    {
        const void *kernel = decltype(call())::address();

        if (cpu_stream_takes_launch(stream))
            return;
        call([&](const auto &...values) {
            const cpu_parameter of[sizeof...(values) + 1] = {cpu_parameter_of(values)...};

            const cpu_kernel_call given = {body<F>, (void *)&call,    keep<F>, drop<F>,
                                           of,      sizeof...(values)};

            (void)cpu_launch(kernel, name, cpu_dim{grid.x, grid.y, grid.z},
                             cpu_dim{dim.x, dim.y, dim.z}, shared, cpu_how{}, &given, stream);
        });
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

/* The same of __cluster_dims__. */
template <auto KERNEL, unsigned X, unsigned Y = 1, unsigned Z = 1> struct cpu_cluster_dims {
    static const bool noted;
};
template <auto KERNEL, unsigned X, unsigned Y, unsigned Z>
const bool cpu_cluster_dims<KERNEL, X, Y, Z>::noted =
    (cpu_kernel_cluster((const void *)KERNEL, cpu_dim{X, Y, Z}), true);

#endif
