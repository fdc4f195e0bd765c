/*
 * What the problems of the limits family share: their arrays, and the verdict on an output of which each
 * word is known.
 */
#ifndef LIMITS_ARRAYS_H
#define LIMITS_ARRAYS_H

#include "families/limits/limits.h"
#include "harness/kit/buffer.h"

struct arrays {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    struct buffer x, y;
    unsigned turn; /* runs so far */
};

/* A zeroed struct of so many bytes that begins with struct arrays, for so many words of x (0: none) and so
 * many outputs of so many bytes. NULL after one line. */
void *arrays_create(size_t room, size_t words, size_t outputs, size_t output_bytes);
void arrays_destroy(struct work *);

/* Take what all problems' shapes have: n and the launch shape. */
void arrays_set(struct arrays *, const struct shape *);

/* Before a run: poison so many outputs, or clear them, and count the run. */
int arrays_poison(struct arrays *, size_t outputs);
int arrays_clear(struct arrays *, size_t outputs);

/* Whether output i is as it should be. */
typedef bool (*right_output)(const struct arrays *, const struct variant *, size_t i,
                             const void *y);

/* Bring the outputs to the host and ask right of each. 0, or BAD_DEVICE after one line. */
int arrays_verify(struct arrays *, const struct variant *, size_t outputs, right_output right,
                  struct result *);

/* The verdict where so many outputs were wrong, the first of them there. */
int arrays_verdict(struct arrays *, const struct variant *, size_t outputs, size_t wrong,
                   size_t first, struct result *);

/* Threads of the grid. */
size_t arrays_threads(const struct shape *);

/* As many blocks as the axis at this place says, on each multiprocessor, of 256 threads unless given:
 * a part of a family's default_shape. */
void arrays_resident_shape(struct shape *, size_t axis);

/* What a chain of n multiply-adds comes to. */
float chain_f32(float x, float term, size_t n);
double chain_f64(double x, size_t n);
int32_t chain_i32(int32_t x, size_t n);

#endif
