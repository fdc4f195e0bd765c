/*
 * Launches, as the translator writes them. Those by a call stand in launch_calls.h.
 *
 * A launch has ended when its call returns, so the arguments stay where they are, on the caller's
 * stack, and all threads of the grid read the same ones. `body` and `run` are not instrumented: to
 * read an argument is no access to memory.
 */
#ifndef LAUNCH_FUNCTIONS_H
#define LAUNCH_FUNCTIONS_H

#include <tuple>
#include <utility>

#include "cpu/abi.h"
#include "launch_choice.h"

/* A launch: the kernel, where it goes, and its arguments by value, as the kernel declares them. */
template <typename... P> struct cpu_call {
    void (*kernel)(P...);
    const char *name;
    dim3 grid, dim;
    size_t shared;
    bool cooperative;
    cudaStream_t stream;
    std::tuple<P...> *arguments;

    template <size_t... I>
    __attribute__((no_sanitize("thread"))) static void run(const cpu_call *c,
                                                           std::index_sequence<I...>)
    {
        c->kernel(std::get<I>(*c->arguments)...);
    }

    __attribute__((no_sanitize("thread"))) static void body(void *call)
    {
        run((const cpu_call *)call, std::index_sequence_for<P...>());
    }

    /* The call and its arguments, one behind the other. */
    struct kept {
        cpu_call call;
        std::tuple<P...> arguments;
    };

    static void *keep(const void *call)
    {
        const cpu_call *c = (const cpu_call *)call;
        kept *copy = new kept{*c, *c->arguments};

        copy->call.arguments = &copy->arguments;
        return copy;
    }

    static void drop(void *call)
    {
        delete (kept *)call;
    }

    int give(cpu_taker *take, void *to)
    {
        return std::apply(
            [&](const auto &...values) {
                const cpu_parameter of[sizeof...(values) + 1] = {cpu_parameter_of(values)...};

                const cpu_kernel_call given = {body, this, keep, drop, of, sizeof...(values)};

                return take(to, &given);
            },
            *arguments);
    }

    static int take(void *to, const cpu_kernel_call *given)
    {
        const cpu_call *c = (const cpu_call *)to;

        return cpu_launch(
            (const void *)c->kernel, c->name, cpu_dim{c->grid.x, c->grid.y, c->grid.z},
            cpu_dim{c->dim.x, c->dim.y, c->dim.z}, c->shared, c->cooperative, given, c->stream);
    }

    cudaError_t launch()
    {
        int error = cpu_stream_takes_launch(stream);

        return (cudaError_t)(error ? error : give(take, this));
    }

    /* kernel<<<grid, dim, shared>>>(arguments): the conversions are those of a call. */
    void operator()(P... values)
    {
        std::tuple<P...> kept(values...);

        arguments = &kept;
        (void)launch(); /* the error is kept for cudaGetLastError */
    }
};

template <typename... P>
static inline cpu_call<P...> cpu_launcher(const char *name, void (*kernel)(P...), dim3 grid,
                                          dim3 dim, size_t shared = 0,
                                          cudaStream_t stream = nullptr)
{
    return cpu_call<P...>{kernel, name, grid, dim, shared, false, stream, nullptr};
}

template <typename... P, size_t... I>
static inline std::tuple<P...> cpu_unpack(void **arguments, std::index_sequence<I...>)
{
    (void)arguments; /* of a kernel without any */
    return std::tuple<P...>(*(P *)arguments[I]...);
}

/* A kernel that is known by its address alone is given arguments by pointers. */
template <typename... P>
static inline int cpu_give(void (*kernel)(P...), void **arguments, cpu_taker *take, void *to)
{
    std::tuple<P...> kept = cpu_unpack<P...>(arguments, std::index_sequence_for<P...>());
    cpu_call<P...> call{kernel, nullptr, {}, {}, 0, false, nullptr, &kept};

    return call.give(take, to);
}

/* The names of a kernel and its parameters: as cpu_bounds. */
template <auto KERNEL, typename NAMES> struct cpu_text {
    static int give(void **arguments, cpu_taker *take, void *to)
    {
        return cpu_give(KERNEL, arguments, take, to);
    }

    static const bool noted;
};
template <auto KERNEL, typename NAMES>
const bool cpu_text<KERNEL, NAMES>::noted =
    (cpu_kernel_text((const void *)KERNEL, NAMES::kernel(), NAMES::of(), give), true);

#endif
