/*
 * Products on tensor cores by inline PTX, of f16, bf16 or tf32 with sums in f32: how the lanes of a
 * warp get their elements from shared memory, and mma.sync. Device code of hgemm and of attention.
 * It takes compute capability MMA_CAPABILITY.
 */
#ifndef MMA_H
#define MMA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/kit/element.h"
#include "harness/kit/ptx.h"

#define MMA_CAPABILITY 80
#define CHUNK ((int)(16 / sizeof(element))) /* elements that a row of ldmatrix reads */
#define LINE (8 * CHUNK)                    /* of 128 bytes, once through all banks */

/* The names that the instructions have for the types. */
#define PTX_f16 "f16"
#define PTX_bf16 "bf16"
#define PTX_TYPE ELEMENT_NAME(PTX_)

/* Four matrices of 8 x 8. Lanes 0 to 7 say where the rows of the first are, 8 to 15 those of the
 * second, and so on. Of each matrix, lane l gets elements 2 (l % 4) and the next of row l / 4. */
static __device__ __forceinline__ void load_matrices(unsigned to[4], const element *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/* The same of their transposes: elements 2 (l % 4) and the next of column l / 4. */
static __device__ __forceinline__ void load_transposed(unsigned to[4], const element *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row))
                 : "memory");
}

/* Floats count as tf32: their lowest 13 bits are ignored. Half as many of them are multiplied. */
#define PTX_f32 "tf32"
#define DEPTH_f32 "8"
#define DEPTH_f16 "16"
#define DEPTH_bf16 "16"
#define PTX_DEPTH ELEMENT_NAME(DEPTH_)

/* D = A B + D by all lanes of a warp: A is 16 x 16, B 16 x 8, D 16 x 8; of floats 16 x 8 and 8 x 8.
 */
static __device__ __forceinline__ void multiply(float d[4], const unsigned a[4],
                                                const unsigned b[2])
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k" PTX_DEPTH ".row.col.f32." PTX_TYPE "." PTX_TYPE ".f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* Is it at a multiple of so many bytes? */
static __host__ __device__ __forceinline__ bool at_multiple(const void *at, size_t bytes)
{
    return (size_t)at % bytes == 0;
}

/* The swizzle: a chunk's place in its line. Eight lines that lie together have the same chunk in
 * eight different places. */
static __device__ __forceinline__ int swizzled(int line, int chunk)
{
    return (chunk ^ line % 8) * CHUNK;
}

#endif
