#include "unit.h"

#include <math.h>

#include "harness/run/estimate.h"

/* What the CPU device has for the model, which nothing here asks for. */
int cpu_device_launch(size_t i, struct cpu_device_launch *l)
{
    (void)i;
    (void)l;
    return -1;
}

double *cpu_device_number(struct cpu_device_launch *l, size_t i)
{
    (void)i;
    return &l->launches;
}

enum cpu_number_of cpu_device_number_of(size_t i)
{
    (void)i;
    return CPU_OF_LAUNCH;
}

/* A device of which nothing takes time but a barrier of 8 warps, 16 ns, and a cycle, 1 ns. */
static struct machine idle(void)
{
    struct machine m = {.device = "A GPU"};

    for (int i = 0; i < MACHINE_NUMBERS; i++)
        m.value[i] = 1e-9;
    for (int i = 0; i < MACHINE_ATTRIBUTES; i++)
        m.attribute[i] = 1e6;
    m.value[MACHINE_BARRIER] = 16;
    m.value[MACHINE_DRAM_READ] = m.value[MACHINE_DRAM_WRITE] = m.value[MACHINE_L2_READ] = 1e9;
    m.value[MACHINE_ISSUE_RATE] = m.value[MACHINE_F32_RATE] = m.value[MACHINE_LINE_STORES] = 1e9;
    m.attribute[MACHINE_MULTIPROCESSORS] = 1;
    m.attribute[MACHINE_THREADS] = 2048;
    m.attribute[MACHINE_RESERVED_BYTES] = 1;
    m.attribute[MACHINE_CLOCK_MHZ] = 1000;
    return m;
}

/* So many blocks of so many warps on one multiprocessor, each with 100 barriers in front of its
 * last load. */
static double us(unsigned blocks, unsigned warps)
{
    const struct machine m = idle();
    struct cpu_device_launch l = {.kernel = "k", .phase = "run", .launches = 1, .blocks = blocks};

    l.threads = 32 * warps;
    l.barriers = 100.0 * blocks * warps;
    l.span[CPU_WAIT_BARRIER] = l.longest[CPU_WAIT_BARRIER] = 100;
    return estimate_launch(&m, &l, 0, NULL);
}

static void barrier_grows_with_warps(void **state)
{
    (void)state;
    assert_true(fabs(us(1, 1) - 0.1 * hypot(16 - 2 * 7, 2)) < 1e-3);
    assert_true(fabs(us(1, 8) - 0.1 * hypot(16, 2 * 8)) < 1e-3);
    assert_true(fabs(us(1, 32) - 0.1 * hypot(16 + 2 * 24, 2 * 32)) < 1e-3);
}

/* Two blocks have as many warps that arrive as one of twice the threads. */
static void blocks_share_arrivals(void **state)
{
    (void)state;
    assert_true(fabs(us(2, 32) - 0.1 * hypot(16 + 2 * 24, 2 * 64)) < 1e-3);
}

static struct cpu_device_launch small(void)
{
    return (struct cpu_device_launch){
        .kernel = "k", .phase = "run", .launches = 1, .blocks = 1, .threads = 32};
}

static void constants_take_two_cycles(void **state)
{
    const struct machine m = idle();
    struct cpu_device_launch l = small();

    (void)state;
    l.constants = 1000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 2) < 1e-3);
}

/* Each of two warps waits a hundred times, and L1 is busy for a thousand cycles. */
static void local_memory_is_of_l1(void **state)
{
    struct machine m = idle();
    struct cpu_device_launch l = small();

    (void)state;
    m.value[MACHINE_L1_LATENCY] = 30;
    l.threads = 64;
    l.local_waits = 2 * 100;
    l.local_cycles = 1000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - hypot(3, 1)) < 1e-3);
}

/* Two stages of 1 us each take 2 to the power of a fifth; two views of one take 1. */
static void stages_add_up_by_fifth_powers(void **state)
{
    const struct machine m = idle();
    struct cpu_device_launch l = small();

    (void)state;
    l.constants = 500;
    l.wavefronts = 1000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - pow(2, 0.2)) < 1e-3);
    l.barriers = 500;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - pow(2, 0.2)) < 1e-3);
}

/* The unit that is longest at it counts; the warp's chain of instructions is beside it. */
static void reads_of_registers_are_instructions(void **state)
{
    struct machine m = idle();
    struct cpu_device_launch l = small();

    (void)state;
    m.value[MACHINE_ISSUE_RATE] = 1;
    l.warp_instructions = 1000;
    l.unit_cycles[CPU_UNIT_EVEN] = 3000;
    l.unit_cycles[CPU_UNIT_ODD] = 2000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - hypot(3, 1)) < 1e-3);
}

/* A sector of each line takes as long as 112 bytes; sectors of whole lines 32 each. */
static void dram_reads_lines(void **state)
{
    struct machine m = idle();
    struct cpu_device_launch l = small();

    (void)state;
    m.attribute[MACHINE_L2_BYTES] = 1;
    m.value[MACHINE_DRAM_READ] = 1;
    l.load_sectors = l.sectors_read = l.sectors_touched = 1000;
    l.opened = 1000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 112) < 1e-3);
    l.opened = l.whole = 250;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 32) < 1e-3);
}

/* Half of what L1 lacks for a block alone, another one of its multiprocessor has brought. */
static void blocks_share_a_cache(void **state)
{
    struct machine m = idle();
    struct cpu_device_launch l = small();

    (void)state;
    m.value[MACHINE_L2_READ] = 1;
    l.blocks = 2;
    l.load_sectors = 1000;
    l.common_sectors = 500;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 16) < 1e-3);
    l.blocks = 1;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 32) < 1e-3);
}

/* Parts of sectors, without an answer and with one; and sectors of one line, of which each waits
 * for the others as long as 1.7 additions to one word. */
static void atomics_go_by_sectors(void **state)
{
    struct machine m = idle();
    struct cpu_device_launch l = small();

    (void)state;
    m.value[MACHINE_DRAM_WRITE] = 1;
    l.store_sectors = l.added_sectors = 1000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 43) < 1e-3);
    l.added_sectors = 0;
    l.answered_sectors = 1000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 59) < 1e-3);
    m = idle();
    m.value[MACHINE_SAME_ADDRESS_ATOMIC] = 1;
    l.hot_sectors = l.hot_passes = 1000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 1.7) < 1e-3);
    l.hot_passes = 2000;
    assert_true(fabs(estimate_launch(&m, &l, 0, NULL) - 2) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_grows_with_warps),
        cmocka_unit_test(blocks_share_arrivals),
        cmocka_unit_test(constants_take_two_cycles),
        cmocka_unit_test(local_memory_is_of_l1),
        cmocka_unit_test(stages_add_up_by_fifth_powers),
        cmocka_unit_test(reads_of_registers_are_instructions),
        cmocka_unit_test(dram_reads_lines),
        cmocka_unit_test(blocks_share_a_cache),
        cmocka_unit_test(atomics_go_by_sectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
