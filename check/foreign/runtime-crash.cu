// The host's own code crashes: it is said where, and what CUDA had refused before. Each in a process
// of its own.
// error: runtime-crash.cu:21
// error: no memory at the address (nil), the null pointer
// error: out of memory: cudaMallocManaged of
// error: the stack is full
// error: runtime-crash.cu:36
// error: a division by zero
// error: abort, as by assert
// error: runtime-crash.cu:41
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

static void too_much()
{
    int *p = nullptr;

    cudaMallocManaged(&p, 1ull << 45);
    *p = 1;
}

static int depth(int n)
{
    volatile char room[4096];

    room[0] = (char)n;
    return n ? depth(n + 1) + room[0] : 0;
}

static void divide()
{
    volatile int zero = 0;

    printf("%d\n", 7 / zero);
}

static void number()
{
    printf("%d\n", atoi(getenv("SURELY_NOT_SET")));
}

static void many()
{
    depth(1);
}

int main()
{
    void (*const crash[])() = {too_much, many, divide, abort, number};

    for (auto f : crash) {
        int status = 0;
        pid_t child;

        fflush(stdout);
        child = fork();

        if (!child) {
            f();
            _exit(0);
        }
        waitpid(child, &status, 0);
        printf("%d %d\n", WIFEXITED(status), WEXITSTATUS(status));
    }
    return 0;
}
