// What makes a launch fail with copies in bulk and tensor maps, each in words; and what cuTensorMapEncodeTiled refuses.
// flags: -lcuda
// error: CPU device: cuTensorMapEncodeTiled: a stride is no multiple of 16, or 2^40 or more
// error: CPU device: cuTensorMapEncodeTiled: the CPU device has no interleaved layout
#include <sys/wait.h>
#include <unistd.h>
#include "parts/tma.cuh"

enum { BYTES = 0, TO_SHARED, TO_GLOBAL, FROM_GLOBAL, BARRIER, OUTSIDE, BOX, BOX_OUTSIDE, NO_MAP, WITHIN };
enum { LINE = WITHIN + 1, OF_HOST };

__global__ void bytes(char *x, int mistake)
{
    __shared__ __align__(128) char s[256];
    __shared__ uint64_t full[2];

    barrier_init(&full[0], 1);
    if (mistake == BYTES)
        bulk_load(s, x, 24, full);
    else if (mistake == TO_SHARED)
        bulk_load(s + 8, x, 32, full);
    else if (mistake == FROM_GLOBAL)
        bulk_load(s, x + 4, 32, full);
    else if (mistake == TO_GLOBAL)
        bulk_store(x + 8, s, 32);
    else if (mistake == BARRIER)
        bulk_load(s, x, 32, (uint64_t *)((char *)full + 4));
    else
        bulk_load(s, x, 4096, full);
}

__global__ void box(const __grid_constant__ CUtensorMap map, int mistake)
{
    __shared__ __align__(128) char s[2048];
    __shared__ uint64_t full;

    barrier_init(&full, 1);
    tensor_load(mistake == BOX ? s + 64 : mistake == WITHIN ? s : s + 1920, &map, mistake == WITHIN ? 24 : 0, 0, &full);
}

__global__ void by_pointer(const CUtensorMap *map)
{
    __shared__ __align__(128) char s[2048];
    __shared__ uint64_t full;

    barrier_init(&full, 1);
    tensor_load(s, map, 0, 0, &full);
}

__global__ void line(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) char s[2048];
    __shared__ uint64_t full;

    barrier_init(&full, 1);
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2}], [%3];" ::"r"(shared_address(s)),
                 "l"(&map), "r"(0), "r"(shared_address(&full))
                 : "memory");
}

// A launch that fails is the last one of its process.
static bool child()
{
    fflush(stdout);
    pid_t pid = fork();

    if (pid)
        waitpid(pid, NULL, 0);
    return !pid;
}

static void tell(const char *what)
{
    printf("%s: %s\n", what, cudaGetErrorString(cudaDeviceSynchronize()));
    fflush(stdout);
    _exit(0);
}

static int encode(int type, int rank, char *at, cuuint64_t size, cuuint64_t stride, cuuint32_t side, cuuint32_t step,
                  int interleave, int swizzle, int fill)
{
    cuuint64_t sizes[5] = {size, 64, 64, 64, 64}, strides[4] = {stride, 64 * 1024, 1 << 22, 1 << 28};
    cuuint32_t box[5] = {side, 4, 1, 1, 1}, steps[5] = {1, step, 1, 1, 1};
    CUtensorMap map;

    return encoder()(&map, (CUtensorMapDataType)type, rank, at, sizes, strides, box, steps,
                     (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle,
                     CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)fill);
}

static void refuse_bytes(int mistake)
{
    static const char *const names[] = {"24 bytes", "to shared + 8", "to global + 8", "from global + 4", "barrier + 4",
                                        "4096 bytes"};
    char *x;

    cudaMalloc(&x, 8192);
    bytes<<<1, 1>>>(x, mistake);
    tell(names[mistake]);
}

static void refuse_box(int mistake)
{
    static const char *const names[] = {"box at 64", "box outside", "no map",
                                        "box at byte 24", "another rank", "a map of the host's"};
    char *x;

    cudaMalloc(&x, 1 << 16);
    CUtensorMap none = {}, map = matrix_map(x, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 256, 64, 256, 64, 8,
                                            CU_TENSOR_MAP_SWIZZLE_NONE);
    if (mistake == LINE)
        line<<<1, 1>>>(map);
    else if (mistake == OF_HOST)
        by_pointer<<<1, 1>>>(&map);
    else
        box<<<1, 1>>>(mistake == NO_MAP ? none : map, mistake);
    tell(names[mistake - BOX]);
}

int main()
{
    char *x;
    void *f;
    cudaDriverEntryPointQueryResult found;

    for (int mistake = BYTES; mistake <= OF_HOST; mistake++)
        if (child()) {
            if (mistake < BOX)
                refuse_bytes(mistake);
            else
                refuse_box(mistake);
        }
    cudaMalloc(&x, 1 << 20);
    printf("right %d, no type %d, 0 and 6 dimensions %d %d, address + 8 %d, size 0 %d, stride 8 more %d, less %d,\n",
           encode(6, 2, x, 64, 128, 64, 1, 0, 3, 0), encode(77, 2, x, 64, 128, 64, 1, 0, 3, 0),
           encode(6, 0, x, 64, 128, 64, 1, 0, 3, 0), encode(6, 6, x, 64, 128, 64, 1, 0, 3, 0),
           encode(6, 2, x + 8, 64, 128, 64, 1, 0, 3, 0), encode(6, 2, x, 0, 128, 64, 1, 0, 3, 0),
           encode(6, 2, x, 64, 136, 64, 1, 0, 3, 0), encode(6, 2, x, 64, 112, 64, 1, 0, 3, 0));
    printf("side 0 %d, 257 %d, of 20 bytes %d, of more than the swizzle %d, step 9 %d, interleave %d, fill %d\n",
           encode(6, 2, x, 64, 128, 0, 1, 0, 3, 0), encode(6, 2, x, 64, 128, 264, 1, 0, 0, 0),
           encode(6, 2, x, 64, 128, 10, 1, 0, 0, 0), encode(6, 2, x, 64, 128, 64, 1, 0, 2, 0),
           encode(6, 2, x, 64, 128, 64, 9, 0, 3, 0), encode(6, 3, x, 64, 128, 64, 1, 1, 3, 0),
           encode(6, 2, x, 64, 128, 64, 1, 0, 3, 1));
    printf("%d", cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &f, cudaEnableDefault, &found));
    printf(" %d", found);
    printf(" %d", cudaGetDriverEntryPointByVersion("cuNoSuchCall", &f, 12000, cudaEnableDefault, &found));
    printf(" %d\n", found);
    CUtensorMap map = matrix_map(x, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 256, 64, 256, 64, 8, CU_TENSOR_MAP_SWIZZLE_NONE);
    printf("directly %d %d\n", cuTensorMapReplaceAddress(&map, x), cuTensorMapReplaceAddress(&map, x + 4));
    return 0;
}
