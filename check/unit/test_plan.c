#include "unit.h"

#include "harness/kit/device.h"
#include "harness/kit/element.h"
#include "harness/kit/message.h"
#include "harness/run/listener.h"
#include "harness/run/tools.h"

const struct device *device_in_use(void)
{
    static const struct device four = {.multiprocessors = 4};

    return &four;
}

int tools_devices(const struct options *o, int wanted)
{
    (void)o;
    (void)wanted;
    return 2;
}

static int at_most_three(int threads)
{
    return threads > 512 ? 1 : 3;
}

static void wide_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 512;
    if (s->blocks == 0)
        s->blocks = 2;
}

static void family_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
    if (s->blocks == 0)
        s->blocks = 10;
}

static bool refuse_77(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if (s->threads != 77)
        return false;
    snprintf(why, room, "not 77");
    return true;
}

/* As of a device that holds no more than 128 threads. */
static bool refuse_above_128(const struct shape *s, char *why, size_t room)
{
    if (s->threads <= 128)
        return false;
    snprintf(why, room, "it needs %d threads at once; this device has 128", s->threads);
    return true;
}

static const struct variant variants[] = {
    {"any", "", NULL, 0, NULL, NULL, NULL, NULL, 0},
    {"power", "", NULL, POWER_OF_TWO, NULL, NULL, NULL, NULL, 0},
    {"warps", "", NULL, WHOLE_WARPS, NULL, NULL, NULL, NULL, 0},
    {"block", "", NULL, ONE_BLOCK, NULL, NULL, NULL, NULL, 0},
    {"waits", "", NULL, 0, NULL, at_most_three, NULL, NULL, 0},
    {"wide", "", NULL, 0, NULL, NULL, wide_shape, NULL, 0},
    {"sized", "", NULL, GRID_BY_SIZE, NULL, NULL, NULL, NULL, 0},
    {"own", "", NULL, AT_LEAST_TWO_THREADS, NULL, NULL, NULL, NULL, 96},
    {"wrong", "", NULL, UNSYNCHRONISED, NULL, NULL, NULL, NULL, 0},
    {"host", "", NULL, ON_HOST, NULL, NULL, NULL, NULL, 0},
    {"ceiling", "", NULL, CEILING, NULL, NULL, NULL, NULL, 0},
    {"few", "", NULL, THREADS_BY_SIZE, .only = "8 16 100"},
};
#define FIRST_SEVEN 0x7f

static const struct axis axis[] = {{.name = "n", .cpu = 100}};
static const struct axis sides[] = {{.name = "rows", .cpu = 10}, {.name = "cols", .cpu = 10}};
static const struct axis histogram[] = {{.name = "n", .cpu = 100},
                                        {.name = "bins", .option = "bins", .cpu = 10}};
static const struct family family = {.name = "test",
                                     .axes = axis,
                                     .axis_count = 1,
                                     .most_on_host = 1000,
                                     .default_shape = family_shape,
                                     .refuse = refuse_77};
static const struct step step = {"step", &family, &type_f32, variants, COUNT(variants)};

static struct options base(void)
{
    return (struct options){.axis = {100},
                            .sweep = SWEEP_SIZE,
                            .sweep_from = -1,
                            .sweep_to = -1,
                            .sweep_step = 1,
                            .step = &step,
                            .setting = {.type = &type_f32},
                            .chosen = FIRST_SEVEN};
}

static struct plan plan;
static struct capture err;

static int make_for(const struct listener *listener, const struct options *o,
                    const struct family *f)
{
    struct program program = {"step", f, NULL, NULL};
    int status;

    message_program("step");
    capture_start(&err, STDERR_FILENO);
    status = plan_make(&plan, o, &program, listener);
    capture_stop(&err);
    return status;
}

static int make(const struct options *o, const struct family *f)
{
    return make_for(NULL, o, f);
}

static void names_the_rule_broken(void **state)
{
    struct options o = base();

    (void)state;
    o.threads = 100;
    o.blocks = 4;
    assert_int_equal(make(&o, &family), 0);
    assert_int_equal(plan.count, 7);
    assert_string_equal(plan.items[0].refused, "");
    assert_string_equal(plan.items[1].refused, "threads must be a power of two; got 100");
    assert_string_equal(plan.items[2].refused, "threads must be a multiple of 32; got 100");
    assert_string_equal(plan.items[3].refused, "blocks must be 1; got 4");
    assert_contains(plan.items[4].refused, "at most 3 blocks of 100 threads");
    assert_string_equal(plan.items[5].refused, "");
    assert_contains(plan.items[6].refused, "--blocks must be left out; got 4");
    assert_int_equal(plan.largest.threads, 100);
    plan_free(&plan);
}

static int three(const struct setting *setting)
{
    (void)setting;
    return 3;
}

/* What is left of the input is not launched on again. */
static void repeats_what_leaves_its_input(void **state)
{
    static const struct variant both[] = {{"keeps"}, {"destroys", .rules = DESTROYS_INPUT}};
    struct family repeated = family;
    struct step two = {"step", &repeated, &type_f32, both, COUNT(both)};
    struct options o = base();

    (void)state;
    repeated.repeats = three;
    o.step = &two;
    o.chosen = 3;
    assert_int_equal(make(&o, &repeated), 0);
    assert_string_equal(plan.items[0].refused, "");
    assert_contains(plan.items[1].refused, "only once; got 3");
    plan_free(&plan);
}

/* What a variant itself refuses is no matter of the others. */
static void refuses_what_the_device_cannot_hold(void **state)
{
    static const struct variant both[] = {{"small"}, {"large", .refuse = refuse_above_128}};
    struct step two = {"step", &family, &type_f32, both, COUNT(both)};
    struct options o = base();

    (void)state;
    o.step = &two;
    o.chosen = 3;
    for (o.threads = 128; o.threads <= 129; o.threads++) {
        assert_int_equal(make(&o, &family), 0);
        assert_string_equal(plan.items[0].refused, "");
        assert_string_equal(plan.items[1].refused,
                            o.threads == 128 ? ""
                                             : "it needs 129 threads at once; this device has 128");
        plan_free(&plan);
    }
    o.chosen = 2;
    o.name_count = 1;
    assert_int_equal(make(&o, &family), BAD_USAGE);
    assert_one_line(err.text, "step large: it needs 130 threads at once");
    plan_free(&plan);
}

static void fills_in_defaults(void **state)
{
    struct options o = base();

    (void)state;
    assert_int_equal(make(&o, &family), 0);
    assert_int_equal(plan.items[0].shape.blocks, 10);
    assert_int_equal(plan.items[0].shape.threads, 256);
    assert_int_equal(plan.items[3].shape.blocks, 1);
    assert_int_equal(plan.items[4].shape.blocks, 3); /* a default fits the device */
    assert_string_equal(plan.items[4].refused, "");
    assert_int_equal(plan.items[5].shape.blocks, 2);
    assert_int_equal(plan.items[5].shape.threads, 512);
    assert_int_equal(plan.items[6].shape.blocks, 0);
    assert_int_equal(plan.largest.blocks, 10);
    assert_int_equal(plan.largest.threads, 512);
    plan_free(&plan);
}

static void oversubscribing_lifts_the_limit(void **state)
{
    struct options o = base();

    (void)state;
    o.blocks = 4;
    o.chosen = 1 << 4;
    o.name_count = 1;
    o.setting.oversubscribe = true;
    assert_int_equal(make(&o, &family), 0);
    plan_free(&plan);
    o.setting.oversubscribe = false;
    assert_int_equal(make(&o, &family), BAD_USAGE);
    assert_one_line(err.text, "step waits: at most 3 blocks of 256 threads");
    plan_free(&plan);
}

static void a_named_variant_must_run(void **state)
{
    struct options o = base();

    (void)state;
    o.threads = 100;
    o.chosen = 3;
    o.name_count = 2;
    assert_int_equal(make(&o, &family), BAD_USAGE);
    assert_one_line(err.text, "step power: threads must be a power of two; got 100");
    plan_free(&plan);
    o.chosen = FIRST_SEVEN;
    o.name_count = 0;
    o.threads = 77;
    assert_int_equal(make(&o, &family), BAD_USAGE); /* none can run */
    assert_one_line(err.text, "step any: not 77");
    plan_free(&plan);
    o.in_batch = true; /* a batch tells each */
    assert_int_equal(make(&o, &family), 0);
    assert_string_equal(plan.items[0].refused, "not 77");
    plan_free(&plan);
}

static void walks_the_sizes(void **state)
{
    struct options o = base();

    (void)state;
    o.sweep_from = 8;
    o.sweep_to = 10;
    o.chosen = 1 | 1 << 3;
    o.name_count = 2;
    assert_int_equal(make(&o, &family), 0); /* "block" runs at 2^8 and 2^9, not at 2^10 */
    assert_int_equal(plan.count, 6);
    assert_int_equal(plan.sizes, 3);
    assert_int_equal(plan.items[0].shape.n, 256);
    assert_int_equal(plan.items[2].shape.n, 512);
    assert_string_equal(plan.items[3].refused, "");
    assert_contains(plan.items[5].refused, "one block of 256 threads takes at most 512 elements");
    assert_int_equal(plan.largest.n, 1024);
    plan_free(&plan);
    o.chosen = 1 << 3;
    assert_int_equal(make(&o, &family), 0);
    assert_int_equal(plan.largest.n, 512); /* what is refused needs no room */
    plan_free(&plan);
}

static void walks_matrices_and_grids(void **state)
{
    struct family matrices = family, grids = family;
    struct options o = base();

    (void)state;
    o.sweep_from = 2;
    o.sweep_to = 3;
    o.chosen = 1;
    matrices.axes = sides;
    matrices.axis_count = 2;
    assert_int_equal(make(&o, &matrices), 0);
    assert_int_equal(plan.items[1].shape.axis[0], 8);
    assert_int_equal(plan.items[1].shape.axis[1], 8);
    assert_int_equal(plan.items[1].shape.n, 64);
    assert_int_equal(plan.largest.axis[1], 8);
    plan_free(&plan);
    o.sweep = SWEEP_BLOCKS;
    grids.options = OPTION_BLOCKS;
    o.chosen = 1 | 1 << 4;
    assert_int_equal(make(&o, &grids), 0);
    assert_int_equal(plan.items[0].shape.n, 100);
    assert_int_equal(plan.items[0].shape.blocks, 4);
    assert_int_equal(plan.items[1].shape.blocks, 3); /* the largest that fits ends the sweep */
    assert_string_equal(plan.items[1].refused, "");
    assert_int_equal(plan.items[2].shape.blocks, 8);
    assert_contains(plan.items[3].refused, "at most 3");
    plan_free(&plan);
}

static void walks_an_axis_of_its_own(void **state)
{
    struct family f = family;
    struct options o = base();

    (void)state;
    f.axes = histogram;
    f.axis_count = 2;
    o.sweep = 1;
    o.sweep_from = 2;
    o.sweep_to = 3;
    o.chosen = 1;
    assert_int_equal(make(&o, &f), 0);
    assert_int_equal(plan.items[1].shape.axis[1], 8);
    assert_int_equal(plan.items[1].shape.n, 100); /* bins are no elements */
    plan_free(&plan);
}

static void threads_of_its_own(void **state)
{
    struct options o = base();

    (void)state;
    o.chosen = 1 << 7;
    o.name_count = 1;
    assert_int_equal(make(&o, &family), 0);
    assert_int_equal(plan.items[0].shape.threads, 96);
    plan_free(&plan);
    o.threads = 1;
    assert_int_equal(make(&o, &family), BAD_USAGE);
    assert_one_line(err.text, "step own: threads must be 96; got 1");
    plan_free(&plan);
}

/* A variant that is wrong on purpose does not run for minutes before the others are refused. */
static void wrong_ones_do_not_make_up(void **state)
{
    struct options o = base();

    (void)state;
    o.chosen = 1 << 4 | 1 << 8;
    o.blocks = 100000;
    assert_int_equal(make(&o, &family), BAD_USAGE);
    assert_one_line(err.text, "step waits: at most 3 blocks");
    plan_free(&plan);
    o.chosen = 1 << 8;
    assert_int_equal(make(&o, &family), 0);
    plan_free(&plan);
}

static void the_host_is_spared(void **state)
{
    struct options o = base();

    (void)state;
    o.chosen = 1 << 9 | 1 << 10 | 1;
    o.axis[0] = 1001;
    assert_int_equal(make(&o, &family), 0);
    assert_contains(plan.items[1].refused, "at most 1000 elements");
    assert_int_equal(plan.items[0].role, ROLE_STEP);
    assert_int_equal(plan.items[1].role, ROLE_HOST);
    assert_int_equal(plan.items[2].role, ROLE_CEILING);
    plan_free(&plan);
}

static void takes_only_some_values(void **state)
{
    struct options o = base();
    struct family f = family;

    (void)state;
    f.axes = histogram;
    f.axis_count = 2;
    o.axis[1] = 17;
    o.chosen = 1 << 11;
    assert_int_equal(make(&o, &f), 0); /* a default gives way */
    assert_int_equal(plan.items[0].shape.axis[1], 16);
    plan_free(&plan);
    o.axis[1] = 7;
    assert_int_equal(make(&o, &f), 0);
    assert_int_equal(plan.items[0].shape.axis[1], 8);
    plan_free(&plan);
    o.given[1] = true;
    assert_int_equal(make(&o, &f), BAD_USAGE);
    plan_free(&plan);
    o.chosen = 1 << 11;
    o.name_count = 1;
    assert_int_equal(make(&o, &family), 0);
    plan_free(&plan);
    o.axis[0] = 10;
    assert_int_equal(make(&o, &family), BAD_USAGE);
    assert_one_line(err.text, "step few: n must be one of 8 16 100; got 10");
    plan_free(&plan);
    o.axis[0] = 8;
    o.threads = 64;
    assert_int_equal(make(&o, &family), BAD_USAGE);
    assert_one_line(err.text, "--threads must be left out; got 64");
    plan_free(&plan);
}

static int as_many_as_n(const struct shape *s)
{
    return (int)s->n;
}

/* There are two. The plan needs as many as an item that runs, and one if a family says nothing of
 * it. */
static void counts_devices(void **state)
{
    struct family several = family;
    struct options o = base();

    (void)state;
    o.chosen = 1;
    assert_int_equal(make(&o, &family), 0);
    assert_int_equal(plan.devices, 1);
    plan_free(&plan);
    several.devices = as_many_as_n;
    o.sweep_from = 0;
    o.sweep_to = 2;
    assert_int_equal(make(&o, &several), 0);
    assert_int_equal(plan.devices, 2);
    assert_string_equal(plan.items[1].refused, "");
    assert_string_equal(plan.items[2].refused, "it works on 4 devices; there are 2");
    plan_free(&plan);
    o.axis[0] = 0;
    o.sweep_from = o.sweep_to = -1;
    assert_int_equal(make(&o, &several), 0);
    assert_int_equal(plan.devices, 1);
    plan_free(&plan);
}

/* 3 blocks on 4 multiprocessors are 6 on 8. */
static void fills_another_device(void **state)
{
    static const struct device eight = {.multiprocessors = 8};
    static const struct listener listener = {.to_fill = &eight};
    struct options o = base();

    (void)state;
    o.chosen = 1 << 4;
    assert_int_equal(make_for(&listener, &o, &family), 0);
    assert_int_equal(plan.items[0].shape.blocks, 6);
    plan_free(&plan);
    o.blocks = 7;
    assert_int_equal(make_for(&listener, &o, &family), BAD_USAGE);
    assert_one_line(err.text, "at most 6 blocks of 256 threads");
    plan_free(&plan);
}

/* Other problems in the place of an item, and none in that of another. */
static bool replaces_some(void *context, const struct item *item, struct shape *largest)
{
    bool small = item->shape.n < 100;

    assert_ptr_equal(context, &plan);
    if (!small)
        *largest =
            (struct shape){.n = 32, .axis = {32}, .blocks = 3, .threads = 64, .type = &type_f32};
    return !small;
}

static void replaced_items_need_no_room(void **state)
{
    static const struct listener listener = {.context = &plan, .replaces = replaces_some};
    struct options o = base();

    (void)state;
    o.chosen = 1;
    o.axis[0] = 1000;
    assert_int_equal(make_for(&listener, &o, &family), 0);
    assert_int_equal(plan.items[0].shape.n, 1000);
    assert_int_equal(plan.largest.n, 32);
    assert_int_equal(plan.largest.axis[0], 32);
    assert_int_equal(plan.largest.blocks, 3);
    assert_int_equal(plan.largest.threads, 64);
    assert_ptr_equal(plan.largest.type, &type_f32);
    plan_free(&plan);
    o.axis[0] = 99;
    assert_int_equal(make_for(&listener, &o, &family), 0);
    assert_int_equal(plan.largest.n, 99);
    plan_free(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_rule_broken),
        cmocka_unit_test(repeats_what_leaves_its_input),
        cmocka_unit_test(refuses_what_the_device_cannot_hold),
        cmocka_unit_test(fills_in_defaults),
        cmocka_unit_test(oversubscribing_lifts_the_limit),
        cmocka_unit_test(a_named_variant_must_run),
        cmocka_unit_test(walks_the_sizes),
        cmocka_unit_test(walks_matrices_and_grids),
        cmocka_unit_test(walks_an_axis_of_its_own),
        cmocka_unit_test(threads_of_its_own),
        cmocka_unit_test(wrong_ones_do_not_make_up),
        cmocka_unit_test(the_host_is_spared),
        cmocka_unit_test(takes_only_some_values),
        cmocka_unit_test(counts_devices),
        cmocka_unit_test(fills_another_device),
        cmocka_unit_test(replaced_items_need_no_room),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
