#include "unit.h"

#include <math.h>

#include "harness/kit/stats.h"

static void interpolates_quartiles(void **state)
{
    double even[] = {4, 1, 3, 2}, odd[] = {50, 10, 30, 20, 40};
    struct stats s = stats_of(even, 4);

    (void)state;
    /* As R's quantile(c(1, 2, 3, 4)) prints: 1, 1.75, 2.5, 3.25, 4. */
    assert_true(s.min == 1 && s.q1 == 1.75 && s.median == 2.5 && s.q3 == 3.25 && s.max == 4);
    s = stats_of(odd, 5);
    assert_true(s.min == 10 && s.q1 == 20 && s.median == 30 && s.q3 == 40 && s.max == 50);
}

static void handles_few_values(void **state)
{
    double one[] = {7}, two[] = {3, 1};
    struct stats s = stats_of(one, 1);

    (void)state;
    assert_true(s.min == 7 && s.q1 == 7 && s.median == 7 && s.q3 == 7 && s.max == 7);
    s = stats_of(two, 2);
    assert_true(s.min == 1 && s.q1 == 1.5 && s.median == 2 && s.q3 == 2.5 && s.max == 3);
    s = stats_of(two, 0);
    assert_true(isnan(s.min) && isnan(s.median) && isnan(s.max));
}

static void one_outlier_leaves_the_median(void **state)
{
    double values[] = {1, 1, 1, 1, 1e9};
    struct stats s = stats_of(values, 5);

    (void)state;
    assert_true(s.median == 1 && s.q3 == 1 && s.max == 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolates_quartiles),
        cmocka_unit_test(handles_few_values),
        cmocka_unit_test(one_outlier_leaves_the_median),
    };

    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
