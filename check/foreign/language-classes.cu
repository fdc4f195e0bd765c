// Device code in classes: constructors, operators, virtual functions, nested types, function objects
// and lambdas in a kernel.
#include <cstdio>

class matrix
{
    float m[2][2];

  public:
    struct index {
        int row, column;
    };

    __host__ __device__ matrix(float a, float b, float c, float d) : m{{a, b}, {c, d}} {}
    __host__ __device__ __forceinline__ float operator()(index i) const
    {
        return m[i.row][i.column];
    }
    friend __host__ __device__ matrix operator*(const matrix &a, const matrix &b)
    {
        auto at = [&](int i, int j) { return a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j]; };

        return matrix(at(0, 0), at(0, 1), at(1, 0), at(1, 1));
    }
    static __device__ int here() { return blockIdx.x * blockDim.x + threadIdx.x; }
    __device__ void power(int n);
};

__noinline__ __device__ void matrix::power(int n)
{
    matrix one = *this;

    for (int i = 1; i < n; i++)
        *this = *this * one;
}

struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape() {}
};

struct square : shape {
    float side;
    __device__ explicit square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};

struct circle : shape {
    float radius;
    __device__ explicit circle(float r) : radius(r) {}
    __device__ float area() const override { return 3 * radius * radius; }
};

template <typename Op> struct reducer {
    Op op;
    template <typename T> __device__ inline T operator()(const T *p, int n) const
    {
        T sum = p[0];

        for (int i = 1; i < n; i++)
            sum = op(sum, p[i]);
        return sum;
    }
};

struct larger {
    template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

__global__ void use(float *out)
{
    int i = matrix::here();
    matrix m(1, 1, 1, 0);
    square s(3.0f);
    circle c(2.0f);
    const shape *which = i % 2 ? (const shape *)&s : &c;
    float values[] = {1, 7.5f, 3};

    m.power(i + 1);
    out[3 * i] = m(matrix::index{0, 0});
    out[3 * i + 1] = which->area();
    out[3 * i + 2] = reducer<larger>()(values, 3);
}

int main()
{
    float *d, h[12];

    cudaMalloc(&d, sizeof(h));
    use<<<2, 2>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++)
        printf("%g %g %g\n", h[3 * i], h[3 * i + 1], h[3 * i + 2]);
    printf("%g\n", (matrix(1, 2, 3, 4) * matrix(0, 1, 1, 0))({0, 0}));
    return 0;
}
