/*
 * Problems that are spread over several devices: an array with a part per device, each of them a
 * struct buffer in the memory of its place, and the comparison of a part with a sum of others.
 */
#ifndef SPREAD_H
#define SPREAD_H

#include "harness/kit/buffer.h"
#include "harness/kit/ranks.h"
#include "harness/kit/worst.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MAX_SPREAD MAX_RANKS /* devices of one problem */

/* The axis of a family that works on several devices; the default is all that there are, which the
 * family's default_shape puts in. */
#define SPREAD_AXIS                                                                                \
    {                                                                                              \
        .name = "devices", .option = "devices", .help = "devices that work; without it all",       \
        .words = "devices", .least = 1, .most = MAX_SPREAD, .test = "1 2 3 4"                      \
    }

/* Entries of a table of struct launches: what families have in common whose runs move one array per
 * device. */
#define SPREAD_LAUNCHES                                                                            \
    {SWEEP | CPU_ONLY, {"--sweep 8:14 -r 3 -w 1"}},                                                \
        {SWEEP | GPU_ONLY, {"--sweep 10:28 -r 5 -w 2"}},                                           \
        {RECORD | GPU_ONLY, {"--sweep 10:30 -r 5 -w 2"}},                                          \
        {QUICK | CPU_ONLY, {"-n 1000 --devices 2 -r 3"}}, {QUICK | GPU_ONLY, {"-n 2^16 -r 3"}},    \
        {SANITIZED, {"-n 1000 --devices 1"}},                                                      \
        {CHECKED, {"-n 1000 --devices 2", "-n 1003 --devices 3 -b 2 -t 64", "-n 0 --devices 2"}},  \
    {                                                                                              \
        TESTED,                                                                                    \
        {                                                                                          \
            "-n 1003 --devices 4 -b 3 -t 32", "-n 1001 --devices 8", "-n 1001 --devices 16"        \
        }                                                                                          \
    }

/* A zeroed one is not there yet. */
struct spread {
    struct buffer part[MAX_SPREAD];
    int count; /* parts */
};

/* Whether the part of this number is this process's: all are, but with a process per device that of
 * its rank alone. Then every place is the process's own: each rank makes all inputs, for the
 * verdict, and of outputs its own. */
bool spread_is_here(int part);

/* Let each device load from and store to every other's memory. 0, or BAD_DEVICE after one line, if
 * one cannot, or if the devices are not alike: kernels that wait for one another need grids that
 * are resident on each. */
int spread_connect(const struct device_stream *places, int count);

/* For default_shape: devices that are 0 become all that there are, at most MAX_SPREAD; or one per
 * rank. */
void spread_default_devices(size_t *devices);

/* A family's calls: enough launches of a run for the time of one that moves so few bytes, an array
 * of n elements, to be that of its work, and not of the events around it. */
int spread_calls(const struct shape *);

/* A part like this buffer, in each place, of so many elements: filled with an input, another one
 * for each device, or left for outputs. 0, or BAD_DEVICE after one line. */
int spread_input(struct spread *, const struct buffer *like, const struct setting *, int count,
                 size_t elements);
int spread_output(struct spread *, const struct buffer *like, const struct setting *, int count,
                  size_t elements);

/* buffer_restore and buffer_poison for the first parts. The device of the first is the current one
 * then. 0, or BAD_DEVICE after one line. */
int spread_restore(struct spread *, int count, size_t elements, bool destroys);
int spread_poison(struct spread *, int count, size_t elements);

/* Wait until the devices of the first parts have done all that was queued; that of the first is the
 * current one then. 0, or BAD_DEVICE after one line. */
int spread_wait(const struct spread *, int count);

/* buffer_settle for the first parts. 0, or BAD_DEVICE after one line. */
int spread_settle(struct spread *, int count, const struct variant *, struct result *);

void spread_free(struct spread *);

struct CUevent_st;

/* An event without a time on the device of each of the first places; the first device is the
 * current one then. 0, or BAD_DEVICE after one line. free takes MAX_SPREAD of them, NULL where
 * there is none. */
int spread_events(struct CUevent_st **, const struct device_stream *places, int count);
void spread_events_free(struct CUevent_st **);

/* How an array of n elements lies on several devices: it is cut into chunks, and chunk c is on
 * device c % devices, there behind those that it has already. With a chunk per device these are
 * plain parts. */
struct dealt {
    int devices;
    size_t n, chunk; /* chunk: at least 1; the last one may be shorter */
};

/* Elements of a plain part: n / devices, rounded up to whole quads; the last parts are shorter, or
 * empty. */
size_t spread_share(size_t n, int devices);

/* Elements that a device has. */
size_t dealt_to(const struct dealt *, int device);

/* Queue copies of rows in the stream of a part: from where they lie a pitch apart, in memory of
 * another device, to where they follow one another from an offset on, in bytes; or the other way.
 * bytes: of a row. 0, or BAD_DEVICE after one line. */
int spread_rows(const struct buffer *part, size_t offset, void *whole, size_t bytes, size_t pitch,
                size_t rows, bool deals);

/* Copy an array that is whole on one device to the parts, or from there, behind all that is queued
 * on these devices, and wait for the end. The device of the first part is the current one then. Of
 * ranks each moves its own part. 0, or BAD_DEVICE after one line. */
int spread_deal(struct spread *parts, const struct buffer *whole, const struct dealt *);
int spread_collect(struct buffer *whole, const struct spread *parts, const struct dealt *);

/* A result that speaks of an element of what was collected speaks of that of its part. */
void spread_point(const struct spread *parts, const struct buffer *whole, const struct dealt *,
                  struct result *);

/* What the n elements of an array should be: sums of those of others, on any connected devices. */
struct spread_sum {
    const void *out;
    const void *in[MAX_SPREAD];
    int terms; /* 1 or more; of one it is a copy */
    size_t n;
    bool floats;
};

/* Compare on the device of the place, behind what is in its stream. 0, or BAD_DEVICE after one
 * line. */
int spread_compare(const struct device_stream *, const struct spread_sum *, struct worst *);

/* Compare the first elements of an output's part, and join what is found to the verdict on the
 * parts before; the first one begins it. 0, or BAD_DEVICE after one line. */
int spread_verdict(struct spread *out, int part, const struct spread_sum *, const struct variant *,
                   bool first, struct result *);

#ifdef __cplusplus
}
#endif

/* One element: terms - 1 additions, in whatever order. */
HOST_DEVICE static inline void compare_spread(struct worst *w, const struct spread_sum *s, size_t i,
                                              bool last)
{
    struct accumulator sum;
    uint32_t integers = 0;
    double least = 0; /* the bound of one element says nothing of the next one's */

    memset(&sum, 0, sizeof(sum));
    for (int k = 0; k < s->terms; k++) {
        if (s->floats)
            accumulate(&sum, ((const float *)s->in[k])[i]);
        else
            integers += ((const uint32_t *)s->in[k])[i];
    }
    if (s->floats)
        compare_f32(w, i, ((const float *)s->out)[i], false, &sum, s->terms - 1, &least, last);
    else
        compare_i32(w, i, ((const uint32_t *)s->out)[i], false, integers, last);
}

#endif
