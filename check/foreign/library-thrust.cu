// flags: --check --counters
// needs: Thrust
// error: --check: nothing found
// error: Thrust ran on the host, not counted and not checked: 
// error: inclusive_scan 1
// error: 1 add_one                       4       64     1         7        28
// Thrust's algorithms on the host between kernels, each compared with the C++ library's.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_malloc.h>
#include <thrust/device_free.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <vector>

const int N = 217;

struct square {
    __host__ __device__ int operator()(int v) const
    {
        return v * v;
    }
};

struct spread { /* a functor with a device's atomics */
    int *bins;
    __device__ void operator()(int v) const
    {
        atomicAdd(&bins[v % 5], 1);
    }
};

struct odd {
    __host__ __device__ bool operator()(int v) const
    {
        return v % 2;
    }
};

__global__ void add_one(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i]++;
}

/* Thrust in a kernel: a sort by each thread, and an element behind Thrust's pointer. */
__global__ void sort_in_kernel(thrust::device_ptr<int> x)
{
    int part[4];

    for (int i = 0; i < 4; i++)
        part[i] = x[threadIdx.x * 4 + i];
    thrust::sort(thrust::seq, part, part + 4);
    x[threadIdx.x * 4] = part[0];
}

static void tell(const char *what, bool good)
{
    printf("%s %s\n", what, good ? "ok" : "WRONG");
}

static bool same(const thrust::device_vector<int> &a, const std::vector<int> &b)
{
    std::vector<int> host(a.size());

    thrust::copy(a.begin(), a.end(), host.begin());
    return host == b;
}

int main()
{
    std::vector<int> x(N), want(N);
    cudaStream_t stream;

    for (int i = 0; i < N; i++)
        x[i] = (i * 37 + 11) % 101;
    cudaStreamCreate(&stream);

    thrust::device_vector<int> d(x.begin(), x.end()), e(N), keys(N), sums(N);
    add_one<<<4, 64, 0, stream>>>(thrust::raw_pointer_cast(d.data()), N); /* not waited for */
    thrust::inclusive_scan(thrust::cuda::par.on(stream), d.begin(), d.end(), e.begin());
    for (int &v : x)
        v++;
    std::partial_sum(x.begin(), x.end(), want.begin());
    tell("scan behind a kernel", same(e, want));

    tell("reduce", thrust::reduce(d.begin(), d.end()) == std::accumulate(x.begin(), x.end(), 0));
    tell("transform_reduce",
         thrust::transform_reduce(d.begin(), d.end(), square(), 0, thrust::plus<int>()) ==
             std::inner_product(x.begin(), x.end(), x.begin(), 0));
    tell("max_element", *thrust::max_element(d.begin(), d.end()) ==
                            *std::max_element(x.begin(), x.end()));
    tell("count_if", thrust::count_if(thrust::device, d.begin(), d.end(), odd()) ==
                         std::count_if(x.begin(), x.end(), odd()));

    thrust::transform(d.begin(), d.end(), e.begin(), square());
    std::transform(x.begin(), x.end(), want.begin(), square());
    tell("transform", same(e, want));

    thrust::sequence(e.begin(), e.end());
    thrust::sort_by_key(d.begin(), d.end(), e.begin());
    std::iota(want.begin(), want.end(), 0);
    std::stable_sort(want.begin(), want.end(), [&](int a, int b) { return x[a] < x[b]; });
    std::sort(x.begin(), x.end());
    tell("sort_by_key", same(d, x));
    bool sorted = true;
    for (int i = 0; i < N; i++)
        sorted &= (((int)e[i] * 37 + 11) % 101 + 1) == x[i];
    tell("its values", sorted);

    auto end = thrust::reduce_by_key(d.begin(), d.end(), thrust::constant_iterator<int>(1),
                                     keys.begin(), sums.begin());
    bool counted = true;
    for (int i = 0; i < end.first - keys.begin(); i++)
        counted &= std::count(x.begin(), x.end(), (int)keys[i]) == sums[i];
    tell("reduce_by_key", counted && thrust::reduce(sums.begin(), end.second) == N);
    tell("unique", thrust::unique(d.begin(), d.end()) - d.begin() == end.first - keys.begin());
    auto last = std::unique(x.begin(), x.end());
    tell("lower_bound", thrust::lower_bound(keys.begin(), end.first, 50) - keys.begin() ==
                            std::lower_bound(x.begin(), last, 50) - x.begin());

    int *bins;
    cudaMalloc(&bins, 5 * sizeof(int));
    thrust::device_ptr<int> p(bins);
    thrust::fill(p, p + 5, 0);
    thrust::for_each(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(N),
                     spread{bins});
    add_one<<<1, 32>>>(bins, 5);
    printf("bins %d %d %d %d %d\n", (int)p[0], (int)p[1], (int)p[2], (int)p[3], (int)p[4]);

    thrust::host_vector<int> h(8);
    for (int i = 0; i < 8; i++)
        h[i] = 8 - i;
    d = h;
    sort_in_kernel<<<1, 2>>>(d.data());
    h = d;
    printf("in a kernel %d %d\n", h[0], h[4]);
    auto both = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), keys.begin()));
    tell("zip_iterator", thrust::get<0>(both[1]) == h[1]);
    d.push_back(5);
    d[0] = d[8];
    tell("elements", d.size() == 9 && d[0] == 5);
    thrust::device_ptr<int> own = thrust::device_malloc<int>(3);
    thrust::fill(own, own + 3, 2);
    tell("device_malloc", thrust::reduce(own, own + 3) == 6);
    thrust::device_free(own);
}
