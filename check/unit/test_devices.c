/*
 * The parts of memory that several devices have (memory.c), for every number of devices: each has
 * its share, none has two, and what a launch may touch is its own, that of its peers, and that of
 * all.
 */
#include "unit.h"

#include "cpu/engine/device_set.h"
#include "cpu/engine/memory.h"

enum { STRIPES = MEMORY_RANGE / MEMORY_STRIPE };

static uintptr_t stripe_at(int stripe)
{
    return memory_base + (uintptr_t)stripe * MEMORY_STRIPE;
}

static int owner(int stripe)
{
    assert_int_equal(memory_device(stripe_at(stripe)),
                     memory_device(stripe_at(stripe) + MEMORY_STRIPE - 1));
    return memory_device(stripe_at(stripe));
}

static void test_shares(void **state)
{
    (void)state;
    for (cpu_devices = 1; cpu_devices <= MAX_DEVICES; cpu_devices++) {
        int own[MAX_DEVICES] = {0}, heap[MAX_DEVICES] = {0};

        for (int i = 0; i < STRIPES; i++) {
            size_t at = (size_t)i * MEMORY_STRIPE;

            if (at >= MEMORY_SHARED_AT)
                assert_int_equal(owner(i), ALL_DEVICES);
            else
                (at < MEMORY_HEAP_AT ? own : heap)[owner(i)]++;
        }
        for (int d = 0; d < MAX_DEVICES; d++) {
            assert_true(own[d] > 0);
            assert_int_equal(own[d], own[0]);
            assert_true(heap[d] > 0);
        }
    }
    assert_int_equal(memory_device(memory_base - 1), ALL_DEVICES);
    assert_int_equal(memory_device(memory_base + MEMORY_RANGE), ALL_DEVICES);
}

/* From set to set of devices: all of a few, some of many. */
static uint32_t step(void)
{
    return cpu_devices <= 8 ? 1 : 509;
}

static void test_what_is_open(void **state)
{
    (void)state;
    for (cpu_devices = 1; cpu_devices <= MAX_DEVICES; cpu_devices++)
        for (uint32_t devices = 1; devices < 1u << cpu_devices; devices += step()) {
            uint64_t stripes = memory_stripes(devices);

            for (int i = 0; i < STRIPES; i++)
                assert_int_equal(memory_is_open(stripes, stripe_at(i) + 5),
                                 owner(i) >= cpu_devices || owner(i) == ALL_DEVICES ||
                                     devices >> owner(i) & 1);
            assert_false(memory_is_open(stripes, memory_base - 1));
            assert_false(memory_is_open(stripes, memory_base + MEMORY_RANGE));
        }
}

static void test_open_part(void **state)
{
    uintptr_t from;
    size_t bytes;

    (void)state;
    for (cpu_devices = 1; cpu_devices <= MAX_DEVICES; cpu_devices++)
        for (uint32_t devices = 1; devices < 1u << cpu_devices; devices += step())
            for (int d = 0; d < cpu_devices; d++) {
                uint64_t stripes = memory_stripes(devices);
                bool holds = false;

                if (!(devices >> d & 1))
                    continue;
                memory_open_part(d, stripes, &from, &bytes);
                for (uintptr_t at = from; at < from + bytes; at += MEMORY_STRIPE) {
                    assert_true(memory_is_open(stripes, at));
                    holds |= memory_device(at) == d && at - memory_base < MEMORY_HEAP_AT;
                }
                assert_true(holds);
                assert_false(memory_is_open(stripes, from - 1));
                assert_false(memory_is_open(stripes, from + bytes));
            }
    cpu_devices = 1;
    memory_open_part(0, memory_stripes(1), &from, &bytes);
    assert_true(from == memory_base && bytes == MEMORY_RANGE);
}

static void test_peers(void **state)
{
    (void)state;
    cpu_devices = 4;
    assert_int_equal(device_reach(2), 1u << 2);
    assert_true(device_set_peer(2, 0, true));
    assert_false(device_set_peer(2, 0, true));
    assert_true(device_set_peer(1, 2, true));
    assert_int_equal(device_reach(2), 1u << 2 | 1u << 0);
    assert_int_equal(device_reach(0), 1u << 0);
    device_forget_peers(2);
    assert_int_equal(device_reach(2), 1u << 2);
    assert_int_equal(device_reach(1), 1u << 1);
    assert_false(device_set_peer(1, 2, false));
}

/* The first to run: it says for how many devices the range is cut up. */
static void test_allocations(void **state)
{
    void *at[5], *pinned;

    (void)state;
    cpu_devices = 5;
    for (int d = 0; d < 5; d++) {
        assert_int_equal(memory_allocate(&at[d], 1000, MEMORY_DEVICE, d), cudaSuccess);
        assert_int_equal(memory_device((uintptr_t)at[d]), d);
        assert_int_equal(memory_find((uintptr_t)at[d])->device, d);
        assert_int_equal(memory_device(memory_heap(d)), d);
        assert_int_equal(memory_find(memory_heap(d) + 7)->device, d);
        assert_int_equal(memory_used(d), 1000);
    }
    assert_int_equal(memory_allocate(&pinned, 10, MEMORY_PINNED, 3), cudaSuccess);
    assert_int_equal(memory_device((uintptr_t)pinned), ALL_DEVICES);
    assert_int_equal(memory_used(3), 1010);
    memory_free_all(3);
    for (int d = 0; d < 5; d++)
        assert_int_equal(memory_find((uintptr_t)at[d])->freed, d == 3);
    assert_true(memory_find((uintptr_t)pinned)->freed);
    assert_int_equal(memory_used(3), 0);
    assert_int_equal(memory_allocate(&pinned, memory_total() + 1, MEMORY_DEVICE, 0),
                     cudaErrorMemoryAllocation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations),  cmocka_unit_test(test_shares),
        cmocka_unit_test(test_what_is_open), cmocka_unit_test(test_open_part),
        cmocka_unit_test(test_peers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
