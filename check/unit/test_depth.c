/*
 * The depths against chains that are counted: each scheme is walked through with, in place of sums,
 * the number of additions that the deepest term has seen. 0 stands for an idle thread's zero.
 */
#include "unit.h"

#include <stdlib.h>

#include "families/reduce/reduce.h"

/* The chain after an addition: -1 is a zero, whose addition is exact and does not count. */
static int add(int a, int b)
{
    return a < 0 ? b : b < 0 ? a : 1 + (a > b ? a : b);
}

/* A grid-stride loop: worker w of so many adds up its elements. */
static int slice(const int *x, size_t n, size_t worker, size_t workers)
{
    int sum = -1;

    for (size_t i = worker; i < n; i += workers)
        sum = add(sum, x[i]);
    return sum;
}

/* A tree in shared memory, for any number of threads: the upper half is folded onto the lower. */
static int tree(int *x, int count)
{
    while (count > 1) {
        int half = (count + 1) / 2;

        for (int i = 0; i + half < count; i++)
            x[i] = add(x[i], x[i + half]);
        count = half;
    }
    return x[0];
}

/* What every block makes of n elements, in out[block]. */
static void sum_blocks(int *out, const int *x, size_t n, int blocks, int threads)
{
    int *shared = malloc((size_t)threads * sizeof(*shared));

    assert_non_null(shared);
    for (int b = 0; b < blocks; b++) {
        for (int t = 0; t < threads; t++)
            shared[t] = slice(x, n, (size_t)b * threads + t, (size_t)blocks * threads);
        out[b] = tree(shared, threads);
    }
    free(shared);
}

static int walk_two_pass(const int *x, const struct shape *s)
{
    int *partial = malloc((size_t)s->blocks * sizeof(*partial)), sum;

    assert_non_null(partial);
    sum_blocks(partial, x, s->n, s->blocks, s->threads);
    sum_blocks(&sum, partial, (size_t)s->blocks, 1, s->threads);
    free(partial);
    return sum;
}

static int walk_block_atomic(const int *x, const struct shape *s)
{
    int *partial = malloc((size_t)s->blocks * sizeof(*partial)), sum = -1;

    assert_non_null(partial);
    sum_blocks(partial, x, s->n, s->blocks, s->threads);
    sum = slice(partial, (size_t)s->blocks, 0, 1);
    free(partial);
    return sum;
}

/* reduce1, and with serial set the atomics of every thread. */
static int walk_threads(const int *x, const struct shape *s, bool serial)
{
    size_t workers = (size_t)s->blocks * (size_t)s->threads;
    int *sums = malloc(workers * sizeof(*sums)), last[1024], sum;

    assert_non_null(sums);
    for (size_t w = 0; w < workers; w++)
        sums[w] = slice(x, s->n, w, workers);
    for (int t = 0; t < s->threads; t++)
        last[t] = slice(sums, workers, (size_t)t, (size_t)s->threads);
    sum = serial ? slice(sums, workers, 0, 1) : slice(last, (size_t)s->threads, 0, 1);
    free(sums);
    return sum;
}

static int walk_halving(int *x, size_t n)
{
    while (n > 1) {
        size_t half = (n + 1) / 2;

        for (size_t i = 0; i + half < n; i++)
            x[i] = add(x[i], x[i + half]);
        n = half;
    }
    return n ? x[0] : -1;
}

/* Covered, and not by more than a few: a bound may not be loose by a factor. */
static void assert_depth(const char *name, const struct shape *s, double depth, int walked)
{
    if (depth < walked || depth > walked + 4 + 0.2 * walked)
        fail_msg("%s at n %zu, %d x %d: depth %g, but the longest chain has %d", name, s->n,
                 s->blocks, s->threads, depth, walked);
}

static void depths_cover_the_chains(void **state)
{
    const size_t sizes[] = {40000, 40001, 65536, 99999};
    const int grids[][2] = {{1, 1},   {1, 32}, {3, 33},  {7, 100},
                            {16, 64}, {40, 8}, {8, 256}, {33, 1}};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t g = 0; g < COUNT(grids); g++) {
            struct shape s = {.n = sizes[i], .blocks = grids[g][0], .threads = grids[g][1]};
            int *x = calloc(s.n, sizeof(*x));

            assert_non_null(x);
            assert_depth("two pass", &s, reduce_depth_two_pass(&s), walk_two_pass(x, &s));
            assert_true(reduce_depth_wide(&s) >= reduce_depth_two_pass(&s) + 15);
            assert_depth("block atomic", &s, reduce_depth_block_atomic(&s),
                         walk_block_atomic(x, &s));
            assert_depth("threads", &s, reduce_depth_threads(&s), walk_threads(x, &s, false));
            assert_depth("thread atomic", &s, reduce_depth_thread_atomic(&s),
                         walk_threads(x, &s, true));
            assert_depth("halving", &s, reduce_depth_halving(&s), walk_halving(x, s.n));
            free(x);
        }
    }
}

static void halving_is_exact(void **state)
{
    (void)state;
    for (size_t n = 0; n < 300; n++) {
        struct shape s = {.n = n, .blocks = 1, .threads = 1};
        int x[300] = {0}, walked = walk_halving(x, n);

        assert_true(reduce_depth_halving(&s) == (walked > 0 ? walked : 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_cover_the_chains),
        cmocka_unit_test(halving_is_exact),
    };

    return cmocka_run_group_tests_name("depth", tests, NULL, NULL);
}
