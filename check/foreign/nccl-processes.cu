// A process per rank, each with its own device: the id goes from the first to the others by memory
// that they share. Then one of them dies, and the others are told.
// nvcc: no
#include <cstdio>
#include <cstdlib>
#include <nccl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

const int P = 3, N = 5000;

struct board {
    volatile int there, called;
    ncclUniqueId id;
    char line[P][4][200];
};

__global__ void iota(int *x, int n, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = first + i;
}

static void rank_main(int rank, board *b)
{
    ncclComm_t comm;
    ncclResult_t error = ncclSuccess;
    cudaStream_t stream;
    int *x, *y, got[2];

    if (rank == 0) {
        ncclGetUniqueId(&b->id);
        b->there = 1;
    }
    while (!b->there)
        usleep(1000);
    error = ncclCommInitRank(&comm, P, b->id, rank);
    snprintf(b->line[rank][0], 200, "begin: %d %s", (int)error, error ? ncclGetLastError(NULL) : "");
    cudaStreamCreate(&stream);
    cudaMalloc(&x, N * sizeof(int));
    cudaMalloc(&y, P * N * sizeof(int));
    for (int round = 0; round < 3; round++) {
        iota<<<20, 256, 0, stream>>>(x, N, rank + round);
        ncclAllReduce(x, x, N, ncclInt, ncclSum, comm, stream);
    }
    ncclAllGather(x, y, N, ncclInt, comm, stream);
    cudaMemcpyAsync(&got[0], x + N - 1, sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(&got[1], y + P * N - 1, sizeof(int), cudaMemcpyDeviceToHost, stream);
    snprintf(b->line[rank][1], 200, "%d %d", got[0], got[1]);
    ncclGroupStart();
    ncclSend(x, N, ncclInt, (rank + 1) % P, comm, stream);
    ncclRecv(y, N, ncclInt, (rank + P - 1) % P, comm, stream);
    ncclGroupEnd();
    snprintf(b->line[rank][2], 200, "%s", cudaGetErrorName(cudaStreamSynchronize(stream)));
    /* It dies when the others have made their next call, and they wait when that is known. */
    if (rank == 2) {
        while (b->called < P - 1)
            usleep(1000);
        _exit(7);
    }
    ncclResult_t called = ncclAllReduce(x, x, N, ncclInt, ncclSum, comm, stream);
    __sync_fetch_and_add(&b->called, 1);
    for (error = ncclSuccess; !error; usleep(1000))
        ncclCommGetAsyncError(comm, &error);
    cudaError_t waited = cudaStreamSynchronize(stream);
    snprintf(b->line[rank][3], 200, "called %d, %s, error %d: %s", (int)called,
             cudaGetErrorName(waited), (int)error, ncclGetLastError(comm));
    ncclCommAbort(comm);
    exit(0);
}

int main()
{
    board *b = (board *)mmap(NULL, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                             -1, 0);
    pid_t child[P];

    for (int r = 0; r < P; r++) {
        child[r] = fork();
        if (child[r] == 0)
            rank_main(r, b);
    }
    for (int r = 0; r < P; r++) {
        int status = 0;

        waitpid(child[r], &status, 0);
        printf("rank %d: status %d\n", r, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        for (int i = 0; i < 4; i++)
            printf("    %s\n", b->line[r][i]);
    }
}
