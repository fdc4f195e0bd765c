/*
 * What the command line says of a product: the two scalars, how far apart rows lie, and what is in
 * the matrices.
 */
#ifndef SCALARS_H
#define SCALARS_H

#include "harness/family.h"

#define MAX_PAD 4096
#define MAX_SCALAR 1048576 /* so that no result of our inputs overflows */

enum { ALPHA, BETA, PAD, LAYOUT }; /* the parameters: the last of hgemm alone */

struct scalars {
    float alpha, beta;
    size_t pad;      /* elements between the end of a row and the next one */
    bool transposed; /* the layout is NT: B holds its transpose */
};

/* Read the parameters; without one, alpha is 1, the others 0, the layout NN. 0, or BAD_USAGE after
 * one line. */
int scalars_parse(struct scalars *, const struct setting *);

/* Fill one of the three matrices, n floats in host memory, with what the setting asks for: of
 * "hostile" seed mod 4 = 0  magnitudes from 2^-149 to 2^30, and zeros of both signs 1  a NaN in
 * every 97th element of A, an infinity in every 101st of B 2  infinities of both signs there, and
 * zeros that they meet 3  random, and a NaN in the first element of C alone and of the other kinds
 * what harness/kit/input.h says. */
enum operand { OPERAND_A, OPERAND_B, OPERAND_C };
void scalars_fill(float *x, size_t n, enum operand which, const struct setting *);

/* The same of the setting's type, f16 or bf16, whose bits go to h; x: what they stand for. Hostile
 * ones have no subnormals, for which tensor_bound does not hold. */
void scalars_fill_halves(uint16_t *h, float *x, size_t n, enum operand which,
                         const struct setting *);

/* Whether no partial sum of products of such matrices leaves the integers that a float holds. */
bool scalars_exact(const struct setting *, const struct scalars *, size_t k);

#endif
