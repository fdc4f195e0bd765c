/*
 * Scans: numbers in the tiles of sampled blocks, at the beginning, in the middle and at the end.
 * Where blocks wait for one another, only at the end, and the tiles that are left out have posted
 * their sums, which are 0.
 */
#include <stdio.h>
#include <string.h>

#include "families/scan/scan.h"
#include "large.h"
#include "sampled.h"

#define EACH 500                   /* at each place */
#define POISON -77                 /* where the result is looked at */
#define ROUNDS_TILE (15 * 3 * 128) /* elements of a tile of scan-rounds */

static struct work w;
static size_t tiles;
static unsigned long long posted; /* the word of a tile that is left out */
static bool waits_for_all;        /* there are no tickets */

/* Where the numbers are that are no zeros, and the result is looked at; and which numbers. */
static const size_t places[] = {0, LARGE / 2 - EACH / 2, LARGE - EACH};
static const int values[] = {1, 2, 3};

static bool sampled(size_t tile)
{
    for (unsigned k = 0; k < SAMPLED; k++) {
        if (sampled_number(k, tiles) == tile)
            return true;
    }
    return false;
}

/* The words were set to zero just now. Those of a family with tickets begin one later, behind the
 * ticket: a word more at each side of a sampled tile stays as it is. */
static void post(void)
{
    size_t tickets = !waits_for_all;

    for (size_t tile = 0; tile < tiles; tile++) {
        if (!sampled(tile))
            w.words[tile + tickets] = posted;
    }
}

/* Tiles, and the word that says: posted. A cooperative kernel marks a sum by the number of its
 * launch (scan-rounds), one with tickets a prefix by 2 (scan-lookback); the value is 0. */
static void prepare_waiting(const struct variant *v)
{
    static unsigned long long launches; /* of this program */
    struct shape s = {.n = LARGE, .threads = v->threads ? v->threads : 256};
    size_t tile = v->resident ? ROUNDS_TILE : (size_t)s.threads * LOOKBACK_ITEMS;

    tiles = scan_tiles_of(LARGE, tile);
    waits_for_all = v->resident != NULL;
    posted = (v->resident ? ++launches : 2ull) << 32;
    w.threads = s.threads;
    w.blocks = v->resident ? (int)tiles : 3;
    w.words = large_array((tiles + 2) * sizeof(*w.words));
    sampled_before = post;
    if (!v->resident)
        sampled_tickets(w.words, tiles);
}

/* The result at each place. */
static void look(const struct variant *v, size_t first_place, struct found *found)
{
    const int *y = w.y;
    int sum = 0;

    for (size_t k = first_place; k < COUNT(places); k++) {
        for (size_t i = places[k]; i < places[k] + EACH; i++) {
            int wanted = v->rules & EXCLUSIVE ? sum : sum + values[k];

            sum += values[k];
            if (y[i] == wanted)
                continue;
            snprintf(found->text, sizeof(found->text), "y[%zu] is %d, not %d", i, y[i], wanted);
            return;
        }
    }
}

void large_run(const struct variant *v, struct found *found)
{
    size_t first = v->rules & WAITS ? COUNT(places) - 1 : 0;
    int *x = large_array(LARGE * sizeof(*x)), *y = x;

    w = (struct work){.n = LARGE, .threads = 256, .blocks = 0x7fffffff};
    if (!(v->rules & IN_PLACE))
        y = large_array(LARGE * sizeof(*y));
    w.x = x;
    w.y = y;
    w.sums = large_array(LARGE / 100 * sizeof(int));
    if (v->rules & WAITS)
        prepare_waiting(v);
    for (size_t k = first; k < COUNT(places); k++) {
        for (size_t i = places[k]; i < places[k] + EACH; i++) {
            y[i] = POISON;
            x[i] = values[k];
        }
    }
    v->launch(&w);
    large_wait(v);
    look(v, first, found);
    sampled_before = NULL;
    sampled_tickets(NULL, 0);
    large_free(x);
    if (y != x)
        large_free(y);
    large_free(w.sums);
    large_free(w.words);
}
