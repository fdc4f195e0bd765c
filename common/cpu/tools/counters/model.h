/*
 * How the hardware carries out one memory instruction of a warp, as Nsight Compute counts it on
 * compute capability 7.0 and later. Addresses are in bytes, one for each lane; only those of the
 * lanes that are set in `lanes` are read. `bytes` is the width of one lane's access, 1 to 16.
 */
#ifndef CPU_TOOLS_MODEL_H
#define CPU_TOOLS_MODEL_H

#include <stdint.h>

enum { SECTOR = 32, BANKS = 32, BANK_BYTES = 4 };

/* Global memory: distinct 32-byte sectors that the lanes touch. */
unsigned model_sectors(const uint64_t *address, uint32_t lanes, unsigned bytes);

/*
 * The fewest sectors that could hold what the lanes ask for, if each asked for other bytes: at
 * least 1. With lanes that share an address model_sectors may be less.
 */
unsigned model_ideal_sectors(uint32_t lanes, unsigned bytes);

/*
 * Shared memory: passes through the 32 banks of 4 bytes. Lanes are served 32 at a time up to 4
 * bytes, 16 at a time for 8 bytes, 8 at a time for 16 bytes; a part takes as many passes as the
 * fullest bank has different words to deliver. Two wide parts are one where neighbours share an
 * address: each lane with the lane whose number differs in bit 0, or each with that in bit 1.
 * *ideal is the number of parts with active lanes, so the difference is what bank conflicts cost.
 * Source: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later; parts by
 * measurement (plots/devices/nvidia-h200/kernels.csv: pull_bodies, product_vectors).
 */
unsigned model_wavefronts(const uint64_t *address, uint32_t lanes, unsigned bytes, unsigned *ideal);

/*
 * Global memory: the quarters of a cycle that L1 takes for a load that touches so many lines of 128
 * bytes. It finds four lines in a cycle, and takes half a cycle more; or it passes through the
 * banks, as shared memory does, but never delivers more than 128 bytes in a cycle. Source: by
 * measurement (plots/devices/nvidia-h200/trials/estimate-5.txt).
 */
unsigned model_load_quarters(unsigned lines, const uint64_t *address, uint32_t lanes,
                             unsigned bytes);

/*
 * Atomics in global memory: sectors. The lanes that share an address go one after the other: each
 * time, it is the distinct sectors of the next lane of each address. Where lanes go to many
 * sectors, a GPU counts up to 2 % more, which is not modelled.
 *
 * Atomics in shared memory: passes through the banks. Each lane of the fullest bank takes one, be
 * it for the same word as another; two, with a compare-and-swap. Where all only count, the lanes of
 * one word take one together, so that it is as with a load.
 *
 * Source: measurement (plots/devices/nvidia-h200/kernels.csv: atomics).
 */
unsigned model_atomic_sectors(const uint64_t *address, uint32_t lanes, unsigned bytes);
enum atomic_form { ATOMIC_ANY, ATOMIC_SWAP, ATOMIC_COUNT };
unsigned model_atomic_wavefronts(const uint64_t *address, uint32_t lanes, unsigned bytes,
                                 enum atomic_form form);

/* Loads of constant memory: how many reads, one after the other; 0: all lanes read the same. */
unsigned model_constant_reads(const uint64_t *address, uint32_t lanes);

/* Atomics: the most lanes that go to one address. */
unsigned model_same_address(const uint64_t *address, uint32_t lanes);

#endif
