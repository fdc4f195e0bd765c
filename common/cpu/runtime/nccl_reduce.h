/* Arithmetic of NCCL's calls. See nccl_reduce.c. */
#ifndef CPU_RUNTIME_NCCL_REDUCE_H
#define CPU_RUNTIME_NCCL_REDUCE_H

#include <nccl.h>
#include <stdbool.h>

/* Bytes of an element; 0: no such type, or none that the CPU device has. */
size_t nccl_type_bytes(ncclDataType_t type);
const char *nccl_type_name(ncclDataType_t type); /* as ncclFloat32 */
bool nccl_op_known(ncclRedOp_t op);
const char *nccl_op_name(ncclRedOp_t op); /* as ncclSum */

/* to[i] = the inputs from[0][i] to from[ranks - 1][i] put together, in the order of the ranks. `to`
 * may be one of the inputs. */
void nccl_reduce(void *to, const void *const *from, int ranks, size_t count, ncclDataType_t type,
                 ncclRedOp_t op);

#endif
