#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "harness/kit/element.h"
#include "harness/kit/message.h"
#include "harness/run/options.h"
#include "harness/run/runlog.h"
#include "harness/run/runlog_row.h"
#include "log_columns.h"

#define COLUMNS                                                                                    \
    31 /* that every family has; behind them, in a new log, those that families have alone */

static char directory[] = "/tmp/runlog-XXXXXX";
static char path[64];
static struct capture err;

static const struct axis axis[] = {{.name = "n"}};
static const struct axis sides[] = {{.name = "rows"}, {.name = "cols"}};
static const struct family vectors = {.name = "vector", .axes = axis, .axis_count = 1};
static const struct family matrices = {.name = "matrix", .axes = sides, .axis_count = 2};
static const struct program vector = {"reduce2", &vectors, NULL, NULL};
static const struct program matrix = {"transpose", &matrices, NULL, NULL};
static const struct variant sequential = {.name = "sequential"};
static const struct device device = {
    .name = "A \"fast\" device, say", .driver = "580.1", .cuda = ""};

static const struct parameter range[] = {{.option = "range"}, {NULL, NULL, NULL}};
static const struct family histograms = {
    .name = "histogram", .axes = axis, .axis_count = 1, .parameters = range};
static const struct program histogram = {"histogram", &histograms, NULL, NULL};
static const struct setting plain_setting = {.input = NULL};
static const struct setting ranged = {.input = "zipf", .parameters = {"0:1"}};

static struct measurement sample(void)
{
    return (struct measurement){
        .program = &vector,
        .variant = &sequential,
        .setting = &plain_setting,
        .shape = {.n = 1000, .axis = {1000}, .blocks = 4, .threads = 256, .type = &type_i32},
        .role = ROLE_PEER,
        .runs = 25,
        .us = {1, 1.5, 2, 3, 4},
        .bytes = 4004,
        .flops = NAN,
        .copy_gb_per_s = NAN,
        .result = {.has_value = true, .value = NAN, .reference = 0.1, .error = NAN, .bound = 1e-7},
    };
}

static struct measurement sample_matrix(void)
{
    struct measurement m = sample();

    m.program = &matrix;
    m.shape = (struct shape){.n = 0, .axis = {0, 7}, .type = &type_f32};
    return m;
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

static int count(const char *text, char what)
{
    int found = 0;

    for (; *text && *text != '\n'; text++)
        found += *text == what;
    return found;
}

static void one_header_then_rows(void **state)
{
    struct measurement m = sample();
    char *text;

    (void)state;
    assert_int_equal(runlog_append(path, &m, &device), 0);
    assert_int_equal(runlog_append(path, &m, &device), 0);
    text = slurp();
    assert_int_equal(strncmp(text, "utc,commit,backend,", 19), 0);
    assert_contains(text, ",step,variant,role,n,input,type,blocks,");
    assert_contains(text, ",bound,status," LOG_COLUMNS "\n");
    assert_null(strstr(text + 1, "utc,"));
    text = strchr(strchr(text, '\n') + 1, '\n') + 1;
    assert_contains(text, ",cpu,\"A \"\"fast\"\" device, say\",580.1,,reduce2,"
                          "sequential,peer,1000,,i32,4,256,25,warm,2.0000,1.0000,1.5000,3.0000,"
                          "4.0000,4004,,2.002,,,nan,0.10000000000000001,,1e-07,ok,,");
}

/* The text of the last row in a column. */
static char *last_row(const char *column)
{
    static char field[256];
    char *text = slurp(), *row = strstr(strchr(text, '\n') + 1, "\n20") + 1, *header = text;

    for (char *next = row; next > (char *)1; next = strstr(next, "\n20") + 1)
        row = next;
    for (; strncmp(header, column, strlen(column)) || !strchr(",\n", header[strlen(column)]);
         header += strcspn(header, ",") + 1)
        row += strcspn(row, ",") + 1;
    snprintf(field, sizeof(field), "%.*s", (int)strcspn(row, ",\n"), row);
    return field;
}

static void unknown_is_empty(void **state)
{
    struct measurement m = sample_matrix();
    const struct device plain = {.name = "plain"};
    char *text;

    (void)state;
    m.bytes = NAN;
    m.result = (struct result){.error = NAN, .bound = NAN};
    m.cold = true;
    assert_int_equal(runlog_append(path, &m, &plain), 0);
    assert_int_equal(runlog_append(path, &m, &plain), 0);
    text = slurp();
    assert_contains(text, ",0,,f32,,,25,cold,");
    assert_contains(text, ",4.0000,,,,,,,,,,ok,");
    assert_int_equal(count(text, ','), COLUMNS + count(LOG_COLUMNS, ','));
    assert_int_equal(count(strchr(text, '\n') + 1, ','), COLUMNS + count(LOG_COLUMNS, ','));
    assert_string_equal(last_row("rows"), "0");
    assert_string_equal(last_row("cols"), "7");
    assert_string_equal(last_row("bins"), "");
}

static void input_and_parameters(void **state)
{
    const struct device plain = {.name = "plain"};
    struct measurement m = sample();

    (void)state;
    m.program = &histogram;
    m.setting = &ranged;
    assert_int_equal(runlog_append(path, &m, &plain), 0);
    assert_int_equal(runlog_append(path, &m, &plain), 0);
    assert_string_equal(last_row("input"), "zipf");
    assert_string_equal(last_row("range"), "0:1");
}

/* The rows of a log in the hand of its reader: all have every column. */
static int whole_rows(void)
{
    char *text = slurp();
    int columns = count(text, ','), rows = 0;

    for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        assert_non_null(strchr(line, '\n'));
        /* the device's name has a comma within quotes */
        assert_int_equal(count(line, ',') - (strstr(line, "fast") ? 1 : 0), columns);
        rows++;
    }
    return rows;
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Columns in another order, and one that is not known any more. */
static void an_older_log_keeps_its_header(void **state)
{
    struct measurement m = sample();
    char header[ROW_TEXT];
    struct row row;

    (void)state;
    row_names(&row, &vectors);
    snprintf(header, sizeof(header), "colour");
    for (int i = row.count - 1; i >= 0; i--) {
        strcat(header, ",");
        strcat(header, row.fields[i].name);
    }
    strcat(header, "\nred");
    write_text(header); /* the last row was cut */
    assert_int_equal(runlog_check(path, &vectors), 0);
    assert_int_equal(runlog_append(path, &m, &device), 0);
    assert_int_equal(strncmp(slurp(), header, strlen(header)), 0);
    assert_contains(slurp(), "\nred\n,ok,1e-07,,0.10000000000000001,nan,");
}

static void lacks(const struct family *family, const struct measurement *m, const char *column)
{
    char *before = strdup(slurp()), what[128];

    snprintf(what, sizeof(what), "log.csv: it has no column %s, ", column);
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_check(path, family), BAD_USAGE);
    assert_one_line(capture_stop(&err), what);
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_append(path, m, &device), BAD_USAGE);
    assert_one_line(capture_stop(&err), what);
    assert_string_equal(slurp(), before);
    free(before);
}

/* It is left as it is, whichever columns are not there. */
static void a_log_without_a_column_is_refused(void **state)
{
    struct measurement m = sample(), other = sample_matrix();
    char header[ROW_TEXT];
    struct row row;

    (void)state;
    write_text("step,variant,median_us,colour,n\nreduce0,halving,3,red,7\n");
    lacks(&vectors, &m, "utc");
    row_names(&row, &vectors);
    header[0] = '\0';
    for (int i = 0; i < row.count; i++) {
        strcat(header, i ? "," : "");
        strcat(header, row.fields[i].name);
    }
    strcat(header, "\n");
    write_text(header);
    assert_int_equal(runlog_append(path, &m, &device), 0);
    lacks(&matrices, &other, "rows");
}

/* Nor can a family begin a log that has not named its columns. */
static void a_new_log_has_all_columns(void **state)
{
    static const struct axis unknown[] = {{.name = "n"}, {.name = "colour", .option = "colour"}};
    static const struct family painted = {.axes = unknown, .axis_count = 2};

    (void)state;
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_check(path, &painted), BAD_USAGE);
    assert_one_line(capture_stop(&err), "no column colour");
    assert_int_equal(access(path, F_OK), -1);
}

static void a_cut_row_stays_alone(void **state)
{
    struct measurement m = sample();
    FILE *file;

    (void)state;
    assert_int_equal(runlog_append(path, &m, &device), 0);
    file = fopen(path, "a");
    assert_non_null(file);
    fputs("2026-01-01T00:00:00Z,abc", file);
    fclose(file);
    assert_int_equal(runlog_append(path, &m, &device), 0);
    assert_contains(slurp(), "\n2026-01-01T00:00:00Z,abc\n");
    assert_int_equal(count(strrchr(slurp(), 'Z'), ',') > 10, true);
}

static void all_succeed(int children)
{
    for (int child = 0; child < children; child++) {
        int status;

        wait(&status);
        assert_int_equal(status, 0);
    }
}

/* Two families, four programs, one log. */
static void families_may_append_together(void **state)
{
    (void)state;
    for (int child = 0; child < 4; child++) {
        if (fork() == 0) {
            struct measurement m = child % 2 ? sample() : sample_matrix();

            for (int i = 0; i < 50; i++) {
                if (runlog_append(path, &m, &device) != 0)
                    _exit(1);
            }
            _exit(0);
        }
    }
    all_succeed(4);
    assert_int_equal(whole_rows(), 200);
}

/* Several programs, many rows: all whole, one header. */
static void programs_may_append_together(void **state)
{
    int headers = 0;

    (void)state;
    for (int child = 0; child < 4; child++) {
        if (fork() == 0) {
            struct measurement m = sample();

            for (int i = 0; i < 100; i++) {
                if (runlog_check(path, &vectors) != 0 || runlog_append(path, &m, &device) != 0)
                    _exit(1);
            }
            _exit(0);
        }
    }
    all_succeed(4);
    for (char *line = slurp(); *line; line = strchr(line, '\n') + 1)
        headers += strncmp(line, "utc,", 4) == 0;
    assert_int_equal(headers, 1);
    assert_int_equal(whole_rows(), 400);
}

static void checking_leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(runlog_check(path, &vectors), 0);
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
    assert_int_equal(runlog_check(path, &vectors), BAD_USAGE);
    assert_one_line(capture_stop(&err), "something else");
    assert_string_equal(slurp(), "my thesis\n");
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_check("/nonexistent/log.csv", &vectors), BAD_USAGE);
    assert_one_line(capture_stop(&err),
                    "--log /nonexistent/log.csv: cannot be written (No such file");
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_check("/tmp", &vectors), BAD_USAGE);
    assert_one_line(capture_stop(&err), "--log /tmp: cannot be written");
}

static void a_full_disk_is_told(void **state)
{
    struct measurement m = sample();

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    capture_start(&err, STDERR_FILENO);
    assert_int_equal(runlog_append("/dev/full", &m, &device), BAD_USAGE);
    assert_one_line(capture_stop(&err), "--log /dev/full: cannot be written (No space");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_header_then_rows, set_up),
        cmocka_unit_test_setup(unknown_is_empty, set_up),
        cmocka_unit_test_setup(input_and_parameters, set_up),
        cmocka_unit_test_setup(an_older_log_keeps_its_header, set_up),
        cmocka_unit_test_setup(a_log_without_a_column_is_refused, set_up),
        cmocka_unit_test_setup(a_new_log_has_all_columns, set_up),
        cmocka_unit_test_setup(a_cut_row_stays_alone, set_up),
        cmocka_unit_test_setup(programs_may_append_together, set_up),
        cmocka_unit_test_setup(families_may_append_together, set_up),
        cmocka_unit_test_setup(checking_leaves_nothing, set_up),
        cmocka_unit_test_setup(checking_refuses, set_up),
        cmocka_unit_test_setup(a_full_disk_is_told, set_up),
    };

    return cmocka_run_group_tests_name("runlog", tests, NULL, tear_down);
}
