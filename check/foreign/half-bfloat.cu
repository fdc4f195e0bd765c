// Layer normalisation of bfloat16 rows, summed in float, two elements at a time.
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>

const int ROWS = 16, COLS = 128;

__global__ void normalise(__nv_bfloat162 *out, const __nv_bfloat162 *in)
{
    const __nv_bfloat162 *row = in + blockIdx.x * COLS / 2;
    float sum = 0, squares = 0;

    for (int i = threadIdx.x; i < COLS / 2; i += 32) {
        float2 v = __bfloat1622float2(row[i]);

        sum += v.x + v.y;
        squares += v.x * v.x + v.y * v.y;
    }
    for (int lanes = 16; lanes > 0; lanes >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, lanes);
        squares += __shfl_xor_sync(0xffffffff, squares, lanes);
    }
    float mean = sum / COLS, scale = rsqrtf(squares / COLS - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < COLS / 2; i += 32) {
        float2 v = __bfloat1622float2(row[i]);

        out[blockIdx.x * COLS / 2 + i] =
            __floats2bfloat162_rn((v.x - mean) * scale, (v.y - mean) * scale);
    }
}

int main()
{
    static nv_bfloat16 in[ROWS * COLS], out[ROWS * COLS];
    __nv_bfloat162 *d, *e;
    int far = 0;

    for (int i = 0; i < ROWS * COLS; i++)
        in[i] = __float2bfloat16(sinf(i * 0.7f) * (i / COLS + 1) + 2);
    cudaMalloc(&d, sizeof(in));
    cudaMalloc(&e, sizeof(out));
    cudaMemcpy(d, in, sizeof(in), cudaMemcpyHostToDevice);
    normalise<<<ROWS, 32>>>(e, d);
    cudaMemcpy(out, e, sizeof(out), cudaMemcpyDeviceToHost);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0, squares = 0;

        for (int i = 0; i < COLS; i++) {
            double v = (float)in[r * COLS + i];

            sum += v;
            squares += v * v;
        }
        for (int i = 0; i < COLS; i++) {
            double mean = sum / COLS, scale = 1 / sqrt(squares / COLS - mean * mean + 1e-5);
            double exact = ((float)in[r * COLS + i] - mean) * scale;

            // half a unit in the last of 8 bits, and what float sums of 128 terms may lose
            far += fabs((float)out[r * COLS + i] - exact) > fabs(exact) * 0x1p-8 + 1e-4;
        }
    }
    printf("%d of %d too far off\n", far, ROWS * COLS);
    printf("%g %g\n", (float)(__nv_bfloat16(1.0f) + __nv_bfloat16(0.001953125f)),
           (float)(__nv_bfloat16(3.0f) * __nv_bfloat16(0.5f) - __nv_bfloat16(1.25f)));
    return 0;
}
