/*
 * The table of peers, and what they share.
 */
#include "peers.h"

#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

const struct variant *peers_of(enum type type, size_t *count)
{
    const struct variant *table = type == TYPE_F32 ? peers_f32 : peers_i32;

    *count = 0;
    while (table[*count].name)
        ++*count;
    return table;
}

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
