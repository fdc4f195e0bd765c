// flags: --check
// error: --check: nothing found
// Clusters by inline PTX: registers, addresses in another block, loads, stores and atomics there, and the barrier.
#include <cstdio>
#include "parts/cluster.cuh"

__global__ void registers(unsigned *out)
{
    unsigned r[9], is;

    asm volatile("mov.u32 %0, %%cluster_ctaid.x; mov.u32 %1, %%cluster_ctaid.y;" : "=r"(r[0]), "=r"(r[1]));
    asm volatile("mov.u32 %0, %%cluster_nctaid.x; mov.u32 %1, %%cluster_nctaid.y;" : "=r"(r[2]), "=r"(r[3]));
    asm volatile("mov.u32 %0, %%clusterid.x; mov.u32 %1, %%clusterid.y;" : "=r"(r[4]), "=r"(r[5]));
    asm volatile("mov.u32 %0, %%nclusterid.x; mov.u32 %1, %%nclusterid.y;" : "=r"(r[6]), "=r"(r[7]));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r[8]));
    asm volatile("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(is));
    if (threadIdx.x == 0) {
        unsigned *to = out + 11 * (blockIdx.y * gridDim.x + blockIdx.x);

        for (int i = 0; i < 9; i++)
            to[i] = r[i];
        to[9] = rank_of_block();
        to[10] = is;
    }
}

__global__ void __cluster_dims__(4) accesses(unsigned *out)
{
    __shared__ unsigned sum, least, values[32];
    unsigned rank = rank_of_block(), right = (rank + 1) % 4, old, a, b, of, generic_of;
    unsigned long long there;
    int t = threadIdx.x;

    values[t] = 100 * rank + t;
    if (t == 0) {
        sum = 0;
        least = 1000;
    }
    cluster_sync();
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(a) : "r"(in_block(&values[t], right)) : "memory");
    asm volatile("ld.shared::cluster.u32 %0, [%1+4];" : "=r"(b) : "r"(in_block(&values[t & ~1], right)) : "memory");
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(in_block(&sum, 0)), "r"(a) : "memory");
    asm volatile("atom.shared::cluster.min.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(in_block(&least, right)), "r"(a)
                 : "memory");
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(in_block(&sum, right)));
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(&values[t]), "r"(right));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(generic_of) : "l"(there));
    out[rank * 32 + t] = a * 1000 + b;
    if (of != right || generic_of != right || *(unsigned *)there != a || old < 100 * right)
        printf("rank %u, thread %d: wrong\n", rank, t);
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in_block(&values[t], right)), "r"(10 * rank + t) : "memory");
    cluster_sync();
    out[128 + rank * 32 + t] = values[t];
    if (t == 0)
        out[256 + rank] = rank ? least : sum;
}

int main()
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    unsigned *out, sum = 0;
    int wrong = 0;

    cudaMallocManaged(&out, 260 * sizeof(unsigned));
    config.gridDim = dim3(2, 4);
    config.blockDim = 32;
    config.attrs = attribute;
    config.numAttrs = 1;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 1;
    attribute[0].val.clusterDim.y = 2;
    attribute[0].val.clusterDim.z = 1;
    cudaLaunchKernelEx(&config, registers, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 88; i++)
        printf("%u%s", out[i], i % 11 == 10 ? "\n" : " ");
    registers<<<2, 32>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 22; i++)
        printf("%u%s", out[i], i % 11 == 10 ? "\n" : " ");
    accesses<<<4, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (unsigned i = 0; i < 128; i++) {
        unsigned right = (i / 32 + 1) % 4, left = (i / 32 + 3) % 4, t = i % 32;

        wrong += out[i] != (100 * right + t) * 1000 + 100 * right + (t | 1);
        wrong += out[128 + i] != 10 * left + t;
        sum += 100 * right + t;
    }
    printf("%d wrong; %u of %u; %u %u %u\n", wrong, out[256], sum, out[257], out[258], out[259]);
    return 0;
}
