// wgmma.mma_async of m64n128k16: where descriptors say that A and B lie, in all swizzles, turned and not, with a start
// inside of a line, and with patterns that begin at no multiple of 1024; A in registers; signs; D set and added to.
// Whole numbers, so that the host's sums are equal.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define SUMS \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define IN_PLACE \
    "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
    "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), \
    "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
    "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), \
    "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), \
    "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), \
    "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), \
    "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])

enum { N = 128, K = 16 };

struct layout {
    int swizzle; // 0: none, 1: 128 bytes, 2: 64, 3: 32
    bool turned;
    int first; // chunk of the line that k = 0 is in; not turned
    int base;  // lines of 128 bytes from a multiple of 1024 to the start, where the pattern of the swizzle begins
};

__device__ int line_of(const layout &l)
{
    return 16 * (l.swizzle == 0 ? 1 : l.swizzle == 1 ? 8 : l.swizzle == 2 ? 4 : 2); // bytes
}

// Byte at which element (m, k) of a matrix of so many m lies, from a start that is a multiple of 1024.
__device__ int place(const layout &l, int count, int m, int k)
{
    int line = line_of(l), chunks = line / 16, at;

    if (l.swizzle == 0 && !l.turned)
        return m / 8 * 256 + k / 8 * 128 + m % 8 * 16 + k % 8 * 2;
    if (l.swizzle == 0)
        return k / 8 * 128 * (count / 8) + m / 8 * 128 + k % 8 * 16 + m % 8 * 2;
    if (!l.turned)
        at = m * line + (k / 8 + l.first) * 16 + k % 8 * 2;
    else
        at = m / (line / 2) * (K * line) + k * line + m % (line / 2) * 2;
    return l.base * 128 + (at ^ at / 128 % chunks * 16);
}

__device__ unsigned long long descriptor(const void *start, const layout &l, int count)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(start) + l.base * 128 + l.first * 16;
    int line = line_of(l), leading = 0, stride = 8 * line;

    if (l.swizzle == 0) {
        leading = l.turned ? 128 * (count / 8) : 128;
        stride = l.turned ? 128 : 256;
    } else if (l.turned) {
        leading = K * line;
    }
    return (address & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32 | (unsigned long long)l.base << 49 |
           (unsigned long long)l.swizzle << 62;
}

template <int TURNED_A, int TURNED_B>
__device__ void multiply(float (&d)[64], unsigned long long a, unsigned long long b, int add)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("{.reg .pred p;\n"
                 "setp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" SUMS "}, %64, %65, p, 1, 1, %67, %68;}\n"
                 : IN_PLACE
                 : "l"(a), "l"(b), "r"(add), "n"(TURNED_A), "n"(TURNED_B));
#endif
}

__device__ void begin()
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

__device__ void finish()
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
}

// c is 64 x N; what a lane holds of it goes there.
__device__ void store(float *c, const float (&d)[64])
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (int j = 0; j < N / 8; j++)
        for (int i = 0; i < 4; i++)
            c[(warp * 16 + lane / 4 + i / 2 * 8) * N + j * 8 + lane % 4 * 2 + i % 2] = d[4 * j + i];
}

// a is 64 x K, b is K x N, by rows; d is set to a b, and a b added to it again.
__global__ void product(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, layout of_a, layout of_b)
{
    __shared__ __align__(1024) char sa[72 * 128], sb[N * 128 + 1024];
    float d[64];

    for (int i = threadIdx.x; i < 64 * K; i += 128)
        *(__nv_bfloat16 *)&sa[place(of_a, 64, i / K, i % K)] = a[i];
    for (int i = threadIdx.x; i < K * N; i += 128)
        *(__nv_bfloat16 *)&sb[place(of_b, N, i % N, i / N)] = b[i];
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    unsigned long long x = descriptor(sa, of_a, 64), y = descriptor(sb, of_b, N);

    begin();
    for (int add = 0; add < 2; add++)
        if (of_a.turned && of_b.turned)
            multiply<1, 1>(d, x, y, add);
        else if (of_a.turned)
            multiply<1, 0>(d, x, y, add);
        else if (of_b.turned)
            multiply<0, 1>(d, x, y, add);
        else
            multiply<0, 0>(d, x, y, add);
    finish();
    store(c, d);
}

// The same of halves, with A in registers, and -A, and -B.
__global__ void registers(const __half *a, const __half *b, float *c, layout of_b)
{
    __shared__ __align__(1024) char sb[N * 128];
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, k = threadIdx.x % 4 * 2;
    unsigned r[4];
    float d[64];

    for (int i = threadIdx.x; i < K * N; i += 128)
        *(__half *)&sb[place(of_b, N, i % N, i / N)] = b[i];
    for (int i = 0; i < 4; i++)
        r[i] = *(const unsigned *)&a[(row + i % 2 * 8) * K + k + i / 2 * 8];
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    unsigned long long y = descriptor(sb, of_b, N);

    begin();
#if __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" SUMS "}, "
                 "{%64, %65, %66, %67}, %68, 0, 1, -1, 0;"
                 : IN_PLACE
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(y));
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" SUMS "}, "
                 "{%64, %65, %66, %67}, %68, 1, -1, %69, 0;"
                 : IN_PLACE
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(y), "n"(-1));
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" SUMS "}, "
                 "{%64, %65, %66, %67}, %68, 1, -1, 1, 0;"
                 : IN_PLACE
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(y));
#endif
    finish();
    store(c, d);
}

template <typename T> static void fill(T *a, T *b)
{
    for (int i = 0; i < 64 * K; i++)
        a[i] = (T)(float)(i * 7 % 31 - 15);
    for (int i = 0; i < K * N; i++)
        b[i] = (T)(float)(i * 5 % 29 - 14);
}

template <typename T> static int wrong(const T *a, const T *b, const float *c, int times)
{
    int count = 0;

    for (int i = 0; i < 64; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;

            for (int k = 0; k < K; k++)
                sum += (float)a[i * K + k] * (float)b[k * N + j];
            count += c[i * N + j] != times * sum;
        }
    return count;
}

int main()
{
    static const char *const name[] = {"none", "128 bytes", "64 bytes", "32 bytes"};
    __nv_bfloat16 *a, *b;
    __half *ha, *hb;
    float *c;

    cudaMallocManaged(&a, 64 * K * sizeof(*a));
    cudaMallocManaged(&b, K * N * sizeof(*b));
    cudaMallocManaged(&ha, 64 * K * sizeof(*ha));
    cudaMallocManaged(&hb, K * N * sizeof(*hb));
    cudaMallocManaged(&c, 64 * N * sizeof(*c));
    fill(a, b);
    fill(ha, hb);
    for (int swizzle = 0; swizzle < 4; swizzle++)
        for (int turned = 0; turned < 4; turned++) {
            layout of_a = {swizzle, turned / 2 == 1, 0, 0}, of_b = {swizzle, turned % 2 == 1, 0, 0};

            of_a.first = !of_a.turned && swizzle == 1 ? 6 : 0;
            of_b.first = of_b.turned ? 0 : swizzle == 1 ? 2 : swizzle == 2 ? 2 : 0;
            product<<<1, 128>>>(a, b, c, of_a, of_b);
            cudaDeviceSynchronize();
            printf("swizzle %-9s  A %-10s  B %-10s  %d wrong\n", name[swizzle], of_a.turned ? "turned" : "",
                   of_b.turned ? "turned" : "", wrong(a, b, c, 2));
        }
    for (int base = 1; base < 8; base += 2) {
        product<<<1, 128>>>(a, b, c, layout{1, false, 2, base}, layout{1, true, 0, 8 - base});
        cudaDeviceSynchronize();
        printf("base offsets %d and %d: %d wrong\n", base, 8 - base, wrong(a, b, c, 2));
    }
    registers<<<1, 128>>>(ha, hb, c, layout{1, false, 4, 0});
    cudaDeviceSynchronize();
    printf("A in registers: %d wrong\n", wrong(ha, hb, c, -1));
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
