// A shape of mma.sync that the CPU device does not have.
// nvcc: no
// status: 2
// error: language-refused-mma.cu:9: error: the CPU device has no inline PTX of this kind (mma.sync.aligned.m8n8k4
__global__ void kernel(double *x)
{
    double d0, d1, a = x[0], b = x[1], c0 = 0, c1 = 0;

    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=d"(d0), "=d"(d1)
                 : "d"(a), "d"(b), "d"(c0), "d"(c1));
    x[0] = d0 + d1;
}

int main()
{
    kernel<<<1, 32>>>(nullptr);
    return 0;
}
