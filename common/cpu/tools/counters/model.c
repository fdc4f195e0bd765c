/* The model of one warp-level memory access; see model.h. It keeps nothing between calls. */
#include <stdbool.h>
#include <string.h>
#include "cpu/tools/counters/model.h"

/* Distinct values, in any order, of which there are few: open addressing, 0 is an empty slot. */
enum { SET_BITS = 7, SET_SLOTS = 1 << SET_BITS };

static bool set_insert(uint64_t *slot, uint64_t value)
{
    unsigned i = (unsigned)((value * 0x9e3779b97f4a7c15) >> (64 - SET_BITS));

    while (slot[i] && slot[i] != value + 1)
        i = (i + 1) % SET_SLOTS;
    if (slot[i])
        return false;
    slot[i] = value + 1;
    return true;
}

/* The active lanes' addresses, in the order of lanes. Returns their number. */
static unsigned gather(uint64_t *to, const uint64_t *address, uint32_t lanes)
{
    unsigned n = 0;

    for (; lanes; lanes &= lanes - 1)
        to[n++] = address[__builtin_ctz(lanes)];
    return n;
}

unsigned model_sectors(const uint64_t *address, uint32_t lanes, unsigned bytes)
{
    uint64_t active[32], slot[SET_SLOTS];
    const uint64_t *a = address;
    unsigned n = 32, sectors = 1;
    uint64_t falling = 0, crossing;

    if (!lanes)
        return 0;
    if (lanes != ~0u) {
        active[0] = 0; /* which the compiler does not see is always set */
        n = gather(active, address, lanes);
        a = active;
    }
    /* Mostly the addresses rise with the lanes: then each change of sector is a new one. */
    crossing = (a[0] % SECTOR + bytes - 1) / SECTOR;
    for (unsigned i = 1; i < n; i++) {
        uint64_t s = a[i] / SECTOR, before = a[i - 1] / SECTOR;

        sectors += s != before;
        falling |= s < before;
        crossing |= (a[i] % SECTOR + bytes - 1) / SECTOR;
    }
    if (!falling && !crossing)
        return sectors;

    memset(slot, 0, sizeof(slot));
    sectors = 0;
    for (unsigned i = 0; i < n; i++)
        for (uint64_t s = a[i] / SECTOR; s <= (a[i] + bytes - 1) / SECTOR; s++)
            sectors += set_insert(slot, s);
    return sectors;
}

unsigned model_ideal_sectors(uint32_t lanes, unsigned bytes)
{
    unsigned n = ((unsigned)__builtin_popcount(lanes) * bytes + SECTOR - 1) / SECTOR;

    return n ? n : 1;
}

/* Do all 32 lanes go to one word, or to words in a row? Both take one pass, and both are usual. */
static bool is_simple(const uint64_t *address)
{
    uint64_t same = 0, row = 0;

    for (unsigned i = 0; i < 32; i++) {
        same |= address[i] ^ address[0];
        row |= address[i] ^ (address[0] + i * BANK_BYTES);
    }
    return !same || !row;
}

static unsigned part_wavefronts(const uint64_t *address, uint32_t lanes, unsigned bytes)
{
    uint64_t slot[SET_SLOTS];
    unsigned char words[BANKS];
    unsigned n = (unsigned)__builtin_popcount(lanes), most = 0;
    uint32_t banks = 0;

    if (bytes == BANK_BYTES && lanes == ~0u && is_simple(address))
        return 1;
    if (bytes <= BANK_BYTES) { /* a bank for each lane: the usual case needs no list of words */
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            banks |= 1u << address[__builtin_ctz(rest)] / BANK_BYTES % BANKS;
        if ((unsigned)__builtin_popcount(banks) == n)
            return 1;
    }
    memset(slot, 0, sizeof(slot));
    memset(words, 0, sizeof(words));
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t a = address[__builtin_ctz(rest)];

        for (uint64_t w = a / BANK_BYTES; w <= (a + bytes - 1) / BANK_BYTES; w++)
            if (set_insert(slot, w) && ++words[w % BANKS] > most)
                most = words[w % BANKS];
    }
    return most;
}

/* Does each lane have the address of the lane `apart` from it, as far as that is active? */
static bool are_pairs(const uint64_t *address, uint32_t lanes, unsigned apart)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest), other = lane ^ apart;

        if (lanes >> other & 1 && address[lane] != address[other])
            return false;
    }
    return true;
}

unsigned model_wavefronts(const uint64_t *address, uint32_t lanes, unsigned bytes, unsigned *ideal)
{
    unsigned step = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8, wavefronts = 0;

    if (step < 32 && (are_pairs(address, lanes, 1) || are_pairs(address, lanes, 2)))
        step *= 2;
    *ideal = 0;
    for (unsigned first = 0; first < 32; first += step) {
        uint32_t part = lanes & (step == 32 ? ~0u : ((1u << step) - 1) << first);

        if (part) {
            wavefronts += part_wavefronts(address, part, bytes);
            ++*ideal;
        }
    }
    return wavefronts;
}

unsigned model_load_quarters(unsigned lines, const uint64_t *address, uint32_t lanes,
                             unsigned bytes)
{
    unsigned ideal, passes = model_wavefronts(address, lanes, bytes, &ideal);
    unsigned a_pass = BANKS * BANK_BYTES;
    unsigned least = ((unsigned)__builtin_popcount(lanes) * bytes + a_pass - 1) / a_pass;

    passes = passes > least ? passes : least;
    return 4 * passes > lines + 2 ? 4 * passes : lines + 2;
}

unsigned model_atomic_sectors(const uint64_t *address, uint32_t lanes, unsigned bytes)
{
    unsigned sectors = 0;

    while (lanes) {
        uint64_t slot[SET_SLOTS] = {0};
        uint32_t first = 0; /* of its address */

        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);

            if (set_insert(slot, address[lane]))
                first |= 1u << lane;
        }
        sectors += model_sectors(address, first, bytes);
        lanes &= ~first;
    }
    return sectors;
}

unsigned model_atomic_wavefronts(const uint64_t *address, uint32_t lanes, unsigned bytes,
                                 enum atomic_form form)
{
    unsigned char of_bank[BANKS] = {0};
    unsigned most = 0;

    if (form == ATOMIC_COUNT)
        return part_wavefronts(address, lanes, bytes);
    for (; lanes; lanes &= lanes - 1) {
        unsigned bank = (unsigned)(address[__builtin_ctz(lanes)] / BANK_BYTES % BANKS);

        if (++of_bank[bank] > most)
            most = of_bank[bank];
    }
    return form == ATOMIC_SWAP ? 2 * most : most;
}

unsigned model_constant_reads(const uint64_t *address, uint32_t lanes)
{
    uint64_t slots[SET_SLOTS] = {0};
    unsigned different = 0;

    for (; lanes; lanes &= lanes - 1)
        different += set_insert(slots, address[__builtin_ctz(lanes)]);
    return different > 1 ? different : 0;
}

unsigned model_same_address(const uint64_t *address, uint32_t lanes)
{
    uint64_t a[32];
    unsigned n = gather(a, address, lanes), most = 0;

    for (unsigned i = 0; i < n && n - i > most; i++) {
        unsigned same = 0;

        for (unsigned j = i; j < n; j++)
            same += a[j] == a[i];
        if (same > most)
            most = same;
    }
    return most;
}
