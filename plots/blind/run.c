/*
 * Runs a set of kernels: see blind.h.
 *
 *   first [NAME...]          the CPU device: prints the estimates; a GPU: the times
 *   first --run [NAME...]    the CPU device: runs each at the size that is counted, and prints
 *                            kernel,n,sum; sum is over the result's bits, and must be the same on a
 * GPU
 *
 * Every run's result is compared with the host's where the test has that: status 1 at the end, and
 * one line, if it differs. A GPU is timed as in a recorded run (docs/measuring.md). MACHINE_FILE is
 * the machine that is estimated, TABLES the directory of the table.
 */
#include "blind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "harness/kit/device.h"
#include "harness/kit/message.h"
#ifdef BACKEND_CPU
#include "harness/run/estimate.h"
#else
#include "harness/run/measure.h"
#endif

#define PARTS ((size_t)1 << 20) /* of a result that is larger, about so many are looked at */

static bool wrong; /* a result was */

static void must(int status)
{
    if (status != 0)
        exit(-status);
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* --- arrays ---------------------------------------------------------------------------------- */

static void allocate(struct arrays *a, size_t n)
{
    must(device_alloc((void **)&a->x, n * 4, "x"));
    must(device_alloc((void **)&a->y, n * 4, "y"));
    must(device_alloc((void **)&a->z, n * 4, "z"));
    must(device_alloc((void **)&a->at, n * 4, "at"));
    must(device_alloc((void **)&a->counts, BLIND_BINS * 4, "counts"));
}

static void release(struct arrays *a)
{
    device_free(a->x);
    device_free(a->y);
    device_free(a->z);
    device_free(a->at);
    device_free(a->counts);
}

static uint32_t random_word(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static uint32_t word(enum values values, uint64_t *state)
{
    uint32_t any = random_word(state), bits;
    float value = values == SMALL ? (float)(any % 16) : (float)(any % 1000) / 1000;

    if (values == BITS)
        return any ^ random_word(state) << 8;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint32_t *on_host(size_t n)
{
    uint32_t *words = malloc(n * sizeof(*words));

    if (!words)
        must(complain(BAD_DEVICE, "no memory left on the host"));
    return words;
}

static void upload(void *to, const uint32_t *words, size_t n)
{
    must(device_check(cudaMemcpy(to, words, n * 4, cudaMemcpyHostToDevice)));
}

static uint32_t *download(const void *from, size_t n)
{
    uint32_t *words = on_host(n);

    must(device_check(cudaMemcpy(words, from, n * 4, cudaMemcpyDeviceToHost)));
    return words;
}

/* The first set: x, y and z are the same, and `at` goes on where they end. */
static void fill_same(struct arrays *a, const struct test *t, size_t n)
{
    uint64_t state = 1;
    size_t all = most(n, t->table);
    uint32_t *words = on_host(all);

    for (size_t i = 0; i < all; i++)
        words[i] = word(t->values, &state);
    upload(a->x, words, all);
    upload(a->y, words, n);
    upload(a->z, words, n);
    for (size_t i = 0; t->table && i < n; i++)
        words[i] = random_word(&state) % (uint32_t)t->table;
    if (t->table)
        upload(a->at, words, n);
    free(words);
    must(device_check(cudaMemset(a->counts, 0, BLIND_BINS * 4)));
}

/* The inputs of the other sets, kept from test to test: fewer words are the beginning of more. */
static struct {
    enum values values;
    size_t n;
    uint32_t *x, *z;
} inputs;

static uint32_t *random_words(enum values values, size_t n, uint64_t state)
{
    uint32_t *words = on_host(n);

    for (size_t i = 0; i < n; i++)
        words[i] = word(values, &state);
    return words;
}

static void fill(struct arrays *a, const struct test *t, size_t n)
{
    if (t->values == THOUSANDTHS) {
        fill_same(a, t, n);
        return;
    }
    if (inputs.values != t->values || inputs.n < n) {
        free(inputs.x);
        free(inputs.z);
        inputs.x = random_words(t->values, n, 1);
        inputs.z = random_words(t->values, n, 2);
        inputs.values = t->values;
        inputs.n = n;
    }
    upload(a->x, inputs.x, n);
    upload(a->z, inputs.z, n);
}

/* Before each run. */
static void poison(struct arrays *a, const struct test *t, size_t n)
{
    if (t->values != THOUSANDTHS)
        must(device_check(cudaMemset(a->y, 0xff, n * 4)));
}

/* Of the result's bits. */
static uint64_t sum_of(const struct arrays *a, const struct test *t, size_t n)
{
    size_t words = t->counts ? BLIND_BINS : n;
    uint32_t *y = download(t->counts ? (const void *)a->counts : (const void *)a->y, words);
    uint64_t sum = 0;

    for (size_t i = 0; i < words && !t->without_result; i++)
        sum += y[i] * (uint64_t)(i + 1);
    free(y);
    return sum;
}

/* One line if it is wrong. */
static void compare(const struct arrays *a, const struct test *t, size_t n)
{
    struct arrays host = {0};
    size_t parts = t->parts ? t->parts(n) : 0, bad = 0, looked = 0;

    if (parts == 0)
        return;
    host.x = (float *)inputs.x;
    host.y = (float *)download(a->y, n);
    host.z = (float *)inputs.z;
    for (size_t part = 0; part < parts; part += parts / PARTS | 1, looked++)
        bad += !t->right(&host, n, part);
    free(host.y);
    if (bad)
        complain_of(t->name, 0, "%zu elements: %zu of %zu parts are wrong", n, bad, looked);
    wrong |= bad > 0;
}

static uint64_t run_once(struct arrays *a, const struct test *t, size_t n)
{
    poison(a, t, n);
    t->run(a, n);
    must(device_check(cudaGetLastError()));
    must(device_check(cudaDeviceSynchronize()));
    compare(a, t, n);
    return sum_of(a, t, n);
}

/* --- the CPU device: what is estimated ----------------------------------------------------------
 */

#ifdef BACKEND_CPU

static const char header[] = "kernel,n,estimated_us,sum,waits_for,part_us,then_for,then_us";
static const char run_header[] = "kernel,n,sum";

static void run_only(const struct test *t)
{
    struct arrays a;

    allocate(&a, most(t->counted, t->table));
    fill(&a, t, t->counted);
    printf("%s,%zu,%llu\n", t->name, t->counted, (unsigned long long)run_once(&a, t, t->counted));
    release(&a);
}

/* The sum is of the largest size that is counted. */
static void print(const struct test *t, const struct machine *machine, const struct counted *c,
                  uint64_t sum, const char *why)
{
    struct estimate e;
    enum wait_for first, second;

    printf("%s,%zu,", t->name, t->n);
    if (why) {
        printf(",%llu,%s,,,\n", (unsigned long long)sum, why);
        return;
    }
    e = estimate_run(machine, c, 0);
    estimate_limits(&e, &first, &second);
    printf("%.4g,%llu,%s,%.4g,%s,%.4g\n", e.us, (unsigned long long)sum, estimate_word(first),
           e.part[first], estimate_word(second), e.part[second]);
}

static void take(const struct test *t)
{
    struct counted counted[COUNTED_SIZES] = {0};
    const struct counted *last = &counted[COUNTED_SIZES - 1];
    struct machine machine;
    struct arrays a;
    bool extended = t->n > t->counted;
    uint64_t sum = 0;

    if (machine_read(&machine, MACHINE_FILE) != 0)
        exit(2);
    allocate(&a, most(t->counted, t->table));
    cpu_device_set_tools(CPU_COUNTERS);
    cpu_device_set_phase("run");
    for (int at = extended ? 0 : COUNTED_SIZES - 1; at < COUNTED_SIZES; at++) {
        size_t n = t->counted >> (COUNTED_SIZES - 1 - at);

        fill(&a, t, n);
        cpu_device_report(NULL, NULL, "");
        sum = run_once(&a, t, n);
        if (estimate_count(&counted[at], (double)n, 1) != 0)
            must(complain(BAD_DEVICE, "no memory left on the host"));
    }
    print(t, &machine, last, sum, extended ? estimate_extend(counted, (double)t->n, 0) : NULL);
    for (int at = 0; at < COUNTED_SIZES; at++)
        estimate_forget(&counted[at]);
    release(&a);
}

static int begin(const char *table)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", TABLES, table);
    return cpu_device_set_nvcc(path) == 0 ? 0 : complain(BAD_USAGE, "%s cannot be read", path);
}

#else

/* --- a GPU: what is timed ----------------------------------------------------------------------
 */

enum { RUNS = 25, WARMUP = 3 };

static const char header[] = "kernel,n,median_us,min_us,q1_us,q3_us,max_us,sum";
static const char *const run_header = header;

struct timed {
    struct arrays *a;
    const struct test *t;
};

static int prepare(void *context)
{
    struct timed *timed = context;

    poison(timed->a, timed->t, timed->t->n);
    return 0;
}

static void launch(void *context)
{
    struct timed *timed = context;

    timed->t->run(timed->a, timed->t->n);
}

static void time_runs(struct arrays *a, const struct test *t, struct stats *us)
{
    struct timed timed = {a, t};
    struct measured m = {.name = t->name,
                         .warmup = WARMUP,
                         .runs = RUNS,
                         .prepare = prepare,
                         .launch = launch,
                         .context = &timed};
    struct device_stream place = {.device = device_in_use()};
    struct meter meter;
    int status = meter_open(&meter, &place, 1, RUNS, false);

    must(status != 0 ? status : measure(&meter, &m, us, NULL));
    meter_close(&meter);
}

/* The sum is of the size that the CPU device counts; then the whole is timed. */
static void take(const struct test *t)
{
    struct arrays a;
    struct stats us;
    uint64_t sum;

    allocate(&a, most(t->n, t->table));
    fill(&a, t, t->counted);
    sum = run_once(&a, t, t->counted);
    fill(&a, t, t->n);
    time_runs(&a, t, &us);
    compare(&a, t, t->n);
    printf("%s,%zu,%.4g,%.4g,%.4g,%.4g,%.4g,%llu\n", t->name, t->n, us.median, us.min, us.q1, us.q3,
           us.max, (unsigned long long)sum);
    release(&a);
}

static void run_only(const struct test *t)
{
    take(t);
}

static int begin(const char *table)
{
    (void)table;
    return 0;
}

#endif

int blind_main(int argc, char **argv, const struct test *tests, size_t count, const char *table)
{
    bool only = argc > 1 && strcmp(argv[1], "--run") == 0;
    int first = only ? 2 : 1;

    message_program("blind");
    for (int k = first; k < argc; k++) {
        size_t i = 0;

        while (i < count && strcmp(argv[k], tests[i].name) != 0)
            i++;
        if (i == count)
            must(complain(BAD_USAGE, "%s: there is no such kernel", argv[k]));
    }
    must(only ? 0 : begin(table));
    puts(only ? run_header : header);
    for (size_t i = 0; i < count; i++) {
        bool wanted = argc == first;

        for (int k = first; k < argc; k++)
            wanted |= strcmp(argv[k], tests[i].name) == 0;
        if (wanted)
            (only ? run_only : take)(&tests[i]);
        fflush(stdout);
    }
    return wrong;
}
