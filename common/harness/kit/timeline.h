/*
 * A timeline: when each operation of a run began and ended. A launch function says what it queues,
 * and between which two events; unless a timeline is wanted (--timeline), that does nothing. Of one
 * device, a GPU: the CPU device does one operation after the other, so it has none.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* One operation is put into the stream between the two calls: number item of this row, a name that
 * stays. There is an event before it, and one behind it. */
void timeline_begin(const char *row, size_t item, struct CUstream_st *stream);
void timeline_end(struct CUstream_st *stream);

/* Or a kernel says it itself, where events would be in its way: pairs of words on the device, in
 * which operation number item leaves the nanoseconds of its begin and its end. NULL: no timeline is
 * wanted, or there is no memory. The same memory until the timeline is closed. */
unsigned long long *timeline_stamps(const char *row, size_t items);

/* When an operation began and ended: microseconds since a moment before the run, or since the first
 * stamp. It may have had to wait between its first event and its true begin: a copy, for instance,
 * for the engine, while that copies for another stream. */
struct timeline_span {
    const char *row;
    size_t item;
    double begin_us, end_us;
};

/* From here on a timeline is wanted; of what was marked before, nothing is kept. 0, or BAD_DEVICE
 * after one line; close in either case. */
int timeline_open(void);

/* When the device has done all: the spans, so many, until the timeline is closed. 0, or BAD_DEVICE
 * after one line. */
int timeline_read(const struct timeline_span **spans, size_t *count);

void timeline_close(void);

#ifdef __cplusplus
}
#endif
#endif
