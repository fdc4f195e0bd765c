// A vendor's library is refused by its name, before anything is compiled.
// flags: -lcusparse
// status: 2
// error: -lcusparse: the CPU device has no cuSPARSE
// nvcc: no
int main()
{
    return 0;
}
