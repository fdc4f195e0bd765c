/*
 * The segmented family's input: --flags and --values, or heads by a hash.
 */
#ifndef SEGMENTED_INPUT_H
#define SEGMENTED_INPUT_H

#include "harness/kit/prefix.h"

/* The family's parameters, in this order. */
enum { FLAGS, VALUES };

/* The family's accept: see struct family. */
int segmented_accept(const struct setting *, size_t axis[MAX_AXES], bool sized);

/* Put --values, if they are given, in the place of the first elements. 0, or BAD_DEVICE after one
 * line. */
int segmented_fill_values(struct buffer *x, const struct setting *);

/* Room for the flags of n elements and for those behind them, on host and device. 0, or BAD_DEVICE
 * after one line. */
int segmented_reserve_flags(struct buffer *flags, struct buffer *bits, size_t n);

/* Fill both with the flags of n elements, and zeros behind them: the first as --flags says, all
 * others by a hash, so that segments have `segment` elements on average. 0, or BAD_DEVICE after one
 * line. */
int segmented_fill_flags(struct buffer *flags, struct buffer *bits, size_t n, size_t segment,
                         const struct setting *);

/* The number of segments up to each of n elements, from flags on the host, to the device. 0, or
 * BAD_DEVICE after one line. */
int segmented_fill_keys(struct buffer *keys, const unsigned char *flags, size_t n);

/* Add up n elements on the host, for the spans; see spans_fill for what it returns. */
int segmented_spans_fill(struct prefix *, size_t n, const struct type *);

#endif
