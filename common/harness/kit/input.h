/*
 * Inputs. The element at index i is a function of (kind, seed, i) alone, so one array, filled at
 * the largest size, serves every smaller one.
 *
 *  random   float: multiples of 2^-24, uniform in [-0.25, 0.75). Both signs occur, yet the sum of
 *           the magnitudes is only 1.25 times the sum, so the error bound is worth something.
 *           f16: multiples of 2^-11, so that none is subnormal; bf16: the float, rounded.
 *           int: all 32 bits random; sums wrap.
 *  ones     1. Any order of summation is exact up to 2^24 elements, so that one element lost or
 *           counted twice shows.
 *  ramp     i mod 1000. No power of two, so that elements a power-of-two stride apart differ; sums
 *           are exact up to 33000 elements. bf16 rounds what is above 256.
 *  exact    integers of 1 to 8, their signs random. Sums of any number up to EXACT_TERMS are exact
 *           in a float, in any order that does not depend on the signs: see input_exact.
 *  hostile  float, by seed mod 4:
 *             0  huge values (2^60 to 2^80) that cancel, tiny ones (2^-100), denormals, -0.0; up
 *                to 2^40 of them stay below 2^127 in whatever order they are added
 *             1  random with one NaN in the first 1000 elements; the sum is NaN
 *             2  random with +inf twice; the sum is +inf
 *             3  random with +inf and -inf; the sum is NaN
 *           f16: the same with magnitudes that it holds, 2^4 to 2^12, 2^-14, and subnormal ones.
 *           int: INT_MIN, INT_MAX, -1, and bit patterns; sums wrap often.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdint.h>
#include "harness/kit/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum input { INPUT_RANDOM, INPUT_ONES, INPUT_RAMP, INPUT_EXACT, INPUT_HOSTILE };

/* Their names, in this order, NULL at the end: what a family's inputs may be. */
extern const char *const input_names[];

/* 64 random bits, a function of seed and i alone: what inputs of other kinds are made of. */
uint64_t input_bits(uint64_t seed, uint64_t i);

/* Those of i = begin and on, so many, in less time than one by one. */
void input_bits_row(uint64_t *bits, uint64_t seed, uint64_t begin, size_t count);

float input_f32(enum input kind, uint64_t seed, size_t i);
int32_t input_i32(enum input kind, uint64_t seed, size_t i);

/* The bits of a f16 or bf16. */
uint16_t input_half(enum input kind, const struct type *type, uint64_t seed, size_t i);

#define EXACT_TERMS ((size_t)1 << 36)

/*
 * Whether no sum of elements of this input leaves the integers that a float holds, up to 2^24. By
 * Hoeffding's inequality a sum of m terms +-a with signs of their own is above t with a probability
 * of less than 2 exp(-t^2 / (2 m a^2)) on average over a^2 = 25.5: for t = 2^24 and m = 2^36 below
 * 1e-34, and all sums of a run together below 1e-23.
 */
bool input_exact(const struct setting *setting, size_t n);

/* What the setting's input is called here; it must be one of input_names. */
enum input input_kind(const struct setting *setting);

/* Fill x, n elements of the setting's type in host memory, with what the setting asks for: f32, f16
 * and bf16, or whole numbers of 32 bits. */
void input_fill(void *x, size_t n, const struct setting *setting);

/* The same in the memory of the place's device, queued there: on a GPU alone, and no hostile one,
 * which only the host makes. 0, or BAD_DEVICE after one line. */
int input_fill_device(const struct device_stream *place, void *x, size_t n,
                      const struct setting *setting);

#ifdef __cplusplus
}
#endif
#endif
