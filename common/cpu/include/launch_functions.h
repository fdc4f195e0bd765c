/*
 * Launches, as the translator writes them. Those by a call stand in launch_calls.h.
 *
 * A launch has ended when its call returns, so the arguments stay where they are, on the caller's
 * stack, and all threads of the grid read the same ones. `body` and `run` are not instrumented: to
 * read an argument is no access to memory.
 */
#ifndef LAUNCH_FUNCTIONS_H
#define LAUNCH_FUNCTIONS_H

#include <utility>

#include "cpu/abi.h"
#include "launch_choice.h"

/* The arguments of a kernel, by value. It stands in place of std::tuple, whose templates took the
 * compiler longer than a short kernel. */
template <size_t I, typename T> struct cpu_argument {
    T value;
};

/* Whether a parameter of this type is passed by its address, because it is copied by a constructor
 * (see vector_types.h). */
template <typename T>
constexpr bool cpu_by_address = std::is_class_v<T> && !(std::is_trivially_copy_constructible_v<T> &&
                                                        std::is_trivially_move_constructible_v<T> &&
                                                        std::is_trivially_destructible_v<T>);
template <typename T> using cpu_passed = std::conditional_t<cpu_by_address<T>, T &, T>;

template <typename I, typename... P> struct cpu_argument_list;

template <size_t... I, typename... P>
struct cpu_argument_list<std::index_sequence<I...>, P...> : cpu_argument<I, P>... {
    /* As a GPU does, without a constructor: the kernel's own copy is one of bytes. */
    __attribute__((no_sanitize("thread"))) void call(void (*kernel)(P...))
    {
        if constexpr ((cpu_by_address<P> || ...)) {
            alignas(cpu_argument_list) char copy[sizeof(cpu_argument_list)];
            cpu_argument_list *own = (cpu_argument_list *)copy;

            __builtin_memcpy(copy, this, sizeof(copy));
            ((void (*)(cpu_passed<P>...))kernel)(own->cpu_argument<I, P>::value...);
        } else {
            kernel(cpu_argument<I, P>::value...);
        }
    }

    /* What pointers to them say: arguments[i] is of the type of the parameter i. */
    static cpu_argument_list at(void **arguments)
    {
        (void)arguments; /* of a kernel without any */
        return cpu_argument_list{{*(std::remove_reference_t<P> *)arguments[I]}...};
    }

    int give(cpu_kernel_call given, cpu_taker *take, void *to) const
    {
        const cpu_parameter of[sizeof...(P) + 1] = {cpu_parameter_of(cpu_argument<I, P>::value)...};

        given.parameters = of;
        given.count = sizeof...(P);
        return take(to, &given);
    }
};

template <typename... P>
using cpu_arguments = cpu_argument_list<std::index_sequence_for<P...>, P...>;

/* A launch: the kernel, where it goes, and its arguments by value, as the kernel declares them. */
template <typename... P> struct cpu_call {
    void (*kernel)(P...);
    const char *name;
    dim3 grid, dim;
    size_t shared;
    cpu_how how;
    cudaStream_t stream;
    cpu_arguments<P...> *arguments;

    __attribute__((no_sanitize("thread"))) static void body(void *call)
    {
        const cpu_call *c = (const cpu_call *)call;

        c->arguments->call(c->kernel);
    }

    /* The call and its arguments, one behind the other. */
    struct kept {
        cpu_call call;
        cpu_arguments<P...> arguments;
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
        return arguments->give({body, this, keep, drop, nullptr, 0}, take, to);
    }

    static int take(void *to, const cpu_kernel_call *given)
    {
        const cpu_call *c = (const cpu_call *)to;

        return cpu_launch(
            (const void *)c->kernel, c->name, cpu_dim{c->grid.x, c->grid.y, c->grid.z},
            cpu_dim{c->dim.x, c->dim.y, c->dim.z}, c->shared, c->how, given, c->stream);
    }

    cudaError_t launch()
    {
        int error = cpu_stream_takes_launch(stream);

        return (cudaError_t)(error ? error : give(take, this));
    }

    /* kernel<<<grid, dim, shared>>>(arguments): the conversions are those of a call. */
    void operator()(P... values)
    {
        cpu_arguments<P...> kept{{values}...};

        arguments = &kept;
        (void)launch(); /* the error is kept for cudaGetLastError */
    }
};

template <typename... P>
static inline cpu_call<P...> cpu_launcher(const char *name, void (*kernel)(P...), dim3 grid,
                                          dim3 dim, size_t shared = 0,
                                          cudaStream_t stream = nullptr)
{
    return cpu_call<P...>{kernel, name, grid, dim, shared, {}, stream, nullptr};
}

/* A kernel that is known by its address alone is given arguments by pointers. */
template <typename... P>
static inline int cpu_give(void (*kernel)(P...), void **arguments, cpu_taker *take, void *to)
{
    cpu_arguments<P...> kept = cpu_arguments<P...>::at(arguments);
    cpu_call<P...> call{kernel, nullptr, {}, {}, 0, {}, nullptr, &kept};

    return call.give(take, to);
}

/* The names of a kernel and its parameters: as cpu_bounds. */
template <typename... P>
constexpr cpu_layout cpu_layout_of[sizeof...(P) + 1] = {{sizeof(P), alignof(P)}..., {0, 0}};

template <typename... P>
static inline void cpu_tell(void (*kernel)(P...), const char *name, const char *parameters,
                            cpu_giver *give)
{
    cpu_kernel_text((const void *)kernel, name, parameters, give, sizeof...(P),
                    cpu_layout_of<std::remove_reference_t<P>...>);
}

template <auto KERNEL, typename NAMES> struct cpu_text {
    static int give(void **arguments, cpu_taker *take, void *to)
    {
        return cpu_give(KERNEL, arguments, take, to);
    }

    static const bool noted;
};
template <auto KERNEL, typename NAMES>
const bool cpu_text<KERNEL, NAMES>::noted = (cpu_tell(KERNEL, NAMES::kernel(), NAMES::of(), give),
                                             true);

#endif
