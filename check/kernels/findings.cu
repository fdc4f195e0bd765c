/* How often --check counts a mistake: once a program, until the tools are set anew. */
#include <cpu_device.h>
#include "expect.h"

__global__ void race(int *p)
{
    p[0] = (int)threadIdx.x;
}

/* Two blocks add to a counter, block 1 last. Then block 0 resets it by a plain store. If block 0 has
 * added nothing before, that is a race. */
template <typename T> __global__ void reset(T *counter, unsigned *flags, bool adds)
{
    if (blockIdx.x == 0) {
        if (adds)
            atomicAdd(counter, (T)1);
        atomicExch(&flags[0], 1u);
        while (atomicAdd(&flags[1], 0u) == 0)
            ;
        *counter = 0;
    } else {
        while (atomicAdd(&flags[0], 0u) == 0)
            ;
        atomicAdd(counter, (T)1);
        atomicExch(&flags[1], 1u);
    }
}

template <typename T> static unsigned long findings_of_a_reset(bool adds)
{
    T *counter = device_array<T>(1);
    unsigned *flags = device_array<unsigned>(2);
    unsigned long before = cpu_device_findings();

    cpu_device_set_tools(CPU_CHECK);
    reset<T><<<2, 1>>>(counter, flags, adds);
    if (launch_error())
        exit(3);
    return cpu_device_findings() - before;
}

static unsigned long findings_of_a_launch(int *p)
{
    unsigned long before = cpu_device_findings();

    race<<<1, 64>>>(p);
    if (launch_error())
        exit(3);
    return cpu_device_findings() - before;
}

int main()
{
    int *p = device_array<int>(1);

    expect_equal((long long)findings_of_a_launch(p), 0, "without a tool nothing is found");
    cpu_device_set_tools(CPU_CHECK);
    expect_equal((long long)findings_of_a_launch(p), 1, "a race is found");
    expect_equal((long long)findings_of_a_launch(p), 0, "the same race is no news");
    cpu_device_set_tools(CPU_CHECK);
    expect_equal((long long)findings_of_a_launch(p), 1, "when the tools are set anew it is");
    expect_equal((long long)findings_of_a_reset<unsigned>(true), 0, "the last to add resets");
    expect_equal((long long)findings_of_a_reset<unsigned long long>(true), 0,
                 "the last to add resets a counter of 8 bytes");
    expect_equal((long long)findings_of_a_reset<unsigned>(false), 1, "who added nothing resets");
    expect_equal((long long)findings_of_a_reset<unsigned long long>(false), 1,
                 "who added nothing resets a counter of 8 bytes");
    cpu_device_set_tools(0);
    expect_equal((long long)findings_of_a_launch(p), 0, "with the tool off nothing is found");
    return expect_status();
}
