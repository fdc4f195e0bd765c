// What may stand before <<< and between the brackets behind it: pointers, tables, members, null
// pointers, braces, expressions.
#include <cstdio>

__global__ void add(int *out, const int *more, int value)
{
    atomicAdd(out, value + (more ? *more : 0));
}

__global__ void subtract(int *out, const int *more, int value)
{
    atomicSub(out, value + (more ? *more : 0));
}

struct range {
    int begin, end;
};

__global__ void length(int *out, range r)
{
    *out = r.end - r.begin;
}

typedef void (*kernel)(int *, const int *, int);

struct method {
    const char *name;
    kernel run;
};

static kernel choose(bool down)
{
    return down ? subtract : add;
}

template <kernel K> static void launch(int *out, int value)
{
    K<<<1, 2>>>(out, NULL, value);
}

int main()
{
    const method methods[] = {{"add", add}, {"subtract", &subtract}};
    const method *second = methods + 1;
    kernel pointer = &add, table[2][2] = {{add, subtract}, {subtract, add}};
    int *d, h, n = 5;

    cudaMalloc(&d, 2 * sizeof(int));
    cudaMemset(d, 0, 2 * sizeof(int));
    pointer<<<1, 1>>>(d, 0, 100);
    (*pointer)<<<1, 1>>>(d, NULL, 10);
    table[1][n > 4]<<<1, 1>>>(d, nullptr, 1);
    methods[0].run<<<1, n>>>(d, d + 1, 1);
    second->run<<<n >> 1, (n > 4 ? 2 : 1)>>>(d, {}, 1);
    choose(true)<<<1, 1>>>(d, 0, 2);
    launch<add>(d, 1000);
    (methods[0].run)<<<dim3{1, 2}, {1, 1, 1}, sizeof(int[4]), 0>>>(d, 0, 20000);
    if (n == 5)
        add<<<1, 1>>>(d, 0, 100000);
    else
        add<<<1, 1>>>(d, 0, 200000);
    cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    length<<<1, 1>>>(d, {3, n * 4});
    cudaMemcpy(&h, d, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    return 0;
}
