#include "harness/kit/peer.h"

#include <stdio.h>
#include <stdlib.h>

void *peer_scratch(struct scratch *s, size_t bytes)
{
    int at = 0;

    peer_check(cudaGetDevice(&at), "cudaGetDevice for a peer's scratch memory");
    if (s->bytes[at] < bytes || !s->memory[at]) {
        cudaFree(s->memory[at]);
        s->bytes[at] = bytes ? bytes : 1;
        peer_check(cudaMalloc(&s->memory[at], s->bytes[at]),
                   "cudaMalloc for a peer's scratch memory");
    }
    return s->memory[at];
}

void peer_check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s failed with status %d\n", call, status);
    exit(3);
}
