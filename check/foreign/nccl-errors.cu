// What NCCL refuses, and what ranks call that does not fit: an error of all of them, and no hang.
// nvcc: no
// devices: 3
#include <cstdio>
#include <nccl.h>

const int P = 3;
static ncclComm_t comms[P];
static float *a[P];

static void say(const char *what, ncclResult_t result, ncclComm_t comm = NULL)
{
    printf("%s: %d %s\n", what, (int)result, result ? ncclGetLastError(comm) : "");
}

static void make()
{
    if (ncclCommInitAll(comms, P, NULL))
        printf("ncclCommInitAll: %s\n", ncclGetLastError(NULL));
}

static void end()
{
    for (int r = 0; r < P; r++) {
        ncclResult_t error;

        ncclCommGetAsyncError(comms[r], &error);
        printf("rank %d: %d\n", r, (int)error);
        ncclCommAbort(comms[r]);
    }
    make();
}

int main()
{
    const int two[] = {1, 1}, far[] = {0, 7};
    ncclUniqueId id;
    ncclComm_t one;

    for (int r = 0; r < P; r++) {
        cudaSetDevice(r);
        cudaMalloc(&a[r], 400);
        cudaMemset(a[r], 0, 400);
    }
    say("no devices", ncclCommInitAll(comms, 0, NULL));
    say("a device twice", ncclCommInitAll(comms, 2, two));
    say("no such device", ncclCommInitAll(comms, 2, far));
    ncclGetUniqueId(&id);
    say("rank 5 of 3", ncclCommInitRank(&one, 3, id, 5));
    say("no ranks", ncclCommInitRank(&one, 0, id, 0));
    say("no communicator", ncclAllReduce(a[0], a[0], 1, ncclFloat, ncclSum, NULL, 0));
    say("no group", ncclGroupEnd());

    make();
    say("type", ncclAllReduce(a[0], a[0], 1, (ncclDataType_t)77, ncclSum, comms[0], 0));
    say("operation", ncclAllReduce(a[0], a[0], 1, ncclFloat, (ncclRedOp_t)9, comms[0], 0));
    say("root", ncclBroadcast(a[0], a[0], 1, ncclFloat, 3, comms[0], 0));
    say("peer", ncclSend(a[0], 1, ncclFloat, -1, comms[0], 0));

    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclAllReduce(a[r], a[r], r == 1 ? 99 : 100, ncclFloat, ncclSum, comms[r], 0);
    say("counts differ", ncclGroupEnd(), comms[0]);
    end();
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclAllReduce(a[r], a[r], 50, r == 2 ? ncclInt : ncclFloat, ncclSum, comms[r], 0);
    say("types differ", ncclGroupEnd(), comms[0]);
    end();
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclAllReduce(a[r], a[r], 50, ncclFloat, r == 0 ? ncclMax : ncclSum, comms[r], 0);
    say("operations differ", ncclGroupEnd(), comms[0]);
    end();
    ncclGroupStart();
    for (int r = 0; r < P; r++)
        ncclBroadcast(a[r], a[r], 50, ncclFloat, r == 1, comms[r], 0);
    say("roots differ", ncclGroupEnd(), comms[0]);
    end();
    ncclGroupStart();
    ncclAllReduce(a[0], a[0], 50, ncclFloat, ncclSum, comms[0], 0);
    ncclAllGather(a[1], a[1], 10, ncclFloat, comms[1], 0);
    ncclAllReduce(a[2], a[2], 50, ncclFloat, ncclSum, comms[2], 0);
    say("calls differ", ncclGroupEnd(), comms[0]);
    end();
    ncclGroupStart();
    ncclSend(a[0], 50, ncclFloat, 1, comms[0], 0);
    ncclRecv(a[1], 60, ncclFloat, 0, comms[1], 0);
    say("a send of 50, a receive of 60", ncclGroupEnd(), comms[0]);
    end();

    ncclGroupStart(); /* one rank goes away while the others wait */
    for (int r = 0; r < 2; r++)
        ncclAllReduce(a[r], a[r], 50, ncclFloat, ncclSum, comms[r], 0);
    say("two of three", ncclGroupEnd());
    cudaSetDevice(2);
    ncclCommAbort(comms[2]);
    for (int r = 0; r < 2; r++) {
        ncclResult_t error;

        cudaSetDevice(r);
        printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        ncclCommGetAsyncError(comms[r], &error);
        say("one has gone", error, comms[r]);
        ncclCommAbort(comms[r]);
    }

    make(); /* one never calls, and there is nobody else who could */
    ncclAllReduce(a[0], a[0], 50, ncclFloat, ncclSum, comms[0], 0);
    cudaSetDevice(0);
    printf("wait: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    ncclAllReduce(a[1], a[1], 50, ncclFloat, ncclSum, comms[1], 0);
    for (int r = 0; r < P; r++) {
        ncclResult_t error;

        ncclCommGetAsyncError(comms[r], &error);
        say("alone", error, comms[r]);
        ncclCommAbort(comms[r]);
    }
    make();
    ncclSend(a[2], 50, ncclFloat, 1, comms[2], 0);
    cudaSetDevice(2);
    printf("wait: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (int r = 0; r < P; r++)
        ncclCommAbort(comms[r]);
}
