/*
 * Runs a litmus test of PTX, which check/litmus.py has made a table of numbers: standard input has
 *
 *   blocks threads lanes programs variables      then the initial value of each variable
 *   for each program: block, thread, instructions, 16 initial registers, and each instruction as
 *   code order scope register variable a a-is-a-register b b-is-a-register target
 *   words, and so many words of the condition, which is evaluated on a stack
 *
 * With 32 lanes each program is a warp, whose lane 0 touches memory: the barriers with numbers count whole warps.
 * Exits with status 1 if the condition holds at the end.
 */
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda_runtime.h>

enum { MOST_PROGRAMS = 8, REGISTERS = 16, MOST_CODE = 32, APART = 64, MOST_VARIABLES = 16 };
enum code {
    LOAD,
    STORE,
    FENCE,
    BARRIER,
    EXCHANGE,
    COMPARE,
    ADD,
    SUB,
    AND,
    OR,
    XOR,
    BRANCH_EQ,
    BRANCH_NE,
    BRANCH_LT,
    BRANCH_LE,
    BRANCH_GT,
    BRANCH_GE,
    JUMP,
    SET,
    SUM,
    DIFFERENCE,
    MEET,
    ARRIVE
};
enum order { WEAK, RELAXED, ACQUIRE, RELEASE, ACQ_REL, SC };

struct instruction {
    int code, order, block_scope, reg, variable, a, a_register, b, b_register, target;
};

struct program {
    int block, thread, count, reg[REGISTERS];
    instruction code[MOST_CODE];
};

static __device__ cuda::memory_order order_of(int order)
{
    return order == ACQUIRE   ? cuda::memory_order_acquire
           : order == RELEASE ? cuda::memory_order_release
           : order == ACQ_REL ? cuda::memory_order_acq_rel
                              : cuda::memory_order_relaxed;
}

template <cuda::thread_scope S>
static __device__ int operate(const instruction *i, int *at, int a, int b)
{
    cuda::atomic_ref<int, S> x(*at);
    cuda::memory_order order = order_of(i->order);

    switch (i->code) {
    case LOAD:
        return x.load(order);
    case STORE:
        x.store(a, order);
        return 0;
    case EXCHANGE:
        return x.exchange(a, order);
    case COMPARE:
        x.compare_exchange_strong(a, b, order,
                                  order == cuda::memory_order_acq_rel   ? cuda::memory_order_acquire
                                  : order == cuda::memory_order_release ? cuda::memory_order_relaxed
                                                                        : order);
        return a;
    case ADD:
        return x.fetch_add(a, order);
    case SUB:
        return x.fetch_sub(a, order);
    case AND:
        return x.fetch_and(a, order);
    case OR:
        return x.fetch_or(a, order);
    default:
        return x.fetch_xor(a, order);
    }
}

static __device__ bool branches(int code, int a, int b)
{
    switch (code) {
    case BRANCH_EQ:
        return a == b;
    case BRANCH_NE:
        return a != b;
    case BRANCH_LT:
        return a < b;
    case BRANCH_LE:
        return a <= b;
    case BRANCH_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static __device__ void fence(const instruction *i)
{
    cuda::memory_order order =
        i->order == SC ? cuda::memory_order_seq_cst : cuda::memory_order_acq_rel;

    cuda::atomic_thread_fence(order, i->block_scope ? cuda::thread_scope_block
                                                    : cuda::thread_scope_device);
}

static __device__ int access(const instruction *i, int *at, int a, int b)
{
    if (i->code == LOAD && i->order == WEAK)
        return *at;
    if (i->code == STORE && i->order == WEAK)
        return *at = a;
    return i->block_scope ? operate<cuda::thread_scope_block>(i, at, a, b)
                          : operate<cuda::thread_scope_device>(i, at, a, b);
}

__global__ void litmus(const program *programs, int count, int lanes, int *variables,
                       int *registers)
{
    const program *p = NULL;
    int reg[REGISTERS], lane = threadIdx.x % lanes;

    for (int i = 0; i < count; i++)
        if (programs[i].block == (int)blockIdx.x && programs[i].thread == (int)threadIdx.x - lane)
            p = &programs[i];
    if (!p)
        return;
    for (int i = 0; i < REGISTERS; i++)
        reg[i] = p->reg[i];
    for (int pc = 0; pc < p->count; pc++) {
        const instruction *i = &p->code[pc];
        int a = i->a_register ? reg[i->a] : i->a, b = i->b_register ? reg[i->b] : i->b;
        int *at = variables + APART * i->variable, result = reg[i->reg];

        if (i->code == JUMP || (i->code >= BRANCH_EQ && i->code <= BRANCH_GE)) {
            if (i->code == JUMP || branches(i->code, a, b))
                pc = i->target - 1;
            continue;
        }
        if (i->code == MEET)
            asm volatile("bar.sync %0, %1;" ::"r"(a), "r"(b) : "memory");
        else if (i->code == ARRIVE)
            asm volatile("bar.arrive %0, %1;" ::"r"(a), "r"(b) : "memory");
        else if (i->code == BARRIER)
            __syncthreads();
        else if (i->code >= SET)
            result = i->code == SET ? a : i->code == SUM ? a + b : a - b;
        else if (lane == 0 && i->code == FENCE)
            fence(i);
        else if (lane == 0)
            result = access(i, at, a, b);
        if (lanes > 1)
            result = __shfl_sync(~0u, result, 0);
        reg[i->reg] = i->code == STORE ? reg[i->reg] : result;
    }
    for (int i = 0; i < REGISTERS && lane == 0; i++)
        registers[(p - programs) * REGISTERS + i] = reg[i];
}

static int number()
{
    int n;

    if (scanf("%d", &n) != 1)
        exit(2);
    return n;
}

/* Words of the condition: 0 constant, 1 variable, 2 program register, 3 ==, 4 !=, 5 and, 6 or, 7 not;
 * 8 >, 9 <, 10 >=, 11 <= */
static int holds(const int *variables, const int *registers)
{
    int stack[64], top = 0;

    for (int words = number(); words > 0; words--) {
        int word = number();

        if (word == 0)
            stack[top++] = number();
        else if (word == 1)
            stack[top++] = variables[APART * number()];
        else if (word == 2) {
            int program = number();

            stack[top++] = registers[program * REGISTERS + number()];
        } else if (word == 7)
            stack[top - 1] = !stack[top - 1];
        else {
            int b = stack[--top], a = stack[top - 1];

            stack[top - 1] = word == 3    ? a == b
                             : word == 4  ? a != b
                             : word == 5  ? a && b
                             : word == 6  ? a || b
                             : word == 8  ? a > b
                             : word == 9  ? a < b
                             : word == 10 ? a >= b
                                          : a <= b;
        }
    }
    return stack[0];
}

int main()
{
    static program programs[MOST_PROGRAMS];
    static int variables[MOST_VARIABLES * APART], registers[MOST_PROGRAMS * REGISTERS];
    int blocks = number(), threads = number(), lanes = number(), count = number(), names = number();
    program *device_programs;
    int *device_variables, *device_registers;

    for (int i = 0; i < names; i++)
        variables[APART * i] = number();
    for (int i = 0; i < count; i++) {
        program *p = &programs[i];

        p->block = number();
        p->thread = number();
        p->count = number();
        for (int j = 0; j < REGISTERS; j++)
            p->reg[j] = number();
        for (int j = 0; j < p->count; j++) {
            instruction *x = &p->code[j];

            *x = {number(), number(), number(), number(), number(),
                  number(), number(), number(), number(), number()};
        }
    }
    cudaMalloc(&device_programs, sizeof(programs));
    cudaMalloc(&device_variables, sizeof(variables));
    cudaMalloc(&device_registers, sizeof(registers));
    cudaMemcpy(device_programs, programs, sizeof(programs), cudaMemcpyHostToDevice);
    cudaMemcpy(device_variables, variables, sizeof(variables), cudaMemcpyHostToDevice);
    litmus<<<blocks, threads>>>(device_programs, count, lanes, device_variables, device_registers);
    cudaMemcpy(variables, device_variables, sizeof(variables), cudaMemcpyDeviceToHost);
    cudaMemcpy(registers, device_registers, sizeof(registers), cudaMemcpyDeviceToHost);
    return holds(variables, registers);
}
