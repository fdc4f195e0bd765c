/*
 * The comparison of what limit-words has written: on a GPU a kernel, on the CPU device a loop of
 * the host.
 */
#ifndef LIMITS_WORDS_H
#define LIMITS_WORDS_H

#include "families/limits/limits.h"
#include "harness/kit/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong: how many words, and the first of them. */
struct word_difference {
    unsigned long long count, first;
};

/* Compare y, n words poisoned before: every step-th word whose whole step lies within n must be
 * word_at, all others the poison. 0, or BAD_DEVICE after one line. */
int words_compare(struct buffer *y, size_t n, size_t step, struct word_difference *);

#ifdef __cplusplus
}
#endif

/* What word i must be. */
HOST_DEVICE static inline unsigned word_wanted(size_t i, size_t n, size_t step, unsigned poison)
{
    return i % step == 0 && i / step < n / step ? word_at(i) : poison;
}

/* The sum of the first n words, modulo 2^32. */
static inline uint32_t word_sum(size_t n)
{
    size_t pairs = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1); /* 0 + 1 + ... + (n - 1) */

    return n ? (uint32_t)pairs * 2654435761u + (uint32_t)n * 12345u : 0;
}

#endif
