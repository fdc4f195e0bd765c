// flags: --check
// Shuffles of values that are larger than a register: doubles, vectors and structures.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

struct particle {
    double mass;
    float x, y, z;
    int id;
};

struct three {
    float a, b, c;
};

__global__ void pass_on(particle *p, three *t3, double *d, float4 *f4, long long *l, short *s)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x;
    particle mine = {t * 0.5, t + 0.25f, t * 2.0f, -t * 1.0f, t};
    three my_three = {t + 0.5f, t + 1.5f, t + 2.5f};

    p[t] = tile.shfl(mine, 15 - tile.thread_rank());
    t3[t] = tile.shfl_xor(my_three, 1);
    d[t] = tile.shfl_down(t / 3.0, 1);
    f4[t] = tile.shfl_up(make_float4(t, t + 1, t + 2, t + 3), 2);
    l[t] = tile.shfl((long long)t << 40, 3);
    s[t] = tile.shfl((short)(t - 20), 5);
}

int main()
{
    const int n = 64;
    particle *p;
    three *t3;
    double *d;
    float4 *f4;
    long long *l;
    short *s;
    int bad = 0;

    cudaMallocManaged(&p, n * sizeof(*p));
    cudaMallocManaged(&t3, n * sizeof(*t3));
    cudaMallocManaged(&d, n * sizeof(*d));
    cudaMallocManaged(&f4, n * sizeof(*f4));
    cudaMallocManaged(&l, n * sizeof(*l));
    cudaMallocManaged(&s, n * sizeof(*s));
    pass_on<<<1, n>>>(p, t3, d, f4, l, s);
    cudaDeviceSynchronize();
    for (int t = 0; t < n; t++) {
        int first = t / 16 * 16, from = first + 15 - t % 16, up = t % 16 < 2 ? t : t - 2;

        bad += p[t].mass != from * 0.5 || p[t].x != from + 0.25f || p[t].id != from;
        bad += p[t].y != from * 2.0f || p[t].z != -from * 1.0f;
        bad += t3[t].a != (t ^ 1) + 0.5f || t3[t].c != (t ^ 1) + 2.5f;
        bad += d[t] != (t % 16 == 15 ? t : t + 1) / 3.0;
        bad += f4[t].x != up || f4[t].w != up + 3;
        bad += l[t] != (long long)(first + 3) << 40 || s[t] != first + 5 - 20;
    }
    printf("particle %d of mass %g, %d wrong\n", p[17].id, p[17].mass, bad);
    return 0;
}
