/*
 * Products of four warps, a warpgroup, as group_tiles.h has them: the instructions, each with the
 * list of its registers.
 */
#ifndef ATTENTION_GROUP_PRODUCTS_H
#define ATTENTION_GROUP_PRODUCTS_H

#include "harness/kit/warpgroup.h"

/* Each operand must be named: the first 32 of a list, 32 more, and 24. */
#define FIRST_32                                                                                   \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NEXT_32                                                                                    \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "           \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NEXT_24                                                                                    \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "           \
    "%80, %81, %82, %83, %84, %85, %86, %87"

/* D = A B, or D = A B + D with `add`: A is 64 x 16, B 16 x 128 or 16 x 176, both in shared memory;
 * lines go along k. */
static __device__ __forceinline__ void multiply_lines(float (&d)[64], uint64_t a, uint64_t b,
                                                      bool add)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.ne.b32 add, %66, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n128k16.f32." PTX_TYPE "." PTX_TYPE
              " {" FIRST_32 NEXT_32 "}, %64, %65, add, 1, 1, 0, 0;\n"
              "}"
              : SUMS_64(0)
              : "l"(a), "l"(b), "r"((int)add));
}

static __device__ __forceinline__ void multiply_lines(float (&d)[88], uint64_t a, uint64_t b,
                                                      bool add)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.ne.b32 add, %90, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n176k16.f32." PTX_TYPE "." PTX_TYPE
              " {" FIRST_32 NEXT_32 NEXT_24 "}, %88, %89, add, 1, 1, 0, 0;\n"
              "}"
              : SUMS_64(0), SUMS_16(64), SUMS_4(80), SUMS_4(84)
              : "l"(a), "l"(b), "r"((int)add));
}

/* D = A B + D: A is 64 x 16, in registers, B 16 x 128 or 16 x 64, in shared memory, where lines
 * are rows of B. */
static __device__ __forceinline__ void multiply_rows(float (&d)[64], const unsigned (&a)[4],
                                                     uint64_t b)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.eq.b32 add, 0, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n128k16.f32." PTX_TYPE "." PTX_TYPE
              " {" FIRST_32 NEXT_32 "}, {%64, %65, %66, %67}, %68, add, 1, 1, 1;\n"
              "}"
              : SUMS_64(0)
              : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static __device__ __forceinline__ void multiply_rows(float (&d)[32], const unsigned (&a)[4],
                                                     uint64_t b)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.eq.b32 add, 0, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n64k16.f32." PTX_TYPE "." PTX_TYPE " {" FIRST_32
              "}, {%32, %33, %34, %35}, %36, add, 1, 1, 1;\n"
              "}"
              : SUMS_16(0), SUMS_16(16)
              : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#endif
