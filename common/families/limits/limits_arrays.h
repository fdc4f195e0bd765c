/*
 * What the problems of the limits family share: their arrays, and the verdict on an output of which
 * each word is known.
 */
#ifndef LIMITS_ARRAYS_H
#define LIMITS_ARRAYS_H

#include "families/limits/limits.h"
#include "harness/kit/buffer.h"

struct arrays;

/* What a run writes. */
struct output {
    /* How many outputs; NULL: one per thread. */
    size_t (*count)(const struct arrays *, const struct variant *);
    /* Whether output i, at y, is as it should be. */
    bool (*right)(const struct arrays *, const struct variant *, size_t i, const void *y);
    bool added_to; /* it is 0 before a run, and not poisoned */
};

struct arrays {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    const struct output *output;
    struct buffer x, y;
    unsigned turn; /* runs so far */
};

/* A zeroed struct of so many bytes that begins with struct arrays, for so many words of x (0: none)
 * and so many outputs of so many bytes; output may be NULL for a family with a prepare and a verify
 * of its own. NULL after one line. */
void *arrays_create(size_t room, size_t words, size_t outputs, size_t output_bytes,
                    const struct output *output);
void arrays_destroy(struct work *);

/* Take what all problems' shapes have: n and the launch shape. */
void arrays_set(struct arrays *, const struct shape *);

/* A family's prepare and verify (see struct family_work): of the outputs that struct output
 * describes. prepare counts the run, too. */
int arrays_prepare(struct work *, const struct variant *);
int arrays_verify(struct work *, const struct variant *, struct result *);

/* Before a run of a family without struct output: poison so many outputs, and count the run. */
int arrays_poison(struct arrays *, size_t outputs);

/* The verdict where so many outputs were wrong, the first of them there. */
int arrays_verdict(struct arrays *, const struct variant *, size_t outputs, size_t wrong,
                   size_t first, struct result *);

/* Threads of the grid. */
size_t arrays_threads(const struct shape *);

/* Members of struct axis: blocks for each multiprocessor. */
#define RESIDENT_AXIS(on_cpu, on_gpu)                                                              \
    .name = "resident", .option = "resident",                                                      \
    .help = "blocks for each multiprocessor, without -b (default " #on_gpu ")",                    \
    .words = "blocks of a multiprocessor", .least = 1, .most = 32, .cpu = on_cpu, .cuda = on_gpu,  \
    .test = "1 2"

/* As many blocks as the axis at this place says, on each multiprocessor, of 256 threads unless
 * given: a part of a family's default_shape. */
void arrays_resident_shape(struct shape *, size_t axis);

/* What a chain of n multiply-adds comes to; of floats, a warp's chains. */
#define CHAINS_TOGETHER 32
void chains_f32(float x[CHAINS_TOGETHER], float term, size_t n);
double chain_f64(double x, size_t n);
int32_t chain_i32(int32_t x, size_t n);

#endif
