/*
 * sort-crowded: what has too many keys for a block is moved by a digit more, or counted
 *
 * Idea      A segment that is too long is moved once more, by as many of its next bits as it needs.
 *           What still is too long has keys that differ in 16 bits or less: few values. They are
 *           counted, and written from the counts.
 * Since     sort-msd sorted the whole array anew, by the lowest digit first, if one segment was too
 *           long: floats between 0 and 1 have few exponents, and real data have few values.
 * Expect    Random keys take the same time. For crowded ones nothing is wasted: only the keys of long
 *           segments move once more, and what is counted does not move again.
 * Source    Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017.
 */
#include "families/sort/msd.h"
#include "families/sort/spread.h"

/* Keys, of which `counted` counts what crowds; of which what has too many for a block moves on; and that one
 * block counts at a time, where tables are large. */
#ifdef SMALL_LIMITS
#define FEWEST ((size_t)1 << 15)
#define FEWEST_SPREAD ((size_t)1 << 16)
#define MOST_PIECE (1u << 14)
#else
#define FEWEST ((size_t)1 << 20)
#define FEWEST_SPREAD ((size_t)1 << 22)
#define MOST_PIECE (1u << 20)
#endif

/* Kernel 5: sort each segment by the bits that are left. The upper 13 or 14 of those that differ give
 * a bin. There are more bins than keys, so that few keys share one, and neighbours that are not in
 * order change places. The next segment's keys are on their way meanwhile. */
template <int I, int T, bool PAIRS, bool SPREAD>
static __global__ void __launch_bounds__(T, PAIRS ? 2 : BLOCKS_OF(T))
finish(struct arrays a, struct segments s, struct field f)
{
    extern __shared__ element4 memory[];
    struct hall<I, T, PAIRS> *r = (struct hall<I, T, PAIRS> *)memory;
    unsigned all = SPREAD ? all_segments(&s) : 1u << s.bits, rank[I];
    unsigned segment = next_segment<SPREAD>(&s, all, blockIdx.x, gridDim.x);
    struct load<I, T, PAIRS> next;

    if (__syncthreads_or(is_crowded(s.crowded))) /* another block may say so meanwhile */
        return;
    if (threadIdx.x < I)
        r->items[I * T + threadIdx.x] = ~(number)0;
    if (segment < all)
        load_segment<SPREAD>(&next, a, &s, segment);
    while (segment < all) {
        unsigned base = next.base + threadIdx.x;
        int left = next.left;
        bool exact, together, crowded;
        number item[I], differ = (number)f.mask << (PAIRS ? SLOT_BITS : 0);

        if (SPREAD && is_spread(&s, segment)) /* fewer bits are left */
            differ = ((number)1 << bits_left<SPREAD>(&s, segment)) - 1;
        take_items(item, r, &next, f);
        crowded = count_bins<I, T, PAIRS, false>(rank, r, item, left, differ, &exact, &together);
        if (crowded) { /* some bits are the same in all keys: take those that differ */
            element one = (SPREAD && is_spread(&s, segment) ? a.y : a.x)[next.base];

            differ = differing_items<I, T, PAIRS>(item, left, item_of<PAIRS>(one, 0, f));
            crowded = count_bins<I, T, PAIRS, true>(rank, r, item, left, differ, &exact, &together);
        }
        if (crowded && threadIdx.x == 0)
            leave_segment(&s, segment, (unsigned)left);
        if (crowded)
            left = 0;
        else
            begin_bins(r->bins4);
        place_items(r, item, rank, left);
        segment = next_segment<SPREAD>(&s, all, segment + gridDim.x, gridDim.x);
        if (segment < all)
            load_segment<SPREAD>(&next, a, &s, segment);
        __syncthreads();
        if (!exact && !crowded)
            sort_bins<I>(r->items, together);
        write_items(a, base, r, left, f);
        if (PAIRS)
            __syncthreads(); /* before the next pairs take their places */
    }
}

static const struct finishing *finishing(void)
{
    static struct finishing f;

    if (f.small[0].blocks > 0)
        return &f;
    f.small[0] = finisher_of(finish<SMALL, THREADS, false, false>, THREADS,
                             sizeof(hall<SMALL, THREADS, false>));
    f.small[1] =
        finisher_of(finish_in_order<SMALL, THREADS>, THREADS, sizeof(room<SMALL, THREADS>));
    f.parts = finisher_of(finish<SMALL, THREADS, false, true>, THREADS,
                          sizeof(hall<SMALL, THREADS, false>));
    f.pairs = finisher_of(finish<SMALL, THREADS, true, false>, THREADS,
                          sizeof(hall<SMALL, THREADS, true>));
    f.large[0] = finisher_of(finish<LARGE, 2 * THREADS, false, false>, 2 * THREADS,
                             sizeof(hall<LARGE, 2 * THREADS, false>));
    f.large[1] = finisher_of(finish_in_order<LARGE, 2 * THREADS>, 2 * THREADS,
                             sizeof(room<LARGE, 2 * THREADS>));
    return &f;
}

/* Room for so many words, from *at on. */
static unsigned *take(unsigned **at, size_t words)
{
    unsigned *begin = *at;

    *at += words;
    return begin;
}

/* Where that begins by which what crowds is counted, and long segments are moved before. */
static void divide_rest(struct cut *c, const struct work *w)
{
    size_t segments = w->n / c->s.capacity + 1, room = (size_t)1 << c->s.bits;
    unsigned *at = (unsigned *)c->words, few = c->s.left < 21 ? c->s.left - 5 : MOST_BITS;
    unsigned *flags = c->s.crowded;
    struct tasks *t = &c->s.tasks;

    if (c->keep || c->large || c->crowded || sizeof(number) > 4)
        return;
    if (c->s.bits < MOST_BITS && (w->n < FEWEST_SPREAD || c->s.left > MOST_BITS + DIGIT_BITS))
        return;
    t->made = flags + 2;
    t->shared = flags + 3;
    t->taken = flags + 4;
    if (c->s.bits == MOST_BITS) {
        t->table = 1u << c->s.left;
        t->piece = MOST_PIECE;
    } else {
        t->table = 1u << few;
        t->piece = SORT_PIECE;
        room = segments;
        c->s.spread.made = flags + 5;
        c->s.spread.list = take(&at, segments);
        c->s.spread.tiles = take(&at, segments + 1);
        c->s.spread.bits = take(&at, segments);
        c->s.spread.counts = take(&at, segments * DIGITS);
        c->s.spread.next = take(&at, segments * DIGITS);
    }
    t->list =
        (struct task *)take(&at, (room + w->n / t->piece) * sizeof(struct task) / sizeof(*at));
    t->tables = at;
}

/* The kernel for the long segments: from a.x to a.y. */
static void spread_all(const struct work *w, struct cut *c, struct arrays a)
{
    void *arguments[] = {&a.y, &a.x, &c->s, (void *)&w->field};

    timeline_begin("spread", 0, 0);
    cudaLaunchCooperativeKernel(
        spread_long,
        dim3(grid_of(sort_tiles_of(w->n, TILE), allow(spread_long, THREADS, MOVED_BYTES))),
        dim3(THREADS), arguments, MOVED_BYTES, 0);
    timeline_end(0);
}

/* The kernel for the segments that are counted. */
static void count_rest(const struct work *w, struct cut *c, struct arrays a)
{
    size_t most = c->s.spread.list ? w->n : sort_tables(w->n); /* each block has a table */
    void *arguments[] = {&a.y, &a.x, &c->s, (void *)&w->x, (void *)&w->n, (void *)&w->field};

    timeline_begin("what is left", 0, 0);
    cudaLaunchCooperativeKernel(count_segments,
                                dim3(grid_of(most, allow(count_segments, COUNTERS, COUNTED_BYTES))),
                                dim3(COUNTERS), arguments, COUNTED_BYTES, 0);
    timeline_end(0);
}

static void sort_by(struct work *w, size_t most_from)
{
    struct cut c = cut_of(w, finishing(), most_from);
    struct arrays a;

    if (w->n == 0)
        return;
    divide_rest(&c, w);
    cudaMemsetAsync(w->counters, 0, (size_t)((char *)c.s.begin - (char *)w->counters), 0);
    if (c.crowded) {
        cudaMemsetAsync(c.s.crowded, 1, sizeof(*c.s.crowded), 0);
        leave(w, &c);
        return;
    }
    a = gather(w, &c);
    a.y = w->y;
    a.y_values = w->y_values;
    if (c.s.spread.list)
        spread_all(w, &c, a);
    finish_all(w, &c, a, finishing());
    if (c.s.tasks.list)
        count_rest(w, &c, a);
    if (!c.s.tasks.list || c.s.spread.list)
        leave(w, &c);
}

static void launch_moved(struct work *w)
{
    sort_by(w, SIZE_MAX);
}

static void launch_counted(struct work *w)
{
    sort_by(w, FEWEST);
}

static const struct launches launches[] = {
    {COUNTED, {"-n 8000 -t 512 -v moved"}}, /* one tile: no block waits */
    {RECORD | GPU_ONLY,
     {"-n 2^24 --input few -r 7", "-n 2^24 --type f32 -r 7", "-n 2^24 --input digit -r 7",
      "-n 2^22 --type f32 -r 7"}},
    {TESTED,
     {"-n 2^20 -v counted --input few", "-n 2^20 -v counted --input equal --order descending",
      "-n 1050003 -v counted --input hostile --type f32", "-n 2^20 -v counted --type f32",
      "-n 1200007 -v counted --type f32", "-n 2^22 -v moved --input few",
      "-n 4200003 -v moved --input hostile --type f32 -r 1", "-n 4200003 -v moved --type f32 -r 1",
      "-n 2^22 -v moved --input equal --order descending --type i32 -r 1",
      "-n 2^20 -v counted --input digit -r 1", "-n 2^22 -v moved --input digit -r 1"}},
    {CHECKED, {"-n 1050003 -v counted --input hostile --type f32"}}, /* zeros of both signs */
    {SANITIZED, {"-n 2^20 -v counted --input few", "-n 2^22 -v moved --input few"}},
    /* As of sort-msd; what is counted, and, from 131200 keys on, what is moved on. */
    {MUTATED,
     {"-n 4608 --input equal",
      "-n 4609 --input equal",
      "-n 4609 --input few",
      "-n 5003",
      "-n 5003 --bits 0:12",
      "-n 33013 --input few",
      "-n 33013 --input equal",
      "-n 20011 --values 4",
      "-n 20011 --values 4 --input few",
      "-n 8600 --values 4 --bits 0:17 --input digit",
      "-n 40013 --values 4 --bits 10:32",
      "-n 40013 --type u64 -v moved",
      "-n 33013 --type u64 --input few -v counted",
      "-n 33013 --input hostile",
      "-n 33013 --input hostile --type f32",
      "-n 140013 -v moved --input few",
      "-n 140013 -v moved --input hostile",
      "-n 140013 -v moved --input hostile --type f32",
      "-n 193701 -v moved --type f32 --seed 104",
      "-n 2^18 -v moved"}},
    /* Parts of one key, and of one less than a whole one; tables whose last words count, and whose words are cleared
     * in one of several rounds; long segments of a tile and a key, of one less than whole tiles, and with few keys of
     * a digit; a digit of as many bits as there can be. */
    {MUTATED,
     {"-n 32769 --input equal -v counted", "-n 49151 --input equal -v counted",
      "-n 33013 --input equal -v counted --seed 4647",
      "-n 33013 --input hostile --order descending -v counted", "-n 139263 -v moved --input equal",
      "-n 139265 -v moved --input equal", "-n 216386 -v moved --input hostile --type f32",
      "-n 264003 -v moved --type f32", "-n 1100003 -v moved --input equal"}},
    {0},
};

static const struct variant variants[] = {
    {"moved", "what is too long moves by a digit more, then it is counted", launch_moved,
     GRID_BY_SIZE | WAITS, NULL, NULL, NULL, NULL, THREADS},
    {"counted", "moved by the upper 16 bits, what crowds is counted by the others", launch_counted,
     GRID_BY_SIZE | WAITS, NULL, NULL, NULL, NULL, THREADS, NULL, NULL, "0"},
};

STEP("sort-crowded", sort_family, variants, launches);
