/*
 * What all lanes of a warp do together with matrices: products on the tensor cores, and matrices of
 * 8 x 8 from and to shared memory. Which lane holds which element is said in the PTX ISA, "Matrix
 * Fragments for mma", ldmatrix, stmatrix and movmatrix: with g = lane / 4 and t = lane % 4,
 *
 *   A, B  a register holds e elements that follow each other along k, 2 of 16 bits, 4 of 8, or 1:
 *         register i of A those of row g + 8 (i % 2), from k = e t + 4 e (i / 2) on,
 *         register i of B those of column g, from k = e t + 4 e i on
 *   C, D  elements 2 t and 2 t + 1 of row g, then those of row g + 8: a register each, or both
 *   8 x 8 elements 2 t and 2 t + 1 of row g in a register; transposed those of column g
 *
 * Each lane brings a part, and the last one to come computes for all. CUDA does not define it when
 * not all 32 lanes come, or from different calls: here a lane that is missing has zeros, and
 * --check tells.
 */
#include <string.h>
#include "cpu/engine/failure.h"
#include "cpu/engine/operation_counts.h"
#include "cpu/engine/thread.h"
#include "cpu/engine/warp.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/tensor_sums.h"

enum instruction { PRODUCT, LOAD, STORE, TRANSPOSE };

struct part {
    struct warp_part head;
    enum instruction instruction;
    unsigned what;       /* as the caller gave it */
    const uint16_t *row; /* LOAD; of the lanes that have one */
    uint16_t *to;        /* STORE */
    struct cpu_r4 a, c;
    struct cpu_r2 b;
    struct cpu_r4 d; /* the result */
};

static struct part *part_of(struct warp_part *const part[WARP], unsigned lane)
{
    return (struct part *)part[lane];
}

/* Are all at one instruction? The places of the calls are for --check. False: the launch fails. */
static bool agree(struct warp_part *const part[WARP], struct thread *const lane[WARP])
{
    const struct part *first = NULL;
    struct thread *one = NULL;
    bool apart = false;

    for (unsigned i = 0; i < WARP; i++) {
        const struct part *p = part_of(part, i);

        if (!p)
            continue;
        if (!first) {
            first = p;
            one = lane[i];
        } else if (p->head.compute != first->head.compute || p->instruction != first->instruction ||
                   p->what != first->what) {
            OBSERVE(lanes_apart, one, lane[i]);
            cpu_fail(cudaErrorLaunchFailure,
                     "%s: lanes of a warp are at different ones of mma, ldmatrix, stmatrix and "
                     "movmatrix (threads %u and %u of block %llu)",
                     one->block->launch->name, one->id, lane[i]->id,
                     (unsigned long long)one->block->number);
            return false;
        } else if (!apart && lane[i]->site != one->site) {
            OBSERVE(lanes_apart, one, lane[i]);
            apart = true;
        }
    }
    return true;
}

/* --- products --------------------------------------------------------------------------------- */

static enum cpu_tensor type_of(unsigned what)
{
    return (enum cpu_tensor)(what % CPU_TENSOR_DEPTH);
}

static unsigned depth_of(unsigned what)
{
    return what / CPU_TENSOR_DEPTH % (CPU_TENSOR_SATURATE / CPU_TENSOR_DEPTH);
}

static unsigned elements_of(enum cpu_tensor type) /* in a register */
{
    return type >= CPU_TENSOR_S8 ? 4 : type == CPU_TENSOR_TF32 ? 1 : 2;
}

/* The bits of element j of a register. */
static uint32_t element_of(uint32_t r, unsigned j, unsigned elements)
{
    unsigned bits = 32 / elements;

    return elements == 1 ? r : r >> j * bits & ((1u << bits) - 1);
}

/* The bits of A's rows and B's columns, along k. */
struct operands {
    uint32_t a[TENSOR_ROWS][TENSOR_DEPTH], b[TENSOR_COLUMNS][TENSOR_DEPTH];
};

static void gather(struct operands *to, struct warp_part *const part[WARP], unsigned e,
                   unsigned depth)
{
    static const struct part missing;
    unsigned registers = depth / (4 * e); /* of B; A has twice as many */

    for (unsigned lane = 0; lane < WARP; lane++) {
        const struct part *p = part[lane] ? part_of(part, lane) : &missing;
        unsigned g = lane / 4, t = lane % 4;

        for (unsigned i = 0; i < 2 * registers; i++)
            for (unsigned j = 0; j < e; j++)
                to->a[g + 8 * (i % 2)][e * t + 4 * e * (i / 2) + j] = element_of(p->a.r[i], j, e);
        for (unsigned i = 0; i < registers; i++)
            for (unsigned j = 0; j < e; j++)
                to->b[g][e * t + 4 * e * i + j] = element_of(p->b.r[i], j, e);
    }
}

static uint32_t sum_of_ints(unsigned what, const uint32_t *a, const uint32_t *b, unsigned depth,
                            uint32_t c)
{
    bool is_signed = type_of(what) == CPU_TENSOR_S8;
    int64_t sum = (int32_t)c;

    for (unsigned i = 0; i < depth; i++)
        sum += is_signed ? (int8_t)a[i] * (int8_t)b[i] : (int32_t)(a[i] * b[i]);
    if (what & CPU_TENSOR_SATURATE)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* Register and shift of the element of D at row and column, and the lane that has it. */
struct home {
    unsigned lane, register_, shift;
};

static struct home home_of(unsigned row, unsigned column, bool half)
{
    unsigned lane = row % 8 * 4 + column / 2;

    if (half)
        return (struct home){lane, row / 8, column % 2 * 16};
    return (struct home){lane, row / 8 * 2 + column % 2, 0};
}

static void multiply(struct warp_part *const part[WARP], unsigned what)
{
    enum cpu_tensor type = type_of(what);
    unsigned depth = depth_of(what);
    bool half = type == CPU_TENSOR_F16_ALL, ints = type >= CPU_TENSOR_S8;
    struct tensor_line a[TENSOR_ROWS] = {{{0}}}, b[TENSOR_COLUMNS] = {{{0}}};
    struct operands in;

    gather(&in, part, elements_of(type), depth);
    for (unsigned k = 0; k < depth && !ints; k++) {
        for (unsigned i = 0; i < TENSOR_ROWS; i++)
            tensor_set(&a[i], k, type, in.a[i][k]);
        for (unsigned i = 0; i < TENSOR_COLUMNS; i++)
            tensor_set(&b[i], k, type, in.b[i][k]);
    }
    for (unsigned i = 0; i < TENSOR_ROWS; i++)
        for (unsigned j = 0; j < TENSOR_COLUMNS; j++) {
            struct home h = home_of(i, j, half);
            struct part *p = part_of(part, h.lane);
            uint32_t c = p ? p->c.r[h.register_] >> h.shift & (half ? 0xffff : ~0u) : 0;

            if (p)
                p->d.r[h.register_] |= (ints ? sum_of_ints(what, in.a[i], in.b[j], depth, c)
                                             : tensor_sum(type, &a[i], &b[j], depth, c))
                                       << h.shift;
        }
    cpu_operations[OPERATION_TENSOR]++;
}

/* --- matrices of 8 x 8 ------------------------------------------------------------------------ */

static void put_half(uint32_t *r, unsigned upper, uint16_t v)
{
    *r |= (uint32_t)v << 16 * upper;
}

static void load(struct warp_part *const part[WARP], unsigned what)
{
    unsigned count = what % CPU_MATRIX_TRANSPOSED;

    for (unsigned m = 0; m < count; m++)
        for (unsigned i = 0; i < 64; i++) {
            unsigned line = i / 8, at = i % 8; /* of the elements in registers */
            bool turned = what & CPU_MATRIX_TRANSPOSED;
            struct part *to = part_of(part, line * 4 + at / 2);
            const struct part *from = part_of(part, m * 8 + (turned ? at : line));

            if (to && from)
                put_half(&to->d.r[m], at % 2, from->row[turned ? line : at]);
        }
}

static void store(struct warp_part *const part[WARP], unsigned what)
{
    unsigned count = what % CPU_MATRIX_TRANSPOSED;

    for (unsigned m = 0; m < count; m++)
        for (unsigned i = 0; i < 64; i++) {
            unsigned line = i / 8, at = i % 8;
            bool turned = what & CPU_MATRIX_TRANSPOSED;
            const struct part *from = part_of(part, line * 4 + at / 2);
            const struct part *to = part_of(part, m * 8 + (turned ? at : line));

            if (to && from)
                to->to[turned ? line : at] = (uint16_t)(from->a.r[m] >> 16 * (at % 2));
        }
}

static void transpose(struct warp_part *const part[WARP])
{
    for (unsigned i = 0; i < 64; i++) {
        unsigned line = i / 8, at = i % 8;
        struct part *to = part_of(part, line * 4 + at / 2);
        const struct part *from = part_of(part, at * 4 + line / 2);

        if (to && from)
            put_half(&to->d.r[0], at % 2, (uint16_t)(from->a.r[0] >> 16 * (line % 2)));
    }
}

/* --- the instructions ------------------------------------------------------------------------- */

static void compute(struct warp_part *const part[WARP], struct thread *const lane[WARP])
{
    const struct part *first = NULL;

    for (unsigned i = 0; i < WARP && !first; i++)
        first = part_of(part, i);
    if (!agree(part, lane))
        return;
    switch (first->instruction) {
    case PRODUCT:
        multiply(part, first->what);
        break;
    case LOAD:
        load(part, first->what);
        break;
    case STORE:
        store(part, first->what);
        break;
    default:
        transpose(part);
    }
}

static void together(struct part *p, uintptr_t site)
{
    p->head.compute = compute;
    warp_operation(cpu_thread(), CPU_WARP_TOGETHER, ~0u, (uintptr_t)p, 0, WARP, site);
}

struct cpu_r4 cpu_tensor_mma(unsigned what, struct cpu_r4 a, struct cpu_r2 b, struct cpu_r4 c)
{
    struct part p = {.instruction = PRODUCT, .what = what, .a = a, .b = b, .c = c};

    together(&p, HERE);
    return p.d;
}

/* The access of a lane that says where a row is. */
static void touch_row(const void *row, unsigned how, unsigned flags, uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (t->id % WARP >= 8 * (how % CPU_MATRIX_TRANSPOSED))
        return;
    if (!cpu_is_shared(row))
        cpu_stop("ldmatrix or stmatrix of an address outside of shared memory");
    access_observe(t, row, 16, flags, site);
}

struct cpu_r4 cpu_matrix_load(const void *row, unsigned how)
{
    struct part p = {.instruction = LOAD, .what = how, .row = row};

    touch_row(row, how, 0, HERE);
    together(&p, HERE);
    return p.d;
}

void cpu_matrix_store(void *row, unsigned how, struct cpu_r4 v)
{
    struct part p = {.instruction = STORE, .what = how, .to = row, .a = v};

    touch_row(row, how, ACCESS_WRITE, HERE);
    together(&p, HERE);
}

uint32_t cpu_matrix_transpose(uint32_t v)
{
    struct part p = {.instruction = TRANSPOSE, .a = {{v}}};

    together(&p, HERE);
    return p.d.r[0];
}
