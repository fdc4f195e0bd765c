/*
 * Products of four warps, a warpgroup: what hgemm-wgmma and hgemm-tma share. The instruction with
 * the list of its 128 registers, the descriptors of its operands, and the loop that brings the sums
 * to C. tensor_tile.h has what they share with hgemm-mma.
 */
#ifndef TENSOR_GROUP_H
#define TENSOR_GROUP_H

#include "families/gemm/tensor_tile.h"
#include "harness/kit/warpgroup.h"

#define GROUP_SUMS 128 /* of a lane: 64 x 256 sums over 128 threads */

/*
 * D = A B, or D = A B + D with `add`: A is 64 x 16, B 16 x 256, D 64 x 256. a, b are descriptors;
 * ROWS_OF_B: elements beside each other are of a row of B, else of a column. The warpgroup goes on
 * at once: d holds D after the wait for the product's group.
 */
template <int ROWS_OF_B>
static __device__ __forceinline__ void multiply_group(float (&d)[GROUP_SUMS], uint64_t a,
                                                      uint64_t b, bool add)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.ne.b32 add, %130, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n256k16.f32." PTX_TYPE "." PTX_TYPE " {"
              "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
              "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
              "%30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "
              "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, "
              "%58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "
              "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, "
              "%86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "
              "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
              "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "
              "%124, %125, %126, %127"
              "}, %128, %129, add, 1, 1, 0, %131;\n"
              "}"
              : SUMS_64(0), SUMS_64(64)
              : "l"(a), "l"(b), "r"((int)add), "n"(ROWS_OF_B));
}

/* Where a matrix begins in shared memory, and how its lines of 128 bytes lie: 8 lines, swizzled,
 * follow each other, and the next 8 begin 1024 bytes further. If lines go along rows of B, the next
 * 64 columns begin 64 lines further. An address has the block's rank in its cluster above. */
static __device__ __forceinline__ uint64_t descriptor(const element *start)
{
    return SWIZZLE_128 | (uint64_t)(8 * LINE * sizeof(element) / 16) << 32 |
           (uint64_t)(DEEP * LINE * sizeof(element) / 16) << 16 |
           (shared_address(start) & 0x3ffff) / 16;
}

/* Four products of the warpgroup's 64 rows, each with 16 steps along k, begin as one group. */
template <bool NT>
static __device__ __forceinline__ void begin_products(float (&sums)[GROUP_SUMS],
                                                      const struct stage *s, bool add)
{
    int row = threadIdx.x / GROUP * 64;

    fence_registers();
#pragma unroll
    for (int step = 0; step < DEEP; step += 16) {
        uint64_t a = descriptor(&s->a[row][step]);
        uint64_t b = descriptor(NT ? &s->b[0][step] : &s->b[step][0]);

        multiply_group<!NT>(sums, a, b, add || step > 0);
    }
    commit_products();
}

/* Warp w has rows 16 w to 16 w + 15 of the block's tile. Of each 8 columns a lane has elements
 * 2 (lane % 4) and the next of row lane / 4, and those of the row 8 below. */
template <int SUMS>
static __device__ __forceinline__ void store_group(const struct work &w, const float (&d)[SUMS],
                                                   size_t first_row, size_t first_col)
{
    const int wide = 2 * SUMS; /* columns: 64 rows of them are sums of 128 threads */
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, col = threadIdx.x % 4 * 2;
    int rows = left(w.m, first_row, ROWS), cols = left(w.n, first_col, wide);
    bool at_once = (size_t)w.c % sizeof(float2) == 0 && w.ldc % 2 == 0;
    float *c = w.c + (first_row + row) * w.ldc + first_col + col;

#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < wide / 8; j++)
            if (row + i * 8 < rows && col + j * 8 < cols)
                store_pair(w, c + i * 8 * w.ldc + j * 8, d[4 * j + 2 * i], d[4 * j + 2 * i + 1],
                           col + j * 8 + 1 < cols, at_once);
    }
}

#endif
