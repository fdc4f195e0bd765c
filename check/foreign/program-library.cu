// A vendor's library is refused by its name, before anything is compiled.
// flags: -lcublas
// status: 2
// error: -lcublas: the CPU device has no cuBLAS
// nvcc: no
int main()
{
    return 0;
}
