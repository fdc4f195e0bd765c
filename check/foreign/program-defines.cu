// Options as a book's command line has them: macros, a standard, and much that only a GPU needs.
// flags: -DWIDTH=48 -D HEIGHT=20 -UNOTHING -std=c++20 -O3 -arch=sm_86 -Xcompiler -Wall -rdc=true -lm
#include <concepts>
#include <cstdio>

#if !defined(WIDTH) || defined(NOTHING) || __cplusplus < 202002L
#error the options did not arrive
#endif

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

template <Number T> __global__ void table(T *to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < WIDTH && y < HEIGHT)
        to[y * WIDTH + x] = (T)(x * y);
}

int main()
{
    static short host[HEIGHT][WIDTH];
    short *device;
    dim3 threads(16, 16), blocks((WIDTH + 15) / 16, (HEIGHT + 15) / 16);
    int wrong = 0;

    cudaMalloc(&device, sizeof(host));
    table<short><<<blocks, threads>>>(device);
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += host[y][x] != x * y;
    printf("%d x %d, %d wrong\n", WIDTH, HEIGHT, wrong);
    return wrong != 0;
}
