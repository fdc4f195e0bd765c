/*
 * The barrier family's side of the harness: its words, and two tasks that a barrier must pass.
 */
#include "families/barrier/barrier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/message.h"
#include "harness/kit/number.h"

#define SUM_OF_BLOCK 523776 /* 0 + 1 + ... + 1023 */
#define SLOT_ROUNDS 8
#define MAX_BARRIERS INT32_MAX /* of a launch: half of what a word counts */
#define LIMIT_SECONDS 1

/* How late the late block is: several times what a barrier takes, on a CPU that does other things
 * too. */
#ifdef BACKEND_CPU
#define DELAY_US 1000
#else
#define DELAY_US 10
#endif

/* The words start here for TASK_SLOTS, so that counters of rounds wrap in the middle of it, and
 * counters of arrivals in its first round. */
static unsigned near_wrap(unsigned rounds)
{
    return 0u - rounds / 2;
}

struct barrier {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    size_t most_blocks;
    unsigned *initial;    /* host: what is copied to the words, slots and so on */
    long long limit;      /* cycles; 0 without --oversubscribe */
    unsigned slot_rounds; /* of the verifying launch */
    unsigned launched;    /* barriers of the last timed launch, not in task.passed yet */
};

static size_t word_count(size_t blocks)
{
    return OWN_WORDS + 2 * blocks;
}

static void default_shape(struct shape *s)
{
    const struct device *device = device_in_use();

    if (s->threads == 0)
        s->threads = 256;
    if (s->blocks == 0)
        s->blocks = device ? device->multiprocessors : 1;
}

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    (void)v;
    if (s->n <= MAX_BARRIERS)
        return false;
    snprintf(why, room, "a launch has at most 2^31-1 barriers; got %zu", s->n);
    return true;
}

static void destroy(struct work *work)
{
    struct barrier *b = (struct barrier *)work;

    device_free(work->task.words);
    device_free(work->task.partial);
    device_free(work->task.sum);
    device_free(work->task.slots);
    device_free(work->task.errors);
    device_free(work->task.stuck);
    free(b->initial);
    free(b);
}

static int allocate(struct barrier *b)
{
    struct task *t = &b->work.task;
    size_t blocks = b->most_blocks;
    int status =
        device_alloc((void **)&t->words, word_count(blocks) * sizeof(unsigned), "the counters");

    if (status == 0)
        status = device_alloc((void **)&t->partial, blocks * sizeof(unsigned), "the sums");
    if (status == 0)
        status = device_alloc((void **)&t->slots, 2 * blocks * sizeof(unsigned), "the slots");
    if (status == 0)
        status = device_alloc((void **)&t->sum, sizeof(*t->sum), "the sum");
    if (status == 0)
        status = device_alloc((void **)&t->errors, sizeof(unsigned), "the errors");
    if (status == 0)
        status = device_alloc((void **)&t->stuck, 2 * sizeof(unsigned), "the errors");
    if (status != 0)
        return status;
    b->initial = (unsigned *)malloc(word_count(blocks) * sizeof(unsigned));
    return b->initial ? 0 : complain(BAD_DEVICE, "no memory left on the host; use fewer --blocks");
}

/* clock64 counts cycles of the clock whose rate this attribute gives, in kHz. */
static int find_cycles(struct barrier *b, bool limited)
{
    int kilohertz = 0, device = 0;
    int status = device_check(cudaGetDevice(&device));

    if (status == 0)
        status = device_check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device));
    if (kilohertz <= 0)
        kilohertz = 1000000;
    b->work.task.delay = DELAY_US * (long long)kilohertz / 1000;
    b->limit = limited ? LIMIT_SECONDS * 1000LL * kilohertz : 0;
    return status;
}

static struct work *create(const struct setting *setting, const struct shape *largest)
{
    struct barrier *b = (struct barrier *)work_new(sizeof(*b));
    int status;

    if (!b)
        return NULL;
    b->most_blocks = (size_t)largest->blocks;
    b->work.oversubscribe = setting->oversubscribe;
    b->slot_rounds = setting->briefly ? 2 : SLOT_ROUNDS;
    b->work.arguments[0] = &b->work.task;
    status = allocate(b);
    if (status == 0)
        status = find_cycles(b, setting->oversubscribe);
    if (status != 0) {
        destroy(&b->work);
        return NULL;
    }
    return &b->work;
}

/* Let every word be start, as if no barrier had been passed yet. */
static int restart(struct barrier *b, unsigned start)
{
    size_t words = word_count((size_t)b->work.blocks);

    for (size_t i = 0; i < words; i++)
        b->initial[i] = start;
    b->work.task.start = start;
    b->work.task.passed = 0;
    return device_check(cudaMemcpy(b->work.task.words, b->initial, words * sizeof(unsigned),
                                   cudaMemcpyHostToDevice));
}

static int set(struct work *work, const struct shape *shape)
{
    struct barrier *b = (struct barrier *)work;

    b->shape = *shape;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    work->task.limit = b->limit;
    b->launched = 0;
    return restart(b, 0);
}

/* Count the barriers of the last timed launch. */
static void account(struct barrier *b)
{
    b->work.task.passed += b->launched;
    b->launched = 0;
}

/* The words stay as the launches before have left them: barriers must survive that. */
static int prepare(struct work *work, const struct variant *variant)
{
    struct barrier *b = (struct barrier *)work;
    int status = 0;

    (void)variant;
    account(b);
    if (b->limit) /* they may be in disorder */
        status = restart(b, 0);
    b->launched = (unsigned)b->shape.n;
    work->task.kind = TASK_NOTHING;
    work->task.rounds = b->launched;
    work->refused = false;
    if (status == 0)
        status = device_check(cudaMemset(work->task.stuck, 0, 2 * sizeof(unsigned)));
    return status;
}

/* Launch once more, for a task of so many rounds, and wait for it. */
static int run_task(struct work *work, const struct variant *variant, enum task_kind kind,
                    unsigned rounds)
{
    int status;

    work->task.kind = kind;
    work->task.rounds = rounds;
    work->task.late += SLOT_ROUNDS - 2; /* the first two rounds do not choose */
    variant->launch(work);
    status = device_check(cudaGetLastError());
    if (status == 0)
        status = device_check(cudaDeviceSynchronize());
    work->task.passed += rounds;
    return status;
}

static int run_sums(struct work *work, const struct variant *variant, unsigned long long *sum)
{
    int status =
        device_check(cudaMemset(work->task.partial, 0, (size_t)work->blocks * sizeof(unsigned)));

    if (status == 0)
        status = device_check(cudaMemset(work->task.sum, 0, sizeof(*sum)));
    if (status == 0)
        status = run_task(work, variant, TASK_SUMS, 1);
    return status == 0
               ? device_check(cudaMemcpy(sum, work->task.sum, sizeof(*sum), cudaMemcpyDeviceToHost))
               : status;
}

static int run_slots(struct work *work, const struct variant *variant, unsigned *errors)
{
    size_t bytes = 2 * (size_t)work->blocks * sizeof(unsigned);
    struct barrier *b = (struct barrier *)work;
    int status = restart(b, near_wrap(b->slot_rounds));

    if (status == 0)
        status = device_check(cudaMemset(work->task.slots, 0xff, bytes));
    if (status == 0)
        status = device_check(cudaMemset(work->task.errors, 0, sizeof(*errors)));
    if (status == 0)
        status = run_task(work, variant, TASK_SLOTS, b->slot_rounds);
    return status == 0 ? device_check(cudaMemcpy(errors, work->task.errors, sizeof(*errors),
                                                 cudaMemcpyDeviceToHost))
                       : status;
}

static int read_stuck(const struct work *work, unsigned stuck[2])
{
    return device_check(
        cudaMemcpy(stuck, work->task.stuck, 2 * sizeof(unsigned), cudaMemcpyDeviceToHost));
}

/* What --oversubscribe is there to show. */
static int show(struct work *work, const struct variant *variant, const unsigned stuck[2],
                struct result *result)
{
    int resident = variant->resident ? variant->resident(work->threads) : 0;

    *result = (struct result){.error = NAN, .bound = NAN};
    if (work->refused) {
        result->verdict = VERDICT_REFUSED;
        snprintf(result->note, sizeof(result->note),
                 "CUDA launches at most %d blocks that synchronise", resident);
        return 0;
    }
    result->verdict = VERDICT_DEADLOCK;
    snprintf(result->note, sizeof(result->note),
             "%d blocks polled %u times in %d s for %d that cannot start", resident, stuck[1],
             LIMIT_SECONDS, work->blocks - resident);
    return 0;
}

/* How many slots the verifying launch reads in all. */
static unsigned long long slots_read(const struct work *work)
{
    unsigned blocks = (unsigned)work->blocks;

    return (unsigned long long)((const struct barrier *)work)->slot_rounds * blocks *
           (blocks < MAX_SLOTS_READ ? blocks : MAX_SLOTS_READ);
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    unsigned long long sum = 0, reference = (unsigned long long)work->blocks * SUM_OF_BLOCK;
    unsigned errors = 0, stuck[2];
    int status = read_stuck(work, stuck);

    account((struct barrier *)work);
    if (status == 0 && (work->refused || stuck[0]))
        return show(work, variant, stuck, result);
    if (status ==
        0) /* first on the words as the timed launch has left them: so it must have counted */
        status = run_sums(work, variant, &sum);
    if (status == 0)
        status = run_slots(work, variant, &errors);
    if (status == 0)
        status = read_stuck(work, stuck);
    if (status != 0)
        return status;
    if (stuck[0]) /* a launch without a barrier went through, n being 0 */
        return show(work, variant, stuck, result);
    *result =
        (struct result){.verdict = sum == reference && errors == 0 ? VERDICT_OK : VERDICT_WRONG,
                        .has_value = true,
                        .value = (double)sum,
                        .reference = (double)reference,
                        .error = fabs((double)sum - (double)reference),
                        .bound = 0};
    if (errors)
        snprintf(result->note, sizeof(result->note), "%u of %llu slots read too early", errors,
                 slots_read(work));
    return 0;
}

static const struct axis axes[] = {{
    .name = "n",
    .help = "repetitions of what is timed: 1000, 2^10",
    .cpu = 10,
    .cuda = 1000,
    .test = "0 1 2 5",
}};

static const struct launches launches[] = {
    {LADDER, {""}},
    {SWEEP | CPU_ONLY, {"--sweep 0:7 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"--sweep 0:10 -r 3 -w 1"}},
    {QUICK, {"-r 3"}},
    {RECORD | CPU_ONLY, {""}},
    {RECORD | GPU_ONLY, {"-t 256 -b 132 -r 15", "-t 256 -b 264 -r 15", "-t 256 --sweep 0:11 -r 5"}},
    {COUNTED, {"-n 20 -b 1 -t 256"}}, /* one block has no other to wait for */
    {SANITIZED, {"-n 20 -b 8 -t 64"}},
    {MUTATED,
     {"-n 5 -b 5 -t 32", "-n 5 -b 7 -t 33", "-n 3 -b 1 -t 1", "-n 9 -b 33 -t 64",
      "-n 4 -b 40 -t 16", "-n 6 -b 2 -t 64"}},
    {CHECKED, {"-n 3 -b 4 -t 64", "-n 3 -b 7 -t 33"}},
    {TESTED, {"-n 100 -b 7 -t 64", "-n 100 -b 2 -t 1024", "-n 100 -b 16 -t 1"}},
    {0},
};

const struct family barrier_family = {
    .name = "barrier",
    .title = "Barrier between blocks",
    .axes = axes,
    .axis_count = COUNT(axes),
    .options = OPTION_BLOCKS | OPTION_OVERSUBSCRIBE | OPTION_SWEEPS_BLOCKS,
    .item = "barrier",
    .measure = MEASURE_ITEM,
    .charts = "cost",
    .test = {"1 2 31 32 33 64 100 256 1000 1024", "1 2 3 7 16", ""},
    .launches = launches,
    .default_shape = default_shape,
    .refuse = refuse,
    .work = {create, set, prepare, verify, NULL, destroy},
};
