// ldmatrix, stmatrix and movmatrix: each lane's register, plain and transposed.
#include <cstdio>
#include <cstring>

__device__ unsigned address_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// Row i of matrix m begins at 80 * (8 * m + i) bytes, so that rows lie apart; its elements are 100 * m + 10 * i + j.
__global__ void move(unsigned *out, unsigned short *stored)
{
    __shared__ alignas(16) unsigned short s[32 * 40];
    unsigned lane = threadIdx.x, r[4], x, row = address_of(&s[lane * 40]);

    for (int i = lane; i < 32 * 40; i += 32)
        s[i] = i % 40 < 8 ? i / 320 * 100 + i / 40 % 8 * 10 + i % 40 : 9999;
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
    memcpy(&out[lane * 16], r, 16);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
    memcpy(&out[lane * 16 + 4], r, 16);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0, %1}, [%2 + 1280];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.b16 {%0}, [%1];" : "=r"(r[2]) : "l"(&s[lane * 40]));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(x) : "r"(r[2]));
    r[3] = x;
    memcpy(&out[lane * 16 + 8], r, 16);
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(row), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    for (int i = 0; i < 8; i++)
        stored[lane * 8 + i] = s[lane * 40 + i];
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(r[0]), "r"(r[1])
                 : "memory");
    __syncwarp();
    for (int i = 0; i < 8; i++)
        stored[256 + lane * 8 + i] = s[lane * 40 + i];
}

// Element `upper` of a lane's register, as number of its matrix, row and column.
static int wrong_register(unsigned r, int lane, int matrix, bool turned)
{
    int wrong = 0;

    for (int upper = 0; upper < 2; upper++) {
        int line = lane / 4, at = lane % 4 * 2 + upper;

        wrong += (int)(r >> 16 * upper & 0xffff) != matrix * 100 + (turned ? at * 10 + line : line * 10 + at);
    }
    return wrong;
}

int main()
{
    unsigned short *stored;
    unsigned *out;
    int plain = 0, turned = 0, some = 0, moved = 0, kept = 0, back = 0;

    cudaMallocManaged(&out, 32 * 16 * sizeof(*out));
    cudaMallocManaged(&stored, 512 * sizeof(*stored));
    move<<<1, 32>>>(out, stored);
    cudaDeviceSynchronize();
    for (int lane = 0; lane < 32; lane++) {
        const unsigned *r = &out[lane * 16];

        for (int m = 0; m < 4; m++) {
            plain += wrong_register(r[m], lane, m, false);
            turned += wrong_register(r[4 + m], lane, m, true);
        }
        some += wrong_register(r[8], lane, 2, false) + wrong_register(r[9], lane, 3, false);
        some += wrong_register(r[10], lane, 0, true);
        moved += wrong_register(r[11], lane, 0, false);
    }
    for (int i = 0; i < 256; i++) { // the matrices 2, 3, 0 transposed, 0
        int m = i / 64, row = i / 8 % 8, j = i % 8;

        kept += stored[i] != (m < 2 ? m * 100 + 200 + row * 10 + j : m == 2 ? j * 10 + row : row * 10 + j);
        back += i < 128 && stored[256 + i] != m * 100 + 200 + j * 10 + row;
    }
    printf("ldmatrix %d wrong, transposed %d, of one and two %d, movmatrix %d; stmatrix %d, transposed %d\n", plain,
           turned, some, moved, kept, back);
    return 0;
}
