/*
 * Products of a warpgroup: wgmma of the PTX ISA, "Asynchronous Warpgroup Level Matrix
 * Instructions". Each warp computes 16 rows of D by itself.
 *
 * A product may read its operands at any time from the call to the wait for its group, and its sums
 * are there at the wait. Here it is done at the wait, as late as it may be; in a random order some
 * read at the call. An element of an operand that changes in between counts as NaN. It is one
 * product of four warps: when one of them has waited for it, all four have read their operands, so
 * that a thread of one may say that shared memory can change.
 *
 * A matrix lies in shared memory in chunks of 16 bytes, 8 elements. With m the number of a row of A
 * or of a column of B, and k along the sum, a chunk has the elements k to k + 7 of one m, or,
 * turned, m to m + 7 of one k. Of a descriptor's bits, 0 to 13 are the first chunk's address, 16 to
 * 29 the leading and 32 to 45 the stride offset, all in units of 16 bytes; 49 to 51 the base
 * offset, 62 and 63 the swizzle: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32. In a line of so many
 * bytes, W chunks (W is 1 without a swizzle), lie
 *
 *   not turned   chunks that follow each other along k, without a swizzle `leading` apart; lines of
 *                8 m follow each other, and 8 m later is `stride` further
 *   turned       chunks that follow each other along m, and W chunks later is `leading` further;
 *                lines of 8 k follow each other, and 8 k later is `stride` further. Without a
 *                swizzle it is the other way round: `stride` along m and `leading` along k
 *
 * A swizzle then puts the chunk into another place of its line: the place is xored with the number
 * of its 128 bytes, counted from the base offset, modulo W.
 */
#include <string.h>
#include "cpu/engine/async_products.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/operation_counts.h"
#include "cpu/engine/thread.h"
#include "cpu/engine/warp.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/tensor_sums.h"

enum instruction { MULTIPLY, FENCE, COMMIT, WAIT };
enum { NO_NUMBER = 0x7fff, SIGN = 0x8000 }; /* of f16 and of bf16 */

struct part {
    struct warp_part head;
    enum instruction instruction;
    const struct cpu_group_product *product;
    uint64_t prior;
    uintptr_t site;
    uintptr_t frame; /* of the call: the stack below it is nobody's any more */
};

static const struct part *part_of(struct warp_part *const part[WARP], unsigned lane)
{
    return (const struct part *)part[lane];
}

static bool is_same(const struct part *p, const struct part *q)
{
    const struct cpu_group_product *a = p->product, *b = q->product;

    if (p->head.compute != q->head.compute || p->instruction != q->instruction ||
        p->prior != q->prior)
        return false;
    return p->instruction != MULTIPLY ||
           (a->type == b->type && a->columns == b->columns && a->how == b->how &&
            a->add == b->add && a->a == b->a && a->b == b->b);
}

/* Are all lanes at one instruction, with the same operands but for registers? False: the launch
 * fails. */
static bool agree(struct warp_part *const part[WARP], struct thread *const lane[WARP],
                  unsigned first)
{
    bool apart = false;

    for (unsigned i = first + 1; i < WARP; i++) {
        if (!part[i])
            continue;
        if (part[i]->compute != part[first]->compute ||
            !is_same(part_of(part, i), part_of(part, first))) {
            OBSERVE(lanes_apart, lane[first], lane[i]);
            cpu_fail(cudaErrorLaunchFailure,
                     "%s: lanes of a warp are at different ones of wgmma, its fence, its commit "
                     "and its wait, or give it different operands (threads %u and %u of block "
                     "%llu)",
                     lane[i]->block->launch->name, lane[first]->id, lane[i]->id,
                     (unsigned long long)lane[i]->block->number);
            return false;
        }
        if (!apart && lane[i]->site != lane[first]->site) {
            OBSERVE(lanes_apart, lane[first], lane[i]);
            apart = true;
        }
    }
    return true;
}

/* --- operands --------------------------------------------------------------------------------- */

/* 14 bits of a descriptor, as bytes. */
static uint32_t field(uint64_t descriptor, unsigned from)
{
    return (uint32_t)(descriptor >> from & 0x3fff) * CHUNK_BYTES;
}

/* Where the chunk lies that has element (m, k). */
static uint32_t chunk_offset(uint64_t descriptor, bool turned, unsigned m, unsigned k)
{
    static const unsigned widths[] = {1, 8, 4, 2};
    unsigned width = widths[descriptor >> 62], base = descriptor >> 49 & 7, chunk = m / 8;
    uint32_t at = field(descriptor, 0);
    uint32_t leading = field(descriptor, 16), stride = field(descriptor, 32);

    if (!turned)
        at += chunk * stride + m % 8 * width * CHUNK_BYTES +
              k / 8 * (width == 1 ? leading : CHUNK_BYTES);
    else if (width == 1)
        at += chunk * stride + k % 8 * CHUNK_BYTES + k / 8 * leading;
    else
        at += chunk % width * CHUNK_BYTES + chunk / width * leading + k % 8 * width * CHUNK_BYTES +
              k / 8 * stride;
    return at ^ ((at / 128 - base) % width) * CHUNK_BYTES;
}

/* The chunks of rows or columns m to m + count - 1: those of one m follow each other, or, turned,
 * those of one k. */
static void add_chunks(struct product *p, uint64_t descriptor, bool turned, unsigned m,
                       unsigned count)
{
    for (unsigned i = 0; i < 2 * count; i++) {
        unsigned across = turned ? i % (count / 8) * 8 : i / 2;
        unsigned along = turned ? i / (count / 8) : i % 2 * 8;

        p->offset[p->chunks++] = chunk_offset(descriptor, turned, m + across, along);
    }
}

static uint16_t element_of(const struct block *b, const struct product *p, unsigned chunk,
                           unsigned i)
{
    uint16_t then, now;

    memcpy(&then, &p->seen[chunk][2 * i], sizeof(then));
    if (p->is_read)
        return then;
    memcpy(&now, b->shared + p->offset[chunk] + 2 * i, sizeof(now));
    return then == now ? then : NO_NUMBER;
}

/* Of `count` rows of A or columns of B, whose chunks begin at `first`. */
static uint16_t element_at(const struct block *b, const struct product *p, unsigned first,
                           bool turned, unsigned count, unsigned m, unsigned k)
{
    return turned ? element_of(b, p, first + k * (count / 8) + m / 8, m % 8)
                  : element_of(b, p, first + m * 2 + k / 8, k % 8);
}

/* As those of mma.sync: see tensor.c. */
static uint16_t element_in_registers(const struct product *p, unsigned m, unsigned k)
{
    uint32_t r = p->a[m % 8 * 4 + k % 8 / 2][k / 8 * 2 + m / 8];

    return (uint16_t)(r >> k % 2 * 16);
}

static void set(const struct product *p, struct tensor_line *line, unsigned k, uint16_t bits,
                unsigned minus)
{
    tensor_set(line, k, p->type, bits ^ (p->how & minus ? SIGN : 0));
}

/* --- doing it --------------------------------------------------------------------------------- */

/* The lane's sum of row and column, if it is there; its variable must be, too. */
static float *sum_at(const struct product *p, struct warp_part *const part[WARP], unsigned row,
                     unsigned column, bool *gone)
{
    unsigned lane = row % 8 * 4 + column % 8 / 2;
    float *sum = p->sum[lane][column / 8 * 4 + row / 8 * 2 + column % 2];

    if (!part[lane] || !sum)
        return NULL;
    if ((uintptr_t)sum > part_of(part, lane)->frame)
        return sum;
    *gone = true;
    return NULL;
}

static void multiply(struct block *b, const struct product *p, struct warp_part *const part[WARP],
                     bool *gone)
{
    struct tensor_line a[TENSOR_ROWS] = {{{0}}};

    for (unsigned i = 0; i < TENSOR_ROWS; i++)
        for (unsigned k = 0; k < PRODUCT_DEPTH; k++)
            set(p, &a[i], k,
                p->of_a ? element_at(b, p, 0, p->how & CPU_GROUP_A_TURNED, TENSOR_ROWS, i, k)
                        : element_in_registers(p, i, k),
                CPU_GROUP_A_MINUS);
    for (unsigned j = 0; j < p->columns; j++) {
        struct tensor_line column = {{0}};

        for (unsigned k = 0; k < PRODUCT_DEPTH; k++)
            set(p, &column, k,
                element_at(b, p, p->of_a, p->how & CPU_GROUP_B_TURNED, p->columns, j, k),
                CPU_GROUP_B_MINUS);
        for (unsigned i = 0; i < TENSOR_ROWS; i++) {
            float *sum = sum_at(p, part, i, j, gone);
            uint32_t bits = 0;

            if (!sum)
                continue;
            if (p->add)
                memcpy(&bits, sum, sizeof(bits));
            bits = tensor_sum(p->type, &a[i], &column, PRODUCT_DEPTH, bits);
            memcpy(sum, &bits, sizeof(bits));
        }
    }
}

static void read_operands(struct thread *t, struct product *p)
{
    for (unsigned i = 0; i < p->chunks && !p->is_read; i++)
        for (unsigned k = 0; k < CHUNK_BYTES / 2; k++) {
            uint16_t element = element_of(t->block, p, i, k);

            memcpy(&p->seen[i][2 * k], &element, sizeof(element));
        }
    if (!p->is_read)
        OBSERVE(multiplied, t, p);
    p->is_read = true;
}

/* Of all four warps, as far as they have begun. */
static void read_all_operands(struct thread *t, uint64_t number)
{
    struct warp *first = &t->block->warp[t->id / WARP / GROUP_WARPS * GROUP_WARPS];

    for (unsigned i = 0; i < GROUP_WARPS; i++)
        for (struct product *p = first[i].products ? first[i].products->first : NULL;
             p && p->number <= number; p = p->next)
            if (p->number == number)
                read_operands(t, p);
}

/* Those of groups before `before` are done. */
static void finish(struct warp_part *const part[WARP], struct thread *t, uint64_t before)
{
    struct block *b = t->block;
    struct warp_products *of = warp_of(t)->products;
    bool gone = false;

    while (of && of->first && of->first->group < before) {
        struct product *p = of->first;

        read_all_operands(t, p->number);
        multiply(b, p, part, &gone);
        of->first = p->next;
        async_product_free(b->worker, p);
    }
    for (unsigned i = 0; i < WARP; i++)
        if (part[i])
            OBSERVE(products_waited, &b->thread[t->id / WARP * WARP + i]);
    if (gone)
        cpu_fail(cudaErrorLaunchFailure,
                 "%s: wgmma is waited for when the function whose variables it adds to has "
                 "returned (thread %u of block %llu)",
                 b->launch->name, t->id, (unsigned long long)b->number);
}

/* --- beginning it ----------------------------------------------------------------------------- */

static void note_sum(struct warp_products *of, unsigned lane, uintptr_t sum)
{
    struct sum_range *r = of->range[lane];
    unsigned *count = &of->ranges[lane];

    for (unsigned i = 0; i < *count; i++) {
        if (sum - r[i].from < r[i].to - r[i].from)
            return;
        if (sum == r[i].to) {
            r[i].to += sizeof(float);
            return;
        }
    }
    if (*count < SUM_RANGES)
        r[(*count)++] = (struct sum_range){sum, sum + sizeof(float), 0};
}

static void take_lane(struct product *p, unsigned lane, const struct part *from)
{
    memset(p->sum[lane], 0, sizeof(p->sum[lane]));
    memset(p->a[lane], 0, sizeof(p->a[lane]));
    if (!from)
        return;
    memcpy(p->a[lane], from->product->a_registers.r, sizeof(p->a[lane]));
    memcpy(p->sum[lane], from->product->sum, p->columns / 2 * sizeof(p->sum[lane][0]));
}

/* What makes the launch fail; NULL: nothing. */
static const char *mistake_in(const struct product *p, const struct thread *t,
                              struct thread *const lane[WARP])
{
    const struct block *b = t->block;
    size_t end = b->shared_used + b->shared_gaps;
    unsigned last = t->id / WARP / GROUP_WARPS * GROUP_WARPS + GROUP_WARPS;

    if (last * WARP > b->threads)
        return "wgmma is for four whole warps, and the block has fewer";
    for (unsigned i = 0; i < p->chunks; i++)
        if (p->offset[i] + CHUNK_BYTES > end)
            return "a descriptor of wgmma leads out of the block's shared memory";
    for (unsigned i = 0; i < WARP; i++)
        for (unsigned j = 0; lane[i] && j < p->columns / 2; j++)
            if (!fiber_holds(lane[i]->fiber, (uintptr_t)p->sum[i][j]))
                return "what wgmma adds to must be variables of the thread";
    return NULL;
}

/* All four warps do the same: those that have come as far are compared. */
static bool is_as_others(struct thread *t, struct warp_products *of, const struct part *first)
{
    const struct block *b = t->block;
    const struct cpu_group_product *p = first->product;
    unsigned warp = t->id / WARP / GROUP_WARPS * GROUP_WARPS;
    uint64_t what = p->columns * 64 + p->how * 2 + p->add + p->type * 65536;

    of->hash = (((of->hash ^ what) * 0x9e3779b97f4a7c15 ^ p->a) * 0x9e3779b97f4a7c15 ^ p->b) *
               0x9e3779b97f4a7c15;
    of->begun++;
    for (unsigned i = warp; i < warp + GROUP_WARPS; i++) {
        const struct warp_products *other = b->warp[i].products;

        if (other && other->begun == of->begun && other->hash != of->hash)
            return false;
    }
    return true;
}

static void fail_product(const struct thread *t, const char *why)
{
    cpu_fail(cudaErrorLaunchFailure, "%s: %s (thread %u of block %llu)", t->block->launch->name,
             why, t->id, (unsigned long long)t->block->number);
}

static void begin(struct warp_part *const part[WARP], struct thread *const lane[WARP],
                  unsigned leader)
{
    const struct part *first = part_of(part, leader);
    const struct cpu_group_product *from = first->product;
    struct thread *t = lane[leader];
    struct block *b = t->block;
    struct warp_products *of = async_products_of(b, warp_of(t));
    struct product *p = async_product_new(b->worker);
    const char *mistake;

    p->group = of->groups;
    p->site = first->site;
    p->type = from->type;
    p->columns = from->columns;
    p->how = from->how;
    p->add = from->add;
    p->chunks = 0;
    if (!(p->how & CPU_GROUP_A_REGISTERS))
        add_chunks(p, from->a, p->how & CPU_GROUP_A_TURNED,
                   t->id / WARP % GROUP_WARPS * TENSOR_ROWS, TENSOR_ROWS);
    p->of_a = p->chunks;
    add_chunks(p, from->b, p->how & CPU_GROUP_B_TURNED, 0, p->columns);
    for (unsigned i = 0; i < WARP; i++)
        take_lane(p, i, part_of(part, i));
    mistake = mistake_in(p, t, lane);
    if (!mistake && !is_as_others(t, of, first))
        mistake = "the four warps of a warpgroup are at different wgmma";
    p->number = of->begun;
    p->is_read = false;
    if (mistake) {
        async_product_free(b->worker, p);
        fail_product(t, mistake);
        return;
    }
    for (unsigned i = 0; i < p->chunks; i++)
        memcpy(p->seen[i], b->shared + p->offset[i], CHUNK_BYTES);
    OBSERVE(product, t, p);
    for (unsigned i = 0; i < WARP; i++)
        for (unsigned j = 0; lane[i] && j < p->columns / 2; j++)
            note_sum(of, i, (uintptr_t)p->sum[i][j]);
    if (of->first)
        of->last->next = p;
    else
        of->first = p;
    of->last = p;
    cpu_operations[OPERATION_TENSOR]++;
    if (cpu_random_order && cpu_random(&b->worker->random) % 4 == 0)
        read_operands(t, p);
}

/* --- the instructions ------------------------------------------------------------------------- */

/* Products to come see what was written to registers so far. */
static void fence(struct warp_part *const part[WARP], struct warp_products *of)
{
    for (unsigned i = 0; i < WARP; i++)
        for (unsigned j = 0; part[i] && j < of->ranges[i]; j++)
            of->range[i][j].written = 0;
    for (unsigned i = 0; i < WARP; i++)
        of->fenced |= part[i] ? 1u << i : 0;
}

static void compute(struct warp_part *const part[WARP], struct thread *const lane[WARP])
{
    unsigned leader = 0;
    const struct part *first;
    struct warp_products *of;

    while (!part[leader])
        leader++;
    first = part_of(part, leader);
    if (!agree(part, lane, leader))
        return;
    of = async_products_of(lane[leader]->block, warp_of(lane[leader]));
    if (first->instruction == MULTIPLY)
        begin(part, lane, leader);
    else if (first->instruction == FENCE)
        fence(part, of);
    else if (first->instruction == COMMIT)
        of->groups++;
    else if (of->groups > first->prior)
        finish(part, lane[leader], of->groups - first->prior);
}

static void together(struct part *p)
{
    p->head.compute = compute;
    warp_operation(cpu_thread(), CPU_WARP_TOGETHER, ~0u, (uintptr_t)p, 0, WARP, p->site);
}

void cpu_group_multiply(const struct cpu_group_product *product, uintptr_t site)
{
    struct part p = {.instruction = MULTIPLY, .product = product, .site = site};

    together(&p);
}

void cpu_group_fence(void)
{
    struct part p = {.instruction = FENCE, .site = HERE};

    together(&p);
}

void cpu_group_commit(void)
{
    struct part p = {.instruction = COMMIT, .site = HERE};

    together(&p);
}

/* Has a warp of the four not begun that product, and may still? */
static bool some_are_behind(const struct thread *t, uint64_t number)
{
    const struct warp *first = &t->block->warp[t->id / WARP / GROUP_WARPS * GROUP_WARPS];

    for (unsigned i = 0; i < GROUP_WARPS; i++)
        if (first[i].lanes & ~first[i].ended &&
            (!first[i].products || first[i].products->begun < number))
            return true;
    return false;
}

/* A product is not done before all four warps have begun it. */
static void await_others(struct thread *t, uint64_t prior, uintptr_t site)
{
    const struct warp_products *of = warp_of(t)->products;
    uint64_t number = 0;

    for (const struct product *p = of ? of->first : NULL; p; p = p->next)
        if (p->group + prior < of->groups)
            number = p->number;
    while (number && !cpu_driver && some_are_behind(t, number))
        cpu_spin(t, site);
}

void cpu_group_wait(uint64_t prior)
{
    struct part p = {.instruction = WAIT,
                     .prior = prior,
                     .site = HERE,
                     .frame = (uintptr_t)__builtin_frame_address(0)};

    await_others(cpu_thread(), prior, p.site);
    together(&p);
}

void cpu_proxy_fence(void)
{
    struct thread *t = cpu_thread();

    OBSERVE(proxy_fence, t);
}
