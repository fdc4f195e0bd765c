// A thread of the host per device: ncclCommInitRank with an id that one of them made.
// nvcc: no
// devices: 4
#include <cstdio>
#include <nccl.h>
#include <thread>
#include <vector>

__global__ void iota(int *x, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = first + i;
}

static void rank_main(int rank, int ranks, ncclUniqueId id, int *got)
{
    const int N = 1000;
    ncclComm_t comm;
    cudaStream_t stream;
    int *x;

    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    cudaMalloc(&x, N * sizeof(*x));
    ncclCommInitRank(&comm, ranks, id, rank);
    for (int round = 0; round < 10; round++) {
        iota<<<4, 256, 0, stream>>>(x, N, rank + round);
        ncclAllReduce(x, x, N, ncclInt, ncclSum, comm, stream);
    }
    cudaMemcpyAsync(got, x + N - 1, sizeof(*got), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaFree(x);
    cudaStreamDestroy(stream);
    ncclCommDestroy(comm);
}

int main()
{
    const int P = 4;
    std::vector<std::thread> threads;
    ncclUniqueId id;
    int got[P];

    ncclGetUniqueId(&id);
    for (int r = 0; r < P; r++)
        threads.emplace_back(rank_main, r, P, id, &got[r]);
    for (auto &t : threads)
        t.join();
    for (int r = 0; r < P; r++)
        printf("rank %d: %d\n", r, got[r]);
}
