// Of program-files.cu: what its files share. A device function in a header is compiled in each.
#pragma once

struct Polynomial {
    float a, b, c;

    __host__ __device__ float at(float x) const
    {
        return (a * x + b) * x + c;
    }
};

__device__ inline int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

void evaluate(const Polynomial &p, const float *x, float *y, int n); // files-evaluate.cu
double largest_difference(const float *a, const float *b, int n);    // files-compare.cpp
extern "C" void fill_ramp(float *x, int n, float step);              // files-ramp.c
