/*
 * On the CPU device: nothing.
 */
#include "harness/run/gate.h"

int gate_shut(void)
{
    return 0;
}

void gate_open(void)
{
}
