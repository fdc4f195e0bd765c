/*
 * limit-words: how fast memory is read, written and copied
 *
 * Idea      Do nothing but move words: of 4, 8 or 16 bytes per thread, neighbours side by side. Nothing
 *           that reads or writes memory can be faster than this.
 * Since     The first of the limits: what bounds a kernel, before it computes anything.
 * Expect    All widths reach the memory's rate where enough threads are at work; the wider word needs
 *           fewer of them. A store of one word per sector costs a sector each.
 * Source    GPU programming principles: 32, 64 and 128 bits, 128 threads per
 *           block, with and without a barrier between load and store, on a GTX 280.
 */
#include "families/limits/limits.h"

#define BATCH 4

static __device__ unsigned sum_of(unsigned w)
{
    return w;
}

static __device__ unsigned sum_of(uint2 w)
{
    return w.x + w.y;
}

static __device__ unsigned sum_of(uint4 w)
{
    return w.x + w.y + w.z + w.w;
}

/* Words i * (words of this width) and on of x. */
static __device__ void make(unsigned *w, size_t i)
{
    *w = word_at(i);
}

static __device__ void make(uint2 *w, size_t i)
{
    *w = make_uint2(word_at(2 * i), word_at(2 * i + 1));
}

static __device__ void make(uint4 *w, size_t i)
{
    *w = make_uint4(word_at(4 * i), word_at(4 * i + 1), word_at(4 * i + 2), word_at(4 * i + 3));
}

/*
 * A thread's words, BATCH at a time: all of them are on their way before the first is needed. __ldcg
 * reads from the L2 cache: with several passes the nearer L1 would answer.
 */
template <typename word>
__global__ void read_words(unsigned *sums, const unsigned *x, size_t n, size_t passes)
{
    const word *wide = (const word *)x;
    size_t whole = n / (sizeof(word) / 4), rest = whole * (sizeof(word) / 4);
    size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned sum = 0;

    for (size_t pass = 0; pass < passes; pass++) {
        size_t i = thread_of_grid();

        for (; i + (BATCH - 1) * stride < whole; i += BATCH * stride) {
            word w[BATCH];

#pragma unroll
            for (int k = 0; k < BATCH; k++)
                w[k] = __ldcg(&wide[i + k * stride]);
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                sum += sum_of(w[k]);
        }
        for (; i < whole; i += stride)
            sum += sum_of(__ldcg(&wide[i]));
        for (i = rest + thread_of_grid(); i < n; i += stride)
            sum += __ldcg(&x[i]);
    }
    sums[thread_of_grid()] = sum;
}

template <typename word> __global__ void write_words(unsigned *y, size_t n, size_t passes)
{
    word *wide = (word *)y;
    size_t whole = n / (sizeof(word) / 4), rest = whole * (sizeof(word) / 4);
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t pass = 0; pass < passes; pass++) {
        for (size_t i = thread_of_grid(); i < whole; i += stride)
            make(&wide[i], i);
        for (size_t i = rest + thread_of_grid(); i < n; i += stride)
            y[i] = word_at(i);
    }
}

/* The block goes through the array together, so that its threads can meet on the way. */
template <typename word, bool together>
__global__ void copy_words(unsigned *y, const unsigned *x, size_t n, size_t passes)
{
    const word *from = (const word *)x;
    word *to = (word *)y;
    size_t whole = n / (sizeof(word) / 4), rest = whole * (sizeof(word) / 4);
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t pass = 0; pass < passes; pass++) {
        size_t first = (size_t)blockIdx.x * blockDim.x;

        for (; first < whole; first += BATCH * stride) {
            size_t i = first + threadIdx.x;
            word w[BATCH];

#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                if (i + k * stride < whole)
                    w[k] = __ldcg(&from[i + k * stride]);
            }
            if (together)
                __syncthreads();
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                if (i + k * stride < whole)
                    to[i + k * stride] = w[k];
            }
        }
        for (size_t i = rest + thread_of_grid(); i < n; i += stride)
            y[i] = x[i];
    }
}

/* One word in each sector of 32 bytes, or in each line of 128: so many words apart. */
static __global__ void write_apart(unsigned *y, size_t count, size_t apart, size_t passes)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t pass = 0; pass < passes; pass++) {
        for (size_t i = thread_of_grid(); i < count; i += stride)
            y[i * apart] = word_at(i * apart);
    }
}

template <typename word> static void read(struct work *w)
{
    read_words<word><<<w->blocks, w->threads>>>((unsigned *)w->y, w->x, w->n, w->passes);
}

template <typename word> static void write(struct work *w)
{
    write_words<word><<<w->blocks, w->threads>>>((unsigned *)w->y, w->n, w->passes);
}

template <typename word> static void copy(struct work *w)
{
    copy_words<word, false><<<w->blocks, w->threads>>>((unsigned *)w->y, w->x, w->n, w->passes);
}

template <typename word> static void copy_together(struct work *w)
{
    copy_words<word, true><<<w->blocks, w->threads>>>((unsigned *)w->y, w->x, w->n, w->passes);
}

static void sectors(struct work *w)
{
    write_apart<<<w->blocks, w->threads>>>((unsigned *)w->y, w->n / SECTOR_WORDS, SECTOR_WORDS,
                                           w->passes);
}

static void lines(struct work *w)
{
    write_apart<<<w->blocks, w->threads>>>((unsigned *)w->y, w->n / LINE_WORDS, LINE_WORDS,
                                           w->passes);
}

static const struct variant variants[] = {
    {"read-4", "read words of 4 bytes", read<unsigned>, READS},
    {"read-8", "read words of 8 bytes", read<uint2>, READS},
    {"read-16", "read words of 16 bytes", read<uint4>, READS},
    {"write-4", "write words of 4 bytes", write<unsigned>},
    {"write-8", "write words of 8 bytes", write<uint2>},
    {"write-16", "write words of 16 bytes", write<uint4>},
    {"copy-4", "copy words of 4 bytes", copy<unsigned>, 0, NULL, NULL, NULL, NULL, 0, NULL,
     words_copied},
    {"copy-8", "copy words of 8 bytes", copy<uint2>, 0, NULL, NULL, NULL, NULL, 0, NULL,
     words_copied},
    {"copy-16", "copy words of 16 bytes", copy<uint4>, 0, NULL, NULL, NULL, NULL, 0, NULL,
     words_copied},
    {"copy-4-together", "copy-4, a barrier between load and store", copy_together<unsigned>, 0,
     NULL, NULL, NULL, NULL, 0, NULL, words_copied},
    {"copy-8-together", "copy-8, a barrier between load and store", copy_together<uint2>, 0, NULL,
     NULL, NULL, NULL, 0, NULL, words_copied},
    {"copy-16-together", "copy-16, a barrier between load and store", copy_together<uint4>, 0, NULL,
     NULL, NULL, NULL, 0, NULL, words_copied},
    {"write-sectors", "write 4 bytes in each sector of 32", sectors, SECTORS, NULL, NULL, NULL,
     NULL, 0, NULL, words_of_sectors},
    {"write-lines", "write 4 bytes in each line of 128", lines, LINES, NULL, NULL, NULL, NULL, 0,
     NULL, words_of_lines},
};

/* Sizes from where a launch is all there is to far above the cache; the cache itself, read often. */
static const struct launches launches[] = {
    {LADDER | RECORD | GPU_ONLY,
     {"-n 2^23 --passes 64 -r 15 -v read-16 -v write-16 -v write-lines",
      "-n 2^14 -r 101 -w 10 -v copy-4"}},
    {SWEEP | RECORD | GPU_ONLY,
     {"--sweep 14:28 -r 5 -w 1 -v read-4 -v read-16 -v write-4 -v write-16 -v copy-4 -v copy-16 "
      "-v copy-16-together"}},
    {0},
};

STEP("limit-words", limit_words_family, variants, launches);
