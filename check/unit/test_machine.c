#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/kit/machine.h"
#include "harness/kit/message.h"

static char said[512];

/* A whole file: number i is i + 1, its spread half of that, attribute i is 10 * (i + 1). */
static char *whole(void)
{
    static char text[16384];
    size_t used =
        (size_t)sprintf(text, "{\"device\": {\"name\": \"A GPU\", \"compute_capability\": "
                              "\"9.0\"");

    for (int i = 0; i < MACHINE_ATTRIBUTES; i++)
        used +=
            (size_t)sprintf(text + used, ", \"%s\": %d", machine_attribute_name(i), 10 * (i + 1));
    used += (size_t)sprintf(text + used, "},\n \"measured\": {\"utc\": [1, {\"a\": null}, true]},\n"
                                         " \"numbers\": {\n");
    for (int i = 0; i < MACHINE_NUMBERS; i++)
        used += (size_t)sprintf(text + used,
                                "%s  \"%s\": {\"value\": %d, \"unit\": \"%s\", \"spread\": %g, "
                                "\"how\": \"a \\\"run\\\"\"}",
                                i ? ",\n" : "", machine_number_name(i), i + 1,
                                machine_number_unit(i), (i + 1) / 2.0);
    sprintf(text + used, "\n }\n}\n");
    return text;
}

/* Read a file of this text; its messages are in said. */
static int reading(const char *text, struct machine *machine)
{
    char path[] = "/tmp/machine-XXXXXX";
    int file = mkstemp(path), status;

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    message_capture(said, sizeof(said));
    status = machine_read(machine, path);
    message_capture(NULL, 0);
    unlink(path);
    return status;
}

/* The whole file with one piece in place of another: refused, in one line that names both the file
 * and this. */
static void refuses(const char *old, const char *new, const char *named)
{
    const char *text = whole(), *found = strstr(text, old);
    char *changed = malloc(strlen(text) + strlen(new) + 1);
    struct machine machine;

    assert_non_null(found);
    assert_non_null(changed);
    sprintf(changed, "%.*s%s%s", (int)(found - text), text, new, found + strlen(old));
    if (reading(changed, &machine) != BAD_USAGE)
        fail_msg("'%s' in place of '%s' is accepted", new, old);
    if (!strstr(said, named) || strncmp(said, "/tmp/machine-", 13) != 0 || strstr(said, "; /tmp/"))
        fail_msg("'%s' in place of '%s': \"%s\" does not name %s", new, old, said, named);
    free(changed);
}

static void takes_a_whole_file(void **state)
{
    struct machine machine;

    (void)state;
    assert_int_equal(reading(whole(), &machine), 0);
    assert_string_equal(machine.device, "A GPU");
    for (int i = 0; i < MACHINE_NUMBERS; i++) {
        assert_true(machine.value[i] == i + 1);
        assert_true(machine.spread[i] == (i + 1) / 2.0);
    }
    for (int i = 0; i < MACHINE_ATTRIBUTES; i++)
        assert_true(machine.attribute[i] == 10 * (i + 1));
}

static void has_at_most_twenty_numbers(void **state)
{
    (void)state;
    assert_true(MACHINE_NUMBERS <= 20);
}

static void refuses_what_is_wrong(void **state)
{
    (void)state;
    refuses("\"fence\": {", "\"fences\": {", "fences");
    refuses("\"value\": 3,", "\"value\": -3,", "block_start is -3");
    refuses("\"value\": 3,", "\"value\": 0,", "block_start is 0");
    refuses("\"value\": 3,", "", "block_start has no value");
    refuses("\"value\": 3,", "\"value\": 1e999,", "block_start");
    refuses("\"value\": 3,", "\"value\": inf,", "a number is missing");
    refuses("\"value\": 3,", "\"value\": nan,", "a number is missing");
    refuses("\"value\": 3,", "\"value\": \"3\",", "a number is missing");
    refuses("\"value\": 3,", "\"value\": 0x3,", "a number is missing");
    refuses("\"value\": 3,", "\"worth\": 3,", "worth");
    refuses("\"unit\": \"GB/s\"", "\"unit\": \"GB\"", "dram_read is in 'GB'; must be in GB/s");
    refuses("\"unit\": \"us\"", "\"unit\": \"ns\"", "first_operation");
    refuses("\"spread\": 0.5", "\"spread\": -0.5", "spread");
    refuses(", \"spread\": 0.5", "", "spread");
    refuses("\"how\": \"a \\\"run\\\"\"", "\"how\": \"\"", "how");
    refuses("\"multiprocessors\": 10,", "", "multiprocessors");
    refuses("\"multiprocessors\": 10,", "\"multiprocessors\": -1,", "multiprocessors is -1");
    refuses("\"name\": \"A GPU\", ", "", "name");
    refuses("\"numbers\": {", "\"numbers\": [", "line 3");
    refuses("}\n }\n}\n", "}\n }\n", "'}' is missing");
    refuses("}\n }\n}\n", "}\n }\n}}\n", "follows");
    refuses("}\n }\n}\n", "}\n", "'}' is missing");
    refuses("\"f32_rate\": {", "\"fence\": {", "fence stands there twice");
    refuses("{\"device\"", "\"device\"", "'{' is missing");
}

static void refuses_what_is_no_file(void **state)
{
    char deep[4096];
    struct machine machine;

    (void)state;
    message_capture(said, sizeof(said));
    assert_int_equal(machine_read(&machine, "/nonexistent/machine.json"), BAD_USAGE);
    message_capture(NULL, 0);
    assert_non_null(strstr(said, "No such file"));
    assert_int_equal(reading("", &machine), BAD_USAGE);
    strcpy(deep, "{\"a\": ");
    memset(deep + 6, '[', sizeof(deep) - 7);
    deep[sizeof(deep) - 1] = '\0';
    assert_int_equal(reading(deep, &machine), BAD_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_whole_file),
        cmocka_unit_test(has_at_most_twenty_numbers),
        cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(refuses_what_is_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
