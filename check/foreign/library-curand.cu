// flags: --check -lcurand
// needs: cuRAND
// error: --check: nothing found
// error: cuRAND's host API ran on the host, not counted and not checked: curandGenerate 
// cuRAND's sequences, of the host API and of kernels. What it prints is what an H200 gave, with cuRAND 10.4; of normal
// numbers as many digits as the GPU's fast logarithm and cosine leave.
#include <cstdio>
#include <cstring>
#include <curand.h>
#include <curand_kernel.h>

static const struct {
    curandRngType_t type;
    const char *name;
} generators[] = {{CURAND_RNG_PSEUDO_XORWOW, "xorwow"},
                  {CURAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a"},
                  {CURAND_RNG_PSEUDO_PHILOX4_32_10, "philox"}};
enum { N = 6 };

/* The numbers of a call from the offset on, behind those of calls before. */
template <typename T, typename F>
static void show(int which, const char *kind, unsigned long long seed, unsigned long long offset,
                 int before, const char *format, F call)
{
    curandGenerator_t g;
    T *numbers, host[N];
    size_t n = before ? before : N;

    curandCreateGenerator(&g, generators[which].type);
    curandSetPseudoRandomGeneratorSeed(g, seed);
    curandSetGeneratorOffset(g, offset);
    cudaMalloc(&numbers, n * sizeof(T));
    if (before)
        call(g, numbers, n);
    call(g, numbers, n);
    cudaMemcpy(host, numbers, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%s %s seed=%llu offset=%llu before=%d:", generators[which].name, kind, seed, offset,
           before);
    for (int i = 0; i < (offset > 5000 || before > 5000 ? 1 : N); i++) /* of those behind, one is recorded */
        printf(format, host[i]);
    printf("\n");
    cudaFree(numbers);
    curandDestroyGenerator(g);
}

template <typename S>
__global__ void in_kernel(unsigned *bits, float *uniform, double *uniform_double, double *normal)
{
    int t = threadIdx.x;
    S s;

    curand_init(1234, t, 5, &s);
    for (int i = 0; i < 8; i++)
        bits[t] = curand(&s);
    for (int i = 0; i < 8; i++)
        uniform[t] = curand_uniform(&s);
    for (int i = 0; i < 8; i++)
        uniform_double[t] = curand_uniform_double(&s);
    for (int i = 0; i < 8; i++)
        curand_normal(&s);
    for (int i = 0; i < 8; i++)
        normal[t] = curand_normal_double(&s);
}

template <typename S> static void kernels(const char *name)
{
    enum { THREADS = 64 };
    unsigned *bits;
    float *uniform;
    double *uniform_double, *normal;

    cudaMallocManaged(&bits, THREADS * sizeof(*bits));
    cudaMallocManaged(&uniform, THREADS * sizeof(*uniform));
    cudaMallocManaged(&uniform_double, THREADS * sizeof(*uniform_double));
    cudaMallocManaged(&normal, THREADS * sizeof(*normal));
    in_kernel<S><<<1, THREADS>>>(bits, uniform, uniform_double, normal);
    cudaDeviceSynchronize();
    for (int t = 0; t < THREADS; t += 63)
        printf("kernel %s thread %d: %08x %.9g %.17g %.12f\n", name, t, bits[t], uniform[t],
               uniform_double[t], normal[t]);
}

int main()
{
    for (int i = 0; i < 3; i++) {
        for (unsigned long long offset : {0, 49152, 98304, 393216, 786432})
            show<unsigned>(i, "raw", 0, offset, 0, " %08x", curandGenerate);
        show<unsigned>(i, "raw", 1234, 4099, 0, " %08x", curandGenerate);
        show<unsigned>(i, "raw", 1234, 0, 5000, " %08x", curandGenerate);
        show<float>(i, "uniform", 1234, 5, 0, " %.9g", curandGenerateUniform);
        show<double>(i, "uniform_double", 1234, 0, 1001, " %.17g", curandGenerateUniformDouble);
        if (i == 2) /* the lanes of Philox go round */
            show<double>(i, "uniform_double", 0, 0, 393216, " %.17g", curandGenerateUniformDouble);
        show<float>(i, "normal", 1234, 6, 0, " %.4f", [](curandGenerator_t g, float *p, size_t n) {
            return curandGenerateNormal(g, p, n, 0, 1);
        });
        show<double>(i, "normal_double", 1234, 0, 1002, " %.12f",
                     [](curandGenerator_t g, double *p, size_t n) {
                         return curandGenerateNormalDouble(g, p, n, 0, 1);
                     });
    }
    kernels<curandStateXORWOW_t>("xorwow");
    kernels<curandStateMRG32k3a_t>("mrg32k3a");
    kernels<curandStatePhilox4_32_10_t>("philox");

    curandGenerator_t g;
    float *p;
    printf("twister: %d\n", (int)curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32));
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    cudaMalloc(&p, 3 * sizeof(float));
    curandDestroyGenerator(g);
    printf("of a generator that is gone: %d\n", (int)curandGenerateUniform(g, p, 3));
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    printf("three normal numbers: %d\n", (int)curandGenerateNormal(g, p, 3, 0, 1));
}
