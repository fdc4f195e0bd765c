/*
 * For the small programs that check/cases builds: a line a case, as check/tally counts them.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static int expect_failures;

static void expect(bool good, const char *text)
{
    printf("%sok - %s\n", good ? "" : "not ", text);
    fflush(stdout);
    expect_failures += !good;
}

/* The same for a value of a whole type, with what was found. */
static void expect_equal(long long found, long long wanted, const char *text)
{
    expect(found == wanted, text);
    if (found != wanted)
        printf("# found %lld (0x%llx), expected %lld (0x%llx)\n", found, found, wanted, wanted);
}

/* The code that a launch left; cleared. */
static inline int launch_error(void)
{
    cudaDeviceSynchronize();
    return (int)cudaGetLastError();
}

/* n elements of device memory, all bytes zero. */
template <typename T> static T *device_array(size_t n)
{
    T *p = NULL;

    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess || cudaMemset(p, 0, n * sizeof(T)))
        exit(3);
    return p;
}

/* The same, copied to the host. */
template <typename T> static T *on_host(const T *device, size_t n)
{
    T *p = (T *)malloc(n * sizeof(T));

    if (!p || cudaMemcpy(p, device, n * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("not ok - copying the results: %s\n", cudaGetErrorString(cudaGetLastError()));
        exit(3);
    }
    return p;
}

static int expect_status(void)
{
    return expect_failures > 0;
}

#endif
