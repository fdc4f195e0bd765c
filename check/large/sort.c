/*
 * Sorts of i32 keys that are all zeros but for five, 1 to 5. Before a network they stand in front
 * of the last five zeros, and its last merge takes them behind those. Before the other sorts they
 * are the last keys of the array, in falling order. The zeros of a tile in the middle are looked
 * at, too: where they belong stood something else.
 *
 * Sorts by digits have no scan over all tiles here: the counts of sampled tiles are looked at, and
 * what a scan would have made of them is put in their place.
 */
#include <stdio.h>
#include <string.h>

#include "families/sort/sort.h"
#include "large.h"
#include "sampled.h"

#define FEW 5
#define FIRST (LARGE - FEW) /* a power of two, so these keys are a tile of their own */
#define POISON 77
#define PREFIX (2ull << 62) /* the flag of a word, as sort-onesweep has it */

static struct work w;
static struct found *found;
static size_t tile_of, tiles;
static unsigned digit_bits, launches; /* so far */

static void expect(const char *what, size_t at, long long is, long long wanted)
{
    if (is != wanted && !*found->text)
        snprintf(found->text, sizeof(found->text), "%s %zu: %lld, not %lld", what, at, is, wanted);
}

/* The digit that zero has in a pass: of its number, which is 2^31. */
static unsigned digit_of_zero(unsigned pass)
{
    return pass == w.field.bits / digit_bits - 1 && w.field.bits == 32 ? 1u << (digit_bits - 1) : 0;
}

/* Where the keys of each digit begin. All digits are zero's, but for the lowest of the few. */
static unsigned long long begin_of(unsigned digit, unsigned pass)
{
    return pass == 0 && digit > 0 && digit <= FEW ? FIRST + digit - 1 : 0;
}

/* Before the tiles are moved, which is every second launch that is not left out. */
static void set_counts(void)
{
    unsigned pass = launches / 2, zero = digit_of_zero(pass);
    unsigned long long *totals = w.counters, *counts = totals + DIGITS;

    if (launches++ % 2 == 0)
        return;
    for (unsigned k = 0; k < SAMPLED; k++) {
        size_t tile = sampled_number(k, tiles);
        bool last = tile == tiles - 1;

        expect("zeros of tile", tile, (long long)counts[zero * tiles + tile],
               !last       ? (long long)tile_of
               : pass == 0 ? 0
                           : FEW);
        counts[zero * tiles + tile] = tile * tile_of;
    }
    for (unsigned d = 0; d < DIGITS; d++)
        totals[d] = begin_of(d, pass);
    for (unsigned d = 1; pass == 0 && d <= FEW; d++) {
        expect("keys of digit", d, (long long)counts[d * tiles + tiles - 1], 1);
        counts[d * tiles + tiles - 1] = 0;
    }
}

/* Before each sweep, which all launches but the first are. The words were set to zero just now:
 * what the tiles before those that are sampled post. */
static void post(void)
{
    unsigned pass = launches - 1, passes = w.field.bits / DIGIT_BITS;
    unsigned long long *totals = w.counters + (size_t)pass * DIGITS;
    unsigned long long *ticket = w.counters + (size_t)passes * DIGITS, *words = ticket + DIGITS;

    if (launches++ == 0)
        return;
    sampled_tickets(ticket, tiles);
    for (unsigned d = 1; pass == 0 && d <= FEW; d++)
        expect("keys of digit", d, (long long)totals[d], 1);
    for (unsigned d = 0; d < DIGITS; d++)
        totals[d] = begin_of(d, pass);
    for (unsigned k = SAMPLED_EACH; k < SAMPLED; k += SAMPLED_EACH) {
        size_t tile = sampled_number(k, tiles) - 1;

        for (unsigned d = 0; d < DIGITS; d++)
            words[tile * DIGITS + d] =
                PREFIX | (d == digit_of_zero(pass) ? (tile + 1) * tile_of : totals[d]);
    }
}

/* By the last keys, and by the zeros of a tile in the middle. */
static void run(const struct variant *v, int *x)
{
    size_t middle = sampled_number(SAMPLED / 2, tiles) * tile_of;
    int *y = large_array(LARGE * sizeof(*y));

    w.y = y;
    w.other = large_array(LARGE * sizeof(*y));
    for (size_t i = 0; i < FEW; i++)
        x[FIRST + i] = FEW - (int)i;
    for (size_t i = middle; i < middle + tile_of; i++)
        y[i] = POISON;
    v->launch(&w);
    large_wait(v);
    for (size_t i = middle; i < middle + tile_of; i++)
        expect("key", i, y[i], 0);
    for (size_t i = 0; i < FEW; i++)
        expect("key", FIRST + i, y[FIRST + i], 1 + (int)i);
    large_free(y);
    large_free(w.other);
}

static void run_counted(const struct variant *v, int *x, void (*before)(void), size_t counters)
{
    w.counters = large_array(counters * sizeof(*w.counters));
    launches = 0;
    sampled_only(true);
    sampled_before = before;
    run(v, x);
    sampled_before = NULL;
    sampled_only(false);
    large_free(w.counters);
}

static void set_tiles(int threads)
{
    w.threads = threads;
    tile_of = (size_t)threads * SORT_ITEMS;
    tiles = sort_tiles_of(LARGE, tile_of);
}

static void run_digits(const struct variant *v, int *x)
{
    digit_bits = strcmp(v->name, "bits-4") == 0 ? 4 : DIGIT_BITS;
    run_counted(v, x, set_counts, DIGITS * (tiles + 1));
}

/* With the largest blocks, because all words are set to zero in each pass. */
static void run_waiting(const struct variant *v, int *x)
{
    unsigned passes = w.field.bits / DIGIT_BITS;

    set_tiles(1024);
    digit_bits = DIGIT_BITS;
    run_counted(v, x, post, DIGITS * (tiles + passes + 1));
    sampled_tickets(NULL, 0);
}

static void run_network(const struct variant *v, int *x)
{
    w.y = x; /* what is copied to its own place stays untouched */
    for (size_t i = 0; i < FEW; i++)
        x[FIRST - FEW + i] = 1 + (int)i;
    v->launch(&w);
    large_wait(v);
    for (size_t i = 0; i < FEW; i++)
        expect("key", FIRST + i, x[FIRST + i], 1 + (int)i);
    for (size_t i = 0; i < FEW; i++)
        expect("key", FIRST - FEW + i, x[FIRST - FEW + i], 0);
}

void large_run(const struct variant *v, struct found *told)
{
    static const struct {
        const char *step;
        void (*run)(const struct variant *, int *x);
    } known[] = {{"sort-bitonic", run_network},
                 {"sort-merge", run},
                 {"sort-rank", run_digits},
                 {"sort-radix", run_digits},
                 {"sort-onesweep", run_waiting}};
    struct field all;
    int *x = large_array(LARGE * sizeof(*x));

    found = told;
    found->left_out = true; /* a step that nobody says of how its tiles are sampled */
    field_parse(&all, NULL, NULL, &type_i32);
    w = (struct work){.x = x, .n = LARGE, .blocks = 0x7fffffff};
    w.field = v->rules & ONE_DIGIT ? field_digit(all, 0, DIGIT_BITS) : all;
    set_tiles(256);
    for (size_t k = 0; k < COUNT(known); k++) {
        if (strcmp(known[k].step, large_step->name) != 0)
            continue;
        found->left_out = false;
        known[k].run(v, x);
    }
    large_free(x);
}
