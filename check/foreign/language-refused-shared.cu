// Static shared memory outside of a function.
// nvcc: no
// status: 2
// error: language-refused-shared.cu:5: error: __shared__ tile outside of a function: declare it in the kernel
__shared__ float tile[32][32];

int main()
{
    return 0;
}
