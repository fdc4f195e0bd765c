// clock() in a kernel and on the host, clock64, and a wait.
#include <cstdio>
#include <ctime>

__global__ void measure(long long *out, float *work)
{
    clock_t begun = clock();
    long long begun64 = clock64();
    float v = threadIdx.x;

    for (int i = 0; i < 100; i++)
        v = v * 0.5f + 1;
    work[threadIdx.x] = v;
    __nanosleep(100);

    int moved = 0; // it counts ticks far shorter than those of the host's
    for (int i = 0; i < 50; i++) {
        clock_t before = clock();

        moved += clock() != before;
    }
    out[threadIdx.x] = (clock() - begun >= 0) + 2 * (clock64() >= begun64) + 4 * (moved > 40);
}

int main()
{
    clock_t begun = clock();
    long long *d, h[32];
    float *work;
    int right = 0;

    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&work, 32 * sizeof(float));
    measure<<<1, 32>>>(d, work);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (long long v : h)
        right += v == 7;
    printf("%d threads with a clock that goes on\n", right);
    printf("host: %s\n", (double)(clock() - begun) / CLOCKS_PER_SEC < 60 ? "seconds" : "too long");
    return 0;
}
