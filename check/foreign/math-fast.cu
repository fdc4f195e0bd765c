// The fast functions against the exact ones: the largest error must be within what the CUDA C++
// Programming Guide allows the hardware. Here the errors are smaller.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

const int N = 1000;

__global__ void fast(float *out, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s, c;

    if (i >= N)
        return;
    out[0 * N + i] = __expf(x[i]);
    out[1 * N + i] = __logf(1.5f + x[i]);
    out[2 * N + i] = __sinf(x[i]);
    out[3 * N + i] = __cosf(x[i]);
    __sincosf(x[i], &s, &c);
    out[4 * N + i] = s * s + c * c;
    out[5 * N + i] = __powf(1.5f + x[i], 2.5f);
    out[6 * N + i] = __fdividef(x[i], 1.5f);
    out[7 * N + i] = rsqrtf(1.5f + x[i]);
    out[8 * N + i] = __exp10f(x[i]) * __tanf(x[i] / 2);
    out[9 * N + i] = __saturatef(x[i] * 2) + __log2f(1.5f + x[i]) + __log10f(1.5f + x[i]);
}

int main()
{
    static float x[N], out[10 * N];
    const char *names[] = {"__expf", "__logf", "__sinf", "__cosf", "__sincosf", "__powf",
                           "__fdividef", "rsqrtf", "__exp10f * __tanf", "__saturatef + logs"};
    float *dx, *dout;

    for (int i = 0; i < N; i++)
        x[i] = -1 + 2.0f * i / N;
    cudaMalloc(&dx, sizeof(x));
    cudaMalloc(&dout, sizeof(out));
    cudaMemcpy(dx, x, sizeof(x), cudaMemcpyHostToDevice);
    fast<<<(N + 127) / 128, 128>>>(dout, dx);
    cudaMemcpy(out, dout, sizeof(out), cudaMemcpyDeviceToHost);
    for (int f = 0; f < 10; f++) {
        double worst = 0;

        for (int i = 0; i < N; i++) {
            double v = x[i], y = 1.5 + v, low = 2 * v < 0 ? 0 : 2 * v > 1 ? 1 : 2 * v;
            double exact[] = {exp(v), log(y), sin(v), cos(v), 1, pow(y, 2.5), v / 1.5, 1 / sqrt(y),
                              pow(10, v) * tan(v / 2), low + log2(y) + log10(y)};
            double error = fabs(out[f * N + i] - exact[f]) / fmax(1, fabs(exact[f]));

            worst = fmax(worst, error);
        }
        printf("%-18s %s\n", names[f], worst < 2e-6 ? "within 2e-6" : "too far off");
    }
    return 0;
}
