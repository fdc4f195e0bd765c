// Boxes of matrices by tensor maps: every swizzle, boxes that reach out on all sides, types of 1 to 8 bytes, as a
// parameter and as a pointer to constant and to device memory; and back to a matrix, where nothing outside is stored.
#include "parts/tma.cuh"

__constant__ CUtensorMap in_constant;
__device__ CUtensorMap in_device;

__device__ void load_one(void *to, const CUtensorMap *map, int x, int y, unsigned bytes)
{
    __shared__ uint64_t full;

    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_expect(&full, bytes);
        tensor_load(to, map, x, y, &full);
    }
    __syncthreads();
    barrier_wait(&full, 0);
}

template <typename T>
__global__ void show(const __grid_constant__ CUtensorMap map, T *out, int x, int y, int elements)
{
    __shared__ __align__(1024) T box[4096 / sizeof(T)];

    load_one(box, &map, x, y, elements * sizeof(T));
    for (int i = threadIdx.x; i < elements; i += blockDim.x)
        out[i] = box[i];
}

__global__ void by_pointer(const CUtensorMap *map, unsigned short *out)
{
    __shared__ __align__(128) unsigned short box[16];

    load_one(box, map, 8, 1, sizeof(box));
    if (threadIdx.x < 16)
        out[threadIdx.x] = box[threadIdx.x];
}

__global__ void by_constant(unsigned short *out)
{
    __shared__ __align__(128) unsigned short box[16];

    load_one(box, &in_constant, 16, 0, sizeof(box));
    if (threadIdx.x < 16)
        out[threadIdx.x] = box[threadIdx.x];
}

__global__ void there_and_back(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int x,
                               int y)
{
    __shared__ __align__(1024) unsigned short box[16 * 64];

    load_one(box, &from, x, y, sizeof(box));
    if (threadIdx.x == 0) {
        tensor_store(&to, x, y, box);
        bulk_commit();
        bulk_wait<0>();
    }
}

enum { COLUMNS = 100, ROWS = 20, LD = 112 };

template <typename T> T *matrix()
{
    T *m;

    cudaMallocManaged(&m, ROWS * LD * sizeof(T));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < LD; j++)
            m[i * LD + j] = (T)(j < COLUMNS ? 1 + (i * COLUMNS + j) % 101 : 102);
    return m;
}

// Where the swizzle puts byte `at` of the box: within lines of `line` bytes.
static int place(int at, int line)
{
    return line ? at ^ (at / 128 % (line / 16)) * 16 : at;
}

template <typename T> int wrong_boxes(CUtensorMapDataType type, int columns, int rows, CUtensorMapSwizzle swizzle)
{
    T *m = matrix<T>(), *out;
    CUtensorMap map = matrix_map(m, type, sizeof(T), COLUMNS, ROWS, LD, columns, rows, swizzle);
    int wrong = 0, line = swizzle ? 16 << swizzle : 0;
    const int piece = 16 / sizeof(T), last = COLUMNS / piece * piece; // a box begins at a multiple of 16 bytes
    const int starts[][2] = {{0, 0}, {piece, 5}, {-piece, -2}, {last, ROWS - 1}, {last + piece, 0}, {0, -100}};

    cudaMallocManaged(&out, columns * rows * sizeof(T));
    for (auto &s : starts) {
        show<T><<<1, 32>>>(map, out, s[0], s[1], columns * rows);
        cudaDeviceSynchronize();
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int x = s[0] + j, y = s[1] + i, at = place((i * columns + j) * (int)sizeof(T), line);
                bool inside = x >= 0 && x < COLUMNS && y >= 0 && y < ROWS;

                wrong += out[at / sizeof(T)] != (inside ? m[y * LD + x] : (T)0);
            }
    }
    cudaFree(m);
    cudaFree(out);
    return wrong;
}

static void pointers()
{
    unsigned short *m = matrix<unsigned short>(), *out;
    CUtensorMap map = matrix_map(m, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, COLUMNS, ROWS, LD, 8, 2,
                                 CU_TENSOR_MAP_SWIZZLE_NONE);
    CUtensorMap *place;

    cudaMallocManaged(&out, 16 * sizeof(*out));
    cudaMemcpyToSymbol(in_constant, &map, sizeof(map));
    cudaMemcpyToSymbol(in_device, &map, sizeof(map));
    cudaGetSymbolAddress((void **)&place, in_device);
    by_constant<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("constant %d %d, ", out[0] - m[16], out[8] - m[LD + 16]);
    by_pointer<<<1, 32>>>(place, out);
    cudaDeviceSynchronize();
    printf("device %d %d\n", out[0] - m[LD + 8], out[15] - m[2 * LD + 15]);
}

static int wrong_back(int x, int y, CUtensorMapSwizzle swizzle)
{
    unsigned short *m = matrix<unsigned short>(), *out = matrix<unsigned short>();
    int wrong = 0;
    CUtensorMap maps[2];

    for (int i = 0; i < ROWS * LD; i++)
        out[i] = 7000 + i;
    for (int i = 0; i < 2; i++)
        maps[i] = matrix_map(i ? out : m, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, COLUMNS, ROWS, LD, 64, 16, swizzle);
    there_and_back<<<1, 32>>>(maps[0], maps[1], x, y);
    cudaDeviceSynchronize();
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < LD; j++) {
            bool inside = j >= x && j < x + 64 && j < COLUMNS && i >= y && i < y + 16;

            wrong += out[i * LD + j] != (inside ? m[i * LD + j] : 7000 + i * LD + j);
        }
    return wrong;
}

int main()
{
    printf("u8 %d", wrong_boxes<unsigned char>(CU_TENSOR_MAP_DATA_TYPE_UINT8, 64, 7, CU_TENSOR_MAP_SWIZZLE_NONE));
    printf(" %d", wrong_boxes<unsigned char>(CU_TENSOR_MAP_DATA_TYPE_UINT8, 32, 16, CU_TENSOR_MAP_SWIZZLE_32B));
    printf(", u16 %d", wrong_boxes<unsigned short>(CU_TENSOR_MAP_DATA_TYPE_UINT16, 64, 16, CU_TENSOR_MAP_SWIZZLE_128B));
    printf(" %d", wrong_boxes<unsigned short>(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 32, 9, CU_TENSOR_MAP_SWIZZLE_64B));
    printf(" %d", wrong_boxes<unsigned short>(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 24, 5, CU_TENSOR_MAP_SWIZZLE_NONE));
    printf(", i32 %d", wrong_boxes<int>(CU_TENSOR_MAP_DATA_TYPE_INT32, 16, 8, CU_TENSOR_MAP_SWIZZLE_64B));
    printf(", f32 %d", wrong_boxes<float>(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 32, 20, CU_TENSOR_MAP_SWIZZLE_128B));
    printf(", f64 %d wrong\n", wrong_boxes<double>(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 4, 8, CU_TENSOR_MAP_SWIZZLE_32B));
    pointers();
    printf("back %d %d %d %d wrong\n", wrong_back(0, 0, CU_TENSOR_MAP_SWIZZLE_128B),
           wrong_back(-16, -3, CU_TENSOR_MAP_SWIZZLE_NONE), wrong_back(72, 10, CU_TENSOR_MAP_SWIZZLE_128B),
           wrong_back(32, 2, CU_TENSOR_MAP_SWIZZLE_128B));
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
