/* The primitives of barrier objects (mbarrier) for the CPU device. See cuda/barrier for the
 * class. */
#ifndef CUDA_AWBARRIER_PRIMITIVES_H
#define CUDA_AWBARRIER_PRIMITIVES_H

#include <cuda_runtime.h>

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

static CPU_INLINE uint32_t __mbarrier_maximum_count()
{
    return (1 << 14) - 1;
}
static CPU_INLINE void __mbarrier_init(__mbarrier_t *b, uint32_t count)
{
    cpu_object_init(b, count);
}
static CPU_INLINE void __mbarrier_inval(__mbarrier_t *b)
{
    cpu_object_end_of_life(b);
}
static CPU_INLINE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *b)
{
    return cpu_object_arrive(b, 1, CPU_ARRIVE, CPU_SCOPE_BLOCK);
}
static CPU_INLINE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *b)
{
    return cpu_object_arrive(b, 1, CPU_ARRIVE_DROP, CPU_SCOPE_BLOCK);
}
static CPU_INLINE uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    return cpu_object_pending(token);
}
static CPU_INLINE bool __mbarrier_test_wait(__mbarrier_t *b, __mbarrier_token_t token)
{
    return cpu_object_wait(b, token, CPU_SCOPE_BLOCK, CPU_TEST);
}
static CPU_INLINE bool __mbarrier_test_wait_parity(__mbarrier_t *b, bool parity)
{
    return cpu_object_wait_parity(b, parity, CPU_SCOPE_BLOCK, CPU_TEST);
}
static CPU_INLINE bool __mbarrier_try_wait(__mbarrier_t *b, __mbarrier_token_t token, uint32_t)
{
    return cpu_object_wait(b, token, CPU_SCOPE_BLOCK, CPU_TRY);
}
static CPU_INLINE bool __mbarrier_try_wait_parity(__mbarrier_t *b, bool parity, uint32_t)
{
    return cpu_object_wait_parity(b, parity, CPU_SCOPE_BLOCK, CPU_TRY);
}

#endif
