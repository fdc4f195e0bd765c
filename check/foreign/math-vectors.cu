// Vector types: their sizes, alignments and makers, loads and stores with cache hints, and atomics.
#include <cstdio>

template <typename T> static void say(const char *name)
{
    printf("%-11s %2d bytes, aligned to %d\n", name, (int)sizeof(T), (int)alignof(T));
}

struct particle {
    float3 place;
    float mass;
};

__constant__ float4 weights = {0.5f, 0.25f}; // the rest is zero

__global__ void move(particle *p, const float4 *speed, float2 *sum2, float4 *sum4)
{
    int i = threadIdx.x;
    float4 v = __ldg(&speed[i]), none = {};
    float2 pair = make_float2(v.x, v.y);

    p[i].place.x += v.x * weights.x;
    p[i].place.y += v.y * weights.y;
    p[i].place.z += v.z * weights.z + none.w;
    p[i].mass = 1;
    atomicAdd(sum2, pair);
    atomicAdd(sum4, v);
}

__global__ void hints(int4 *to, const int4 *from, double2 *d, short2 *s, uchar4 *c)
{
    int4 a = __ldcg(from), b = __ldcs(from + 1), e = __ldcv(from + 2);

    __stcg(to, b);
    __stcs(to + 1, e);
    __stwt(to + 2, a);
    __stwb(to + 3, __ldca(from + 3));
    *d = make_double2(__ldlu(d).y, 0.125);
    *s = make_short2(s->y, s->x);
    *c = make_uchar4(c->w, c->z, c->y, c->x);
}

int main()
{
    particle *p, h[32];
    float4 *speed, host_speed[32], *sum4, host4;
    float2 *sum2, host2;
    int4 *ints, host_ints[8] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
    double2 *d, host_d = {1, 2};
    short2 *s, host_s = make_short2(-1, 7);
    uchar4 *c, host_c = make_uchar4(1, 2, 3, 250);
    dim3 shape(2, 3);
    uint3 place = shape;

    say<char2>("char2");
    say<uchar4>("uchar4");
    say<short3>("short3");
    say<int2>("int2");
    say<uint3>("uint3");
    say<float4>("float4");
    say<longlong2>("longlong2");
    say<ulong1>("ulong1");
    say<double2>("double2");
    say<double3>("double3");
    cudaMalloc(&p, sizeof(h));
    cudaMalloc(&speed, sizeof(host_speed));
    cudaMalloc(&sum2, sizeof(float2));
    cudaMalloc(&sum4, sizeof(float4));
    cudaMemset(p, 0, sizeof(h));
    cudaMemset(sum2, 0, sizeof(float2));
    cudaMemset(sum4, 0, sizeof(float4));
    for (int i = 0; i < 32; i++)
        host_speed[i] = make_float4(i, 2 * i, 3 * i, 1);
    cudaMemcpy(speed, host_speed, sizeof(host_speed), cudaMemcpyHostToDevice);
    move<<<1, 32>>>(p, speed, sum2, sum4);
    cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpy(&host2, sum2, sizeof(host2), cudaMemcpyDeviceToHost);
    cudaMemcpy(&host4, sum4, sizeof(host4), cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", h[31].place.x, h[31].place.y, h[31].place.z, h[31].mass);
    printf("%g %g, %g %g %g %g\n", host2.x, host2.y, host4.x, host4.y, host4.z, host4.w);

    cudaMalloc(&ints, sizeof(host_ints));
    cudaMalloc(&d, sizeof(host_d));
    cudaMalloc(&s, sizeof(host_s));
    cudaMalloc(&c, sizeof(host_c));
    cudaMemcpy(ints, host_ints, sizeof(host_ints), cudaMemcpyHostToDevice);
    cudaMemcpy(d, &host_d, sizeof(host_d), cudaMemcpyHostToDevice);
    cudaMemcpy(s, &host_s, sizeof(host_s), cudaMemcpyHostToDevice);
    cudaMemcpy(c, &host_c, sizeof(host_c), cudaMemcpyHostToDevice);
    hints<<<1, 1>>>(ints + 4, ints, d, s, c);
    cudaMemcpy(host_ints, ints, sizeof(host_ints), cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_d, d, sizeof(host_d), cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_s, s, sizeof(host_s), cudaMemcpyDeviceToHost);
    cudaMemcpy(&host_c, c, sizeof(host_c), cudaMemcpyDeviceToHost);
    for (int i = 4; i < 8; i++)
        printf("%d ", host_ints[i].x + host_ints[i].w);
    printf("%g %g, %d %d, %d %d, %u %u %u\n", host_d.x, host_d.y, host_s.x, host_s.y, host_c.x,
           host_c.w, place.x, place.y, place.z);
    return 0;
}
