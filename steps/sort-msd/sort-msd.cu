/*
 * sort-msd: the highest digit first, until a block can sort the rest alone
 *
 * Idea      Move the keys by their upper bits first. No other key belongs among those with the
 *           same ones, a segment. With 4000 keys it fits a block's shared memory, and is finished.
 * Since     sort-onesweep moved all keys once per digit: 4 times for 32 bits. Here they move by
 *           two digits, and once more. Any place in a segment will do, so an atomic gives it out.
 * Expect    7 passes over memory instead of 9, and no waiting for other tiles. If a segment has too
 *           many keys, all are sorted by the lowest digit first: then what was done is wasted.
 * Source    Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017;
 *           Adinets and Merrill, "Onesweep", 2022, for what is sorted by the lowest digit first.
 */
#include "families/sort/msd.h"

/* Kernel 5: sort each segment by the bits that are left. The upper 13 or 14 of those that differ give
 * a bin. There are more bins than keys, so that few keys share one, and neighbours that are not in
 * order change places. The next segment's keys are on their way meanwhile. */
template <int I, int T, bool PAIRS>
static __global__ void __launch_bounds__(T, PAIRS ? 2 : BLOCKS_OF(T))
finish(struct arrays a, struct segments s, struct field f)
{
    extern __shared__ element4 memory[];
    struct hall<I, T, PAIRS> *r = (struct hall<I, T, PAIRS> *)memory;
    unsigned all = 1u << s.bits, rank[I];
    unsigned segment = next_segment(&s, all, blockIdx.x, gridDim.x);
    struct load<I, T, PAIRS> next;

    if (__syncthreads_or(is_crowded(s.crowded))) /* another block may say so meanwhile */
        return;
    if (threadIdx.x < I)
        r->items[I * T + threadIdx.x] = ~(number)0;
    if (segment < all)
        load_segment(&next, a, &s, segment);
    while (segment < all) {
        unsigned base = next.base + threadIdx.x;
        int left = next.left;
        bool exact, together, crowded;
        number item[I], differ = (number)f.mask << (PAIRS ? SLOT_BITS : 0);

        take_items(item, r, &next, f);
        crowded = count_bins<I, T, PAIRS, false>(rank, r, item, left, differ, &exact, &together);
        if (crowded) { /* some bits are the same in all keys: take those that differ */
            differ = differing_items<I, T, PAIRS>(item, left, item_of<PAIRS>(a.x[next.base], 0, f));
            crowded = count_bins<I, T, PAIRS, true>(rank, r, item, left, differ, &exact, &together);
        }
        if (crowded && threadIdx.x == 0)
            leave_segment(&s, segment, (unsigned)left);
        if (crowded)
            left = 0;
        else
            begin_bins(r->bins4);
        place_items(r, item, rank, left);
        segment = next_segment(&s, all, segment + gridDim.x, gridDim.x);
        if (segment < all)
            load_segment(&next, a, &s, segment);
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
    f.small[0] =
        finisher_of(finish<SMALL, THREADS, false>, THREADS, sizeof(hall<SMALL, THREADS, false>));
    f.small[1] =
        finisher_of(finish_in_order<SMALL, THREADS>, THREADS, sizeof(room<SMALL, THREADS>));
    f.pairs =
        finisher_of(finish<SMALL, THREADS, true>, THREADS, sizeof(hall<SMALL, THREADS, true>));
    f.large[0] = finisher_of(finish<LARGE, 2 * THREADS, false>, 2 * THREADS,
                             sizeof(hall<LARGE, 2 * THREADS, false>));
    f.large[1] = finisher_of(finish_in_order<LARGE, 2 * THREADS>, 2 * THREADS,
                             sizeof(room<LARGE, 2 * THREADS>));
    return &f;
}

static void launch(struct work *w)
{
    struct cut c = cut_of(w, finishing(), SIZE_MAX);
    struct arrays a;

    if (w->n == 0)
        return;
    cudaMemsetAsync(w->counters, 0, (size_t)((char *)c.s.begin - (char *)w->counters), 0);
    if (c.crowded)
        cudaMemsetAsync(c.s.crowded, 1, sizeof(*c.s.crowded), 0);
    else {
        a = gather(w, &c);
        a.y = w->y;
        a.y_values = w->y_values;
        finish_all(w, &c, a, finishing());
    }
    leave(w, &c);
}

static const struct launches launches[] = {
    {COUNTED, {"-n 8000 -t 512 -v msd"}}, /* one tile: no block waits */
    {RECORD | GPU_ONLY, {"-n 2^28 -r 3 -w 1 --timeline"}},
    /* Segments that are full, or crowded; of pairs, too; several of them per block. Of 5446 floats one
     * segment has 4137 keys, and of 540 keys the only one has all: some threads have one key more than
     * the others, but so few that the segment is not crowded without these keys. Of 150001 keys some
     * that are moved piece by piece have the last digit. The family's ask for other threads. */
    {MUTATED,
     {"-n 4608 --input equal", "-n 4609 --input equal", "-n 4609 --input few", "-n 5003",
      "-n 5003 --bits 0:12", "-n 33013 --input few", "-n 20011 --values 4 --input few",
      "-n 540 --bits 0:17", "-n 5446 --type f32", "-n 8600 --values 4 --bits 0:17 --input digit",
      "-n 40013 --values 4 --bits 10:32", "-n 40013 --type u64", "-n 40013 --values 4 --type u64",
      "-n 33013 --input hostile", "-n 33013 --input hostile --type f32", "-n 140013 --input few",
      "-n 150001", "-n 131073"}},
    /* One segment; keys whose upper bits are equal; last tiles of 1 and of 8191 keys; zeros of both signs; rows whose
     * last key counts; more tiles than blocks; and two digits. */
    {MUTATED,
     {"-n 301 --bits 0:12",
      "-n 301 --bits 0:16 --input digit --seed 70",
      "-n 1000",
      "-n 4609 --input equal --seed 8",
      "-n 4607 --values 4 --input reversed",
      "-n 5003 --bits 0:15",
      "-n 5003 --bits 0:17",
      "-n 5003 --bits 0:17 --input digit",
      "-n 5800 --values 4 --type f32",
      "-n 70001 --input hostile --seed 12 --type f32",
      "-n 90001 --input hostile --seed 32 --type f32",
      "-n 7001 --input hostile --seed 0 --type f32 --order descending",
      "-n 7801 --input hostile",
      "-n 8191",
      "-n 8191 --bits 0:12",
      "-n 8193",
      "-n 8200",
      "-n 100003 --input sorted",
      "-n 140013 --input equal",
      "-n 262401",
      "-n 262401 --values 4"}},
    {0},
};

static const struct variant variants[] = {
    {"msd", "moved by the highest bits first, finished by a block per segment", launch,
     GRID_BY_SIZE | WAITS, NULL, NULL, NULL, NULL, THREADS},
};

STEP("sort-msd", sort_family, variants, launches);
