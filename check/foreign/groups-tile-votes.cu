// flags: --check
// Votes and matches of tiles: bit 0 is the tile's first thread, not the warp's.
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

__global__ void votes(unsigned *out)
{
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = threadIdx.x, *o = out + 8 * t;
    int equal;

    o[0] = tile.ballot(t % 3 == 0);
    o[1] = tile.any(t == 13) != 0;
    o[2] = tile.all(t >= 8) != 0;
    o[3] = tile.match_any((int)(t / 2 % 3));
    o[4] = tile.match_all(t / 8, equal);
    o[5] = equal != 0;
    o[6] = tile.match_all(t, equal);
    o[7] = equal != 0;
}

int main()
{
    const unsigned n = 64;
    unsigned *d, h[n * 8], bad = 0;

    cudaMalloc(&d, sizeof(h));
    votes<<<1, n>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (unsigned t = 0; t < n; t++) {
        unsigned first = t / 8 * 8, ballot = 0, match = 0, *o = h + 8 * t;

        for (unsigned i = 0; i < 8; i++) {
            ballot |= (unsigned)((first + i) % 3 == 0) << i;
            match |= (unsigned)((first + i) / 2 % 3 == t / 2 % 3) << i;
        }
        bad += o[0] != ballot || o[1] != (t / 8 == 1) || o[2] != (t >= 8) || o[3] != match;
        bad += o[4] != 0xff || o[5] != 1 || o[6] != 0 || o[7] != 0;
    }
    printf("ballots 0x%02x 0x%02x, match 0x%02x, %u wrong\n", h[0], h[8 * 8], h[8 * 9 + 3], bad);
    return 0;
}
