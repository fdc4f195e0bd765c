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
 * What no attribute tells: the CUDA programming guide has a table of arithmetic instructions by
 * compute capability. Doubles follow from floats by an attribute.
 */
static void read_lanes(struct device *device, int ordinal)
{
    int major = attribute(cudaDevAttrComputeCapabilityMajor, ordinal, 0);
    int minor = attribute(cudaDevAttrComputeCapabilityMinor, ordinal, 0);
    int ratio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, ordinal, 0);
    int clock = attribute(cudaDevAttrClockRate, ordinal, 0); /* kHz */
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

static struct {
    struct device device;
    bool open;
    void *scratch; /* see device_scratch */
    size_t scratch_bytes;
} devices[MAX_DEVICES]; /* by ordinal */

static int first_devices; /* 0: all that there are */

int device_visible_count(void)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);

    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoDevice;
    if (error != cudaSuccess)
        return no_device(cudaGetErrorString(error));
    if (count > MAX_DEVICES)
        count = MAX_DEVICES;
    return first_devices && first_devices < count ? first_devices : count;
}

int device_use_first(int count)
{
    int there_are;

    first_devices = 0;
    there_are = count ? device_visible_count() : 0;
    if (there_are < 0)
        return there_are;
    if (count > there_are)
        return complain(BAD_USAGE, "--gpus %d: not accepted; there %s %d", count,
                        there_are == 1 ? "is" : "are", there_are);
    first_devices = count;
    return 0;
}

/* cudaSetDevice, unless it is the current one. */
static cudaError_t make_current(int ordinal)
{
    int current = 0;
    cudaError_t error = cudaGetDevice(&current);

    return error == cudaSuccess && current != ordinal ? cudaSetDevice(ordinal) : error;
}

static int find_out(struct device *device, int ordinal)
{
    struct cudaDeviceProp properties;
    int clock, width;
    cudaError_t error = make_current(ordinal);

    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&properties, ordinal);
    if (error == cudaSuccess)
        error = cudaFree(NULL); /* brings the device up: what does not work fails here */
    if (error != cudaSuccess && ordinal > 0)
        return complain(BAD_DEVICE, "device %d cannot be used: %s", ordinal,
                        cudaGetErrorString(error));
    if (error != cudaSuccess)
        return no_device(cudaGetErrorString(error));
    device->ordinal = ordinal;
    snprintf(device->name, sizeof(device->name), "%s", properties.name);
    read_versions(device);
    device->multiprocessors = attribute(cudaDevAttrMultiProcessorCount, ordinal, 1);
    device->threads_per_multiprocessor =
        attribute(cudaDevAttrMaxThreadsPerMultiProcessor, ordinal, 1024);
    device->blocks_per_multiprocessor =
        attribute(cudaDevAttrMaxBlocksPerMultiprocessor, ordinal, 16);
    device->l2_bytes = (size_t)attribute(cudaDevAttrL2CacheSize, ordinal, 0);
    clock = attribute(cudaDevAttrMemoryClockRate, ordinal, 0);      /* kHz */
    width = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal, 0); /* bits */
    read_lanes(device, ordinal);
    device->memory_bytes_per_s = clock && width ? 2e3 * clock * (width / 8.0) : NAN;
    return 0;
}

const struct device *device_open(int ordinal)
{
    int count;

    if (ordinal >= 0 && ordinal < MAX_DEVICES && devices[ordinal].open)
        return device_use(&devices[ordinal].device) == 0 ? &devices[ordinal].device : NULL;
    count = device_visible_count();
    if (count < 0)
        return NULL;
    if (ordinal < 0 || ordinal >= count) {
        complain(BAD_DEVICE, "there is no device %d; there are devices 0 to %d", ordinal,
                 count - 1);
        return NULL;
    }
    devices[ordinal].open = find_out(&devices[ordinal].device, ordinal) == 0;
    return devices[ordinal].open ? &devices[ordinal].device : NULL;
}

const struct device *device_in_use(void)
{
    int current = 0;

    if (cudaGetDevice(&current) != cudaSuccess)
        current = 0; /* opening it says why */
    return device_open(current);
}

int device_use(const struct device *device)
{
    return device ? device_check(make_current(device->ordinal)) : 0;
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

int device_scratch(void **pointer, size_t bytes)
{
    const struct device *device = device_in_use();
    int i = device ? device->ordinal : 0, status = 0;

    *pointer = NULL;
    if (!device)
        return BAD_DEVICE;
    if (devices[i].scratch_bytes < bytes) {
        device_free(devices[i].scratch);
        status = device_alloc(&devices[i].scratch, bytes, "the comparison");
        devices[i].scratch_bytes = status == 0 ? bytes : 0;
    }
    *pointer = devices[i].scratch;
    return status;
}

int device_copy(const struct device_stream *place, void *to, const void *from, size_t bytes)
{
    int status = device_use(place->device);

    if (status != 0)
        return status;
    if (!place->stream)
        return device_check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    status = device_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, place->stream));
    return status == 0 ? device_check(cudaStreamSynchronize(place->stream)) : status;
}

static int full_grid(const struct device *device, int threads)
{
    int resident = device->threads_per_multiprocessor / threads;

    if (resident > device->blocks_per_multiprocessor)
        resident = device->blocks_per_multiprocessor;
    return device->multiprocessors * (resident > 0 ? resident : 1);
}

int device_full_grid(int threads)
{
    const struct device *device = device_in_use();

    return device ? full_grid(device, threads) : 1;
}

static const struct device *device_of(const struct shape *s)
{
    return s->device ? s->device : device_in_use();
}

bool device_lacks_shared(size_t bytes, char *why, size_t room)
{
    int device = 0, most = 0;

    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
            cudaSuccess ||
        bytes <= (size_t)most)
        return false; /* without a device another line says so */
    snprintf(why, room, "a block needs %zu bytes of shared memory; this device has %d", bytes,
             most);
    return true;
}

bool device_below(int capability, char *why, size_t room)
{
    int device = 0, major = 0, minor = 0;

    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess ||
        10 * major + minor >= capability)
        return false; /* without a device another line says so */
    snprintf(why, room, "needs compute capability %d.%d; this device has %d.%d", capability / 10,
             capability % 10, major, minor);
    return true;
}

bool device_other_than(int capability, char *why, size_t room)
{
    int device = 0;

    if (device_below(capability, why, room))
        return true;
    if (cudaGetDevice(&device) != cudaSuccess || device_below(capability + 1, why, room)) {
        *why = '\0'; /* it is just that one */
        return false;
    }
    snprintf(why, room, "needs compute capability %d.%d; this device has a higher one",
             capability / 10, capability % 10);
    return true;
}

int device_to_fill(const struct shape *s)
{
    const struct device *device = device_of(s);

    return device ? device->multiprocessors : 1;
}

void device_default_shape(struct shape *s, size_t elements_per_thread)
{
    const struct device *device = device_of(s);
    size_t full, useful, tile;

    if (s->threads == 0)
        s->threads = 256;
    if (s->blocks > 0)
        return;
    full = device ? (size_t)full_grid(device, s->threads) : 1;
    tile = (size_t)s->threads * elements_per_thread;
    useful = s->n / tile + (s->n % tile != 0);
    s->blocks = (int)(useful < full ? useful : full);
    if (s->blocks == 0)
        s->blocks = 1;
}

void device_thread_per_element(struct shape *s)
{
    device_default_shape(s, 1);
}
