#include "harness/run/estimate_shapes.h"

#include "harness/run/measurement.h"

/* Of a part of a grid, whose blocks have as much to do as the whole one's. */
#define MAX_COUNTED_PART ((size_t)1 << 24)
/* Multiply-adds of a product of matrices: the few tiles that stand for more of them take about as
 * long. */
#define MAX_MULTIPLIED ((size_t)1 << 25)

const int estimate_tiles[COUNTED_PRODUCTS][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1},
                                                 {1, 1, 2}, {2, 1, 2}, {1, 2, 2}};

bool estimate_is_product(const struct family *family)
{
    return family->estimate && family->estimate->product_tile[0] > 0;
}

int estimate_count_of(const struct family *family)
{
    return estimate_is_product(family) ? COUNTED_PRODUCTS : COUNTED_SIZES;
}

bool estimate_is_large(const struct item *item, const struct family *family)
{
    size_t max = estimate_is_product(family) ? MAX_MULTIPLIED : MAX_COUNTED;

    return item->shape.n > max && !item->refused[0];
}

/* Of a free grid, the most blocks that are counted of a part of the problem, at least two in the
 * smallest, since a single one may go a way of its own; 0: the grid follows from the size. */
static size_t counted_blocks(const struct item *item, const struct family *family, size_t max)
{
    const struct shape *whole = &item->shape;
    size_t least = 2 << (COUNTED_SIZES - 1), blocks;

    if (!whole->blocks || !(family->options & OPTION_BLOCKS))
        return 0;
    blocks = (size_t)((double)whole->blocks * (double)max / (double)whole->n);
    return blocks > least ? blocks : least;
}

/* Are all three sides whole tiles, and enough of them? */
static bool in_tiles(const struct shape *s, const struct family *family)
{
    for (int i = 0; i < 3; i++) {
        size_t tile = family->estimate->product_tile[i];

        if (s->axis[i] % tile || s->axis[i] < 2 * tile)
            return false;
    }
    return true;
}

struct shape estimate_shape(const struct item *item, const struct family *family, int index,
                            size_t max)
{
    const struct shape *whole = &item->shape;
    struct shape s = *whole;
    size_t blocks = counted_blocks(item, family, max);
    int halvings = COUNTED_SIZES - 1 - index;

    if (estimate_is_product(family)) {
        for (int i = 0; i < 3; i++)
            s.axis[i] = (size_t)estimate_tiles[index][i] * family->estimate->product_tile[i];
        s.n = options_elements(family, s.axis);
        return s;
    }
    if (blocks) {
        s.blocks = (int)(blocks >> halvings);
        s.axis[0] = (size_t)((double)whole->axis[0] * s.blocks / whole->blocks);
        s.axis[0] += s.axis[0] == 0; /* of a matrix of a few rows */
        s.n = options_elements(family, s.axis);
        return s;
    }
    while (s.n > max >> halvings && s.axis[0] > 1) {
        s.axis[0] = (s.axis[0] + 1) / 2;
        s.n = options_elements(family, s.axis);
    }
    return s;
}

const char *estimate_uncountable(const struct item *item, const struct family *family)
{
    bool part = counted_blocks(item, family, MAX_COUNTED) > 0;

    if (item->variant->rules & ON_HOST)
        return "it runs on the host";
    if (item->variant->rules & NOT_LINEAR)
        return "its counters are not linear in the size";
    if (estimate_is_product(family))
        return in_tiles(&item->shape, family)
                   ? NULL
                   : "its sides are not whole tiles, at least two of them";
    if (family->estimate && family->estimate->impossible)
        return family->estimate->impossible;
    return estimate_shape(item, family, COUNTED_SIZES - 1, MAX_COUNTED).n >
                   (part ? MAX_COUNTED_PART : MAX_COUNTED)
               ? "even a part of it is too large to count"
               : NULL;
}
