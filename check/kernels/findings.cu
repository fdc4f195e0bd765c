/* How often --check counts a mistake: once a program, until the tools are set anew. */
#include <cpu_device.h>
#include "expect.h"

__global__ void race(int *p)
{
    p[0] = (int)threadIdx.x;
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
    cpu_device_set_tools(0);
    expect_equal((long long)findings_of_a_launch(p), 0, "with the tool off nothing is found");
    return expect_status();
}
