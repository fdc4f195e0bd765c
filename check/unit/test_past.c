/*
 * What was done, by serial number (past.c): found again, merged, forgotten, and what is not in
 * order before something else.
 */
#include "unit.h"

#include <string.h>

#include "cpu/tools/check/past.h"

uint64_t cpu_host_after[MAX_ORDERED + 1];

static int begin(void **unused)
{
    (void)unused;
    memset(cpu_host_after, 0, sizeof(cpu_host_after));
    past_forget();
    return 0;
}

static void add(uint64_t from, uint64_t to, uint32_t stream, uint64_t number, bool merged)
{
    const struct past p = {
        .from = from, .to = to, .name = "it", .stream = stream, .number = number};

    past_add(&p, merged);
}

/* The number in its stream of what has the serial number; 0: it is not known. */
static uint64_t number_of(uint32_t serial)
{
    struct past p;

    return past_find(serial, &p) ? p.number : 0;
}

static void test_found(void **unused)
{
    (void)unused;
    add(10, 20, 0, 1, false);
    add(25, 26, 1, 7, false);
    add(26, 40, 0, 2, false);
    for (uint32_t serial = 0; serial < 50; serial++)
        assert_int_equal(number_of(serial), serial < 10   ? 0
                                            : serial < 20 ? 1
                                            : serial < 25 ? 0
                                            : serial < 26 ? 7
                                            : serial < 40 ? 2
                                                          : 0);
}

static void test_merged(void **unused)
{
    struct past p;

    (void)unused;
    add(1, 2, 3, 1, true);
    add(2, 3, 3, 2, true);
    assert_true(past_find(1, &p));
    assert_true(p.from == 1 && p.to == 3 && p.number == 2);
    add(3, 4, 4, 1, true); /* of another stream */
    add(4, 5, 4, 2, false);
    add(6, 7, 4, 3, true); /* a number is left out */
    cpu_host_after[4] = 3; /* what the host has waited for stays apart */
    add(7, 8, 4, 4, true);
    assert_int_equal(number_of(3), 1);
    assert_int_equal(number_of(4), 2);
    assert_int_equal(number_of(5), 0);
    assert_int_equal(number_of(6), 3);
    assert_int_equal(number_of(7), 4);
}

static void test_order(void **unused)
{
    uint64_t after[MAX_ORDERED + 1] = {0};

    (void)unused;
    assert_true(past_floor(after) == UINT64_MAX);
    add(1, 5, 0, 1, false);
    add(5, 6, 1, 1, false);
    add(6, 9, 0, 2, false);
    assert_int_equal(past_floor(after), 1);
    after[0] = 1;
    assert_int_equal(past_floor(after), 5);
    after[1] = 1;
    assert_int_equal(past_floor(after), 6);
    after[0] = 2;
    assert_true(past_floor(after) == UINT64_MAX);
    add(9, 10, MAX_ORDERED, 1, false); /* too many streams: taken to be in order */
    assert_true(past_floor(after) == UINT64_MAX);
}

static void test_unwaited(void **unused)
{
    (void)unused;
    assert_false(past_unwaited());
    add(1, 2, 2, 1, false);
    add(2, 3, 5, 4, false);
    assert_true(past_unwaited());
    cpu_host_after[2] = 1;
    assert_true(past_unwaited());
    cpu_host_after[5] = 4;
    assert_false(past_unwaited());
    add(3, 4, 2, 2, true);
    assert_true(past_unwaited());
    past_forget();
    assert_int_equal(number_of(1), 0);
}

/* The latest are kept, whatever came before. */
static void test_many(void **unused)
{
    enum { MANY = 100000, KEPT = 1 << 12 };

    (void)unused;
    for (uint32_t i = 1; i <= MANY; i++)
        add(i, i + 1, i % 3, i, false);
    assert_int_equal(number_of(1), 0);
    for (uint32_t i = MANY - KEPT; i <= MANY; i++)
        assert_int_equal(number_of(i), i);
}

static void test_kept(void **unused)
{
    struct past p = {.from = 1, .to = 2, .name = "it"};
    const struct past *kept = past_keep(&p);

    (void)unused;
    p.name = "another";
    assert_string_equal(kept->name, "it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_found, begin), cmocka_unit_test_setup(test_merged, begin),
        cmocka_unit_test_setup(test_order, begin), cmocka_unit_test_setup(test_unwaited, begin),
        cmocka_unit_test_setup(test_many, begin),  cmocka_unit_test_setup(test_kept, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
