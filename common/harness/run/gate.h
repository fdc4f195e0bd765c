/*
 * A gate before each timed run: a short kernel in each place where the run works, which ends when
 * the whole run is in the queues behind it. A run that starts on an idle device would be timed with
 * the host's launches: a small problem's time would be theirs.
 */
#ifndef GATE_H
#define GATE_H

#include "harness/kit/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed: not used yet. */
struct gate {
    volatile int *open; /* a word of the host that the kernels read */
};

/* Launch a kernel in each place. 0, or negative after one line. Nothing on the CPU device, where a
 * launch has ended when it returns. */
int gate_shut(struct gate *, const struct device_stream *places, size_t count);

/* Let them end, all at once. They end by themselves after GATE_SECONDS per place: a launch function
 * that waits for the device would wait for ever. */
void gate_open(struct gate *);

/* After the runs: give back what the gate holds. */
void gate_free(struct gate *);

/* Longer than the host needs for the launches of one run in one place. */
#define GATE_SECONDS 2e-3

#ifdef __cplusplus
}
#endif
#endif
