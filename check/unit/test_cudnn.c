/*
 * Where cuDNN is not there, or does not work, one line says what is missing and where. Plans for
 * attention are made once, and kept.
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

/* A library that takes all but the first plan: a descriptor is the address of what it is of. */
static struct {
    int kinds[64], made[64]; /* by what a descriptor is of */
    int engines, refused_plans, executed;
    const void *out, *workspace; /* of the last arrays */
} fake;

static int create_any(int what, void **descriptor)
{
    fake.kinds[what] = what;
    fake.made[what]++;
    *descriptor = &fake.kinds[what];
    return 0;
}

static int set_any(void *descriptor, int attribute, int type, int64_t count, const void *values)
{
    const void *const *pointers = (const void *const *)values;

    (void)descriptor;
    assert_true(count > 0 && values && type >= 0);
    if (attribute == CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS)
        fake.out = pointers[3];
    if (attribute == CUDNN_ATTR_VARIANT_PACK_WORKSPACE)
        fake.workspace = pointers[0];
    return 0;
}

static int get_any(void *descriptor, int attribute, int type, int64_t room, int64_t *count,
                   void *values)
{
    (void)descriptor;
    (void)type;
    if (attribute == CUDNN_ATTR_ENGINEHEUR_RESULTS)
        *count = fake.engines < room ? fake.engines : room;
    else
        *(int64_t *)values = 640;
    return 0;
}

static int finalize_any(void *descriptor)
{
    bool plan = *(int *)descriptor == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR;

    return plan && fake.made[CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR] <= fake.refused_plans ? 3000
                                                                                            : 0;
}

static int execute_any(void *handle, void *plan, void *variant_pack)
{
    (void)handle;
    assert_true(plan && variant_pack);
    fake.executed++;
    return 0;
}

static const char *name_any(int status)
{
    return status == 3000 ? "NAME_OF_3000" : "NAME_OF_ANOTHER";
}

static void no_last_error(char *text, size_t room)
{
    assert_true(room > 0);
    text[0] = '\0';
}

static const struct cudnn faked = {.version = 91501,
                                   .error_string = name_any,
                                   .last_error = no_last_error,
                                   .create_descriptor = create_any,
                                   .set = set_any,
                                   .get = get_any,
                                   .finalize = finalize_any,
                                   .execute = execute_any};

static void takes_the_first_engine_that_does_it(void **state)
{
    struct attention_case of = {CUDNN_DATA_HALF, 3, 64, 64, true};

    (void)state;
    memset(&fake, 0, sizeof(fake));
    fake.engines = 100; /* more than it looks at */
    fake.refused_plans = 2;
    assert_non_null(attention_plan(&faked, &of, why, sizeof(why)));
    assert_string_equal(why, ""); /* or the harness would leave it out */
    assert_int_equal(fake.made[CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR], 3);
}

static void says_that_no_engine_does_it(void **state)
{
    struct attention_case of = {CUDNN_DATA_HALF, 5, 64, 33, true};

    (void)state;
    memset(&fake, 0, sizeof(fake));
    assert_null(attention_plan(&faked, &of, why, sizeof(why)));
    assert_string_equal(why, "cuDNN 9.15.1: an engine for this shape on this device: NAME_OF_3000");
    assert_int_equal(fake.made[CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR], 2);
}

static void keeps_plans_and_arrays(void **state)
{
    struct attention_case of = {CUDNN_DATA_BFLOAT16, 7, 64, 64, false}, other = of;
    struct attention_arrays arrays = {"q", "k", "v", fake.kinds, fake.made};
    struct attention_plan *plan;

    (void)state;
    memset(&fake, 0, sizeof(fake));
    fake.engines = 1;
    plan = attention_plan(&faked, &of, why, sizeof(why));
    assert_non_null(plan);
    assert_int_equal(attention_plan_workspace(plan), 640);
    other.causal = true;
    assert_ptr_not_equal(attention_plan(&faked, &other, why, sizeof(why)), plan);
    assert_ptr_equal(attention_plan(&faked, &of, why, sizeof(why)), plan);
    assert_int_equal(fake.made[CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR], 2);
    attention_plan_run(&faked, plan, &arrays);
    attention_plan_run(&faked, plan, &arrays);
    assert_int_equal(fake.made[CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR], 1);
    arrays.out = &fake.executed;
    attention_plan_run(&faked, plan, &arrays);
    assert_int_equal(fake.made[CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR], 2);
    assert_int_equal(fake.executed, 3);
    assert_ptr_equal(fake.out, arrays.out);
    assert_ptr_equal(fake.workspace, arrays.workspace);
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
        cmocka_unit_test(takes_the_first_engine_that_does_it),
        cmocka_unit_test(says_that_no_engine_does_it),
        cmocka_unit_test(keeps_plans_and_arrays),
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
