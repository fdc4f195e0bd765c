/* The runtime's errors, with CUDA's codes. Without an argument: those that leave the device usable.
 * With one: a failure that does not, which the program must survive. */
#include "expect.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void nothing(int *p)
{
    if (p)
        *p = 1;
}

__global__ void dynamic(int *p, int last)
{
    extern __shared__ int s[];

    s[last] = 7;
    __syncthreads();
    *p = s[last];
}

__global__ void grid_sum(int *data, int *sum)
{
    cg::grid_group grid = cg::this_grid();

    data[blockIdx.x] = 1;
    for (int round = 0; round < 3; round++) {
        grid.sync();
        int v = data[(blockIdx.x + 1) % gridDim.x];
        grid.sync();
        data[blockIdx.x] = v + 1;
    }
    grid.sync();
    if (grid.thread_rank() == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            *sum += data[i];
}

#define LAUNCH_ERROR(code, text, ...)                                                              \
    do {                                                                                           \
        nothing<<<__VA_ARGS__>>>(d);                                                               \
        expect_equal(launch_error(), code, text);                                                  \
    } while (0)

static void launches(int *d)
{
    int *p = d;

    LAUNCH_ERROR(1, "no threads: cudaErrorInvalidValue", 1, 0);
    LAUNCH_ERROR(1, "1025 threads: cudaErrorInvalidValue", 1, 1025);
    LAUNCH_ERROR(1, "33 x 32 threads", 1, dim3(33, 32));
    LAUNCH_ERROR(1, "65 threads in z", 1, dim3(1, 1, 65));
    LAUNCH_ERROR(0, "64 threads in z", 1, dim3(1, 1, 64));
    LAUNCH_ERROR(1, "no threads in y", 1, dim3(1, 0, 1));
    LAUNCH_ERROR(1, "an empty grid: cudaErrorInvalidValue", 0, 32);
    LAUNCH_ERROR(1, "an empty grid in z", dim3(1, 1, 0), 32);
    LAUNCH_ERROR(1, "65536 blocks in y", dim3(1, 65536), 1);
    LAUNCH_ERROR(1, "a negative number of blocks", -1, 32);
    LAUNCH_ERROR(0, "1024 threads", 1, 1024);
    LAUNCH_ERROR(0, "48 KiB of dynamic shared memory", 1, 32, 48 * 1024);
    LAUNCH_ERROR(1, "one byte more: cudaErrorInvalidValue", 1, 32, 48 * 1024 + 1);
    dynamic<<<1, 1, 100 * 1024>>>(p, 100 * 256 - 1);
    expect_equal(launch_error(), 1, "100 KiB without leave");
    expect_equal(
        cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024), 0,
        "cudaFuncSetAttribute gives it");
    dynamic<<<1, 1, 100 * 1024>>>(p, 100 * 256 - 1);
    expect_equal(launch_error(), 0, "100 KiB with it");
    expect_equal(*on_host(p, 1), 7, "the last word of them holds its value");
    dynamic<<<1, 1, 100 * 1024 + 4>>>(p, 0);
    expect_equal(launch_error(), 1, "more than it gave");
    LAUNCH_ERROR(1, "leave for one kernel is none for another", 1, 32, 100 * 1024);
    expect_equal(
        cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20), 1,
        "cudaFuncSetAttribute of more than there is");
    expect_equal(cudaGetLastError(), 1, "and it is the last error");
    expect_equal(cudaGetLastError(), 0, "which is told once");
    nothing<<<1, 0>>>(d);
    expect(cudaPeekAtLastError() == 1 && cudaPeekAtLastError() == 1 && cudaGetLastError() == 1,
           "cudaPeekAtLastError keeps it");
    LAUNCH_ERROR(0, "a launch after a refused one", 1, 1);
    expect(
        !strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration") &&
            !strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"),
        "names and texts of errors");
}

static void cooperative(int *d)
{
    int *data = device_array<int>(4096), blocks = 0, sms = 0;
    void *arguments[] = {&data, &d};

    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grid_sum, 1024, 0);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaMemset(d, 0, 4);
    expect_equal(
        cudaLaunchCooperativeKernel(grid_sum, dim3(blocks * sms), dim3(1024), arguments, 0, 0), 0,
        "a cooperative launch of all that fit");
    expect_equal(*on_host(d, 1), 4 * blocks * sms, "its blocks see each other's data");
    expect_equal(
        cudaLaunchCooperativeKernel(grid_sum, dim3(blocks * sms + 1), dim3(1024), arguments, 0, 0),
        720, "one block more: cudaErrorCooperativeLaunchTooLarge");
    expect_equal(launch_error(), 720, "and it is the last error");
    cudaFree(data);
}

static void memory(int *d)
{
    size_t free_bytes = 0, total = 0, before = 0;
    char *p = (char *)1, *q = NULL;
    char host[100] = "abc";

    expect_equal(cudaMalloc(&p, (size_t)1 << 60), 2,
                 "cudaMalloc of 2^60: cudaErrorMemoryAllocation");
    expect_equal(launch_error(), 2, "and it is the last error");
    cudaMemGetInfo(&before, &total);
    expect(before <= total && total > 0, "cudaMemGetInfo");
    expect_equal(cudaMalloc(&p, total + 1), 2, "cudaMalloc of one byte more than there is");
    expect_equal(cudaMalloc(&p, ~(size_t)0), 2, "cudaMalloc of 2^64 - 1");
    cudaGetLastError();
    expect_equal(cudaMalloc(&p, before / 4 * 3), 0, "cudaMalloc of three quarters of the rest");
    expect_equal(cudaMalloc(&q, before / 2), 2, "cudaMalloc of a half more");
    cudaGetLastError();
    cudaMemGetInfo(&free_bytes, &total);
    expect(free_bytes <= before - before / 4 * 3, "cudaMemGetInfo tells of it");
    expect_equal(cudaFree(p), 0, "cudaFree");
    cudaMemGetInfo(&free_bytes, &total);
    expect_equal((long long)free_bytes, (long long)before, "gives it back");
    expect_equal(cudaMalloc(&q, before / 2), 0, "and it can be had again");
    cudaFree(q);
    expect(cudaFree(p) != 0 && cudaGetLastError() != 0, "cudaFree twice");
    expect(cudaFree(host) != 0 && cudaGetLastError() != 0, "cudaFree of the host's memory");
    expect_equal(cudaFree(NULL), 0, "cudaFree of NULL");
    expect_equal(cudaMalloc(&p, 0), 0, "cudaMalloc of nothing");
    LAUNCH_ERROR(0, "a launch after all this", 1, 1);

    cudaMalloc(&p, 100);
    expect_equal(cudaMemcpy(p, host, 100, cudaMemcpyHostToDevice), 0, "a copy");
    expect_equal(cudaMemcpy(p, host, 101, cudaMemcpyHostToDevice), 1, "a copy beyond the end");
    expect_equal(cudaMemcpy(p + 50, host, 51, cudaMemcpyHostToDevice), 1, "the same from within");
    expect_equal(cudaMemcpy(host, p + 1, 100, cudaMemcpyDeviceToHost), 1, "and back");
    expect_equal(cudaMemcpy(p, host, 10, (cudaMemcpyKind)77), 21,
                 "no such direction: cudaErrorInvalidMemcpyDirection");
    expect_equal(cudaMemcpy(p, host, 10, cudaMemcpyDeviceToHost), 1, "the wrong direction, to");
    expect_equal(cudaMemcpy(host, p, 10, cudaMemcpyHostToDevice), 1, "the wrong direction, from");
    expect_equal(cudaMemcpy(host, p, 10, cudaMemcpyHostToHost), 1, "the wrong direction, host");
    expect_equal(cudaMemcpy(host + 50, host, 10, cudaMemcpyHostToDevice), 1, "both the host's");
    expect_equal(cudaMemcpy(p, host, 10, cudaMemcpyDeviceToDevice), 1,
                 "the wrong direction, device");
    expect(cudaMemcpy(p + 10, p, 10, cudaMemcpyDefault) == 0 &&
               cudaMemcpy(host + 50, p + 10, 4, cudaMemcpyDefault) == 0 &&
               !strcmp(host + 50, "abc"),
           "cudaMemcpyDefault");
    expect_equal(cudaMemcpy(p, host, 0, cudaMemcpyHostToDevice), 0, "a copy of nothing");
    expect_equal(cudaMemset(p, 1, 101), 1, "cudaMemset beyond the end");
    expect_equal(cudaMemset(host, 1, 10), 1, "cudaMemset of the host's memory");
    cudaFree(p);
    expect(cudaMemcpy(host, p, 10, cudaMemcpyDeviceToHost) != 0, "a copy from freed memory");
    cudaGetLastError();
    expect_equal(cudaSetDevice(1), 101, "there is no second device");
    cudaGetLastError();
}

static void events(int *d)
{
    cudaEvent_t a, b;
    float ms = -1;

    cudaEventCreate(&a);
    cudaEventCreate(&b);
    expect(cudaEventElapsedTime(&ms, a, b) != 0, "the time between events that were not recorded");
    cudaGetLastError();
    cudaEventRecord(a);
    nothing<<<100, 32>>>(d);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    expect(cudaEventElapsedTime(&ms, a, b) == 0 && ms > 0 && ms < 10000, "the time of a launch");
    cudaEventDestroy(a);
    cudaEventDestroy(b);
}

/* --- failures: one a process --- */

/* Half of the block waits at the barrier, the other half in a shuffle for lanes of the first. */
__global__ void barrier_and_shuffle(int *p)
{
    if (threadIdx.x % 2)
        __syncthreads();
    else
        *p = __shfl_sync(0xffffffffu, 1, 0);
}

__global__ void barrier_and_warp(int *p)
{
    if (threadIdx.x < 7)
        __syncwarp();
    else
        __syncthreads();
    *p = 1;
}

__global__ void barrier_and_spin(volatile int *p)
{
    if (threadIdx.x == 0)
        while (*p == 0)
            ;
    __syncthreads();
    *p = 1;
}

/* A barrier of blocks, made by hand: with more than are resident it cannot be passed. */
__global__ void spinning(unsigned *arrived)
{
    __shared__ int s;

    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < gridDim.x)
            ;
        s = 1;
    }
    __syncthreads();
}

__global__ void spinning_volatile(volatile unsigned *arrived)
{
    if (threadIdx.x == 0)
        atomicAdd((unsigned *)arrived, 1u);
    while (*arrived < gridDim.x)
        ;
}

__global__ void sleeping(volatile int *p)
{
    while (*p == 0)
        __nanosleep(1000);
}

__global__ void grid_missed(int *p)
{
    if (blockIdx.x)
        cg::this_grid().sync();
    else
        *p = 1;
}

__global__ void own_lock(int *lock) /* taken, and taken again */
{
    for (int i = 0; i < 2; i++)
        while (atomicCAS(lock, 0, 1))
            ;
}

__global__ void at_null(int *p)
{
    p[blockIdx.x] = 1;
}

/* At the block's barrier of this number; the second warp, and those behind it, await other numbers of
 * threads. */
__global__ void meet(unsigned number, unsigned threads, unsigned more)
{
    __barrier_sync_count(number, threads + threadIdx.x / 32 * more);
}

/* Two warps meet at two barriers, each first at another one. */
__global__ void cross()
{
    __barrier_sync_count(1 + threadIdx.x / 32, 64);
    __barrier_sync_count(2 - threadIdx.x / 32, 64);
}

/* The failure has this code, its text says so, and the device is lost, but not the program. */
static int fails(int *d, int code, const char *word, const char *what)
{
    cudaError_t error = cudaDeviceSynchronize();
    const char *text = cudaGetErrorString(error);
    char title[200];

    snprintf(title, sizeof(title), "%s: reported", what);
    expect_equal(error, code, title);
    snprintf(title, sizeof(title), "%s: its text tells of a %s", what, word);
    expect(strstr(text, word) != NULL, title);
    printf("# %s\n", text);
    snprintf(title, sizeof(title), "%s: the device stays lost", what);
    nothing<<<1, 1>>>(d);
    expect(cudaGetLastError() == code && cudaGetLastError() == code && cudaMemset(d, 0, 4) == code,
           title);
    return expect_status();
}

int main(int argc, char **argv)
{
    int *d = device_array<int>(16);
    unsigned *u = (unsigned *)d;
    const char *what = argc > 1 ? argv[1] : "";
    int host[1];

    if (!strcmp(what, "barrier-and-shuffle")) {
        barrier_and_shuffle<<<3, 64>>>(d);
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "barrier-and-warp")) {
        barrier_and_warp<<<1, 32>>>(d);
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "barrier-and-spin")) {
        barrier_and_spin<<<1, 64>>>(d);
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "resident-grid")) {
        spinning<<<32, 1024>>>(u);
        expect_equal(launch_error(), 0, "a barrier of as many blocks as are resident");
        return expect_status();
    }
    if (!strcmp(what, "too-large-grid")) {
        spinning<<<33, 1024>>>(u);
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "far-too-large-grid")) {
        spinning_volatile<<<10000, 64>>>(u);
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "sleeping")) {
        sleeping<<<4, 32>>>(d);
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "grid-barrier-missed")) {
        void *arguments[] = {&d};

        cudaLaunchCooperativeKernel(grid_missed, dim3(4), dim3(32), arguments, 0, 0);
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "not-cooperative")) {
        grid_missed<<<4, 32>>>(d);
        return fails(d, 719, "cooperative", what);
    }
    if (!strcmp(what, "barrier-number")) {
        meet<<<1, 64>>>(16, 64, 0);
        return fails(d, 719, "not 0 to 15", what);
    }
    if (!strcmp(what, "barrier-threads")) {
        meet<<<1, 64>>>(1, 33, 0);
        return fails(d, 719, "no multiple of 32", what);
    }
    if (!strcmp(what, "barrier-too-many")) {
        meet<<<1, 64>>>(1, 96, 0);
        return fails(d, 719, "more than the block has", what);
    }
    if (!strcmp(what, "barrier-differs")) {
        meet<<<1, 128>>>(1, 64, 32);
        return fails(d, 719, "different numbers of threads", what);
    }
    if (!strcmp(what, "barriers-crossed")) {
        cross<<<1, 64>>>();
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "lock-taken-twice")) {
        own_lock<<<1, 1>>>(d);
        return fails(d, 702, "deadlock", what);
    }
    if (!strcmp(what, "null")) {
        at_null<<<1, 1>>>(NULL);
        return fails(d, 700, "illegal", what);
    }
    if (!strcmp(what, "host-pointer")) {
        at_null<<<1, 1>>>(host);
        return fails(d, 700, "host's memory", what);
    }
    if (!strcmp(what, "unasked")) {
        at_null<<<1, 1>>>(NULL);
        return 0;
    }
    if (!strcmp(what, "refused")) {
        nothing<<<1, 2000>>>(d);
        return 0;
    }
    if (!strcmp(what, "read-by-host")) {
        printf("%d\n", d[0]);
        return 0;
    }
    launches(d);
    cooperative(d);
    memory(d);
    events(d);
    return expect_status();
}
