/*
 * What --check found: kept while the kernel runs, one entry for each kind and pair of code
 * addresses, and printed when the launch has ended. Of equal ones the entry keeps the first in
 * order of block and thread, so that the text does not depend on the order of execution.
 *
 * Any worker may add, at any time; all is under one lock. The table is of the whole program: an
 * entry that was printed stays, so that what is found again in a later launch is not said twice,
 * until all is forgotten.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cpu/tools/check/describe.h"
#include "cpu/tools/check/sites.h"
#include "cpu/tools/lines/lines.h"
#include "cpu_device.h"

enum { TABLE = 4096, FULL = TABLE / 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct finding table[TABLE]; /* parties 0: free */
static unsigned used;
static const struct launch *launch;
static unsigned long distinct;
atomic_bool finding_of_memory;
const struct finding_listener *finding_listener;

unsigned long cpu_device_findings(void)
{
    return distinct;
}

static bool same_kind(const struct finding *a, const struct finding *b)
{
    return a->kind == b->kind && a->party[0].site == b->party[0].site &&
           a->party[1].site == b->party[1].site &&
           (a->party[0].flags ^ b->party[0].flags) % 2 == 0 &&
           (a->party[1].flags ^ b->party[1].flags) % 2 == 0 && a->wait == b->wait;
}

static int compare_places(const struct finding *a, const struct finding *b)
{
    for (int i = 0; i < 2; i++) {
        const struct party *p = &a->party[i], *q = &b->party[i];

        if (p->block != q->block)
            return p->block < q->block ? -1 : 1;
        if (p->thread != q->thread)
            return p->thread < q->thread ? -1 : 1;
    }
    return a->memory.offset < b->memory.offset ? -1 : a->memory.offset > b->memory.offset;
}

/* Its entry, or the free one where it belongs; under the lock. */
static unsigned find(const struct finding *f)
{
    uint64_t key = f->party[0].site * 31 + f->party[1].site * 7 + f->kind;
    unsigned i = (unsigned)(key * 0x9e3779b97f4a7c15 >> 50) % TABLE;

    while (table[i].parties && !same_kind(&table[i], f))
        i = (i + 1) % TABLE;
    return i;
}

bool finding_is_new(const struct finding *f)
{
    bool new;

    pthread_mutex_lock(&lock);
    new = !table[find(f)].parties;
    pthread_mutex_unlock(&lock);
    return new;
}

/* Under the lock. */
static bool is_earliest(const struct finding *f, const struct finding *entry)
{
    return !entry->parties || (!entry->printed && compare_places(f, entry) < 0);
}

bool finding_is_earliest(const struct finding *f)
{
    bool earliest;

    pthread_mutex_lock(&lock);
    earliest = is_earliest(f, &table[find(f)]);
    pthread_mutex_unlock(&lock);
    return earliest;
}

void finding_add(const struct finding *f)
{
    unsigned i;

    pthread_mutex_lock(&lock);
    i = find(f);
    if (!table[i].parties) {
        if (used == FULL)
            goto out;
        used++;
        table[i] = *f;
        table[i].count = 0;
        table[i].printed = false;
    } else if (is_earliest(f, &table[i])) {
        struct finding old = table[i];

        table[i] = *f;
        table[i].count = old.count;
        table[i].hint = old.hint;
        table[i].printed = old.printed;
    }
    table[i].count++;
    if (finding_listener)
        finding_listener->found(f, i);
out:
    pthread_mutex_unlock(&lock);
}

void finding_add_host(const struct finding *f)
{
    pthread_mutex_lock(&lock);
    if (!table[find(f)].parties && used < FULL) {
        struct finding *entry = &table[find(f)];

        used++;
        *entry = *f;
        entry->count = 0; /* not to be printed again with those of a launch */
        distinct++;
        fflush(stdout);
        describe_host(f);
        describe_end();
        fflush(stderr);
    }
    pthread_mutex_unlock(&lock);
}

void finding_add_operation(const struct finding *f)
{
    pthread_mutex_lock(&lock);
    if (!table[find(f)].parties && used < FULL) {
        struct finding *entry = &table[find(f)];

        used++;
        *entry = *f;
        entry->count = 0;
        distinct++;
        fflush(stdout);
        describe_finding(f);
        describe_details(f);
        describe_end();
        fflush(stderr);
    }
    pthread_mutex_unlock(&lock);
}

static bool is_guess(const struct finding *f);
static struct finding received[256]; /* of this launch in other orders; under the lock */
static unsigned received_count;

void findings_send(int to, unsigned order)
{
    for (unsigned i = 0; i < TABLE; i++) {
        struct finding f = table[i];

        f.order = order;
        if (f.count && !f.printed && !is_guess(&f) && write(to, &f, sizeof(f)) != sizeof(f))
            return;
    }
}

void findings_receive(int from)
{
    struct finding f;

    pthread_mutex_lock(&lock);
    while (read(from, &f, sizeof(f)) == sizeof(f))
        if (received_count < sizeof(received) / sizeof(received[0]))
            received[received_count++] = f;
    pthread_mutex_unlock(&lock);
}

/* --- the end of a launch ---------------------------------------------------------------------- */

static int compare_strings(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* By kind, then source lines; equal ones are one finding with several code addresses. */
static int compare_lines(const struct finding *a, const struct finding *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 2; i++) {
        struct source_line p = {0}, q = {0};
        int order;

        if (a->party[i].site)
            p = lines_find(a->party[i].site);
        if (b->party[i].site)
            q = lines_find(b->party[i].site);
        order = compare_strings(p.file, q.file);
        if (order)
            return order;
        if (p.line != q.line)
            return p.line < q.line ? -1 : 1;
        if (!p.line && a->party[i].site != b->party[i].site)
            return a->party[i].site < b->party[i].site ? -1 : 1;
        if (a->party[i].flags % 2 != b->party[i].flags % 2)
            return a->party[i].flags % 2 ? -1 : 1;
    }
    return a->kind == FOUND_STUCK ? (int)a->wait - (int)b->wait : 0;
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *p = *(const struct finding *const *)a;
    const struct finding *q = *(const struct finding *const *)b;
    int order = compare_lines(p, q);

    return order ? order : compare_places(p, q);
}

static bool is_one_line(uintptr_t site, uintptr_t other)
{
    struct source_line a = lines_find(site), b = lines_find(other);

    return a.line && a.line == b.line && !compare_strings(a.file, b.file);
}

/* The compiler may copy one barrier of the source into both branches before it. Without debug
 * information the lines that the program gave tell them; without these each call is one. So with
 * what a warp does together, of which the program gives none. */
static bool is_one_barrier(const struct finding *f)
{
    if (f->kind == FOUND_APART)
        return !lines_known || is_one_line(f->party[0].site, f->party[1].site);
    if (f->kind != FOUND_TWO_BARRIERS)
        return false;
    if (!lines_known)
        return f->party[0].line && f->party[0].line == f->party[1].line;
    return is_one_line(f->party[0].site, f->party[1].site);
}

/* The two words are read by one line of the source, which the compiler unrolled. */
static bool is_one_read(const struct finding *f)
{
    return f->kind == FOUND_HANDED && is_one_line(f->party[0].site, f->hint.read);
}

/* One of the two is a plain read that a compare-and-swap checks, the other an atomic. */
static bool is_guess(const struct finding *f)
{
    if (f->kind != FOUND_RACE)
        return false;
    for (int i = 0; i < 2; i++)
        if (!(f->party[i].flags & (ACCESS_WRITE | ACCESS_ATOMIC)) &&
            f->party[1 - i].flags & ACCESS_ATOMIC &&
            atomic_load(&site_guesses[site_number(f->party[i].site)]))
            return true;
    return false;
}

/* A lane that ended had made a call of the warp before, but another one. */
static bool is_other_call(const struct finding *f)
{
    return f->kind == FOUND_LANE_ENDED && f->party[1].site &&
           f->party[1].site != f->party[0].site && !is_one_line(f->party[0].site, f->party[1].site);
}

/* Threads went around a barrier, and it is told of it already what they did behind it. */
static bool is_told(const struct finding *f)
{
    for (unsigned i = 0; i < TABLE && f->kind == FOUND_BARRIER_AROUND; i++)
        if (table[i].count && table[i].kind == FOUND_BARRIER_MISSED &&
            (table[i].party[0].site == f->party[0].site ||
             is_one_line(table[i].party[0].site, f->party[0].site)))
            return true;
    return false;
}

static bool is_race(const struct finding *f)
{
    return f->kind >= FOUND_RACE && f->kind <= FOUND_READ_ONLY;
}

/* Is it of the same lines? Of a race either thread may be the second one. */
static bool is_same(const struct finding *a, const struct finding *b)
{
    if (!is_race(a) || !is_race(b))
        return compare_lines(a, b) == 0;
    for (int i = 0; i < 2; i++)
        if (is_one_line(a->party[0].site, b->party[i].site) &&
            is_one_line(a->party[1].site, b->party[1 - i].site))
            return true;
    return false;
}

/* What other orders have shown, and this one and those before it have not. */
static void add_received(void)
{
    for (unsigned r = 0; r < received_count; r++) {
        struct finding *f = &received[r];
        bool known = false;
        unsigned i;

        for (i = 0; i < TABLE && !known; i++)
            known = table[i].count && is_same(&table[i], f);
        i = find(f);
        if (known || table[i].parties || used == FULL)
            continue;
        used++;
        table[i] = *f;
        table[i].count = 1;
    }
    received_count = 0;
}

void findings_forget(void)
{
    pthread_mutex_lock(&lock);
    if (used)
        memset(table, 0, sizeof(table));
    used = 0;
    atomic_store(&finding_of_memory, false);
    pthread_mutex_unlock(&lock);
}

void findings_launch(const struct launch *l)
{
    if (launch && launch != l)
        findings_print(); /* of the one that pauses */
    launch = l;
}

/* What is printed of a finding that others are folded into; another tool is told, too, of all of
 * them. */
static void print_finding(const struct finding *f, struct finding **folded, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = finding_listener ? open_memstream(&text, &length) : NULL;

    if (to)
        describe_to(to);
    describe_finding(f);
    describe_details(f);
    if (!to)
        return;
    describe_to(stderr);
    fclose(to);
    fputs(text, stderr);
    for (size_t i = 0; i < count; i++)
        finding_listener->told((unsigned)(folded[i] - table), text);
    free(text);
}

static void print_new(struct finding **new, size_t count)
{
    bool stuck = false;

    for (size_t i = 0; i < count;) {
        struct finding f = *new[i];
        bool old = new[i]->printed;
        size_t j = i;

        while (++j < count && compare_lines(new[i], new[j]) == 0) {
            old |= new[j]->printed;
            f.count += new[j]->count;
        }
        if (f.kind == FOUND_STUCK && !old) {
            if (!stuck)
                describe_finding(&f);
            distinct += !stuck;
            stuck = true;
            describe_wait(&f);
        } else if (!old) {
            print_finding(&f, &new[i], j - i);
            distinct++;
        }
        for (; i < j; i++)
            new[i]->printed = true;
    }
}

static void print_table(void)
{
    struct finding *new[FULL];
    size_t count = 0;
    bool any = false;

    for (unsigned i = 0; i < TABLE; i++)
        if (table[i].count && !is_one_barrier(&table[i]) && !is_one_read(&table[i]) &&
            !is_other_call(&table[i]) && !is_guess(&table[i]) && !is_told(&table[i])) {
            new[count++] = &table[i];
            any |= !table[i].printed;
        }
    if (any && launch) {
        describe_launch(launch);
        qsort(new, count, sizeof(new[0]), compare_findings);
        fflush(stdout);
        print_new(new, count);
        describe_end();
        describe_launch(NULL);
        fflush(stderr);
    }
    for (unsigned i = 0; i < TABLE; i++)
        table[i].printed |= table[i].count > 0;
}

void findings_print(void)
{
    pthread_mutex_lock(&lock);
    if (launch)
        add_received();
    if (used) /* else the table is looked through for nothing, at each pause of a launch */
        print_table();
    launch = NULL;
    pthread_mutex_unlock(&lock);
}
