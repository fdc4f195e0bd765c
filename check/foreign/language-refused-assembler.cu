// Inline PTX that the CPU device does not have; assembler of the host may stay.
// nvcc: no
// status: 2
// error: language-refused-assembler.cu:13: error: the CPU device has no %smid in inline PTX
static inline void relax()
{
    asm volatile("" ::: "memory");
}

__device__ unsigned lane()
{
    unsigned i;
    asm("mov.u32 %0, %%smid;" : "=r"(i));
    return i;
}

__global__ void kernel(unsigned *out)
{
    out[threadIdx.x] = lane();
}

int main()
{
    relax();
    kernel<<<1, 32>>>(nullptr);
    return 0;
}
