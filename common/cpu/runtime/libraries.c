/* The calls by which a library says that it works on the host with the device's memory (abi.h). */
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/library_calls.h"
#include "cpu/engine/schedule.h"
#include "cpu/runtime/host_copies.h"
#include "cpu/runtime/streams.h"

void cpu_library_begin(const char *library, const char *call)
{
    if (cpu_thread() || !library_enter())
        return;
    device_wait(cpu_current_device);
    queue_lock();
    library_note(library, call);
    queue_unlock();
}

void cpu_library_end(void)
{
    if (!cpu_thread())
        library_leave();
}

int cpu_library_range(const char *call, const void *at, size_t bytes, bool write)
{
    cudaError_t error = set_allowed(call, at, bytes);

    if (!error && write)
        notify_host_write(at, bytes);
    return error;
}
