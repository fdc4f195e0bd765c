/*
 * Queued work (queue.c): done at once with one device and no stream; else when somebody waits, each
 * stream in its order, behind what an operation needs, and with what is in order before it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/runtime/streams.h"

enum { MOST = 32 };

struct op {
    struct work work;
    char name;
    char until; /* it ends when the one of that name has begun; 0: at once */
};

static char done[MOST];                      /* the names, as they began */
static uint64_t after[128][MAX_ORDERED + 1]; /* by name: what was in order before it */
static int forgotten;

static bool begin(struct work *w)
{
    struct op *op = (struct op *)w;

    done[strlen(done)] = op->name;
    memcpy(after[(int)op->name], w->after, sizeof(w->after));
    return true;
}

static bool ended(struct work *w)
{
    return strchr(done, ((struct op *)w)->until) != NULL;
}

static void forget(struct work *w)
{
    (void)w;
    forgotten++;
}

static struct op *op_new(char name, char until)
{
    struct op *op = queue_new(sizeof(*op), "call", 0);

    op->work.begin = begin;
    op->work.ended = until ? ended : NULL;
    op->work.forget = forget;
    op->name = name;
    op->until = until;
    return op;
}

static uint64_t put(char name, char until, struct CUstream_st *s)
{
    queue_lock();
    queue_put(&op_new(name, until)->work, s);
    queue_unlock();
    return s->queued;
}

/* The same, behind an operation of another stream. */
static void put_behind(char name, struct CUstream_st *s, struct CUstream_st *other, uint64_t number)
{
    struct op *op = op_new(name, 0);

    op->work.needs = malloc(sizeof(*op->work.needs));
    op->work.needs[0] = (struct needed){other, number};
    op->work.need_count = 1;
    queue_lock();
    queue_put(&op->work, s);
    queue_unlock();
}

static bool is_empty(const void *unused)
{
    (void)unused;
    for (const struct CUstream_st *s = streams_first(); s; s = s->next)
        if (s->done < s->queued)
            return false;
    return true;
}

static int clean(void **unused)
{
    (void)unused;
    memset(done, 0, sizeof(done));
    forgotten = 0;
    return 0;
}

static void test_at_once(void **unused)
{
    struct CUstream_st *s = stream_default(0);

    (void)unused;
    assert_false(queue_is_needed());
    put('a', 0, s);
    assert_string_equal(done, "a");
    put('b', 0, s);
    assert_string_equal(done, "ab");
    assert_int_equal(forgotten, 2);
    assert_int_equal(s->done, 2);
    assert_int_equal(after['b'][s->number], 1);
    assert_int_equal(queue_direct(s), 3);
    assert_int_equal(s->after[s->number], 3);
}

static void test_streams(void **unused)
{
    struct CUstream_st *s = stream_make(0, cudaStreamNonBlocking, 0);
    struct CUstream_st *t = stream_make(0, cudaStreamNonBlocking, 0);

    (void)unused;
    assert_true(queue_is_needed());
    put('a', 'd', s); /* t goes on meanwhile */
    put('b', 0, s);
    put('c', 0, t);
    put('d', 0, t);
    assert_string_equal(done, ""); /* nobody waits */
    queue_wait(is_empty, NULL);
    assert_string_equal(done, "acdb");
    assert_int_equal(forgotten, 4);
    assert_int_equal(after['b'][s->number], 1);
    assert_int_equal(after['d'][t->number], 1);
    assert_int_equal(after['d'][s->number], 0); /* nothing orders the two streams */
}

static void test_needs(void **unused)
{
    struct CUstream_st *s = stream_make(0, cudaStreamNonBlocking, 0);
    struct CUstream_st *t = stream_make(0, cudaStreamNonBlocking, 0);
    uint64_t second;

    (void)unused;
    put('a', 'x', t);
    second = put('b', 0, t);
    put('c', 0, t);
    put('x', 0, s);
    put_behind('d', s, t, second);
    put('e', 0, s);
    queue_wait(is_empty, NULL);
    assert_true(strchr(done, 'b') < strchr(done, 'd') && strchr(done, 'd') < strchr(done, 'e'));
    assert_int_equal(strlen(done), 6);
}

/* The default stream waits for the others of its device, and they for it. */
static void test_default(void **unused)
{
    struct CUstream_st *d = stream_default(0);
    struct CUstream_st *s = stream_make(0, 0, 0), *apart = stream_make(0, cudaStreamNonBlocking, 0);

    (void)unused;
    put('a', 'd', s);
    put('b', 0, d);
    put('c', 0, s);
    put('d', 0, apart);
    queue_wait(is_empty, NULL);
    assert_true(strchr(done, 'a') < strchr(done, 'b') && strchr(done, 'b') < strchr(done, 'c'));
    assert_int_equal(after['b'][s->number], 1);
    assert_int_equal(after['c'][d->number], d->done);
    assert_int_equal(after['d'][d->number], 0);
}

/* What the host has waited for is in order before what it gives then. */
static void test_host(void **unused)
{
    struct CUstream_st *s = stream_make(0, cudaStreamNonBlocking, 0);
    struct CUstream_st *t = stream_make(0, cudaStreamNonBlocking, 0);
    uint64_t known[MAX_ORDERED + 1] = {0}, more[MAX_ORDERED + 1] = {0};

    (void)unused;
    put('a', 0, s);
    queue_wait(is_empty, NULL);
    put('b', 0, t);
    known[s->number] = s->done;
    queue_lock();
    queue_host_knows(known);
    queue_unlock();
    put('c', 0, t);
    queue_wait(is_empty, NULL);
    assert_int_equal(after['b'][s->number], 0);
    assert_int_equal(after['c'][s->number], 1);
    more[0] = known[0] + 2;
    queue_join(more, known);
    assert_true(more[0] == known[0] + 2 && more[s->number] == 1);
}

static void test_wait_for(void **unused)
{
    struct CUstream_st *s = stream_make(0, cudaStreamNonBlocking, 0);

    (void)unused;
    assert_true(queue_wait_for(is_empty, NULL, 0));
    put('a', 0, s);
    assert_false(queue_wait_for(is_empty, NULL, 0)); /* it does nothing itself */
    queue_run();
    assert_string_equal(done, "a");
    setenv("CPU_DEVICE_WAIT", "7", 1);
    assert_int_equal(queue_patience(), 7);
    setenv("CPU_DEVICE_WAIT", "x", 1);
    assert_int_equal(queue_patience(), 30);
}

/* What never ends is a failure of the device, and drops all that is queued. */
static void test_deadlock(void **unused)
{
    struct CUstream_st *s = stream_make(0, cudaStreamNonBlocking, 0);
    struct CUstream_st *t = stream_make(0, cudaStreamNonBlocking, 0);

    (void)unused;
    put('a', 'z', s);
    put_behind('b', t, s, s->queued);
    queue_wait(is_empty, NULL);
    assert_int_equal(cpu_failure(), cudaErrorLaunchTimeout);
    assert_string_equal(done, "a");
    assert_int_equal(forgotten, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_at_once, clean), cmocka_unit_test_setup(test_streams, clean),
        cmocka_unit_test_setup(test_needs, clean),   cmocka_unit_test_setup(test_default, clean),
        cmocka_unit_test_setup(test_host, clean),    cmocka_unit_test_setup(test_wait_for, clean),
        cmocka_unit_test_setup(test_deadlock, clean)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
