/*
 * Where cuDNN is not there, or does not work, one line says what is missing and where.
 */
#include "unit.h"

#include <stdlib.h>

#include "families/attention/attention_plan.h"
#include "harness/kit/cudnn.h"

static char why[512], scratch[] = "/tmp/cudnn-XXXXXX";
static const char *stub, *without_softmax; /* cudnn_stub.c, compiled in two ways */

static void refused(const char *words)
{
    memset(why, 0, sizeof(why));
    assert_null(cudnn_open(why, sizeof(why)));
    assert_contains(why, words);
    assert_null(strchr(why, '\n'));
}

/* A library's place in the directory, which has this one alone. */
static const char *planted(void)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/libcudnn.so.9", scratch);
    unlink(path);
    return path;
}

static void names_a_directory_without_it(void **state)
{
    (void)state;
    refused(planted());
}

static void names_what_is_no_library(void **state)
{
    FILE *file = fopen(planted(), "w");

    (void)state;
    assert_non_null(file);
    fputs("no library", file);
    fclose(file);
    refused(planted());
}

static void names_a_function_that_it_lacks(void **state)
{
    (void)state;
    assert_int_equal(symlink(without_softmax, planted()), 0);
    refused("libcudnn.so.9 has no function cudnnSoftmaxForward");
}

static void says_why_there_is_no_handle(void **state)
{
    (void)state;
    assert_int_equal(symlink(stub, planted()), 0);
    setenv("STUB_STATUS", "1001", 1);
    refused("cuDNN 9.15.1: cudnnCreate: NAME_OF_1001: the cause");
    assert_null(strstr(why, "a caller"));
    unsetenv("STUB_STATUS");
}

/* Behind all others, because what is loaded stays. */
static void says_what_it_refuses(void **state)
{
    struct attention_case of = {CUDNN_DATA_HALF, 1, 64, 64, true};
    const struct cudnn *lib;

    (void)state;
    assert_int_equal(symlink(stub, planted()), 0);
    lib = cudnn_open(why, sizeof(why));
    assert_non_null(lib);
    assert_int_equal(lib->version, 91501);
    assert_null(attention_plan(lib, &of, why, sizeof(why)));
    assert_string_equal(why,
                        "cuDNN 9.15.1: cudnnBackendCreateDescriptor: NAME_OF_ANOTHER: the cause");
}

static void wants_no_old_version(void **state)
{
    struct attention_case of = {CUDNN_DATA_HALF, 1, 64, 64, true};
    struct cudnn old = {.version = 90701};

    (void)state;
    assert_null(attention_plan(&old, &of, why, sizeof(why)));
    assert_string_equal(why, "it needs cuDNN 9.10 or newer; this is 9.7");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_a_directory_without_it),
        cmocka_unit_test(names_what_is_no_library),
        cmocka_unit_test(names_a_function_that_it_lacks),
        cmocka_unit_test(says_why_there_is_no_handle),
        cmocka_unit_test(says_what_it_refuses),
        cmocka_unit_test(wants_no_old_version),
    };
    int failed;

    if (argc != 3 || !mkdtemp(scratch))
        return 2;
    stub = realpath(argv[1], NULL);
    without_softmax = realpath(argv[2], NULL);
    if (!stub || !without_softmax)
        return 2;
    setenv("CUDNN_LIB_DIR", scratch, 1);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    planted();
    rmdir(scratch);
    return failed;
}
