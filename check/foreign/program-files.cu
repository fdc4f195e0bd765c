// One program of a .cu file with main, another with the kernel, a .cpp and a .c file.
// flags: parts/files-evaluate.cu parts/files-compare.cpp parts/files-ramp.c -Iparts
#include <cstdio>
#include <vector>
#include "files.cuh"

int main()
{
    const int n = 1000;
    Polynomial p = {2.0f, -3.0f, 0.5f};
    std::vector<float> x(n), y(n), expected(n);

    fill_ramp(x.data(), n, 0.25f);
    evaluate(p, x.data(), y.data(), n);
    for (int i = 0; i < n; i++)
        expected[i] = p.at(x[i]);
    printf("p(%.2f) = %.3f\n", x[n - 1], y[n - 1]);
    printf("largest difference: %g\n", largest_difference(y.data(), expected.data(), n));
    return 0;
}
