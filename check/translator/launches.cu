/* Launches in every way of writing them; each line marked LINE must keep its number. */
#include "expect.h"

namespace room
{
__global__ void set(int *to, int value)
{
    *to = value;
}
}

__global__ void count(int *to)
{
    atomicAdd(to, 1);
}

template <int A, typename T> __global__ void templated(T *to)
{
    *to = (T)A;
}

template <typename A, typename B> struct pair
{
    A a;
    B b;
};

template <typename T> __global__ void sized(int *to)
{
    *to = (int)sizeof(T);
}

__global__ void no_arguments()
{
}

__global__ void many(int *to, char a, short b, float c, double d, long long e, int3 f, unsigned g)
{
    *to = (int)(a + b + c + d + e + f.x + f.y + f.z + g);
}

__global__ void at_line(int *to, int line)
{
    *to = line == __LINE__ - 2; /* two lines up: the line of the signature */
}

static int twice(int a, int b)
{
    return a * b;
}

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

struct entry
{
    const char *name;
    void (*kernel)(int *);
};

static const char *in_strings = "kernel<<<1, 1>>>(x); __shared__ int a[2]; asm volatile(\"x\")";
static const char in_characters[] = {'<', '<', '<', '"', '\'', '\\'};
// kernel<<<1>>> in a comment, with an unbalanced ( and " and __shared__ without a name
/* asm("texture"); kernel<<< without an end, __managed__ 'x
 */

int main()
{
    int *d = device_array<int>(1), sum;
    static void (*const table[])(int *) = {count, templated<7, int>, sized<double>};
    static void (*const grid[2][2])(int *) = {{count, templated<8, int>}, {sized<short>, count}};
    entry entries[] = {{"a", count}, {"b", templated<9, int>}};
    entry *e = entries + 1;
    int n = 3;
    cudaStream_t stream;

#define RESULT() (cudaMemcpy(&sum, d, sizeof(sum), cudaMemcpyDeviceToHost), cudaMemset(d, 0, 4), sum)
    room::set<<<1, 1>>>(d, 3);
    expect_equal(RESULT(), 3, "a kernel in a namespace");
    templated<5, int><<<1, 1>>>(d);
    expect_equal(RESULT(), 5, "template arguments");
    templated<(3 > 2 ? 4 : 5), int><<<1, 1>>>(d);
    expect_equal(RESULT(), 4, "a template argument with > in parentheses");
    sized<pair<int, pair<char, short>>><<<1, 1>>>(d);
    expect_equal(RESULT(), 8, "template arguments that end in >>>");
    sized<
        pair<char,
             char>><<<1, 1>>>(d);
    expect_equal(RESULT(), 2, "template arguments over several lines");
    count<<<dim3(2, 3), dim3(4, 2, 2)>>>(d);
    expect_equal(RESULT(), 96, "commas in the configuration");
    count<<<twice(2, twice(1, (2))), (((4))), sizeof(int[2]), 0>>>(d);
    expect_equal(RESULT(), 16, "nested parentheses in the configuration");
    count<<<n >> 1, 1 << n>>>(d);
    expect_equal(RESULT(), 8, "shifts in the configuration");
    count<<<(n + 1) / 2, n>2 ? 4 : 1>>>(d);
    expect_equal(RESULT(), 8, "> in the configuration");
    count<<<dim3{2, 2, 1}, n>>>(d);
    expect_equal(RESULT(), 12, "braces in the configuration");
    count<<<
        2, // blocks >>> of
        3  /* threads >>> */
    >>>(
        d
    );
    expect_equal(RESULT(), 6, "a launch over several lines, with comments");
    count
        <<<2, 2>>>
        (d);
    expect_equal(RESULT(), 4, "line ends around <<< and >>>");
    count <<< 1, 2 >>> (d);
    expect_equal(RESULT(), 2, "spaces around <<< and >>>");
    no_arguments<<<1, 1>>>();
    expect_equal(launch_error(), 0, "a kernel without arguments");
    if (n == 3)
        count<<<1, 5>>>(d);
    else
        count<<<1, 6>>>(d);
    expect_equal(RESULT(), 5, "a launch as the body of an if with else");
    for (int i = 0; i < 3; i++) count<<<1, 1>>>(d), count<<<1, 1>>>(d);
    expect_equal(RESULT(), 6, "two launches in one expression");
    LAUNCH(count, d);
    expect_equal(RESULT(), 1, "a launch in a macro");
    table[1]<<<1, 1>>>(d);
    expect_equal(RESULT(), 7, "a kernel in a table");
    grid[n - 3][n / 3]<<<1, 1>>>(d);
    expect_equal(RESULT(), 8, "a kernel in a table of two dimensions");
    entries[1].kernel<<<1, 1>>>(d);
    expect_equal(RESULT(), 9, "a kernel in a table of structures");
    e->kernel<<<1, 1>>>(d);
    expect_equal(RESULT(), 9, "a kernel behind a pointer to a structure");
    (*table[2])<<<1, 1>>>(d);
    expect_equal(RESULT(), 8, "a kernel through a dereferenced pointer");
    void (*pointer)(int *) = count;
    pointer<<<1, 3>>>(d);
    expect_equal(RESULT(), 3, "a kernel through a pointer");
    many<<<1, 1>>>(d, 1, 2, 3.0f, 4, 5, make_int3(6, 7, 8), 9);
    expect_equal(RESULT(), 45, "arguments are converted as in a call");
    cudaStreamCreate(&stream);
    count<<<1, 4, 0, stream>>>(d);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    expect_equal(RESULT(), 4, "a stream");
    at_line<<<1, 1>>>(d, 40);
    RESULT();
    expect(!strcmp(in_strings, "kernel<<<1, 1>>>(x); __shared__ int a[2]; asm volatile(\"x\")"),
           "strings stay as they are");
    expect(in_characters[3] == '"' && sizeof(in_characters) == 6, "characters stay as they are");
    expect(1'000'000 == 1000000, "a digit separator is no character");
    expect(!strcmp(R"(a "quote" <<<1, 1>>> __shared__)", "a \"quote\" <<<1, 1>>> __shared__"),
           "raw strings stay as they are");
    expect_equal(__LINE__, 151, "the line count is that of the source");
    return expect_status();
}
