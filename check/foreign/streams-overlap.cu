// Two kernels in two streams of one device wait for each other; a kernel waits for the host; and work
// that is queued is done in order, with events, host functions and the default stream.
#include <cstdio>

__global__ void ping(volatile int *mine, volatile int *other, int rounds)
{
    for (int i = 1; i <= rounds; i++) {
        *mine = i;
        __threadfence();
        while (*other < i)
            ;
    }
}

__global__ void wait_for_host(volatile int *flag, int *seen)
{
    while (!*flag)
        ;
    *seen = *flag;
}

__global__ void add(int *x, int by)
{
    atomicAdd(x, by);
}

static void note(void *data)
{
    printf("host function: %s\n", (const char *)data);
}

int main()
{
    cudaStream_t a, b, free_one;
    cudaEvent_t event;
    int *flags, *flag, *seen, host = 0;
    static char first[] = "first", second[] = "second";

    cudaMalloc(&flags, 2 * sizeof(int));
    cudaMemset(flags, 0, 2 * sizeof(int));
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    ping<<<1, 1, 0, a>>>(flags, flags + 1, 100);
    ping<<<1, 1, 0, b>>>(flags + 1, flags, 100);
    printf("query: %s\n", cudaGetErrorName(cudaStreamQuery(a)));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));

    cudaMallocHost(&flag, 2 * sizeof(int));
    seen = flag + 1;
    *flag = *seen = 0;
    wait_for_host<<<1, 1, 0, a>>>(flag, seen);
    cudaEventRecord(event, a);
    printf("before: %s\n", cudaGetErrorName(cudaEventQuery(event)));
    *(volatile int *)flag = 7;
    printf("%s", cudaGetErrorName(cudaEventSynchronize(event)));
    printf(", the kernel saw %d\n", *seen);

    cudaMemset(flags, 0, 2 * sizeof(int));
    cudaLaunchHostFunc(b, note, second);
    cudaLaunchHostFunc(a, note, first); /* the streams in the order in which they were made */
    add<<<1, 1, 0, a>>>(flags, 1);
    add<<<1, 32>>>(flags, 1);       /* the default stream waits for a and b */
    add<<<1, 1, 0, b>>>(flags, 10); /* and b for it */
    cudaMemcpy(&host, flags, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host);
    cudaStreamSynchronize(free_one);
    cudaStreamDestroy(free_one);
}
