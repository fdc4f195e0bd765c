/*
 * Matrices whose elements are moved: what is in them, and the comparison, bit by bit.
 *
 * An element's value tells its place, so no reference is kept. On a GPU the input is made, and the
 * output compared, by a kernel; on the CPU device, and for a variant on the host, by its loops.
 * Both use the functions below.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "harness/kit/buffer.h"
#include "harness/kit/opposite.h"

/* No element of the input has all bits set; see word_at. */
#define POISON 0xff
#define POISON_WORD UINT32_MAX

/* The bits of a float, another one for each index below 2^31, so that a wrong index cannot hide:
 * odd multiples are all different modulo 2^30, and bit 30 of the index is the sign. All are normal
 * numbers, which a library that multiplies by one on the way leaves as they are. */
HOST_DEVICE static inline uint32_t word_at(size_t i)
{
    uint32_t sign = (uint32_t)(i >> 30 & 1) << 31;

    return sign | (0x00800000u + ((uint32_t)i * 0x9e3779b1u & 0x3fffffffu));
}

/* The output of a run. */
struct matrix {
    size_t rows, cols;
    bool copy;     /* it should be the input, not its transpose */
    bool opposite; /* of an input with all signs turned */
};

HOST_DEVICE static inline uint32_t wanted(const struct matrix *m, size_t row, size_t col)
{
    uint32_t word = word_at(m->copy ? row * m->cols + col : col * m->rows + row);

    return m->opposite ? opposite_of(word, true) : word;
}

/* Where an output differs. */
struct difference {
    unsigned long long count; /* elements */
    unsigned long long first; /* the least index of one; ULLONG_MAX: none */
    uint32_t found;           /* what stands there */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Fill the input, n elements, on the device, and the first of them on the host. 0, or
 * BAD_DEVICE after one line. */
int matrix_fill(struct buffer *in, size_t n);

/* Compare the output on the device. 0, or BAD_DEVICE after one line. */
int matrix_compare(struct buffer *out, const struct matrix *, struct difference *);

/* Fill and compare on the host, by several threads. */
void matrix_fill_host(uint32_t *x, size_t n);
void matrix_compare_host(const uint32_t *x, const struct matrix *, struct difference *);

#ifdef __cplusplus
}
#endif
#endif
