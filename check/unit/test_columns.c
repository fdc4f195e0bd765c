/*
 * The table of the counters (columns.c): every number of a launch has one row, but for its blocks
 * and threads; a name stands in it once; and a row says where it is printed, or not.
 */
#include "unit.h"

#include <string.h>

#include "cpu/tools/counters/columns.h"

static unsigned rows_of(size_t launch)
{
    unsigned rows = 0;

    for (size_t k = 0; k < column_count; k++)
        rows += columns[k].launch == launch;
    return rows;
}

static void test_launch(void **unused)
{
    struct cpu_device_launch l = {.launches = 1, .shared_bytes = 2};
    size_t first = offsetof(struct cpu_device_launch, longest);

    (void)unused;
    assert_true(cpu_device_number(&l, 0) == &l.launches);
    assert_true(cpu_device_number(&l, CPU_DEVICE_NUMBERS - 1) == &l.shared_bytes);
    for (size_t at = first; at < sizeof(l); at += sizeof(double))
        assert_int_equal(rows_of(at), 1);
    for (size_t i = 0; i < CPU_DEVICE_NUMBERS; i++) {
        size_t at = (size_t)((char *)cpu_device_number(&l, i) - (char *)&l);
        bool longest = at >= first && at < offsetof(struct cpu_device_launch, span);
        bool average =
            !longest && at >= first && at < offsetof(struct cpu_device_launch, warp_instructions);

        assert_int_equal(cpu_device_number_of(i), longest   ? CPU_OF_LONGEST_BLOCK
                                                  : average ? CPU_OF_AVERAGE_BLOCK
                                                            : CPU_OF_LAUNCH);
    }
}

static void test_rows(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < column_count; i++) {
        const struct column *c = &columns[i];

        assert_true(c->name || c->print.table || c->launch);
        assert_true(!c->print.table == !c->print.title && !c->print.table == !c->print.width);
        assert_true(c->at + sizeof(uint64_t) <= sizeof(struct counts) && c->at % 8 == 0);
        for (size_t k = 0; c->name && k < i; k++)
            assert_true(!columns[k].name || strcmp(columns[k].name, c->name) != 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_launch),
                                              cmocka_unit_test(test_rows)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
