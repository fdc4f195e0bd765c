/*
 * The CPU device's settings, and the one place that switches tools on: the engine and the runtime
 * know a tool only as an observer (engine/observer.h). The host sets all of it, while no kernel
 * runs; it holds until it is set again.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/block.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/library_calls.h"
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"
#include "cpu/tools/check/check.h"
#include "cpu/tools/counters/counters.h"
#include "cpu/tools/counters/nvcc.h"
#include "cpu/tools/explore/explore.h"
#include "cpu/tools/lines/lines.h"
#include "cpu/tools/record/record.h"
#include "cpu_device.h"

static void free_block(struct block *b)
{
    counters_free_block(b);
    check_free_block(b);
}

static const char *source_line(uintptr_t site, int *line)
{
    struct source_line found = lines_find(site);

    *line = found.line;
    return found.file;
}

__attribute__((constructor)) static void begin(void)
{
    cpu_source_line = source_line;
}

int cpu_device_set_tools(unsigned tools)
{
    static struct observer on[4];
    const struct observer *chain = NULL;
    bool lines = tools & CPU_LINES, trace = tools & CPU_TRACE, record = tools & CPU_RECORD;

    if ((lines || trace || record) && !lines_known)
        return -1;
    counters_gather(lines || tools & CPU_COUNTERS, lines, trace);
    if (lines || trace || tools & CPU_COUNTERS) {
        on[0] = counters_observer;
        on[0].next = chain;
        chain = &on[0];
    }
    if (record) {
        on[3] = record_observer;
        on[3].next = chain;
        chain = &on[3];
    }
    cpu_waits_for_lanes = record ? record_waits_for_lanes : NULL;
    finding_listener = record ? &record_findings : NULL;
    if (tools & CPU_CHECK) { /* before the counters: what must not be done is not counted */
        on[1] = check_observer;
        on[1].next = chain;
        chain = &on[1];
    }
    if (tools & CPU_EXPLORE) {
        on[2] = explore_observer;
        on[2].next = chain;
        chain = &on[2];
    }
    findings_forget();
    cpu_shared_gaps = tools & CPU_CHECK;
    if (chain)
        cpu_free_block = free_block;
    cpu_observers = chain;
    return 0;
}

void cpu_device_report_libraries(FILE *out)
{
    library_report(out);
}

int cpu_device_set_nvcc(const char *path)
{
    return nvcc_read(path);
}

void cpu_device_set_steady(int steady)
{
    cpu_steady = steady;
}

void cpu_device_set_sample(unsigned long blocks)
{
    launch_set_sample(blocks);
}

unsigned long cpu_device_sampled(unsigned long *launches)
{
    uint64_t all, some = launch_sampled(&all);

    *launches = all;
    return some;
}

void cpu_device_set_progress(unsigned seconds)
{
    launch_tell_progress(seconds);
}

_Static_assert((int)CPU_DEVICE_MOST == MAX_DEVICES, "cpu_device.h says how many");

int cpu_device_set_devices(int count)
{
    return device_set_count(count) ? 0 : -1;
}

void cpu_device_set_guard(void *allocation, size_t bytes)
{
    memory_set_guard(allocation, bytes);
}

int cpu_device_set_schedule(const char *spec)
{
    char *end;

    cpu_random_order = false;
    if (!spec || !*spec)
        return 0;
    if (strncmp(spec, "random:", 7) || spec[7] < '0' || spec[7] > '9')
        return -1;
    cpu_random_seed = strtoull(spec + 7, &end, 10);
    if (*end)
        return -1;
    cpu_random_order = true;
    return 0;
}
