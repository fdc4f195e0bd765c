#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "harness/kit/message.h"
#include "harness/run/runlog.h"

#define COLUMNS 31

static char directory[] = "/tmp/runlog-XXXXXX";
static char path[64];
static struct capture err;

static struct record sample(void)
{
    return (struct record){
        .when = 1700000000,
        .commit = "abc123",
        .backend = "cuda",
        .device = "A \"fast\" device, say",
        .driver = "580.1",
        .cuda = "",
        .step = "reduce2",
        .variant = "sequential",
        .shape = {.n = 1000, .blocks = 4, .threads = 256, .type = TYPE_I32},
        .runs = 25,
        .us = {1, 1.5, 2, 3, 4},
        .bytes = 4004,
        .flops = NAN,
        .copy_gb_per_s = NAN,
        .result = {.has_value = true, .value = NAN, .reference = 0.1, .error = NAN, .bound = 1e-7},
        .status = "ok",
    };
}

static char *slurp(void)
{
    static char text[1 << 18];
    FILE *file = fopen(path, "r");
    size_t length;

    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static int set_up(void **state)
{
    (void)state;
    message_program("step");
    if (!strstr(directory, "XXXXXX") || mkdtemp(directory))
        snprintf(path, sizeof(path), "%s/log.csv", directory);
    unlink(path);
    return path[0] ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

static void one_header_then_rows(void **state)
{
    struct record record = sample();
    char *text;

    (void)state;
    assert_int_equal(runlog_append(path, &record), 0);
    assert_int_equal(runlog_append(path, &record), 0);
    text = slurp();
    assert_int_equal(strncmp(text, "utc,commit,backend,", 19), 0);
    assert_null(strstr(text + 1, "utc,"));
    text = strchr(text, '\n') + 1;
    assert_string_equal(
        strchr(text, '\n') + 1,
        "2023-11-14T22:13:20Z,abc123,cuda,\"A \"\"fast\"\" device, say\",580.1,,reduce2,"
        "sequential,1000,,,i32,4,256,25,warm,2.0000,1.0000,1.5000,3.0000,4.0000,4004,,"
        "2.002,,,nan,0.10000000000000001,,1e-07,ok\n");
}

static void unknown_is_empty(void **state)
{
    struct record record = sample();
    int commas = 0, header = 0;
    char *text;

    (void)state;
    record.device = "plain";
    record.shape = (struct shape){.n = 0, .rows = 0, .cols = 7};
    record.bytes = NAN;
    record.result = (struct result){.error = NAN, .bound = NAN};
    record.cold = true;
    assert_int_equal(runlog_append(path, &record), 0);
    text = slurp();
    for (; *text != '\n'; text++)
        header += *text == ',';
    assert_contains(text, ",0,0,7,f32,,,25,cold,");
    assert_contains(text, ",4.0000,,,,,,,,,,ok\n");
    for (text++; *text != '\n'; text++)
        commas += *text == ',';
    assert_int_equal(header, COLUMNS - 1);
    assert_int_equal(commas, COLUMNS - 1);
}

/* Several programs, many rows: all whole, one header. */
static void programs_may_append_together(void **state)
{
    int rows = 0, headers = 0;

    (void)state;
    for (int child = 0; child < 4; child++) {
        if (fork() == 0) {
            struct record record = sample();

            for (int i = 0; i < 100; i++) {
                if (runlog_check(path) != 0 || runlog_append(path, &record) != 0)
                    _exit(1);
            }
            _exit(0);
        }
    }
    for (int child = 0; child < 4; child++) {
        int status;

        wait(&status);
        assert_int_equal(status, 0);
    }
    for (char *line = slurp(); *line; line = strchr(line, '\n') + 1) {
        headers += strncmp(line, "utc,", 4) == 0;
        rows += strncmp(line, "2023-11-14T22:13:20Z,abc123,", 28) == 0;
    }
    assert_int_equal(headers, 1);
    assert_int_equal(rows, 400);
}

static void checking_leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(runlog_check(path), 0);
    assert_int_equal(access(path, F_OK), -1);
}

static void checking_refuses(void **state)
{
    FILE *file = fopen(path, "w");

    (void)state;
    assert_non_null(file);
    fputs("my thesis\n", file);
    fclose(file);
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_check(path), BAD_USAGE);
    assert_one_line(capture_stop(&err), "something else");
    assert_string_equal(slurp(), "my thesis\n");
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_check("/nonexistent/log.csv"), BAD_USAGE);
    assert_one_line(capture_stop(&err),
                    "--log /nonexistent/log.csv: cannot be written (No such file");
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_check("/tmp"), BAD_USAGE);
    assert_one_line(capture_stop(&err), "--log /tmp: cannot be written");
}

static void a_full_disk_is_told(void **state)
{
    struct record record = sample();

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_append("/dev/full", &record), BAD_USAGE);
    assert_one_line(capture_stop(&err), "--log /dev/full: cannot be written (No space");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_header_then_rows, set_up),
        cmocka_unit_test_setup(unknown_is_empty, set_up),
        cmocka_unit_test_setup(programs_may_append_together, set_up),
        cmocka_unit_test_setup(checking_leaves_nothing, set_up),
        cmocka_unit_test_setup(checking_refuses, set_up),
        cmocka_unit_test_setup(a_full_disk_is_told, set_up),
    };

    return cmocka_run_group_tests_name("runlog", tests, NULL, tear_down);
}
