/*
 * What a run has left in the arrays that it may write, in a file: one program runs a kernel that
 * nobody trusts, another one, which has only our own code, verifies what that handed over.
 */
#ifndef HANDED_H
#define HANDED_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct buffer;

/* Open the file, once for all runs of a process; write: else it is read. 0, or BAD_USAGE after one
 * line. */
int handed_open(const char *path, bool write);

/* What is noted from here on belongs to the next run. */
void handed_forget(void);

/* The run may write to the first bytes of this array, which stays where it is until the run's
 * output was verified. */
void handed_note(const struct buffer *, size_t bytes);

/* Append the noted arrays as they are on the device. 0, or BAD_DEVICE after one line. */
int handed_write(void);

/* Put the next run's into the noted arrays; *there is false where the file has no run, or one of
 * other arrays, and from then on. 0, or BAD_DEVICE after one line. */
int handed_read(bool *there);

#ifdef __cplusplus
}
#endif
#endif
