/*
 * A family that runs on several devices, through the whole harness: each device copies its own
 * input to its own output, as many elements as the problem has. Run with CPU_DEVICE_DEVICES=2;
 * where there is one GPU, the tests of two are skipped.
 */
#include "unit.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "harness/kit/buffer.h"
#include "harness/kit/element.h"
#include "harness/kit/message.h"

#define MAX_TESTED 4 /* devices */

struct work {
    const struct device_stream *places; /* one per device */
    struct buffer x[MAX_TESTED], y[MAX_TESTED];
    size_t n;
    int devices;
};

enum { N, DEVICES };

static int devices(const struct shape *s)
{
    return (int)s->axis[DEVICES];
}

static void destroy(struct work *work)
{
    for (int i = 0; i < MAX_TESTED; i++) {
        buffer_free(&work->x[i]);
        buffer_free(&work->y[i]);
    }
    free(work);
}

/* Each device's input has a seed of its own. */
static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct work *work = work_new(sizeof(*work));
    struct setting own = *setting;
    int status = 0;

    assert_non_null(work);
    work->places = setting->places;
    for (int i = 0; i < devices(largest) && status == 0; i++) {
        own.seed = setting->seed + (unsigned)i;
        work->x[i] = (struct buffer){
            .what = "an input", .bytes = 4, .type = setting->type, .place = setting->places[i]};
        work->y[i] = (struct buffer){.what = "an output",
                                     .bytes = 4,
                                     .poison = buffer_poison_of(setting->type),
                                     .guard = BUFFER_GUARD,
                                     .place = setting->places[i]};
        status = buffer_input(&work->x[i], largest->n, &own);
        if (status == 0)
            status = buffer_reserve(&work->y[i], largest->n);
        if (status == 0)
            status = buffer_reserve_host(&work->y[i], largest->n);
    }
    if (status == 0)
        return work;
    destroy(work);
    return NULL;
}

static int set(struct work *work, const struct shape *shape)
{
    work->n = shape->n;
    work->devices = devices(shape);
    return 0;
}

static int prepare(struct work *work, const struct variant *variant)
{
    int status = 0;

    (void)variant;
    for (int i = 0; i < work->devices && status == 0; i++) {
        status = buffer_restore(&work->x[i], work->n, false);
        if (status == 0)
            status = buffer_poison(&work->y[i], work->n);
    }
    return status;
}

/* Output number i is a copy of input number i. */
static void copy(struct work *work, int i)
{
    device_use(work->places[i].device);
    cudaMemcpyAsync(work->y[i].device, work->x[i].device, work->n * 4, cudaMemcpyDeviceToDevice,
                    work->places[i].stream);
}

static void all(struct work *work)
{
    for (int i = 0; i < work->devices; i++)
        copy(work, i);
}

static void all_but_the_last(struct work *work)
{
    for (int i = 0; i < work->devices - 1; i++)
        copy(work, i);
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    int status = 0;

    for (int i = 0; i < work->devices && status == 0; i++) {
        struct buffer *x = &work->x[i], *y = &work->y[i];
        int home = -1;
        struct cudaPointerAttributes where;
        size_t wrong = 0;

        if (cudaPointerGetAttributes(&where, y->device) == cudaSuccess)
            home = where.device;
        assert_int_equal(home, i);
        status = buffer_download(y, work->n);
        for (size_t k = 0; k < work->n; k++) {
            float is = ((float *)y->host)[k], wanted = ((float *)x->host)[k];

            wrong += is != (x->opposite ? -wanted : wanted);
        }
        if (status == 0 && (i == 0 || result->verdict == VERDICT_OK))
            status = buffer_verdict(y, variant, work->n,
                                    (struct wrong){wrong, 0, "a device has no copy"}, result);
    }
    return status;
}

static double bytes(const struct shape *s)
{
    return 8.0 * (double)s->n * devices(s);
}

static void default_shape(struct shape *s)
{
    s->threads = 1;
    s->blocks = 1;
}

static const struct axis axes[] = {
    [N] = {.name = "n", .cpu = 1000, .cuda = 1000},
    [DEVICES] =
        {.name = "devices", .option = "devices", .least = 1, .most = 64, .cpu = 1, .cuda = 1},
};
static const char *const inputs[] = {"ramp", NULL};
static const struct launches launches[] = {{0}};
static const struct family family = {
    .name = "copies",
    .title = "Copies on all devices",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_INPUT,
    .inputs = inputs,
    .test = {"", "", ""},
    .launches = launches,
    .devices = devices,
    .default_shape = default_shape,
    .work = {create, set, prepare, verify, NULL, destroy},
    .bytes = bytes,
};
static const struct variant variants[] = {{"all", "every device copies", all},
                                          {"lazy", "the last does not", all_but_the_last}};
static const struct step step = {"copies", &family, &type_f32, variants, COUNT(variants)};
static const struct step *const steps[] = {&step, NULL};

static struct capture out, err;

static int run(const char *variant, const char *count)
{
    char *arguments[] = {"copies", "-v", (char *)variant, "--devices", (char *)count, "-r",
                         "2",      NULL};
    int status;

    capture_start(&out, STDOUT_FILENO);
    capture_start(&err, STDERR_FILENO);
    status = harness_main(7, arguments, steps, NULL);
    capture_stop(&err);
    capture_stop(&out);
    return status;
}

/* On the CPU device there are as many as are asked for. */
static void need_two_devices(void)
{
    int count = 0;

    assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
#ifdef BACKEND_CPU
    assert_int_equal(count, 2);
#else
    if (count < 2)
        skip();
#endif
}

static void one_device_is_the_default(void **state)
{
    (void)state;
    assert_int_equal(run("all", "1"), 0);
    assert_contains(out.text, "ok");
}

static void more_than_there_are_are_refused(void **state)
{
    (void)state;
    assert_int_equal(run("all", "64"), 2);
    assert_one_line(err.text, "copies all: it works on 64 devices; there ");
}

static void every_device_works(void **state)
{
    (void)state;
    need_two_devices();
    assert_int_equal(run("all", "2"), 0);
    assert_contains(out.text, "ok");
}

static void each_devices_result_counts(void **state)
{
    (void)state;
    need_two_devices();
    assert_int_equal(run("lazy", "2"), 1);
    assert_contains(err.text, "a device has no copy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_device_is_the_default),
        cmocka_unit_test(more_than_there_are_are_refused),
        cmocka_unit_test(every_device_works),
        cmocka_unit_test(each_devices_result_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
