#include "harness/kit/peer.h"

#include <stdio.h>
#include <stdlib.h>

void *peer_scratch(struct scratch *s, size_t bytes)
{
    if (s->bytes < bytes || !s->memory) {
        cudaFree(s->memory);
        s->bytes = bytes ? bytes : 1;
        peer_check(cudaMalloc(&s->memory, s->bytes), "cudaMalloc for a peer's scratch memory");
    }
    return s->memory;
}

void peer_check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s failed with status %d\n", call, status);
    exit(3);
}
