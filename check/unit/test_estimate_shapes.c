#include "unit.h"

#include "harness/kit/element.h"
#include "harness/run/estimate_shapes.h"

static const struct family_estimate tiles = {.product_tile = {256, 128, 32}};
static const struct family_estimate never = {.impossible = "it cannot be known"};
static const struct axis axis[] = {{.name = "n"}};
static const struct axis sides[] = {{.name = "rows"}, {.name = "cols"}, {.name = "depth"}};
static const struct family vectors = {.axes = axis, .axis_count = 1, .options = OPTION_BLOCKS};
static const struct family by_size = {.axes = axis, .axis_count = 1};
static const struct family by_data = {.axes = axis, .axis_count = 1, .estimate = &never};
static const struct family products = {.axes = sides, .axis_count = 3, .estimate = &tiles};
static const struct axis rows[] = {
    {.name = "rows"}, {.name = "cols"}, {.name = "devices", .option = "devices"}};
static const struct family matrices = {.axes = rows, .axis_count = 3, .options = OPTION_BLOCKS};
static const struct variant plain = {.name = "plain"};
static const struct variant host = {.name = "host", .rules = ON_HOST};

static struct item vector(size_t n, int blocks)
{
    return (struct item){.variant = &plain,
                         .shape = {.axis = {n}, .n = n, .blocks = blocks, .type = &type_f32}};
}

static struct item product(size_t rows, size_t cols, size_t depth)
{
    return (struct item){.variant = &plain,
                         .shape = {.axis = {rows, cols, depth}, .n = rows * cols * depth}};
}

static void small_ones_stand_for_themselves(void **state)
{
    struct item item = vector(MAX_COUNTED, 8);

    (void)state;
    assert_false(estimate_is_large(&item, &vectors));
    item = vector(MAX_COUNTED + 1, 8);
    assert_true(estimate_is_large(&item, &vectors));
    strcpy(item.refused, "no");
    assert_false(estimate_is_large(&item, &vectors));
    item = product(256, 256,
                   256); /* more than MAX_COUNTED, but as many as six products of few tiles */
    assert_false(estimate_is_large(&item, &products));
}

/* A free grid shrinks with the size; without one the size is halved. */
static void sizes_rise(void **state)
{
    struct item item = vector((size_t)1 << 30, 1024);

    (void)state;
    assert_int_equal(estimate_count_of(&vectors), COUNTED_SIZES);
    for (int i = 0; i < COUNTED_SIZES; i++) {
        struct shape s = estimate_shape(&item, &vectors, i, MAX_COUNTED);

        assert_int_equal(s.blocks,
                         2 << i); /* at least two, though eight are more than MAX_COUNTED */
        assert_int_equal(s.n, (size_t)2 << (20 + i));
        assert_int_equal(s.axis[0], s.n);
        s = estimate_shape(&item, &by_size, i, MAX_COUNTED);
        assert_int_equal(s.blocks, 1024);
        assert_int_equal(s.n, MAX_COUNTED >> (2 - i));
        s = estimate_shape(&item, &by_size, i, MAX_COUNTED_SMALL);
        assert_int_equal(s.n, MAX_COUNTED_SMALL >> (2 - i));
    }
}

/* Of a matrix a free grid takes so many of its rows. */
static void rows_go_with_the_grid(void **state)
{
    struct item item = {.variant = &plain,
                        .shape = {.axis = {4096, 1024, 7}, .n = 4096 * 1024, .blocks = 64}};
    struct shape s = estimate_shape(&item, &matrices, COUNTED_SIZES - 1, MAX_COUNTED_SMALL);

    (void)state;
    assert_int_equal(s.blocks, 16);
    assert_int_equal(s.axis[0], 1024);
    assert_int_equal(s.axis[1], 1024);
    assert_int_equal(s.axis[2], 7);
    assert_int_equal(s.n, 1024 * 1024);
    item.shape.axis[0] = 2;
    item.shape.axis[1] = (size_t)1 << 30;
    item.shape.n = (size_t)1 << 31;
    assert_contains(estimate_uncountable(&item, &matrices), "too large");
}

static void some_are_never_counted(void **state)
{
    struct item item = vector((size_t)1 << 30, 1024);

    (void)state;
    assert_null(estimate_uncountable(&item, &vectors));
    assert_string_equal(estimate_uncountable(&item, &by_data), "it cannot be known");
    item.shape.blocks = 64; /* eight of them have 2^27 elements */
    assert_contains(estimate_uncountable(&item, &vectors), "too large");
    assert_null(estimate_uncountable(&item, &by_size));
    item.variant = &host;
    assert_contains(estimate_uncountable(&item, &by_size), "host");
}

/* Of a product few tiles, if it is of whole ones. */
static void products_are_counted_by_tiles(void **state)
{
    struct item item = product(1024, 1024, 1024);
    struct shape s = estimate_shape(&item, &products, 3, MAX_COUNTED); /* 1 x 1 x 2 tiles */

    (void)state;
    assert_int_equal(estimate_count_of(&products), COUNTED_PRODUCTS);
    assert_true(estimate_is_large(&item, &products));
    assert_null(estimate_uncountable(&item, &products));
    assert_int_equal(s.axis[0], 256);
    assert_int_equal(s.axis[1], 128);
    assert_int_equal(s.axis[2], 64);
    assert_int_equal(s.n, 256 * 128 * 64);
    for (int i = 0; i < 3; i++) {
        item.shape.axis[i] += 16;
        assert_contains(estimate_uncountable(&item, &products), "not whole tiles");
        item.shape.axis[i] -= 16;
    }
    item = product(256, 1024, 1024); /* a single tile is not enough for a line */
    assert_contains(estimate_uncountable(&item, &products), "at least two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ones_stand_for_themselves), cmocka_unit_test(sizes_rise),
        cmocka_unit_test(rows_go_with_the_grid),           cmocka_unit_test(some_are_never_counted),
        cmocka_unit_test(products_are_counted_by_tiles),
    };

    return cmocka_run_group_tests_name("estimate_shapes", tests, NULL, NULL);
}
