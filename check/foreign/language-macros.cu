// Launches and shared memory that macros make, and text that only looks like them.
#include <cstdio>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(error));                          \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)
#define KERNEL(name, op)                                                                           \
    __global__ void name##_kernel(int *out)                                                        \
    {                                                                                              \
        SHARED(int, all[32]);                                                                      \
        SHARED(struct { int a; int b; }, both);                                                   \
        if (threadIdx.x == 0)                                                                      \
            both.a = 2, both.b = 3;                                                                \
        all[threadIdx.x] = threadIdx.x;                                                            \
        __syncthreads();                                                                           \
        out[threadIdx.x] = all[31 - threadIdx.x] op both.a op both.b;                              \
    }
#define SHARED(type, variable) __shared__ type variable
#define ONE_WARP <<<1, 32>>>
#define LAUNCH(name, ...) name##_kernel<<<1, 32>>>(__VA_ARGS__)
#define GRID 1
#define BLOCK 32

KERNEL(plus, +)
KERNEL(times, *)

#if 0
It's text with an odd quote, and a launch<<<1, without an end; extern __shared__ nothing
#endif

// kernel<<<1, 1>>>(a comment with an odd ' quote
static const char *text = "plus_kernel<<<1, 32>>>(d); __shared__ int x = 1; tex2D<float>(t, 0, 0)";
static const char *raw = R"(a "raw" <<<string>>> __shared__)";

int main()
{
    int *d, h[32], million = 1'000'000;

    CHECK(cudaMalloc(&d, sizeof(h)));
    plus_kernel ONE_WARP (d);
    CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDefault));
    printf("%d %d\n", h[0], h[31]);
    LAUNCH(times, d);
    CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDefault));
    printf("%d %d\n", h[0], h[30]);
    plus_kernel /* a comment >>> */ \
        <<< // another (
            GRID, /* 'x */ BLOCK >>> /* one more */ (d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDefault));
    printf("%d %d %d %c %d\n", h[1], million, text[11] == '<', '"', raw[2] == '"');
    printf("line %d\n", __LINE__);
    return 0;
}
