/*
 * The CPU device's counters without the device: what one warp-level access costs (model.c), and
 * which accesses of the lanes are one (groups.c). Complete accesses arrive in take_group below.
 */
#include "unit.h"

#include <stdlib.h>

#include "cpu/tools/counters/groups.h"
#include "cpu/tools/counters/model.h"

enum { BASE = 1 << 20 };
static const uint32_t ALL = ~0u;

/* Lane i at BASE + shift + i * stride. */
static const uint64_t *strided(uint64_t shift, uint64_t stride)
{
    static uint64_t address[32];

    for (unsigned i = 0; i < 32; i++)
        address[i] = BASE + shift + i * stride;
    return address;
}

static void test_sectors(void **state)
{
    (void)state;
    assert_int_equal(model_sectors(strided(0, 4), ALL, 4), 4);
    assert_int_equal(model_sectors(strided(0, 8), ALL, 8), 8);
    assert_int_equal(model_sectors(strided(0, 16), ALL, 16), 16);
    assert_int_equal(model_sectors(strided(0, 1), ALL, 1), 1);
    assert_int_equal(model_sectors(strided(0, 8), ALL, 4), 8);
    assert_int_equal(model_sectors(strided(0, 4096), ALL, 4), 32);
    assert_int_equal(model_sectors(strided(0, 0), ALL, 4), 1);
}

static void test_sectors_of_an_unaligned_base(void **state)
{
    (void)state;
    assert_int_equal(model_sectors(strided(4, 4), ALL, 4), 5);
    assert_int_equal(model_sectors(strided(28, 4), ALL, 4), 5);
    assert_int_equal(model_sectors(strided(16, 16), ALL, 16), 17);
    assert_int_equal(model_sectors(strided(30, 32), ALL, 4), 33); /* each lane crosses a sector */
    assert_int_equal(model_sectors(strided(0, 33), ALL, 4), 33);  /* the last three do */
}

static void test_sectors_of_some_lanes(void **state)
{
    (void)state;
    assert_int_equal(model_sectors(strided(0, 4), 0, 4), 0);
    assert_int_equal(model_sectors(strided(0, 4), 1u << 31, 4), 1);
    assert_int_equal(model_sectors(strided(0, 4), 0x000000ff, 4), 1);
    assert_int_equal(model_sectors(strided(0, 4), 0x000001ff, 4), 2);
    assert_int_equal(model_sectors(strided(0, 4), 0x80000001, 4), 2);
}

/* One read for all lanes costs nothing; else each place is one, as bytes of a word are. */
static void test_reads_of_constants(void **state)
{
    (void)state;
    assert_int_equal(model_constant_reads(strided(0, 0), ALL), 0);
    assert_int_equal(model_constant_reads(strided(0, 4), ALL), 32);
    assert_int_equal(model_constant_reads(strided(0, 1), ALL), 32);
    assert_int_equal(model_constant_reads(strided(0, 4), 0x80000001), 2);
    assert_int_equal(model_constant_reads(strided(0, 4), 1u << 5), 0);
}

static void test_sectors_in_any_order(void **state)
{
    uint64_t falling[32], mixed[32];

    (void)state;
    for (unsigned i = 0; i < 32; i++) {
        falling[i] = BASE + (31 - i) * 4;
        mixed[i] = BASE + i % 2 * 4096 + i / 2 * 4; /* two rows, lane by lane */
    }
    assert_int_equal(model_sectors(falling, ALL, 4), 4);
    assert_int_equal(model_sectors(mixed, ALL, 4), 4);
}

static void test_ideal_sectors(void **state)
{
    (void)state;
    assert_int_equal(model_ideal_sectors(ALL, 4), 4);
    assert_int_equal(model_ideal_sectors(ALL, 16), 16);
    assert_int_equal(model_ideal_sectors(1, 4), 1);
    assert_int_equal(model_ideal_sectors(0x1ff, 4), 2);
}

static unsigned wavefronts(const uint64_t *address, uint32_t lanes, unsigned bytes, unsigned best)
{
    unsigned ideal, n = model_wavefronts(address, lanes, bytes, &ideal);

    assert_int_equal(ideal, best);
    return n;
}

static void test_wavefronts(void **state)
{
    (void)state;
    assert_int_equal(wavefronts(strided(0, 4), ALL, 4, 1), 1);
    assert_int_equal(wavefronts(strided(0, 8), ALL, 4, 1), 2);
    assert_int_equal(wavefronts(strided(0, 16), ALL, 4, 1), 4);
    assert_int_equal(wavefronts(strided(0, 128), ALL, 4, 1), 32);
    assert_int_equal(wavefronts(strided(0, 132), ALL, 4, 1), 1); /* the padded tile */
    assert_int_equal(wavefronts(strided(0, 0), ALL, 4, 1), 1);   /* one word for all */
    assert_int_equal(wavefronts(strided(0, 1), ALL, 1, 1), 1);   /* four lanes a word */
    assert_int_equal(wavefronts(strided(0, 128), 0x0000ffff, 4, 1), 16);
    assert_int_equal(wavefronts(strided(0, 4), 0, 4, 0), 0);
}

static void test_wavefronts_of_wide_accesses(void **state)
{
    (void)state;
    assert_int_equal(wavefronts(strided(0, 8), ALL, 8, 2), 2);
    assert_int_equal(wavefronts(strided(0, 16), ALL, 16, 4), 4);
    assert_int_equal(wavefronts(strided(0, 16), ALL, 8, 2), 4);
    assert_int_equal(wavefronts(strided(0, 8), 0x0000ffff, 8, 1), 1);
    assert_int_equal(wavefronts(strided(0, 16), 0x000001ff, 16, 2), 2);
    assert_int_equal(wavefronts(strided(0, 132), 0x3, 8, 1), 2); /* second word on first word */
}

/* As in plots/devices/nvidia-h200/kernels.csv. */
static void test_wavefronts_of_shared_addresses(void **state)
{
    uint64_t halves[32], twice[32], pairs[32];

    (void)state;
    for (unsigned i = 0; i < 32; i++) {
        halves[i] = BASE + i / 16 * 64;
        twice[i] = BASE + i % 16 * 16;
        pairs[i] = BASE + i / 2 * 16;
    }
    assert_int_equal(wavefronts(strided(0, 0), ALL, 16, 2), 2); /* pull_bodies */
    assert_int_equal(wavefronts(halves, ALL, 16, 2), 2);        /* product_vectors, left */
    assert_int_equal(wavefronts(twice, ALL, 16, 4), 4);         /* and right */
    assert_int_equal(wavefronts(pairs, ALL, 16, 2), 2);
    assert_int_equal(wavefronts(strided(0, 0), ALL, 8, 1), 1);
}

/* As an H200 takes 1.03, 1.08, 2.02, 4.07, 4.07, 1.15, 32.06 and 8.52 cycles. */
static void test_loads_from_l1(void **state)
{
    uint64_t apart[32];

    (void)state;
    for (unsigned i = 0; i < 32; i++)
        apart[i] = BASE + i * 128 + i * 4;
    assert_int_equal(model_load_quarters(1, strided(0, 4), ALL, 4), 4);
    assert_int_equal(model_load_quarters(2, strided(4, 4), ALL, 4), 4);
    assert_int_equal(model_load_quarters(2, strided(0, 8), ALL, 8), 8);
    assert_int_equal(model_load_quarters(4, strided(0, 16), ALL, 16), 16);
    assert_int_equal(model_load_quarters(1, strided(0, 0), ALL, 16), 16);
    assert_int_equal(model_load_quarters(3, strided(0, 12), ALL, 4), 5);
    assert_int_equal(model_load_quarters(32, strided(0, 128), ALL, 4), 128);
    assert_int_equal(model_load_quarters(32, apart, ALL, 4), 34);
}

/* One address: a sector, or a pass, for each lane; in pairs: two. Lanes that only count share
 * one. */
static void test_atomics(void **state)
{
    uint64_t pairs[32], two[32];
    unsigned ideal;

    (void)state;
    for (unsigned i = 0; i < 32; i++) {
        pairs[i] = BASE + i / 2 * 4;
        two[i] = BASE + i % 2 * 128;
    }
    assert_int_equal(model_atomic_sectors(strided(0, 0), ALL, 4), 32);
    assert_int_equal(model_atomic_sectors(strided(0, 4), ALL, 4), 4);
    assert_int_equal(model_atomic_sectors(strided(0, 8), ALL, 8), 8);
    assert_int_equal(model_atomic_sectors(strided(0, 0), 0xff, 4), 8);
    assert_int_equal(model_atomic_sectors(pairs, ALL, 4), 4);
    assert_int_equal(model_atomic_sectors(two, ALL, 4), 32);
    assert_int_equal(model_atomic_sectors(two, 0, 4), 0);
    assert_int_equal(model_atomic_wavefronts(strided(0, 0), ALL, 4, ATOMIC_ANY), 32);
    assert_int_equal(model_atomic_wavefronts(strided(0, 0), ALL, 4, ATOMIC_SWAP), 64);
    assert_int_equal(model_atomic_wavefronts(strided(0, 0), ALL, 4, ATOMIC_COUNT), 1);
    assert_int_equal(model_atomic_wavefronts(pairs, ALL, 4, ATOMIC_ANY), 2);
    assert_int_equal(model_atomic_wavefronts(pairs, ALL, 4, ATOMIC_COUNT), 1);
    assert_int_equal(model_atomic_wavefronts(two, ALL, 4, ATOMIC_ANY), 32);
    assert_int_equal(model_atomic_wavefronts(two, ALL, 4, ATOMIC_COUNT), 2);
    assert_int_equal(model_atomic_wavefronts(strided(0, 8), ALL, 4, ATOMIC_ANY), 2);
    assert_int_equal(model_wavefronts(two, ALL, 4, &ideal), 2);
}

static void test_same_address(void **state)
{
    uint64_t thirds[32], rest[32];

    (void)state;
    for (unsigned i = 0; i < 32; i++)
        thirds[i] = BASE + i % 3 * 4;
    for (unsigned i = 0; i < 32; i++)
        rest[i] = i ? BASE : BASE + 4;
    assert_int_equal(model_same_address(strided(0, 0), ALL), 32);
    assert_int_equal(model_same_address(strided(0, 4), ALL), 1);
    assert_int_equal(model_same_address(strided(0, 0), 0xf0), 4);
    assert_int_equal(model_same_address(thirds, ALL), 11);
    assert_int_equal(model_same_address(rest, ALL), 31);
}

/* --- groups.c -------------------------------------------------------------------------------- */

static struct seen {
    access_key key;
    uint32_t lanes;
    uint64_t address[32];
} seen[4096];
static unsigned seen_count;

static void take_group(struct warp_accesses *accesses, access_key key, uint32_t lanes,
                       const uint64_t *address)
{
    (void)accesses;
    assert_true(seen_count < sizeof(seen) / sizeof(seen[0]));
    seen[seen_count].key = key;
    seen[seen_count].lanes = lanes;
    memcpy(seen[seen_count].address, address, sizeof(seen[0].address));
    seen_count++;
}

static struct warp warp;
static struct warp_accesses *accesses;

static int start(void **state)
{
    (void)state;
    warp = (struct warp){.lanes = ALL};
    accesses = groups_create(take_group);
    groups_reset(accesses, NULL, &warp);
    seen_count = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(accesses);
    return 0;
}

static access_key place(unsigned n)
{
    return key_of(0x1000 + n, 4, GLOBAL_LOAD);
}

static void add(unsigned lane, unsigned where, uint64_t address)
{
    groups_add(accesses, lane, place(where), address);
}

/* How many complete accesses of a place were made by exactly these lanes. */
static unsigned count(unsigned where, uint32_t lanes)
{
    unsigned n = 0;

    for (unsigned i = 0; i < seen_count; i++)
        n += seen[i].key == place(where) && seen[i].lanes == lanes;
    return n;
}

/* All lanes of each access have the address that says which time it was. */
static void assert_addresses_agree(void)
{
    for (unsigned i = 0; i < seen_count; i++)
        for (uint32_t rest = seen[i].lanes; rest; rest &= rest - 1)
            assert_int_equal(seen[i].address[__builtin_ctz(rest)],
                             seen[i].address[__builtin_ctz(seen[i].lanes)]);
}

static void test_lanes_in_step(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned k = 0; k < 100; k++)
            add(lane, k % 2, k);
    assert_int_equal(seen_count, 100); /* complete with the last lane, without a sync */
    assert_int_equal(count(0, ALL), 50);
    assert_int_equal(count(1, ALL), 50);
    assert_addresses_agree();
    groups_flush(accesses);
    assert_int_equal(seen_count, 100);
}

static void test_lanes_that_do_less(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < 32; lane++) {
        add(lane, 0, 0);
        if (lane < 7)
            add(lane, 1, 1);
    }
    assert_int_equal(seen_count, 1);
    groups_flush(accesses);
    assert_int_equal(count(1, 0x7f), 1);
    /* Nothing of before the sync is joined after it. */
    for (unsigned lane = 7; lane < 32; lane++)
        add(lane, 1, 2);
    groups_flush(accesses);
    assert_int_equal(seen_count, 3);
    assert_int_equal(count(1, ~0x7fu), 1);
}

/* Odd lanes go through another place first; then all do the same. */
static void test_lanes_apart(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned k = 0; k < 10; k++) {
            if (lane % 2)
                add(lane, 5, k);
            add(lane, 6, k);
        }
    }
    assert_int_equal(count(6, ALL), 10); /* complete without a sync */
    groups_flush(accesses);
    assert_int_equal(count(5, 0xaaaaaaaa), 10);
    assert_int_equal(count(6, ALL), 10);
    assert_int_equal(seen_count, 20);
    assert_addresses_agree();
}

static void test_lanes_that_ended(void **state)
{
    (void)state;
    for (unsigned lane = 0; lane < 4; lane++)
        warp.ended |= 1u << lane;
    for (unsigned lane = 4; lane < 32; lane++)
        add(lane, 0, 0);
    assert_int_equal(count(0, 0xfffffff0), 1);
}

static void test_a_partial_warp(void **state)
{
    (void)state;
    warp.lanes = 0x1ff;
    for (unsigned lane = 0; lane < 9; lane++)
        add(lane, 0, 0);
    assert_int_equal(count(0, 0x1ff), 1);
}

/* The lower half synchronises by itself, before the upper half has come to what both do at
 * first. */
static void test_half_a_warp_syncs(void **state)
{
    const uint32_t half = 0xffff;

    (void)state;
    for (unsigned lane = 0; lane < 16; lane++)
        add(lane, 0, 0);
    groups_sync(accesses, half);
    for (unsigned lane = 0; lane < 16; lane++)
        add(lane, 1, 0);
    groups_sync(accesses, half);
    for (unsigned lane = 0; lane < 16; lane++)
        add(lane, 1, 1);
    for (unsigned lane = 16; lane < 32; lane++)
        add(lane, 0, 0);
    groups_sync(accesses, ALL);
    assert_int_equal(count(0, ALL), 1);
    assert_int_equal(count(1, half), 2);
    assert_int_equal(seen_count, 3);
    assert_addresses_agree();
}

/* What a lane did before the half synchronised is not joined with what the half does then, and
 * after all have, it does not matter who did before. */
static void test_sync_begins_anew(void **state)
{
    const uint32_t half = 0xffff;

    (void)state;
    add(0, 1, 0);
    groups_sync(accesses, half);
    for (unsigned lane = 0; lane < 16; lane++)
        add(lane, 1, 1);
    groups_sync(accesses, ALL);
    for (unsigned lane = 0; lane < 32; lane++)
        add(lane, lane == 0 ? 2 : 3, 2);
    for (unsigned lane = 0; lane < 32; lane++)
        add(lane, 1, 3);
    assert_int_equal(count(1, 1), 1);
    assert_int_equal(count(1, half), 1);
    assert_int_equal(count(1, ALL), 1);
    assert_addresses_agree();
}

/* One lane runs on alone, far beyond what is kept open: nothing is lost or joined wrongly. */
static void test_one_lane_far_ahead(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 3000; k++)
        add(0, 0, k);
    assert_true(seen_count >= 3000 - 256);
    assert_int_equal(groups_ahead(accesses, 0, ALL), 3000);
    groups_flush(accesses);
    assert_int_equal(count(0, 1), 3000);

    seen_count = 0;
    add(1, 1, 0);
    for (unsigned k = 0; k < 3000; k++)
        add(0, 0, k);
    groups_flush(accesses);
    assert_int_equal(count(0, 1), 3000);
    assert_int_equal(count(1, 2), 1);
}

/* More places than there is room for. */
static void test_many_places_apart(void **state)
{
    (void)state;
    add(0, 1000, 0);
    add(1, 1001, 0);
    for (unsigned k = 0; k < 1000; k++)
        for (unsigned lane = 0; lane < 32; lane++)
            add(lane, k, k);
    groups_flush(accesses);
    for (unsigned k = 0; k < 1000; k++)
        assert_int_equal(count(k, ALL), 1);
    assert_int_equal(seen_count, 1002);
    assert_addresses_agree();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_sectors_of_an_unaligned_base),
        cmocka_unit_test(test_sectors_of_some_lanes),
        cmocka_unit_test(test_reads_of_constants),
        cmocka_unit_test(test_sectors_in_any_order),
        cmocka_unit_test(test_ideal_sectors),
        cmocka_unit_test(test_wavefronts),
        cmocka_unit_test(test_wavefronts_of_wide_accesses),
        cmocka_unit_test(test_wavefronts_of_shared_addresses),
        cmocka_unit_test(test_loads_from_l1),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_same_address),
        cmocka_unit_test_setup_teardown(test_lanes_in_step, start, stop),
        cmocka_unit_test_setup_teardown(test_lanes_that_do_less, start, stop),
        cmocka_unit_test_setup_teardown(test_lanes_apart, start, stop),
        cmocka_unit_test_setup_teardown(test_lanes_that_ended, start, stop),
        cmocka_unit_test_setup_teardown(test_a_partial_warp, start, stop),
        cmocka_unit_test_setup_teardown(test_half_a_warp_syncs, start, stop),
        cmocka_unit_test_setup_teardown(test_sync_begins_anew, start, stop),
        cmocka_unit_test_setup_teardown(test_one_lane_far_ahead, start, stop),
        cmocka_unit_test_setup_teardown(test_many_places_apart, start, stop),
    };

    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
