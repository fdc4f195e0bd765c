/*
 * What translated code calls, in one declaration for the C of the CPU device and the C++ of a step:
 * the headers of include/ call these by CUDA's names, the compiler calls the hooks by itself. All
 * of it is defined in runtime/. The calls that a step makes by CUDA's own names stand in
 * include/cuda_runtime_api.h, the device's settings in include/cpu_device.h.
 *
 * A function without a word on it is called inside a kernel only, by the GPU thread that it serves,
 * and may let other GPU threads of the block run before it returns. An error is the value of a
 * cudaError_t, as an int, so that this header needs no other of ours.
 */
#ifndef CPU_ABI_H
#define CPU_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cpu_dim {
    unsigned x, y, z;
};

/* --- launches, by the host's thread --- */

/* What a parameter of a kernel was given, in words for --check. */
struct cpu_parameter {
    const void *pointer;
    size_t element; /* bytes of what it points to; 0: it is no pointer */
};

/* What a launch says besides its grid. */
struct cpu_how {
    bool cooperative;
    struct cpu_dim cluster; /* blocks; all 0: what the kernel says, or none */
};

/* What a launch is given. body(arguments) runs the kernel for the current thread; keep makes a copy
 * of the arguments for later, which drop gives back. */
struct cpu_kernel_call {
    void (*body)(void *arguments);
    void *arguments;
    void *(*keep)(const void *arguments);
    void (*drop)(void *kept);
    const struct cpu_parameter *parameters;
    unsigned count;
};

/* name NULL: the kernel's own, where it is known. Puts it into the stream. With one device and no
 * other stream all blocks have ended then. */
int cpu_launch(const void *kernel, const char *name, struct cpu_dim grid, struct cpu_dim dim,
               size_t shared, struct cpu_how how, const struct cpu_kernel_call *call,
               const void *stream);
/* The same of a kernel that `call` names by a pointer without a type; `name`: how. */
int cpu_launch_pointer(const char *call, const char *name, const void *kernel, struct cpu_dim grid,
                       struct cpu_dim dim, size_t shared, struct cpu_how how, void **arguments,
                       const void *stream);
const char *
cpu_first_argument(const char *arguments);       /* of a list, without a cast; kept for ever */
int cpu_stream_takes_launch(const void *stream); /* the error if it does not exist, or not on the
                                                    current device */

/* What __launch_bounds__ of a kernel says; before its first launch. */
void cpu_kernel_bounds(const void *kernel, unsigned threads);
/* And __cluster_dims__. */
void cpu_kernel_cluster(const void *kernel, struct cpu_dim blocks);

/* Makes of pointers to arguments what a launch of a kernel is given, and calls take with it. */
typedef int cpu_taker(void *to, const struct cpu_kernel_call *call);
typedef int cpu_giver(void **arguments, cpu_taker *take, void *to);

/* The bytes of a parameter, and what its address is a multiple of. */
struct cpu_layout {
    unsigned short bytes, alignment;
};

/* Its name, the names of its parameters, with commas, and how it is given arguments; so many
 * parameters, with their layout. Before its first launch. */
void cpu_kernel_text(const void *kernel, const char *name, const char *parameters, cpu_giver *give,
                     unsigned count, const struct cpu_layout *layout);

/* --- modules: kernels and variables that are loaded while the program runs --- */

/* A module's sections of variables, as memory.c and variables.c know the program's own: from, to.
 * unplaced: some of its variables lie in none of them. */
struct cpu_module_parts {
    const char *device[2], *constant[2], *managed[2], *variables[2];
    bool unplaced;
};
void cpu_module_begin(const struct cpu_module_parts *parts); /* by the module, as it is loaded */

/* Loads what ./steps/cuda -cubin or -ptx made. 0, or the driver API's error, of which
 * cuGetErrorString then knows what was wrong. */
struct CUmod_st;
int cpu_module_load(struct CUmod_st **module, const void *image);
const char *cpu_module_symbol(const struct CUmod_st *module, const char *pointer); /* the name of
                                            what a pointer of the module's points to; NULL: none */
size_t cpu_module_code(const void *image,
                       void *to); /* the machine code; its bytes. to: NULL: none */

/* A node of a graph; cudaGraphAddKernelNode. */
struct CUgraph_st;
struct CUgraphNode_st;
int cpu_graph_add_kernel(struct CUgraphNode_st **node, struct CUgraph_st *graph,
                         struct CUgraphNode_st *const *needed, size_t count, const void *kernel,
                         struct cpu_dim grid, struct cpu_dim dim, size_t shared, void **arguments);
/* The same of a node that is there. */
struct CUgraphExec_st;
int cpu_graph_change_kernel(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                            const void *kernel, struct cpu_dim grid, struct cpu_dim dim,
                            size_t shared, void **arguments);
struct cudaFuncAttributes;
int cpu_func_get_attributes(struct cudaFuncAttributes *attributes, const void *kernel);
int cpu_func_set_attribute(const void *kernel, int attribute, int value);
int cpu_occupancy(int *blocks, const void *kernel, int threads, size_t dynamic_shared);
struct cpu_cluster_question { /* of launches like this one */
    int threads;              /* a block */
    size_t dynamic_shared;
    struct cpu_dim cluster, grid;
};
int cpu_occupancy_clusters(int *clusters, const void *kernel,
                           const struct cpu_cluster_question *launch);
int cpu_occupancy_cluster_size(int *blocks, const void *kernel,
                               const struct cpu_cluster_question *launch);
void cpu_set_error(int error); /* for cudaGetLastError */

/* Symbols: a variable of the program and its size. kind: enum cudaMemcpyKind. */
int cpu_copy_to_symbol(const void *symbol, size_t size, const void *from, size_t bytes,
                       size_t offset, int kind);
int cpu_copy_from_symbol(void *to, const void *symbol, size_t size, size_t bytes, size_t offset,
                         int kind);
int cpu_symbol_address(void **pointer, const void *symbol);
int cpu_symbol_size(size_t *bytes, const void *symbol, size_t size);

/*
 * Around a call of a library that computes on the host with the device's memory: it begins when the
 * current device has done what it was given, and until its end the host's code may touch device
 * memory. The texts, its name and what is called, are not copied. In a kernel both do nothing.
 */
void cpu_library_begin(const char *library, const char *call);
void cpu_library_end(void);

/* The call is about to read or write these bytes: is it memory of the device, or what the host and
 * it share? 0, or the error. What it writes counts as written. */
int cpu_library_range(const char *call, const void *at, size_t bytes, bool write);

/* --- where a thread is; these never let another thread run --- */

/* Along one axis, because GCC makes one call of several only where the result is a number, no
 * structure; and puts it before a loop only where the call throws nothing. */
enum cpu_axis { CPU_X, CPU_Y, CPU_Z };

/* What they read, of the thread that runs. */
struct cpu_place {
    struct cpu_dim thread, block, block_dim, grid_dim;
};
unsigned cpu_thread_index(enum cpu_axis axis) __attribute__((const, nothrow));
unsigned cpu_block_index(enum cpu_axis axis) __attribute__((const, nothrow));
unsigned cpu_block_dim(enum cpu_axis axis) __attribute__((const, nothrow));
unsigned cpu_grid_dim(enum cpu_axis axis) __attribute__((const, nothrow));

/* By the host too: is this a thread of a kernel? Asked by a function, at this line, that has other
 * code for the device. */
bool cpu_on_device(const char *file, int line);

/* A variable in shared memory as its declaration has it; the address tells it from others. */
enum { CPU_MOST_LENGTHS = 4 };
struct cpu_shared_variable {
    const char *name;
    size_t element;                  /* bytes */
    unsigned lengths;                /* of its length[], the outermost first; 0: no array */
    size_t length[CPU_MOST_LENGTHS]; /* of dynamic memory 0: the launch knows */
};

/* Shared memory: the dynamic part, as that variable or NULL, and a static variable. */
void *cpu_dynamic_shared(const struct cpu_shared_variable *v) __attribute__((const, nothrow));
void *cpu_static_shared(const struct cpu_shared_variable *v, size_t bytes, size_t alignment);

/* The launch fails, with this line of text. */
void cpu_stop(const char *text) __attribute__((noreturn));

/* Which memory p is in; none of these: the host's. */
bool cpu_is_global(const void *p);
bool cpu_is_shared(const void *p);
bool cpu_is_local(const void *p);

/* --- textures and surfaces --- */

/* The channels of a texel: floats, or integers widened to 32 bits; or the bytes of a surface. */
struct cpu_texel {
    uint32_t word[4];
};
enum cpu_texture_kind { CPU_TEXTURE_1D, CPU_TEXTURE_2D, CPU_TEXTURE_3D, CPU_TEXTURE_CUBE };
struct cpu_texel cpu_texture(unsigned long long object, enum cpu_texture_kind kind, float x,
                             float y, float z, int layer); /* layer: where the array has some */
struct cpu_texel cpu_texture_fetch(unsigned long long object, int i);
struct cpu_texel cpu_texture_gather(unsigned long long object, float x, float y, int component);
struct cpu_texel cpu_surface_read(unsigned long long object, int x, int y, int z, unsigned bytes,
                                  int mode); /* x: bytes; mode: a cudaSurfaceBoundaryMode */
void cpu_surface_write(unsigned long long object, struct cpu_texel value, int x, int y, int z,
                       unsigned bytes, int mode);

/* By the host: what a reference is bound to from now on. And by who fetches: what it is bound to.
 * */
struct textureReference;
struct cudaResourceDesc;
int cpu_texture_bind(struct textureReference *reference, const struct cudaResourceDesc *resource,
                     int read_mode);
unsigned long long cpu_bound(const unsigned long long *object);

/* --- barriers, fences and time --- */

void cpu_barrier(void);
int cpu_barrier_count(int predicate);
int cpu_barrier_and(int predicate);
int cpu_barrier_or(int predicate);
void cpu_grid_barrier(void);
/* The barrier of a cluster of blocks, in its two parts. */
void cpu_cluster_arrive(bool releases);
void cpu_cluster_wait(void);

/* Where the block is in its cluster, which is the block alone in a launch without. */
bool cpu_cluster_explicit(void);          /* the launch has clusters */
struct cpu_dim cpu_cluster_dim(void);     /* blocks of a cluster */
struct cpu_dim cpu_cluster_index(void);   /* of the block in the cluster, */
struct cpu_dim cpu_cluster_in_grid(void); /* of the cluster in the grid */
unsigned cpu_cluster_rank(void);          /* of the block in the cluster */

/* What lies in that block of the cluster where the address is in the running one, or another; the
 * block whose shared memory it is in, -1: none's. An address of shared memory as PTX has it: from
 * the start of the block's, and the block's rank above bit 24. */
void *cpu_cluster_map(const void *p, unsigned rank);
int cpu_cluster_owner(const void *p);
void *cpu_shared_at(size_t address);
size_t cpu_shared_address(const void *p);

bool cpu_grid_valid(void); /* the launch is cooperative: it has a grid barrier */

/* The source line of the barrier that the thread calls next. The compiler may copy a barrier into
 * both branches before it: the line says that the copies are one. Without it they are two. */
void cpu_at_line(unsigned line);
void cpu_at_return(void);  /* it leaves the kernel before its end, or may by a goto */
void cpu_round_ends(void); /* of a loop: see runtime/rounds.c */
void cpu_branch(unsigned taken);

enum cpu_scope { CPU_SCOPE_BLOCK, CPU_SCOPE_DEVICE, CPU_SCOPE_SYSTEM };
void cpu_fence(enum cpu_scope scope); /* fence.sc */

/* Here lanes meet again that may have gone different ways: behind a statement, or a round of a
 * loop, that ends at this line; rank: from 1 on, of those that do the inner ones first. See
 * translate/meets.c. */
void cpu_meet(int line, int rank);

/* A fence of this kind. Those of an atomic operation are part of its order, see cpu_atomic_order:
 * one that releases comes before it and is of no other write, one that acquires comes behind it and
 * is of no other read; that of seq_cst is a fence. */
enum cpu_fence {
    CPU_FENCE_SC,
    CPU_FENCE_ACQ_REL,
    CPU_FENCE_OF_ATOMIC,
    CPU_FENCE_RELEASES,
    CPU_FENCE_ACQUIRES,
};
void cpu_fence_as(enum cpu_scope scope, enum cpu_fence kind);

/* The same as CPU_FENCE_ACQUIRES, behind an operation that has returned these bits. It gives them
 * back, so the caller need not keep them over the call: a loop that polls comes around with the
 * registers that it had, and --explore sees that it changes nothing. */
uint64_t cpu_acquired(enum cpu_scope scope, uint64_t bits);

/* The order of the thread's next atomic operation: a cuda::memory_order. */
void cpu_atomic_order(int order);
void cpu_nanosleep(unsigned ns);
long long cpu_clock(void); /* nanoseconds */

/* --- warp operations --- */

enum cpu_warp_op {
    CPU_WARP_SYNC,
    CPU_WARP_SHFL, /* the shuffles: lane is the source lane, the delta or the mask */
    CPU_WARP_SHFL_UP,
    CPU_WARP_SHFL_DOWN,
    CPU_WARP_SHFL_XOR,
    CPU_WARP_BALLOT, /* the votes */
    CPU_WARP_ANY,
    CPU_WARP_ALL,
    CPU_WARP_MATCH_ANY,
    CPU_WARP_MATCH_ALL,
    CPU_WARP_TOGETHER, /* of all 32 lanes: see the tensor cores below */
    CPU_WARP_ADD,      /* the reductions, all from here on: S of int, U of unsigned */
    CPU_WARP_MIN_S,
    CPU_WARP_MAX_S,
    CPU_WARP_MIN_U,
    CPU_WARP_MAX_U,
    CPU_WARP_AND,
    CPU_WARP_OR,
    CPU_WARP_XOR
};
void cpu_syncwarp(uint32_t mask);
void cpu_without_mask(void); /* the next one names none, as before CUDA 9 */
uint64_t cpu_shuffle(enum cpu_warp_op op, uint32_t mask, uint64_t value, unsigned lane,
                     unsigned width);
uint64_t cpu_vote(enum cpu_warp_op op, uint32_t mask, uint64_t value); /* and reductions */
uint64_t cpu_match_all(uint32_t mask, uint64_t value, int *predicate);
uint32_t cpu_activemask(unsigned line); /* of the source; waits for the lanes that can still come */

/* --- tensor cores, and matrices of 8 x 8 for them --- */

/*
 * What all 32 lanes of a warp do together, of PTX: mma.sync, ldmatrix, stmatrix and movmatrix. A
 * lane brings and gets registers of 32 bits, packed as PTX packs them; those that an instruction
 * does not have are 0. Structures of up to 16 bytes, so that they stay in registers on the way.
 */
struct cpu_r2 {
    uint32_t r[2];
};
struct cpu_r4 {
    uint32_t r[4];
};

/* The elements of A and B; C and D are floats, of the second one halves, of the last two ints. */
enum cpu_tensor {
    CPU_TENSOR_F16,
    CPU_TENSOR_F16_ALL,
    CPU_TENSOR_BF16,
    CPU_TENSOR_TF32, /* floats, of whose fraction 10 bits count */
    CPU_TENSOR_S8,
    CPU_TENSOR_U8
};
enum { CPU_TENSOR_DEPTH = 1 << 8, CPU_TENSOR_SATURATE = 1 << 16 };

/* D = A B + C, of 16 x 8: its value is D. what: the enum, k times CPU_TENSOR_DEPTH, and whether
 * sums of ints saturate. */
struct cpu_r4 cpu_tensor_mma(unsigned what, struct cpu_r4 a, struct cpu_r2 b, struct cpu_r4 c);

/* 1, 2 or 4 matrices of 16-bit elements in shared memory, whose rows of 16 bytes begin where lanes
 * 0 to 7, 8 to 15, and so on say. */
enum { CPU_MATRIX_TRANSPOSED = 8 };
struct cpu_r4 cpu_matrix_load(const void *row, unsigned how); /* how: their number, or'ed */
void cpu_matrix_store(void *row, unsigned how, struct cpu_r4 v);
uint32_t cpu_matrix_transpose(uint32_t v); /* one, in registers */

/*
 * Products of a warpgroup, four warps of which the first one's number is a multiple of four: wgmma.
 * D of 64 rows is in registers, 16 rows a warp; A, of 64 x 16, in shared memory or in registers; B,
 * of 16 x columns, in shared memory. Descriptors say where: see runtime/wgmma.c. A product is done
 * when its group is waited for: what a warp began since its last commit is one.
 */
enum cpu_group_how {
    CPU_GROUP_A_TURNED = 1, /* elements beside each other are of a column of A, */
    CPU_GROUP_B_TURNED = 2, /* or of a row of B */
    CPU_GROUP_A_MINUS = 4,
    CPU_GROUP_B_MINUS = 8,
    CPU_GROUP_A_REGISTERS = 16
};
struct cpu_group_product {
    enum cpu_tensor type; /* CPU_TENSOR_F16 or CPU_TENSOR_BF16 */
    unsigned columns, how;
    bool add;      /* A B to D; else D is set to it */
    uint64_t a, b; /* descriptors */
    struct cpu_r4 a_registers;
    float *const *sum; /* of this lane, columns / 2 */
};
void cpu_group_multiply(const struct cpu_group_product *p, uintptr_t site);
void cpu_group_fence(void); /* registers that products use may have been written before */
void cpu_group_commit(void);
void cpu_group_wait(uint64_t prior); /* for all but the youngest `prior` groups */
void cpu_proxy_fence(void);          /* what was stored to shared memory is seen by products, too */

/* --- memory --- */

/*
 * Asynchronous copies from global to shared memory: 4, 8 or 16 bytes, both addresses multiples of
 * that, the last `zeros` bytes set to 0 instead. What a thread began since its last commit is a
 * group. A copy arrives when its group is waited for: all but the youngest `prior` groups are.
 */
void cpu_copy_async(void *to, const void *from, unsigned bytes, unsigned zeros);
void cpu_copy_commit(void);
void cpu_copy_wait(uint64_t prior);

/*
 * Copies in bulk, which one thread begins. To shared memory: a barrier object counts the bytes when
 * they have arrived. To global memory: what the thread began since its last commit is a group; all
 * but the youngest `prior` groups have read, and written unless read_only, when a wait returns. A
 * box of a tensor, of which a map is given as CUDA's host code makes it, lies at coordinates, of
 * which `rank` count. With a mask of blocks of the cluster a load goes to each of them, there where
 * `to` and `object` are in this one; without one to the block that these are in. cpu_bulk_send:
 * from the block's shared memory to another one's; cpu_store_async: a value of 4, 8 or 16 bytes.
 */
void cpu_bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *object, uint32_t mask);
void cpu_bulk_send(void *to, const void *from, uint32_t bytes, uint64_t *object);
void cpu_store_async(void *to, const void *value, uint32_t bytes, uint64_t *object);
void cpu_bulk_store(void *to, const void *from, uint32_t bytes);
void cpu_tensor_load(void *to, const void *map, uint64_t *object, uint32_t mask, unsigned rank,
                     int x0, int x1, int x2, int x3, int x4);
void cpu_tensor_store(const void *map, const void *from, unsigned rank, int x0, int x1, int x2,
                      int x3, int x4);
void cpu_bulk_commit(void);
void cpu_bulk_wait(uint64_t prior, bool read_only);

/*
 * Barrier objects: 8 bytes in shared or global memory. A phase ends when `count` arrivals have
 * come. The state before the arrival is what arriving returns, for the waits to tell phases by.
 */
enum cpu_arrival {
    CPU_ARRIVE,
    CPU_ARRIVE_DROP, /* and the phases from the next on expect so many fewer */
    CPU_ARRIVE_HOLD, /* the phase does not end, and CPU_HELD is set in what is returned when it
                        would: the caller then calls cpu_object_end */
    CPU_ARRIVE_DROP_HOLD
};
#define CPU_HELD ((uint64_t)1 << 63)
void cpu_object_init(uint64_t *object, uint32_t count);
void cpu_object_end_of_life(uint64_t *object);
uint64_t cpu_object_arrive(uint64_t *object, uint32_t count, enum cpu_arrival how,
                           enum cpu_scope scope);
void cpu_object_end(uint64_t *object, enum cpu_scope scope);
uint32_t cpu_object_pending(uint64_t state);
void cpu_object_expect(uint64_t *object, uint32_t bytes);   /* the phase awaits them, too */
void cpu_object_complete(uint64_t *object, uint32_t bytes); /* they are there: a copy does it */

/* Has the phase of that state, or the last one of that parity, ended? The first answers at once,
 * the second may wait a little, the third waits until it has. */
enum cpu_patience { CPU_TEST, CPU_TRY, CPU_WAIT };
bool cpu_object_wait(uint64_t *object, uint64_t state, enum cpu_scope scope, enum cpu_patience how);
bool cpu_object_wait_parity(uint64_t *object, bool parity, enum cpu_scope scope,
                            enum cpu_patience how);

/* The phase does not end before what this thread has begun to copy has arrived. */
void cpu_object_expect_copies(uint64_t *object);

/* Arrives at the block's barrier of a number, 0 to 15, which awaits so many threads, 0: all; and
 * waits there, or goes on. */
void cpu_named_barrier(unsigned number, unsigned threads, bool waits);

/* Teams of 2 to 32 warps of the block: a barrier, and a value of each warp that all may read. */
void cpu_team_barrier(unsigned warps);
void cpu_team_publish(uint64_t value);
uint64_t cpu_team_read(unsigned warp); /* of the block */

/* The thread is about to read these bytes as nobody may write in this launch: __ldg. */
void cpu_read_only(const void *p, unsigned bytes);

/* The scope of the next atomic operation, load or store of the thread; without a word it is the
 * device. Those of block scope (atomicAdd_block, thread_scope_block) order nothing between
 * blocks. */
void cpu_atomic_scope(enum cpu_scope scope);

/* Said before an atomic operation whose old value nobody takes. */
void cpu_atomic_takes_nothing(void);

/*
 * In a kernel and by the host: memory of malloc and new (in a kernel of the device's heap), copies
 * and sets of bytes that the compiler does not do itself, and assert's end.
 */
void *cpu_heap_malloc(size_t bytes);
void *cpu_heap_calloc(size_t count, size_t bytes);
void cpu_heap_free(void *pointer);
void *cpu_memcpy(void *to, const void *from, size_t bytes);
void *cpu_memmove(void *to, const void *from, size_t bytes);
void *cpu_memset(void *to, int value, size_t bytes);
void cpu_trap(void);
void cpu_refuse_kernel(const char *why); /* the launch fails with that line */

/* cuda::atomic and atomic_ref: 1, 2, 4 or 8 bytes, as bits. The last two return the old value. */
uint64_t cpu_atomic_load(const void *p, unsigned bytes);
void cpu_atomic_store(void *p, uint64_t value, unsigned bytes);
enum cpu_atomic_op {
    CPU_ATOMIC_EXCHANGE,
    CPU_ATOMIC_ADD,
    CPU_ATOMIC_AND,
    CPU_ATOMIC_OR,
    CPU_ATOMIC_XOR,
    CPU_ATOMIC_MIN_S,
    CPU_ATOMIC_MAX_S,
    CPU_ATOMIC_MIN_U,
    CPU_ATOMIC_MAX_U,
    CPU_ATOMIC_ADD_F32,
    CPU_ATOMIC_MIN_F32,
    CPU_ATOMIC_MAX_F32,
    CPU_ATOMIC_ADD_F64,
    CPU_ATOMIC_MIN_F64,
    CPU_ATOMIC_MAX_F64
};
uint64_t cpu_atomic_update(void *p, enum cpu_atomic_op op, uint64_t value, unsigned bytes);
uint64_t cpu_atomic_compare(void *p, uint64_t expected, uint64_t value, unsigned bytes);

/* All return the old value, as CUDA's do. */
#define CPU_ATOMICS_OF(T, S)                                                                       \
    T cpu_atomic_exchange_##S(T *p, T v);                                                          \
    T cpu_atomic_min_##S(T *p, T v);                                                               \
    T cpu_atomic_max_##S(T *p, T v);                                                               \
    T cpu_atomic_and_##S(T *p, T v);                                                               \
    T cpu_atomic_or_##S(T *p, T v);                                                                \
    T cpu_atomic_xor_##S(T *p, T v);                                                               \
    T cpu_atomic_cas_##S(T *p, T expected, T v);

CPU_ATOMICS_OF(int32_t, i32)
CPU_ATOMICS_OF(uint32_t, u32)
CPU_ATOMICS_OF(int64_t, i64)
CPU_ATOMICS_OF(uint64_t, u64)
uint16_t cpu_atomic_cas_u16(uint16_t *p, uint16_t expected, uint16_t v);
float cpu_atomic_exchange_f32(float *p, float v);
uint32_t cpu_atomic_add_u32(uint32_t *p, uint32_t v);
uint32_t cpu_atomic_count_u32(uint32_t *p, uint32_t v); /* the same where v is the constant 1 */
uint64_t cpu_atomic_add_u64(uint64_t *p, uint64_t v);
float cpu_atomic_add_f32(float *p, float v);
double cpu_atomic_add_f64(double *p, double v);
uint16_t cpu_atomic_add_f16(uint16_t *p, uint16_t v); /* bits of a half, and of two */
uint32_t cpu_atomic_add_f16x2(uint32_t *p, uint32_t v);
uint16_t cpu_atomic_add_bf16(uint16_t *p, uint16_t v);
uint32_t cpu_atomic_add_bf16x2(uint32_t *p, uint32_t v);
uint32_t cpu_atomic_inc_u32(uint32_t *p, uint32_t v);
uint32_t cpu_atomic_dec_u32(uint32_t *p, uint32_t v);

struct cpu_f32x2 {
    float v[2];
};
struct cpu_f32x4 {
    float v[4];
};
struct cpu_f32x2 cpu_atomic_add_f32x2(float *p, struct cpu_f32x2 v);
struct cpu_f32x4 cpu_atomic_add_f32x4(float *p, struct cpu_f32x4 v);

/* --- numbers, for host code too --- */

enum cpu_rounding {
    CPU_TO_NEAREST, /* and to even when there are two */
    CPU_TO_ZERO,
    CPU_DOWN,
    CPU_UP,
    CPU_TO_ODD /* what is inexact gets an odd last bit, to be rounded once more to fewer bits */
};

/* The exact result, rounded once. */
#define CPU_ARITHMETIC_OF(T, S)                                                                    \
    T cpu_add_##S(T a, T b, enum cpu_rounding to);                                                 \
    T cpu_mul_##S(T a, T b, enum cpu_rounding to);                                                 \
    T cpu_div_##S(T a, T b, enum cpu_rounding to);                                                 \
    T cpu_sqrt_##S(T a, enum cpu_rounding to);                                                     \
    T cpu_fma_##S(T a, T b, T c, enum cpu_rounding to); /* a * b + c; not CPU_TO_NEAREST */
CPU_ARITHMETIC_OF(float, f32)
CPU_ARITHMETIC_OF(double, f64)
float cpu_f32_of_f64(double v, enum cpu_rounding to);
float cpu_f32_of_i64(int64_t v, enum cpu_rounding to);
float cpu_f32_of_u64(uint64_t v, enum cpu_rounding to);
double cpu_f64_of_i64(int64_t v, enum cpu_rounding to);
double cpu_f64_of_u64(uint64_t v, enum cpu_rounding to);

/* Half precision (f16) and bfloat16 as their bits. NaN is 0x7fff, as the hardware has it. */
uint16_t cpu_f16_of_f64(double v, enum cpu_rounding to); /* not CPU_TO_ODD */
uint16_t cpu_bf16_of_f64(double v, enum cpu_rounding to);
float cpu_f32_of_f16(uint16_t bits);
float cpu_f32_of_bf16(uint16_t bits);

/*
 * The hooks: the compiler calls one before each load and store of memory that is not a private
 * variable, in kernels and in the host code of a step alike. C++ has declarations of its own.
 */
#ifndef __cplusplus
#define CPU_HOOKS(N)                                                                               \
    void __tsan_read##N(void *p);                                                                  \
    void __tsan_write##N(void *p);                                                                 \
    void __tsan_unaligned_read##N(void *p);                                                        \
    void __tsan_unaligned_write##N(void *p);                                                       \
    void __tsan_volatile_read##N(void *p);                                                         \
    void __tsan_volatile_write##N(void *p);                                                        \
    void __tsan_unaligned_volatile_read##N(void *p);                                               \
    void __tsan_unaligned_volatile_write##N(void *p);

CPU_HOOKS(1)
CPU_HOOKS(2)
CPU_HOOKS(4)
CPU_HOOKS(8)
CPU_HOOKS(16)
void __tsan_read_range(void *p, unsigned long bytes);
void __tsan_write_range(void *p, unsigned long bytes);
void __tsan_vptr_update(void **p, void *value);
void __tsan_vptr_read(void **p);
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
