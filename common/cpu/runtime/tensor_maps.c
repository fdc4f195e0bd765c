/*
 * Tensor maps: cuTensorMapEncodeTiled of the CUDA Driver API, and the boxes of PTX's "Tensors".
 *
 * Element (x0, x1, ...) of a tensor lies at address + x0 * size of an element + x1 * stride[1] +
 * ...; a box takes box[0] elements that follow each other, and of each other dimension every
 * step-th, while fewer than `box` are passed. In shared memory they follow each other without a
 * gap. A swizzle then puts each 16 bytes elsewhere within a line of 2, 4 or 8 times that: the place
 * in the line is xored with the number of the 128 bytes that it is in, modulo so many.
 *
 * Assumed is that there is no gap where a box is narrower than the swizzle's line, of which CUDA
 * says nothing.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cuda.h>
#include "cpu/runtime/driver.h"
#include "cpu/runtime/tensor_maps.h"

struct tensor_map {
    uint64_t mark; /* MARK: it is one */
    uintptr_t address;
    uint64_t stride[TENSOR_RANK - 1]; /* bytes; of dimensions 1, 2, ... */
    uint32_t last[TENSOR_RANK];       /* the size, less 1 */
    uint16_t box[TENSOR_RANK];
    uint8_t step[TENSOR_RANK], element, rank, swizzle;
};
_Static_assert(sizeof(struct tensor_map) <= sizeof(CUtensorMap), "a tensor map has room");

#define MARK 0x70616d726f736e74 /* tnsormap */
#define MOST_SIZE ((uint64_t)1 << 32)
#define MOST_STRIDE ((uint64_t)1 << 40)
enum { MOST_BOX = 256, MOST_STEP = 8 };
enum { TYPES = 16, INTERLEAVES = 3, SWIZZLES = 7, FILLS = 2 }; /* that CUDA has */

/* --- by the host ------------------------------------------------------------------------------ */

/* Bytes, or 0: there is no such type. */
static unsigned element_of(CUtensorMapDataType type)
{
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

    return (unsigned)type < sizeof(bytes) ? bytes[type] : 0;
}

static unsigned swizzle_line(unsigned swizzle)
{
    return 16u << swizzle;
}

/* What is wrong with dimension i, or NULL. */
static const char *wrong_in(const struct tensor_map *m, unsigned i, const uint64_t *size,
                            const uint64_t *stride, const uint32_t *box, const uint32_t *step)
{
    if (!size[i] || size[i] > MOST_SIZE)
        return "a size is 0 or above 2^32";
    if (!box[i] || box[i] > MOST_BOX)
        return "a side of the box is not 1 to 256";
    if (i && (!step[i] || step[i] > MOST_STEP))
        return "an element stride is not 1 to 8";
    if (!i && box[0] * m->element % BULK_PIECE)
        return "the bytes of the box's first side are no multiple of 16";
    if (!i && m->swizzle && box[0] * m->element > swizzle_line(m->swizzle))
        return "the box's first side has more bytes than the swizzle";
    if (i && (stride[i - 1] % 16 || stride[i - 1] >= MOST_STRIDE))
        return "a stride is no multiple of 16, or 2^40 or more";
    return NULL;
}

/* Programs that look the call up by its name seldom ask cuGetErrorString: it is said here, too. */
static CUresult refuse(CUresult error, const char *why)
{
    fflush(stdout);
    fprintf(stderr, "CPU device: cuTensorMapEncodeTiled: %s\n", why);
    return driver_say(error, "cuTensorMapEncodeTiled: %s", why);
}

static CUresult invalid(const char *why)
{
    return refuse(CUDA_ERROR_INVALID_VALUE, why);
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct tensor_map m = {.mark = MARK, .address = (uintptr_t)address};
    const char *wrong = NULL;

    m.element = (uint8_t)element_of(type);
    m.rank = (uint8_t)rank;
    m.swizzle = (uint8_t)swizzle;
    if ((unsigned)type >= TYPES || (unsigned)interleave >= INTERLEAVES ||
        (unsigned)swizzle >= SWIZZLES || (unsigned)fill >= FILLS)
        return invalid("there is no such type, interleaving, swizzle or fill");
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ||
        !m.element || (unsigned)swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return refuse(CUDA_ERROR_NOT_SUPPORTED,
                      "the CPU device has no interleaved layout, no fill by NaN, no packed types, "
                      "and no swizzle of more than 16 bytes at a time");
    if (!map || (uintptr_t)map % 64 || !size || !box || !step || (rank > 1 && !stride))
        return invalid("the map is at no multiple of 64, or an array is missing");
    if (!rank || rank > TENSOR_RANK)
        return invalid("there are not 1 to 5 dimensions");
    if (!address || m.address % 16)
        return invalid("the tensor's address is no multiple of 16");
    if ((unsigned)promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
        return invalid("there is no such promotion");
    for (unsigned i = 0; i < rank && !wrong; i++) {
        wrong = wrong_in(&m, i, size, stride, box, step);
        m.last[i] = (uint32_t)(size[i] - 1);
        m.box[i] = (uint16_t)box[i];
        m.step[i] = i ? (uint8_t)step[i] : 1;
        if (i)
            m.stride[i - 1] = stride[i - 1];
    }
    if (wrong)
        return invalid(wrong);
    memset(map, 0, sizeof(*map));
    memcpy(map, &m, sizeof(m));
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    uint64_t at = (uint64_t)(uintptr_t)address;

    if (!map || !at || at % 16)
        return invalid("the tensor's address is no multiple of 16");
    memcpy((char *)map + offsetof(struct tensor_map, address), &at, sizeof(at));
    return CUDA_SUCCESS;
}

/* --- by a copy -------------------------------------------------------------------------------- */

static unsigned steps_in(const struct tensor_map *m, unsigned i)
{
    return (m->box[i] + m->step[i] - 1u) / m->step[i];
}

static uint32_t swizzled(const struct tensor_map *m, uint32_t shared)
{
    return shared ^ (shared / 128 % (1u << m->swizzle)) * 16;
}

/* A chunk of 16 bytes whose first element is x of a line at `line`, which is 0 outside of the
 * tensor. */
static void add_chunk(struct bulk *c, const struct tensor_map *m, uintptr_t line, int64_t x,
                      uint32_t shared, bool zeros)
{
    int64_t count = BULK_PIECE / m->element, size = (int64_t)m->last[0] + 1;
    int64_t from = x < 0 ? -x : 0, to = x + count > size ? size - x : count;
    uint32_t bytes = m->element;

    if (!line || from >= count || to <= 0) {
        if (zeros)
            bulk_add(c, 0, shared, BULK_PIECE);
        return;
    }
    if (zeros && from > 0)
        bulk_add(c, 0, shared, (uint32_t)from * bytes);
    bulk_add(c, line + (uintptr_t)((x + from) * bytes), shared + (uint32_t)from * bytes,
             (uint32_t)(to - from) * bytes);
    if (zeros && to < count)
        bulk_add(c, 0, shared + (uint32_t)to * bytes, (uint32_t)(count - to) * bytes);
}

/* The line of the box that lies behind so many others, where it is inside of the tensor; else 0. */
static uintptr_t line_at(const struct tensor_map *m, const int *at, unsigned number)
{
    uintptr_t line = m->address;

    for (unsigned i = 1; i < m->rank; i++) {
        int64_t x = at[i] + (int64_t)(number % steps_in(m, i)) * m->step[i];

        number /= steps_in(m, i);
        if (x < 0 || x > m->last[i])
            return 0;
        line += (uintptr_t)x * m->stride[i - 1];
    }
    return line;
}

const char *tensor_map_add(struct bulk *c, const void *map, unsigned rank,
                           const int at[TENSOR_RANK], uint32_t shared, bool zeros)
{
    struct tensor_map m;
    unsigned lines = 1, chunks;

    if ((uintptr_t)map % 64)
        return "a tensor map lies at an address that is no multiple of 64";
    memcpy(&m, map, sizeof(m));
    if (m.mark != MARK)
        return "what a copy is given as a tensor map is none";
    if (m.rank != rank)
        return "a tensor map has another number of dimensions than the instruction";
    if ((int64_t)at[0] * m.element % BULK_PIECE) /* an H100 ends it as an illegal instruction */
        return "a box begins at bytes of a row that are no multiple of 16";
    if (shared % TENSOR_LINE)
        return "a box lies in shared memory at an address that is no multiple of 128";
    for (unsigned i = 1; i < rank; i++)
        lines *= steps_in(&m, i);
    chunks = m.box[0] * m.element / BULK_PIECE;
    c->element = m.element;
    c->bytes = lines * chunks * BULK_PIECE;
    if (shared + c->bytes > c->block->shared_used + c->block->shared_gaps)
        return "a box leads out of the block's shared memory";
    for (unsigned i = 0; i < lines; i++)
        for (unsigned j = 0; j < chunks; j++)
            add_chunk(c, &m, line_at(&m, at, i), at[0] + (int64_t)j * (BULK_PIECE / m.element),
                      swizzled(&m, shared + (i * chunks + j) * BULK_PIECE), zeros);
    return NULL;
}
