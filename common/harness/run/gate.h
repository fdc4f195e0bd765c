/*
 * A short kernel before each timed run, which ends when the whole run is in the queue behind it. A
 * run that starts on an idle device would be timed with the host's launches: a small problem's time
 * would be theirs.
 */
#ifndef GATE_H
#define GATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Launch the kernel. 0, or negative after one line. Nothing on the CPU device, where a launch has ended
 * when it returns. */
int gate_shut(void);

/* Let it end. It ends by itself after GATE_SECONDS: a launch function that waits for the device would
 * wait for ever. */
void gate_open(void);

/* Longer than the host needs for the launches of one run. */
#define GATE_SECONDS 2e-3

#ifdef __cplusplus
}
#endif
#endif
