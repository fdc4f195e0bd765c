/*
 * usage: PROGRAM [VARIANT...]
 * A line per variant: "ok - ..." or "not ok - ...: what is wrong"; status 1 if any is. Variants
 * that take one block, run on the host or are wrong on purpose are left out.
 */
#include "large.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

void *large_array(size_t bytes)
{
    void *array = NULL;

    if (cudaMalloc(&array, bytes) == cudaSuccess)
        return array;
    fprintf(stderr, "no addresses for %zu bytes\n", bytes);
    exit(3);
}

void large_free(void *array)
{
    cudaFree(array);
}

void large_wait(const struct variant *variant)
{
    cudaError_t error = cudaDeviceSynchronize();

    if (error == cudaSuccess)
        error = cudaGetLastError();
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", variant->name, cudaGetErrorString(error));
    exit(3);
}

static bool wanted(const struct variant *v, int count, char **names)
{
    bool named = count == 0;

    for (int i = 0; i < count; i++)
        named |= strcmp(names[i], v->name) == 0;
    return named && !(v->rules & (ONE_BLOCK | ON_HOST | UNSYNCHRONISED));
}

int main(int argc, char **argv)
{
    int wrong = 0;

    for (size_t i = 0; i < large_step->count; i++) {
        const struct variant *v = &large_step->variants[i];
        struct found found = {""};

        if (!wanted(v, argc - 1, argv + 1))
            continue;
        large_run(v, &found);
        if (found.left_out) {
            printf("ok - %s %s takes no grid to sample: left out\n", large_step->name, v->name);
            continue;
        }
        printf("%sok - %s %s over more than 2^32 elements%s%s\n", *found.text ? "not " : "",
               large_step->name, v->name, *found.text ? ": " : "", found.text);
        fflush(stdout);
        wrong |= *found.text != '\0';
    }
    return wrong;
}
