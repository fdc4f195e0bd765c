// Statements of all forms around what lanes do together, and where they meet behind them.
#include <cstdio>

__device__ volatile int flag, other;

__global__ void forms(int n)
{
    int t = threadIdx.x;

    if (n > 1) [[likely]] {
        printf("a %d\n", t);
    }
    if (n > 2)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            if (i < t) [[unlikely]]
                printf("b %d\n", t);
        }
    else
        do
            printf("c\n");
        while (--n > 3);
    do
        printf("d %d\n", n);
    while (--n > t);
    switch (n) {
    case 0:
        for (int i = 0; i < 2; i++)
            if (i == t)
                flag = i;
        break;
    case 2:
    default:
        while (int m = n) {
            n = m - 1;
            if (t == 1)
                continue;
            printf("e %d\n", t);
        }
    }
    for (int i : {1, 2})
        if (i == t)
            printf("f %d\n", i);
        else if (i == 2)
            printf("g\n");
    auto print = [=](int x) {
        if (x)
            printf("h %d\n", x);
        return x;
    };
    print(t);
#pragma unroll 2
    for (int i = 0; i < 2; i++)
        printf("i %d\n", i);
    if (t)
        goto end;
    printf("j\n");
end:
    printf("k %d\n", other);
}

int main()
{
    forms<<<1, 3>>>(3);
    cudaDeviceSynchronize();
    forms<<<1, 3>>>(2);
    return cudaDeviceSynchronize();
}
