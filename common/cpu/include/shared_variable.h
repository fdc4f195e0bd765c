/*
 * What a declaration of a variable in shared memory says of it, by its type. The translator writes
 * the calls.
 */
#ifndef CPU_SHARED_VARIABLE_H
#define CPU_SHARED_VARIABLE_H

#include "cpu/abi.h"

template <typename T> struct cpu_shape {
    static constexpr size_t element = sizeof(T);
    static constexpr void add(cpu_shared_variable &)
    {
    }
};

/* An array with more lengths than there is room for has elements that are arrays. */
template <typename T, size_t N> struct cpu_shape<T[N]> {
    static constexpr size_t element = cpu_shape<T>::element;
    static constexpr void add(cpu_shared_variable &v)
    {
        if (v.lengths < CPU_MOST_LENGTHS)
            v.length[v.lengths++] = N;
        else
            v.element *= N;
        cpu_shape<T>::add(v);
    }
};

template <typename T> constexpr cpu_shared_variable cpu_shared_as(const char *name)
{
    cpu_shared_variable v = {name, cpu_shape<T>::element, 0, {}};

    cpu_shape<T>::add(v);
    return v;
}

/* extern __shared__ T name[] */
template <typename T> constexpr cpu_shared_variable cpu_dynamic_as(const char *name)
{
    return cpu_shared_variable{name, sizeof(T), 1, {}};
}

#endif
