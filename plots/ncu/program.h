/*
 * What the programs of plots/ncu/ share: kernels of the kinds that books and samples have, each
 * launched once and its result compared with the host's, so that a profiler on a GPU and the CPU
 * device's counters can be laid side by side. A program is all of its own: CUDA and the C library.
 */
#ifndef CHECK_NCU_PROGRAM_H
#define CHECK_NCU_PROGRAM_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

static int wrong; /* results */

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(3);
    }
}

/* The same numbers on every machine: a linear congruential generator. */
static unsigned random_state = 12345;

static unsigned random_bits()
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8; /* 24 bits */
}

static float random_float() /* from -1 to 1 */
{
    return (float)random_bits() / 8388608.0f - 1;
}

template <typename T> static T *host_array(size_t n)
{
    T *a = (T *)calloc(n, sizeof(T));

    if (!a)
        exit(3);
    return a;
}

static float *random_floats(size_t n)
{
    float *a = host_array<float>(n);

    for (size_t i = 0; i < n; i++)
        a[i] = random_float();
    return a;
}

template <typename T> static T *to_device(const T *a, size_t n)
{
    T *d = NULL;

    must(cudaMalloc((void **)&d, n * sizeof(T)), "cudaMalloc");
    must(cudaMemcpy(d, a, n * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return d;
}

template <typename T> static T *device_array(size_t n)
{
    T *d = NULL;

    must(cudaMalloc((void **)&d, n * sizeof(T)), "cudaMalloc");
    must(cudaMemset(d, 0, n * sizeof(T)), "cudaMemset");
    return d;
}

/* What the launch before left there. */
template <typename T> static T *from_device(const T *d, size_t n)
{
    T *a = host_array<T>(n);

    must(cudaGetLastError(), "launch");
    must(cudaDeviceSynchronize(), "kernel");
    must(cudaMemcpy(a, d, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return a;
}

/* Each of n values on the device is the host's, but for the rounding of `terms` operations. */
template <typename T>
static void expect_near(const char *what, const T *device, const T *host, size_t n, double terms)
{
    T *got = from_device(device, n);
    double largest = 0;
    size_t bad = n;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)host[i]));
    for (size_t i = n; i-- > 0;)
        if (!(fabs((double)got[i] - (double)host[i]) <= terms * ldexp(largest, -23)))
            bad = i;
    if (bad == n) {
        printf("right: %s\n", what);
    } else {
        printf("WRONG: %s: element %zu is %.9g, not %.9g\n", what, bad, (double)got[bad],
               (double)host[bad]);
        wrong++;
    }
    free(got);
}

template <typename T>
static void expect_equal(const char *what, const T *device, const T *host, size_t n)
{
    expect_near(what, device, host, n, 0);
}

#endif
