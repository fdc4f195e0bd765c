// needs: CUB
// flags: --check
// error: --check: nothing found
// CUB's warp and block primitives, by its own headers, as a part of the kernel.
#include <cstdio>

#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

const int threads = 128, each = 4, elements = threads * each;

struct differs {
    __device__ bool operator()(unsigned a, unsigned b) const
    {
        return a != b;
    }
};

struct larger {
    __device__ int operator()(int a, int b) const
    {
        return a > b ? a : b;
    }
};

__global__ void warps(int *out, double *doubles, const int *in)
{
    using reduce = cub::WarpReduce<int>;
    using scan = cub::WarpScan<int>;
    using scan_double = cub::WarpScan<double>;
    __shared__ typename reduce::TempStorage for_reduce[threads / 32];
    __shared__ typename scan::TempStorage for_scan[threads / 32];
    __shared__ typename scan_double::TempStorage for_doubles[threads / 32];
    int warp = threadIdx.x / 32, x = in[threadIdx.x], sum, most, before;
    double through;

    sum = reduce(for_reduce[warp]).Sum(x);
    __syncwarp();
    most = reduce(for_reduce[warp]).Reduce(x, larger());
    scan(for_scan[warp]).ExclusiveSum(x, before);
    scan_double(for_doubles[warp]).InclusiveSum(x + 0.5, through);
    doubles[threadIdx.x] = through;
    out[threadIdx.x] = before;
    if (threadIdx.x % 32 == 0) {
        out[threads + 2 * warp] = sum;
        out[threads + 2 * warp + 1] = most;
    }
}

template <cub::BlockReduceAlgorithm ALGORITHM> __global__ void reduce(int *out, const int *in)
{
    using block = cub::BlockReduce<int, threads, ALGORITHM>;
    __shared__ typename block::TempStorage storage;
    int sum = block(storage).Sum(in[threadIdx.x]);

    if (threadIdx.x == 0)
        *out = sum;
}

template <cub::BlockScanAlgorithm ALGORITHM> __global__ void scan(int *out, const int *in)
{
    using block = cub::BlockScan<int, threads, ALGORITHM>;
    __shared__ typename block::TempStorage storage;
    int sum, all;

    block(storage).ExclusiveSum(in[threadIdx.x], sum, all);
    out[threadIdx.x] = sum + all;
}

__global__ void sort(unsigned *keys, int *values)
{
    using loads = cub::BlockLoad<unsigned, threads, each, cub::BLOCK_LOAD_TRANSPOSE>;
    using block = cub::BlockRadixSort<unsigned, threads, each, int>;
    using stores = cub::BlockStore<unsigned, threads, each, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename loads::TempStorage load;
        typename block::TempStorage sort;
        typename stores::TempStorage store;
    } storage;
    unsigned key[each];
    int value[each];

    loads(storage.load).Load(keys, key);
    for (int i = 0; i < each; i++)
        value[i] = threadIdx.x * each + i;
    __syncthreads();
    block(storage.sort).Sort(key, value);
    __syncthreads();
    stores(storage.store).Store(keys, key);
    for (int i = 0; i < each; i++)
        values[threadIdx.x * each + i] = value[i];
}

__global__ void rest(int *heads, unsigned *bins, const unsigned *keys)
{
    using discontinuity = cub::BlockDiscontinuity<unsigned, threads>;
    using histogram = cub::BlockHistogram<unsigned char, threads, each, 16>;
    __shared__ typename discontinuity::TempStorage for_heads;
    __shared__ typename histogram::TempStorage for_bins;
    __shared__ unsigned counts[16];
    unsigned key[1] = {keys[threadIdx.x]};
    unsigned char small[each];
    int flag[1];

    discontinuity(for_heads).FlagHeads(flag, key, differs());
    heads[threadIdx.x] = flag[0];
    for (int i = 0; i < each; i++)
        small[i] = keys[threadIdx.x * each + i] % 16;
    histogram(for_bins).Histogram(small, counts);
    __syncthreads();
    if (threadIdx.x < 16)
        bins[threadIdx.x] = counts[threadIdx.x];
}

static void tell(const char *what, bool right)
{
    printf("%s %s\n", what, right ? "ok" : "WRONG");
}

int main()
{
    int *in, *out, wrong = 0, sum = 0, flags = 0;
    unsigned *keys, *bins, before[elements], counts[16] = {0};
    double *doubles, through = 0;

    cudaMallocManaged(&in, elements * sizeof(int));
    cudaMallocManaged(&out, elements * sizeof(int));
    cudaMallocManaged(&keys, elements * sizeof(int));
    cudaMallocManaged(&bins, elements * sizeof(int));
    cudaMallocManaged(&doubles, elements * sizeof(double));
    for (int i = 0; i < elements; i++) {
        in[i] = (i * 37 + 11) % 101;
        before[i] = keys[i] = (unsigned)i * 2654435761u >> 20;
    }
    warps<<<1, threads>>>(out, doubles, in);
    cudaDeviceSynchronize();
    for (int i = 0; i < threads; i++) {
        sum = i % 32 ? sum : 0;
        through = i % 32 ? through : 0;
        through += in[i] + 0.5;
        wrong += out[i] != sum || doubles[i] != through;
        sum += in[i];
        if (i % 32 == 31)
            wrong += out[threads + i / 32 * 2] != sum;
    }
    tell("warps", !wrong && out[threads + 1] == 98 && out[threads + 3] == 100);
    sum = 0;
    for (int i = 0; i < threads; i++)
        sum += in[i];
    reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<1, threads>>>(out, in);
    reduce<cub::BLOCK_REDUCE_RAKING><<<1, threads>>>(out + 1, in);
    reduce<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY><<<1, threads>>>(out + 2, in);
    cudaDeviceSynchronize();
    tell("reduce", out[0] == sum && out[1] == sum && out[2] == sum);
    wrong = 0;
    scan<cub::BLOCK_SCAN_RAKING><<<1, threads>>>(out, in);
    scan<cub::BLOCK_SCAN_WARP_SCANS><<<1, threads>>>(out + threads, in);
    cudaDeviceSynchronize();
    for (int i = 0, part = 0; i < threads; part += in[i++])
        wrong += out[i] != sum + part || out[threads + i] != sum + part;
    tell("scan", !wrong);
    sort<<<1, threads>>>(keys, out);
    cudaDeviceSynchronize();
    wrong = 0;
    for (int i = 0; i < elements; i++)
        wrong += keys[i] != before[out[i]] ||
                 (i && (keys[i] < keys[i - 1] || (keys[i] == keys[i - 1] && out[i] < out[i - 1])));
    tell("sort", !wrong);
    for (int i = 0; i < elements; i++)
        counts[(keys[i] /= 8) % 16]++;
    rest<<<1, threads>>>(out, bins, keys);
    cudaDeviceSynchronize();
    for (int i = 0; i < threads; i++) {
        flags += out[i] != (i == 0 || keys[i] != keys[i - 1]);
        flags += i < 16 && bins[i] != counts[i];
    }
    tell("heads and bins", !flags);
    return cudaDeviceSynchronize();
}
