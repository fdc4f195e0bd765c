/*
 * Bytes between devices (links.c): which link and which ports a load, a store, an atomic and a copy
 * are counted at, in the CSV and in the tables.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/engine/device_set.h"
#include "cpu/tools/counters/links.h"
#include "cpu_device.h"

int cpu_devices = 3;

/* Each has 1000 bytes; behind them is nobody's. */
int memory_device(uintptr_t address)
{
    return address < 3000 ? (int)(address / 1000) : ALL_DEVICES;
}

static void access_by(int device, uintptr_t address, unsigned bytes, unsigned flags)
{
    struct launch launch = {.device = device};
    struct block block = {.launch = &launch};
    struct thread thread = {.block = &block};
    const struct access a = {.thread = &thread, .address = address, .bytes = bytes, .flags = flags};

    links_access(&a);
}

/* What is reported, and forgotten then. */
static char *told(bool csv)
{
    static char *text;
    size_t length;
    FILE *out;

    free(text);
    out = open_memstream(&text, &length);
    if (csv)
        cpu_device_report_links(out, "x,");
    links_print(csv ? NULL : out);
    fclose(out);
    return text;
}

static void test_none(void **unused)
{
    (void)unused;
    access_by(1, 1000, 8, 0);
    access_by(1, 5000, 8, ACCESS_WRITE);
    links_copy(2, 2, 100);
    links_copy(ALL_DEVICES, 2, 100);
    links_copy(2, ALL_DEVICES, 100);
    assert_string_equal(told(true), "");
    assert_string_equal(told(false), "");
}

static void test_rows(void **unused)
{
    (void)unused;
    access_by(0, 1004, 4, 0);                                           /* 1 answers */
    access_by(0, 2000, 16, ACCESS_WRITE);                               /* 0 sends */
    access_by(2, 0, 4, ACCESS_WRITE | ACCESS_ATOMIC);                   /* both */
    access_by(2, 8, 4, ACCESS_WRITE | ACCESS_ATOMIC | ACCESS_VOLATILE); /* a store */
    links_copy(1, 2, 100);
    links_copy(1, 2, 0);
    assert_string_equal(told(true), "x,,0,2,20,4,16,0,0\n" /* the atomic's answer is a load's */
                                    "x,,1,0,4,4,0,0,0\n"
                                    "x,,1,2,100,0,0,100,2\n"
                                    "x,,2,0,8,0,8,0,0\n"
                                    "x,,0,,20,4,16,0,0\n"
                                    "x,,,0,12,4,8,0,0\n"
                                    "x,,1,,104,4,0,100,2\n"
                                    "x,,,1,0,0,0,0,0\n"
                                    "x,,2,,8,0,8,0,0\n"
                                    "x,,,2,120,4,16,100,2\n");
    assert_string_equal(told(true), "");
}

/* The tables have what is timed, the CSV all. */
static void test_phases(void **unused)
{
    char name[] = "run"; /* the same word elsewhere */

    (void)unused;
    links_phase("copy");
    links_copy(0, 1, 7);
    links_phase(name);
    links_copy(0, 1, 100);
    links_phase("verify");
    links_copy(0, 1, 20);
    links_phase("run");
    links_copy(0, 1, 1);
    cpu_devices = 2;
    assert_string_equal(told(true), "x,copy,0,1,7,0,0,7,1\n"
                                    "x,copy,0,,7,0,0,7,1\nx,copy,,0,0,0,0,0,0\n"
                                    "x,copy,1,,0,0,0,0,0\nx,copy,,1,7,0,0,7,1\n"
                                    "x,run,0,1,101,0,0,101,2\n"
                                    "x,run,0,,101,0,0,101,2\nx,run,,0,0,0,0,0,0\n"
                                    "x,run,1,,0,0,0,0,0\nx,run,,1,101,0,0,101,2\n"
                                    "x,verify,0,1,20,0,0,20,1\n"
                                    "x,verify,0,,20,0,0,20,1\nx,verify,,0,0,0,0,0,0\n"
                                    "x,verify,1,,0,0,0,0,0\nx,verify,,1,20,0,0,20,1\n");
    links_copy(0, 1, 100);
    links_phase("verify");
    links_copy(0, 1, 20);
    assert_non_null(strstr(told(false), "            0          100\n"));
    links_copy(0, 1, 20);
    assert_string_equal(told(false), "");
    cpu_devices = 3;
}

static void test_tables(void **unused)
{
    const char *text;

    (void)unused;
    access_by(0, 1004, 4, 0);
    links_copy(1, 2, 100);
    text = told(false);
    assert_non_null(strstr(text, " 0 of  1's memory               4            0            0\n"));
    assert_non_null(strstr(text, " 1 of  2's memory               0            0          100\n"));
    assert_non_null(strstr(text, "\n0                              0            4\n"
                                 "1                            104            0\n"
                                 "2                              0          100\n"));
    assert_string_equal(told(false), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_phases)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
