/* Structures in memory: side by side or field by field, aligned and not. */
#include "program.h"

struct body { /* aligned to 4 */
    float x, y, z, mass;
};
struct __align__(16) body16
{
    float x, y, z, mass;
};
struct sample { /* 24 bytes, aligned to 8 */
    double value;
    int count, flags;
    float weight, unused;
};
struct record { /* fields of three widths */
    unsigned char kind;
    short level;
    int amount;
};
struct five {
    int word[5];
};

__global__ void move_bodies(body *b, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        body p = b[i];
        p.x += step * p.mass;
        p.y += step * p.mass;
        p.z += step * p.mass;
        b[i] = p;
    }
}

__global__ void move_bodies16(body16 *b, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        body16 p = b[i];
        p.x += step * p.mass;
        p.y += step * p.mass;
        p.z += step * p.mass;
        b[i] = p;
    }
}

__global__ void copy_bodies(body *to, const body *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[i];
}

__global__ void move_fields(float *x, float *y, float *z, const float *mass, int n, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        x[i] += step * mass[i];
        y[i] += step * mass[i];
        z[i] += step * mass[i];
    }
}

__global__ void raise_heights(body *b, int n, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        b[i].y += by;
}

__global__ void lengths(float *length, const float3 *position, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float3 p = position[i];
        length[i] = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
    }
}

__global__ void shift_positions(float3 *position, int n, float3 by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float3 p = position[i];
        position[i] = make_float3(p.x + by.x, p.y + by.y, p.z + by.z);
    }
}

__global__ void copy_samples(sample *to, const sample *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[i];
}

__global__ void total_amounts(int *total, const record *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        total[i] = r[i].kind == 1 ? r[i].amount : r[i].level;
}

__global__ void reverse_fives(five *to, const five *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[n - 1 - i] = from[i];
}

__global__ void multiply_complex(float2 *y, const float2 *a, const float2 *b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = make_float2(a[i].x * b[i].x - a[i].y * b[i].y, a[i].x * b[i].y + a[i].y * b[i].x);
}

static void particles(int n)
{
    int blocks = (n + 127) / 128;
    float *flat = random_floats(4 * n), *moved = host_array<float>(4 * n);
    float *field[4], *dfield[4], *d = to_device(flat, 4 * n), *copy = device_array<float>(4 * n);

    for (int i = 0; i < 4 * n; i++)
        moved[i] = i % 4 == 3 ? flat[i] : flat[i] + 0.5f * flat[i / 4 * 4 + 3];
    for (int f = 0; f < 4; f++) {
        field[f] = host_array<float>(n);
        for (int i = 0; i < n; i++)
            field[f][i] = flat[4 * i + f];
        dfield[f] = to_device(field[f], n);
    }
    move_bodies<<<blocks, 128>>>((body *)d, n, 0.5f);
    expect_near("move_bodies", d, moved, 4 * n, 2);
    copy_bodies<<<blocks, 128>>>((body *)copy, (body *)d, n);
    expect_near("copy_bodies", copy, moved, 4 * n, 2);
    d = to_device(flat, 4 * n);
    move_bodies16<<<blocks, 128>>>((body16 *)d, n, 0.5f);
    expect_near("move_bodies16", d, moved, 4 * n, 2);
    move_fields<<<blocks, 128>>>(dfield[0], dfield[1], dfield[2], dfield[3], n, 0.5f);
    for (int f = 0; f < 3; f++) {
        for (int i = 0; i < n; i++)
            field[f][i] = moved[4 * i + f];
        expect_near("move_fields", dfield[f], field[f], n, 2);
    }
    d = to_device(flat, 4 * n);
    raise_heights<<<blocks, 128>>>((body *)d, n, 2);
    for (int i = 0; i < n; i++)
        flat[4 * i + 1] += 2;
    expect_equal("raise_heights", d, flat, 4 * n);
}

static void positions(int n)
{
    float *p = random_floats(3 * n), *length = host_array<float>(n);
    float *d = to_device(p, 3 * n), *dlength = device_array<float>(n);
    float3 by;

    by.x = 1;
    by.y = 2;
    by.z = 3;
    for (int i = 0; i < n; i++)
        length[i] =
            sqrtf(p[3 * i] * p[3 * i] + p[3 * i + 1] * p[3 * i + 1] + p[3 * i + 2] * p[3 * i + 2]);
    lengths<<<(n + 255) / 256, 256>>>(dlength, (float3 *)d, n);
    expect_near("lengths", dlength, length, n, 8);
    for (int i = 0; i < 3 * n; i++)
        p[i] += (float)(i % 3 + 1);
    shift_positions<<<(n + 255) / 256, 256>>>((float3 *)d, n, by);
    expect_equal("shift_positions", d, p, 3 * n);
}

static void records(int n)
{
    sample *s = host_array<sample>(n);
    record *r = host_array<record>(n);
    int *total = host_array<int>(n), *turned = host_array<int>(5 * n),
        *fives = host_array<int>(5 * n);
    int *dtotal = device_array<int>(n), *dturned = device_array<int>(5 * n);
    sample *ds = device_array<sample>(n);

    for (int i = 0; i < n; i++) {
        s[i].value = random_float();
        s[i].count = i;
        r[i].kind = (unsigned char)(i / 8 % 3);
        r[i].level = (short)i;
        r[i].amount = 3 * i;
        total[i] = r[i].kind == 1 ? r[i].amount : r[i].level;
        for (int k = 0; k < 5; k++) {
            fives[5 * i + k] = 5 * i + k;
            turned[5 * (n - 1 - i) + k] = 5 * i + k;
        }
    }
    copy_samples<<<(n + 63) / 64, 64>>>(ds, to_device(s, n), n);
    expect_equal("copy_samples", (unsigned char *)ds, (unsigned char *)s, n * sizeof(sample));
    total_amounts<<<(n + 63) / 64, 64>>>(dtotal, to_device(r, n), n);
    expect_equal("total_amounts", dtotal, total, n);
    reverse_fives<<<(n + 63) / 64, 64>>>((five *)dturned, (five *)to_device(fives, 5 * n), n);
    expect_equal("reverse_fives", dturned, turned, 5 * n);
}

static void complexes(int n)
{
    float *a = random_floats(2 * n), *b = random_floats(2 * n), *y = host_array<float>(2 * n);
    float *d = device_array<float>(2 * n);

    for (int i = 0; i < 2 * n; i += 2) {
        y[i] = a[i] * b[i] - a[i + 1] * b[i + 1];
        y[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
    }
    multiply_complex<<<6, 128>>>((float2 *)d, (float2 *)to_device(a, 2 * n),
                                 (float2 *)to_device(b, 2 * n), n);
    expect_near("multiply_complex", d, y, 2 * n, 4);
}

int main()
{
    particles(2000);
    positions(1777);
    records(1000);
    complexes(2500);
    return wrong ? 1 : 0;
}
