/*
 * Compactions. With the scan of flags, numbers below 0 are kept, in the tiles of sampled blocks, at
 * the beginning, in the middle and at the end: first as they are, then with 2^32 more before each
 * tile, so that addresses are large, too. Where blocks wait for one another, all but the first
 * element is kept, and the tiles that are left out have posted so.
 */
#include <stdio.h>

#include "families/compact/compact.h"
#include "large.h"
#include "sampled.h"

#define EACH 500                   /* at each place */
#define FAR ((size_t)1 << 32)      /* more before each tile */
#define PREFIX ((uint64_t)2 << 62) /* the flag of a word, as compact-lookback has it */

static struct work w;
static size_t tile_of, tiles, launches, last_launch;

/* Where the numbers are, and the result is looked at. */
static const size_t places[] = {1, LARGE / 2 - EACH / 2, LARGE - EACH};

static int number_at(size_t i)
{
    return -1 - (int)(i % 97);
}

/* The words were set to zero just now. What tiles keep that are left out: all but the first
 * element. */
static void post(void)
{
    for (size_t tile = 0, k = 0; tile < tiles; tile++) {
        if (k < SAMPLED && sampled_number(k, tiles) == tile)
            k++;
        else
            w.words[tile + 1] = PREFIX | ((tile + 1) * tile_of - 1);
    }
}

/* Before the last launch, which scatters. */
static void move_away(void)
{
    if (++launches != last_launch)
        return;
    for (uint64_t k = 0; k < SAMPLED; k++)
        w.sums[sampled_number(k, tiles)] += FAR;
}

static void expect(struct found *found, size_t at, size_t i)
{
    int is = ((const int *)w.y)[at], wanted = number_at(i);

    if (is != wanted && !*found->text)
        snprintf(found->text, sizeof(found->text), "y[%zu] is %d, not %d", at, is, wanted);
}

static void expect_count(struct found *found, unsigned long long wanted)
{
    if (*w.count != wanted && !*found->text)
        snprintf(found->text, sizeof(found->text), "the count is %llu, not %llu", *w.count, wanted);
}

/* All that was found at the places, one after the other, from an address on. */
static void look_at_list(struct found *found, size_t from)
{
    for (size_t k = 0; k < COUNT(places); k++)
        for (size_t i = 0; i < EACH; i++)
            expect(found, from + k * EACH + i, places[k] + i);
    expect_count(found, COUNT(places) * EACH);
}

/* Launch, with addresses that begin at this one; the sums of tiles that are left out are zeros. */
static void run_from(const struct variant *v, struct found *found, size_t from)
{
    w.sums = large_array(LARGE / 100 * sizeof(*w.sums));
    launches = 0;
    v->launch(&w);
    large_wait(v);
    look_at_list(found, from);
    large_free(w.sums);
}

static void run_scan(const struct variant *v, struct found *found)
{
    w.threads = 256;
    w.blocks = 0x7fffffff;
    w.limit.i32 = -1;
    w.marks = large_array(LARGE);
    w.places = large_array(LARGE * sizeof(*w.places));
    tiles = compact_tiles_of(LARGE, (size_t)w.threads);
    last_launch = 0;
    sampled_before = move_away;
    run_from(v, found, 0);
    last_launch = launches;
    run_from(v, found, FAR);
    large_free(w.marks);
    large_free(w.places);
}

/* Flags as the predicate gives them, in the tiles that are run. */
static unsigned char *flags_of_sampled(void)
{
    unsigned char *flags = large_array(LARGE);

    for (uint64_t k = 0; k < SAMPLED; k++)
        for (size_t i = 0; i < tile_of; i++) {
            size_t at = sampled_number(k, tiles) * tile_of + i;

            if (at < LARGE)
                flags[at] = at > 0;
        }
    return flags;
}

static void run_waiting(const struct variant *v, struct found *found)
{
    w.threads = 256;
    w.blocks = 3;
    w.limit.i32 = 0;
    *(int *)w.x = 1; /* is not kept */
    tile_of = (size_t)w.threads * LOOKBACK_ITEMS;
    tiles = compact_tiles_of(LARGE, tile_of);
    w.words = large_array((tiles + 1) * sizeof(*w.words));
    w.flags = flags_of_sampled();
    sampled_before = post;
    sampled_tickets(w.words, tiles);
    v->launch(&w);
    large_wait(v);
    for (size_t k = 0; k < COUNT(places); k++)
        for (size_t i = places[k]; i < places[k] + EACH; i++)
            expect(found, i - 1, i);
    expect_count(found, LARGE - 1);
    sampled_tickets(NULL, 0);
    large_free(w.words);
    large_free((void *)w.flags);
}

void large_run(const struct variant *v, struct found *found)
{
    int *x;

    found->left_out =
        v->resident != NULL; /* no room for words of more blocks: see compact-stream */
    if (found->left_out)
        return;
    x = large_array(LARGE * sizeof(*x));
    w = (struct work){.n = LARGE, .x = x};
    w.y = v->rules & IN_PLACE ? x : large_array((LARGE + FAR) * sizeof(*x));
    w.count = large_array(sizeof(*w.count));
    for (size_t k = 0; k < COUNT(places); k++)
        for (size_t i = places[k]; i < places[k] + EACH; i++)
            x[i] = number_at(i);
    if (v->rules & WAITS)
        run_waiting(v, found);
    else
        run_scan(v, found);
    sampled_before = NULL;
    large_free(x);
    if (w.y != x)
        large_free(w.y);
    large_free(w.count);
}
