/* Scopes and orders of memory, for <cuda/atomic>, <cuda/barrier> and the groups. */
#ifndef CUDA_SCOPES_H
#define CUDA_SCOPES_H

#include "cpu/abi.h"

namespace cuda
{
enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};

namespace std
{
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
};
}
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

namespace details
{
template <thread_scope S>
constexpr cpu_scope scope_of = S == thread_scope_block || S == thread_scope_thread ? CPU_SCOPE_BLOCK
                               : S == thread_scope_device ? CPU_SCOPE_DEVICE
                                                          : CPU_SCOPE_SYSTEM;
}
} // namespace cuda

#endif
