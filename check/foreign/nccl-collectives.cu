// Each of NCCL's calls that move data, with four devices of one thread: types, operations, in place
// and out of place, and the ranks' own numbers.
// nvcc: no
// devices: 4
#include <cstdio>
#include <cstring>
#include <nccl.h>

const int P = 4, N = 6;
static ncclComm_t comms[P];
static cudaStream_t streams[P];
static void *in[P], *out[P];

template <typename T> static void fill(T step)
{
    for (int r = 0; r < P; r++) {
        T values[P * N];

        for (int i = 0; i < P * N; i++)
            values[i] = (T)(r * 10 + i % N * step + 1);
        cudaMemcpy(in[r], values, sizeof(values), cudaMemcpyHostToDevice);
        cudaMemset(out[r], 0x5a, sizeof(values));
    }
}

template <typename T> static void show(const char *what, int rank, void *from, int n)
{
    T values[P * N];

    cudaStreamSynchronize(streams[rank]);
    cudaMemcpy(values, from, n * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s, rank %d:", what, rank);
    for (int i = 0; i < n; i++)
        printf(" %g", (double)values[i]);
    printf("\n");
}

template <typename T> static void operations(const char *name, ncclDataType_t type)
{
    static const char *const names[] = {"sum", "prod", "max", "min", "avg"};

    for (int op = ncclSum; op < ncclNumOps; op++) {
        char what[40];

        fill<T>(1);
        ncclGroupStart();
        for (int r = 0; r < P; r++)
            ncclAllReduce(in[r], out[r], N, type, (ncclRedOp_t)op, comms[r], streams[r]);
        ncclGroupEnd();
        snprintf(what, sizeof(what), "%s %s", name, names[op]);
        show<T>(what, op % P, out[op % P], N);
    }
}

int main()
{
    int version = 0, count, device, rank;

    ncclGetVersion(&version);
    printf("version 2: %d, code %d\n", version / 10000 == 2, version == NCCL_VERSION_CODE);
    printf("%s\n", ncclGetErrorString(ncclCommInitAll(comms, P, NULL)));
    for (int r = 0; r < P; r++) {
        cudaSetDevice(r);
        cudaStreamCreate(&streams[r]);
        cudaMalloc(&in[r], P * N * 8);
        cudaMalloc(&out[r], P * N * 8);
        ncclCommCount(comms[r], &count);
        ncclCommCuDevice(comms[r], &device);
        ncclCommUserRank(comms[r], &rank);
        printf("rank %d of %d on device %d\n", rank, count, device);
    }
    operations<float>("float", ncclFloat);
    operations<double>("double", ncclDouble);
    operations<int>("int", ncclInt);
    operations<unsigned>("unsigned", ncclUint32);
    operations<long long>("long long", ncclInt64);
    operations<unsigned long long>("unsigned long long", ncclUint64);
    operations<unsigned char>("unsigned char", ncclUint8);
    operations<signed char>("signed char", ncclInt8);

    fill<int>(1);
    ncclGroupStart(); /* in place */
    for (int r = 0; r < P; r++)
        ncclAllReduce(in[r], in[r], N, ncclInt, ncclSum, comms[r], streams[r]);
    ncclGroupEnd();
    show<int>("all-reduce in place", 3, in[3], N);
    fill<int>(1);
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclReduce(in[r], out[r], N, ncclInt, ncclSum, 2, comms[r], streams[r]);
    ncclGroupEnd();
    show<int>("reduce to 2", 2, out[2], N);
    show<int>("reduce to 2", 1, in[1], N);
    fill<int>(1);
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclReduceScatter(in[r], out[r], N, ncclInt, ncclSum, comms[r], streams[r]);
    ncclGroupEnd();
    show<int>("reduce-scatter", 1, out[1], N);
    ncclGroupStart(); /* in place: its own part */
    for (int r = 0; r < P; r++)
        ncclReduceScatter(in[r], (int *)in[r] + r * N, N, ncclInt, ncclSum, comms[r], streams[r]);
    ncclGroupEnd();
    show<int>("reduce-scatter in place", 2, (int *)in[2] + 2 * N, N);
    fill<int>(1);
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclAllGather(in[r], out[r], 2, ncclInt, comms[r], streams[r]);
    ncclGroupEnd();
    show<int>("all-gather", 0, out[0], 2 * P);
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclAllGather((int *)in[r] + r * 2, in[r], 2, ncclInt, comms[r], streams[r]);
    ncclGroupEnd();
    show<int>("all-gather in place", 3, in[3], 2 * P);
    fill<int>(1);
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclBroadcast(in[r], out[r], N, ncclInt, 1, comms[r], streams[r]);
    ncclGroupEnd();
    show<int>("broadcast of 1", 3, out[3], N);
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclBcast(in[r], N, ncclInt, 3, comms[r], streams[r]);
    ncclGroupEnd();
    show<int>("bcast of 3", 0, in[0], N);
    fill<int>(1);
    ncclGroupStart(); /* around the ring, all at once */
    for (int r = 0; r < P; r++) {
        ncclSend(in[r], N, ncclInt, (r + 1) % P, comms[r], streams[r]);
        ncclRecv(out[r], N, ncclInt, (r + P - 1) % P, comms[r], streams[r]);
    }
    ncclGroupEnd();
    show<int>("send and receive", 0, out[0], N);
    fill<int>(1);
    ncclGroupStart(); /* a transposition */
    for (int r = 0; r < P; r++)
        for (int k = 0; k < P; k++) {
            ncclSend((int *)in[r] + k, 1, ncclInt, k, comms[r], streams[r]);
            ncclRecv((int *)out[r] + k, 1, ncclInt, k, comms[r], streams[r]);
        }
    ncclGroupEnd();
    show<int>("all to all", 2, out[2], P);
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclAllReduce(in[r], out[r], 0, ncclInt, ncclSum, comms[r], streams[r]);
    printf("nothing: %s\n", ncclGetErrorString(ncclGroupEnd()));
    for (int r = 0; r < P; r++) {
        ncclCommFinalize(comms[r]);
        ncclCommDestroy(comms[r]);
        cudaFree(in[r]);
        cudaFree(out[r]);
        cudaStreamDestroy(streams[r]);
    }
}
