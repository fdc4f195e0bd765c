#include "unit.h"

#include <stdlib.h>

#include "harness/kit/parallel.h"

struct seen {
    unsigned char *elements;
    unsigned char chunks[8];
};

static void mark(void *context, size_t chunk, size_t begin, size_t end)
{
    struct seen *seen = context;

    seen->chunks[chunk]++;
    if (begin != chunk * PARALLEL_CHUNK)
        seen->chunks[chunk] = 100;
    for (size_t i = begin; i < end; i++)
        seen->elements[i]++;
}

static void covers_each_element_once(void **state)
{
    const size_t sizes[] = {
        0, 1, PARALLEL_CHUNK - 1, PARALLEL_CHUNK, PARALLEL_CHUNK + 1, 5 * PARALLEL_CHUNK + 17};

    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        struct seen seen = {.elements = calloc(sizes[s] + 1, 1)};

        assert_non_null(seen.elements);
        parallel_for(sizes[s], mark, &seen);
        for (size_t i = 0; i < sizes[s]; i++)
            assert_int_equal(seen.elements[i], 1);
        assert_int_equal(seen.elements[sizes[s]], 0);
        for (size_t c = 0; c < 8; c++)
            assert_int_equal(seen.chunks[c], c < parallel_chunks(sizes[s]));
        free(seen.elements);
    }
}

static void counts_chunks(void **state)
{
    (void)state;
    assert_int_equal(parallel_chunks(0), 0);
    assert_int_equal(parallel_chunks(1), 1);
    assert_int_equal(parallel_chunks(PARALLEL_CHUNK), 1);
    assert_int_equal(parallel_chunks(PARALLEL_CHUNK + 1), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_each_element_once),
        cmocka_unit_test(counts_chunks),
    };

    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
