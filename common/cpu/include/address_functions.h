/* Which memory an address is in, for kernels. A shared address (as PTX has it) counts from the
 * start of the block's shared memory, and has the block's rank in its cluster above bit 24; global
 * and local ones are addresses as they are. */
#ifndef ADDRESS_FUNCTIONS_H
#define ADDRESS_FUNCTIONS_H

#include "cpu/abi.h"
#include "vector_types.h"

static CPU_INLINE unsigned __isShared(const void *p)
{
    return cpu_is_shared(p);
}
static CPU_INLINE unsigned __isGlobal(const void *p)
{
    return cpu_is_global(p);
}
static CPU_INLINE unsigned __isLocal(const void *p)
{
    return cpu_is_local(p);
}
static CPU_INLINE size_t __cvta_generic_to_shared(const void *p)
{
    return cpu_shared_address(p);
}
static CPU_INLINE void *__cvta_shared_to_generic(size_t address)
{
    return cpu_shared_at(address);
}
static CPU_INLINE size_t __cvta_generic_to_global(const void *p)
{
    return (size_t)p;
}
static CPU_INLINE void *__cvta_global_to_generic(size_t address)
{
    return (void *)address;
}
static CPU_INLINE size_t __cvta_generic_to_local(const void *p)
{
    return (size_t)p;
}
static CPU_INLINE void *__cvta_local_to_generic(size_t address)
{
    return (void *)address;
}

#endif
