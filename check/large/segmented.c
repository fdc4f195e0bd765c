/*
 * Segmented scans: numbers and a head in the tiles of sampled blocks, at the beginning, in the
 * middle and at the end. Where blocks wait for one another, only at the end, and the tiles that are
 * left out have posted their sums, which are 0.
 */
#include <stdio.h>
#include <string.h>

#include "families/segmented/segmented.h"
#include "large.h"
#include "sampled.h"

#define EACH 500   /* at each place */
#define HEAD 498   /* of these begins a segment: at the end, beyond 2^32 */
#define POISON -77 /* where the result is looked at */

static struct work w;
static size_t tiles;

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

/* The words were set to zero just now. A word with 2 in its upper half and the value 0 says: closed
 * (scan-segmented, whose words begin one later, behind the ticket), or tag 1 and no head
 * (scan-segmented-stream). */
static void post(void)
{
    size_t tickets = w.blocks == 3;

    for (size_t tile = 0; tile < tiles; tile++) {
        if (!sampled(tile))
            w.words[tile + tickets] = 2ull << 32;
    }
}

static void prepare_waiting(const struct variant *v)
{
    struct shape s = {.n = LARGE};
    int threads = v->threads ? v->threads : 256;

    if (v->rules & THREADS_BY_SIZE) {
        v->default_shape(&s);
        threads = s.threads;
    }
    tiles = segmented_tiles_of(LARGE, v->resident ? 8192 : (size_t)threads * LOOKBACK_ITEMS);
    w.threads = threads;
    w.blocks = v->resident ? (int)tiles : 3;
    w.words = large_array((tiles + 2) * sizeof(*w.words));
    sampled_before = post;
    if (!v->resident)
        sampled_tickets(w.words, tiles);
}

/* The result at each place. */
static void look(size_t first_place, struct found *found)
{
    const int *y = w.y;
    int sum = 0;

    for (size_t k = first_place; k < COUNT(places); k++) {
        for (size_t i = places[k]; i < places[k] + EACH; i++) {
            sum = i == places[k] + HEAD ? values[k] : sum + values[k];
            if (y[i] == sum)
                continue;
            snprintf(found->text, sizeof(found->text), "y[%zu] is %d, not %d", i, y[i], sum);
            return;
        }
    }
}

static void fill(int *x, int *y, unsigned char *flags, unsigned *bits, size_t first_place)
{
    for (size_t k = first_place; k < COUNT(places); k++) {
        size_t head = places[k] + HEAD;

        for (size_t i = places[k]; i < places[k] + EACH; i++) {
            y[i] = POISON;
            x[i] = values[k];
        }
        flags[head] = 1;
        bits[head / 32] |= 1u << head % 32;
    }
}

void large_run(const struct variant *v, struct found *found)
{
    size_t first = v->rules & WAITS ? COUNT(places) - 1 : 0, tile_count = LARGE / 100;
    unsigned char *flags;
    unsigned *bits;
    int *x, *y;

    found->left_out = strncmp(v->name, "few", 3) == 0; /* a launch for each few tiles */
    if (found->left_out)
        return;
    x = large_array(LARGE * sizeof(*x));
    y = large_array(LARGE * sizeof(*y));
    flags = large_array(LARGE + 128);
    bits = large_array(LARGE / 8 + 16);
    w = (struct work){.n = LARGE, .threads = 256, .blocks = 0x7fffffff};
    w.x = x;
    w.y = y;
    w.flags = flags;
    w.bits = bits;
    w.sums = large_array(tile_count * sizeof(int));
    w.heads = large_array(tile_count);
    w.open = large_array(tile_count * sizeof(*w.open));
    if (v->rules & WAITS)
        prepare_waiting(v);
    fill(x, y, flags, bits, first);
    v->launch(&w);
    large_wait(v);
    look(first, found);
    sampled_before = NULL;
    sampled_tickets(NULL, 0);
    large_free(x);
    large_free(y);
    large_free(flags);
    large_free(bits);
    large_free(w.sums);
    large_free(w.heads);
    large_free(w.open);
    large_free(w.words);
}
