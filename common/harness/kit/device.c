#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "harness/kit/device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/kit/message.h"

/* The attribute's value, or otherwise if the device does not tell. */
static int attribute(enum cudaDeviceAttr which, int device, int otherwise)
{
    int value = 0;

    if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess || value <= 0) {
        cudaGetLastError(); /* not an error of the caller's */
        return otherwise;
    }
    return value;
}

/* The runtime reports the CUDA version that a driver supports, but not the driver's own. */
static void read_driver(char *text, size_t room)
{
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    char line[256], *word, *rest = NULL;

    text[0] = '\0';
    if (!file)
        return;
    if (fgets(line, sizeof(line), file)) {
        for (word = strtok_r(line, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
            if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.')) {
                snprintf(text, room, "%.*s", (int)room - 1, word);
                break;
            }
        }
    }
    fclose(file);
}

static void read_versions(struct device *device)
{
#ifdef BACKEND_CPU
    (void)read_driver; /* neither exists */
    (void)device;
#else
    int version = 0;

    read_driver(device->driver, sizeof(device->driver));
    if (cudaRuntimeGetVersion(&version) == cudaSuccess && version > 0)
        snprintf(device->cuda, sizeof(device->cuda), "%d.%d", version / 1000, version % 1000 / 10);
#endif
}

/*
 * What no attribute tells: the CUDA programming guide has a table of arithmetic instructions by compute
 * capability. Doubles follow from floats by an attribute.
 */
static void read_lanes(struct device *device, int current)
{
    int major = attribute(cudaDevAttrComputeCapabilityMajor, current, 0);
    int minor = attribute(cudaDevAttrComputeCapabilityMinor, current, 0);
    int ratio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, current, 0);
    int clock = attribute(cudaDevAttrClockRate, current, 0); /* kHz */
    bool known = major >= 7 && major <= 12;

    device->clock_hz = clock ? 1e3 * clock : NAN;
    device->f32_lanes = !known ? 0 : major == 7 || (major == 8 && minor == 0) ? 64 : 128;
    device->f64_lanes = ratio ? device->f32_lanes / ratio : 0;
    device->i32_lanes = major >= 7 && major <= 9 ? 64 : 0;
}

static int no_device(const char *why)
{
    return complain(BAD_DEVICE, "no usable CUDA device (%s); a build with -Ddevice=cpu needs none",
                    why);
}

static int open_device(struct device *device)
{
    struct cudaDeviceProp properties;
    int count = 0, current = 0, clock, width;
    cudaError_t error = cudaGetDeviceCount(&count);

    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess)
        error = cudaGetDevice(&current);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&properties, current);
    if (error == cudaSuccess)
        error = cudaFree(NULL); /* brings the device up: what does not work fails here */
    if (error != cudaSuccess)
        return no_device(cudaGetErrorString(error));
    snprintf(device->name, sizeof(device->name), "%s", properties.name);
    read_versions(device);
    device->multiprocessors = attribute(cudaDevAttrMultiProcessorCount, current, 1);
    device->threads_per_multiprocessor =
        attribute(cudaDevAttrMaxThreadsPerMultiProcessor, current, 1024);
    device->blocks_per_multiprocessor =
        attribute(cudaDevAttrMaxBlocksPerMultiprocessor, current, 16);
    device->l2_bytes = (size_t)attribute(cudaDevAttrL2CacheSize, current, 0);
    clock = attribute(cudaDevAttrMemoryClockRate, current, 0);      /* kHz */
    width = attribute(cudaDevAttrGlobalMemoryBusWidth, current, 0); /* bits */
    read_lanes(device, current);
    device->memory_bytes_per_s = clock && width ? 2e3 * clock * (width / 8.0) : NAN;
    return 0;
}

const struct device *device_get(void)
{
    static struct device device;

    if (device.multiprocessors == 0 && open_device(&device) != 0)
        return NULL;
    return &device;
}

int device_checked(int error, const char *call)
{
    cudaError_t code = (cudaError_t)error;

    if (code == cudaSuccess)
        return 0;
    return complain(BAD_DEVICE, "%.*s failed: %s (%s)", (int)strcspn(call, "("), call,
                    cudaGetErrorString(code), cudaGetErrorName(code));
}

void *device_try_alloc(size_t bytes)
{
    void *pointer = NULL;

    if (cudaMalloc(&pointer, bytes ? bytes : 1) != cudaSuccess) {
        cudaGetLastError(); /* clear it: the next launch must not see it */
        return NULL;
    }
    return pointer;
}

int device_alloc(void **pointer, size_t bytes, const char *what)
{
    cudaError_t error = cudaMalloc(pointer, bytes ? bytes : 1);

    if (error == cudaSuccess)
        return 0;
    *pointer = NULL;
    cudaGetLastError();
    if (error != cudaErrorMemoryAllocation)
        return device_checked((int)error, "cudaMalloc");
    return complain(BAD_DEVICE,
                    "cudaMalloc failed: the device has no %.1f MiB left for %s; use a "
                    "smaller size or grid",
                    (double)bytes / 1048576, what);
}

void device_free(void *pointer)
{
    if (pointer)
        cudaFree(pointer);
}

int device_full_grid(int threads)
{
    const struct device *device = device_get();
    int resident;

    if (!device)
        return 1;
    resident = device->threads_per_multiprocessor / threads;
    if (resident > device->blocks_per_multiprocessor)
        resident = device->blocks_per_multiprocessor;
    return device->multiprocessors * (resident > 0 ? resident : 1);
}

int device_to_fill(const struct shape *s)
{
    const struct device *device = s->device ? s->device : device_get();

    return device ? device->multiprocessors : 1;
}

void device_default_shape(struct shape *s, size_t elements_a_thread)
{
    size_t full, useful, tile;

    if (s->threads == 0)
        s->threads = 256;
    if (s->blocks > 0)
        return;
    full = (size_t)device_full_grid(s->threads);
    if (device_get())
        full = full / (size_t)device_get()->multiprocessors * (size_t)device_to_fill(s);
    tile = (size_t)s->threads * elements_a_thread;
    useful = s->n / tile + (s->n % tile != 0);
    s->blocks = (int)(useful < full ? useful : full);
    if (s->blocks == 0)
        s->blocks = 1;
}

void device_thread_per_element(struct shape *s)
{
    device_default_shape(s, 1);
}
