/*
 * cuRAND's own generators in kernels: NVIDIA's header, of which the parts for a device are taken,
 * as they are without PTX.
 */
#ifndef CPU_CURAND_KERNEL_H
#define CPU_CURAND_KERNEL_H

#include <nv/target>

#pragma push_macro("NV_IF_TARGET")
#pragma push_macro("NV_IF_ELSE_TARGET")
#undef NV_IF_TARGET
#undef NV_IF_ELSE_TARGET
#define NV_IF_TARGET(WHERE, ...) CPU_IF_##WHERE((__VA_ARGS__), ())
#define NV_IF_ELSE_TARGET(WHERE, YES, ...) CPU_IF_##WHERE((YES), (__VA_ARGS__))
#define CPU_IF_NV_IS_DEVICE(YES, NO) CPU_BY_FILE(CURAND_POISSON_H_)(YES, NO)
#define CPU_IF_NV_IS_HOST(YES, NO) CPU_BY_FILE(CURAND_POISSON_H_)(NO, YES)
#define CPU_IF_NV_PROVIDES_SM_35(YES, NO) CPU_UNWRAPPED NO
#define CPU_IF_NV_PROVIDES_SM_61(YES, NO) CPU_UNWRAPPED NO
#define CPU_UNWRAPPED(...)                                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
/* curand_poisson.h has PTX for all devices: from there on what is for the host. Until it is read,
 * the word that guards it stands for itself. */
#define CPU_BY_FILE(GUARD) CPU_BY_FILE_(GUARD)
#define CPU_BY_FILE_(GUARD) CPU_READING_##GUARD
#define CPU_READING_CURAND_POISSON_H_(YES, NO) CPU_UNWRAPPED YES
#define CPU_READING_(YES, NO) CPU_UNWRAPPED NO
#include_next <curand_kernel.h>
#pragma pop_macro("NV_IF_ELSE_TARGET")
#pragma pop_macro("NV_IF_TARGET")

#endif
