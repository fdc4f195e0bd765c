/* Calls of libraries that run on the host. See library_calls.c. */
#ifndef CPU_ENGINE_LIBRARY_CALLS_H
#define CPU_ENGINE_LIBRARY_CALLS_H

#include <stdbool.h>
#include <stdio.h>

/* The thread of the host enters a call, or leaves it. true: one that stands in no other. */
bool library_enter(void);
void library_leave(void);

/* Is it in one? Then it may touch device memory. */
bool library_open(void);

/* One more of such calls; under the lock of the queue. The texts are not copied. */
void library_note(const char *library, const char *call);

/* A function that has other code for the device, at this line of a file, was called by it: that is
 * said of the first. */
void library_took_host(const char *file, int line);

/* A line for each library that was called since the last report. */
void library_report(FILE *out);

#endif
