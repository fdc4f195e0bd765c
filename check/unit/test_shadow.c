/*
 * The shadow of global memory (shadow_global.c) against an array with an entry per word: whatever
 * is put into it, in any order, is found again.
 */
#include "unit.h"

#include <stdlib.h>

#include "cpu/tools/check/shadow_global.h"

enum { COUNT = 40 * SHADOW_LINE_WORDS, LAUNCHES = 6, ROUNDS = 400 };

static struct shadow_cell model[COUNT];

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static struct shadow_cell access_by(uint32_t serial, unsigned thread, unsigned site, uint32_t epoch)
{
    return (struct shadow_cell){id_make(serial, thread, site, 0), epoch};
}

/* Words first, first + step ... by threads that are `apart`; `each` words in a row by one
 * thread. */
static void put_row(struct shadow_global *s, uint64_t *state, uint32_t oldest)
{
    static const unsigned each_of[] = {1, 1, 2, 4, 32};
    unsigned each = each_of[next(state) % 5], first = (unsigned)next(state) % COUNT;
    unsigned step = next(state) % 4 ? 1 : 1 + (unsigned)next(state) % 40, apart = 1;
    unsigned thread = (unsigned)next(state) % 1024, words = 1 + (unsigned)next(state) % 130;
    struct shadow_cell k = access_by(oldest + (uint32_t)next(state) % 5, 0, 1 + next(state) % 3,
                                     (uint32_t)next(state) % 3 << 15);

    apart = next(state) % 4 ? 1 : (unsigned)next(state) % 70;
    first -= first % each;
    for (unsigned i = 0; i < words; i++) {
        unsigned word = first + i * step, by = thread + i / each * apart;

        if (word >= COUNT || by >= 1024)
            break;
        k.id = id_with_thread(id_without_thread(k.id), by);
        shadow_global_put(s, PLANE_WORDS, WRITER, word, k, oldest);
        model[word] = k;
        if (next(state) % 50 == 0) {
            shadow_global_drop(s, PLANE_WORDS, WRITER, word);
            model[word].id = 0;
        }
    }
}

static void same(const struct shadow_global *s, uint32_t oldest)
{
    for (size_t word = 0; word < COUNT; word++) {
        struct shadow_cell k = shadow_global_get(s, PLANE_WORDS, WRITER, word);

        if (id_serial(model[word].id) < oldest) { /* may be forgotten */
            assert_true(!k.id || id_serial(k.id) < oldest);
            continue;
        }
        assert_int_equal(k.id & ~(access_id)((1 << ID_EPOCH_BITS) - 1), model[word].id);
        assert_int_equal(k.epoch, model[word].epoch);
    }
}

static void test_any_order(void **unused)
{
    uint64_t state = 1;
    struct shadow_global s;

    (void)unused;
    assert_true(shadow_global_make(&s, COUNT * 4));
    for (uint32_t launch = 1; launch <= LAUNCHES; launch++)
        for (int i = 0; i < ROUNDS; i++) {
            put_row(&s, &state, launch * 100);
            same(&s, launch * 100);
        }
    shadow_global_forget(&s);
    for (size_t word = 0; word < COUNT; word++)
        assert_true(shadow_global_get(&s, PLANE_WORDS, WRITER, word).id == 0);
    shadow_global_free(&s);
}

/* What goes by a rule takes nothing from the pool. */
static void test_rules(void **unused)
{
    static const unsigned each[] = {1, 2, 4, 32};
    struct shadow_global s;

    (void)unused;
    for (size_t r = 0; r < 4; r++) {
        assert_true(shadow_global_make(&s, COUNT * 4));
        for (unsigned i = 0; i < 256 * each[r] && i < COUNT; i++)
            shadow_global_put(&s, PLANE_WORDS, READER, i, access_by(1, i / each[r], 1, 7), 1);
        assert_null(s.chunks);
        for (unsigned i = 0; i < 256 * each[r] && i < COUNT; i++)
            assert_int_equal(id_thread(shadow_global_get(&s, PLANE_WORDS, READER, i).id),
                             i / each[r]);
        shadow_global_free(&s);
    }
}

/* Bytes of words, and whole words, in any order: each byte has the last access that was of it. */
static void test_split(void **unused)
{
    enum { BYTES = 8 * SHADOW_LINE_BYTES };
    static struct shadow_cell of[BYTES];
    uint64_t state = 1;
    struct shadow_global s;

    (void)unused;
    assert_true(shadow_global_make(&s, BYTES));
    for (uint32_t i = 0; i < 4000; i++) {
        size_t words = BYTES / 4, word = i < 200 ? i % words : next(&state) % words;
        size_t first = i < 200 ? 0 : next(&state) % 4, end = i < 200 ? 4 : first + 1;
        struct shadow_cell k = access_by(1, (unsigned)next(&state) % 1024, 1 + i % 4000, i);
        struct planes planes;

        while (end < 4 && next(&state) % 2)
            end++;
        planes = shadow_global_planes(&s, word * 4 + first, end - first);
        for (int plane = planes.from; plane < planes.to; plane++)
            shadow_global_put(&s, plane, WRITER, word, k, 1);
        for (; first < end; first++)
            of[word * 4 + first] = k;
        for (size_t byte = word * 4 & ~(size_t)127; byte < (word * 4 | 127); byte++) {
            k = shadow_global_get(&s, shadow_global_plane(&s, byte), WRITER, byte / 4);
            assert_int_equal(k.id & ~(access_id)((1 << ID_EPOCH_BITS) - 1), of[byte].id);
            assert_int_equal(k.epoch, of[byte].epoch);
        }
    }
    shadow_global_free(&s);
}

/* A byte by each thread goes by a rule in each of the four planes. */
static void test_bytes_by_rule(void **unused)
{
    struct shadow_global s;

    (void)unused;
    assert_true(shadow_global_make(&s, 1024));
    for (unsigned byte = 0; byte < 1024; byte++) {
        int plane = shadow_global_planes(&s, byte, 1).from;

        shadow_global_put(&s, plane, READER, byte / 4, access_by(1, byte, 1, 7), 1);
    }
    assert_null(s.chunks);
    for (unsigned byte = 0; byte < 1024; byte++)
        assert_int_equal(id_thread(shadow_global_get(&s, (int)byte % 4, READER, byte / 4).id),
                         byte);
    shadow_global_free(&s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order), cmocka_unit_test(test_rules),
        cmocka_unit_test(test_split), cmocka_unit_test(test_bytes_by_rule)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
