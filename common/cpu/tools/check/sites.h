/* Code addresses as numbers of 12 bits, and as bits for the first of a launch. See sites.c. */
#ifndef CPU_TOOLS_CHECK_SITES_H
#define CPU_TOOLS_CHECK_SITES_H

#include <stdatomic.h>
#include <stdint.h>

enum { SITES = 4096, SITE_SLOTS = 4 * SITES, NO_SITE_BIT = 65 };

struct site_slot {
    _Atomic uintptr_t site;
    _Atomic uint16_t number;
};
extern struct site_slot site_slots[SITE_SLOTS];
extern uintptr_t site_of[SITES];        /* from 1; 0: one too many */
extern atomic_bool site_polls[SITES];   /* some thread read the same word there again and again */
extern atomic_bool site_guesses[SITES]; /* what was read there was then compared and swapped */
extern atomic_bool site_systems[SITES]; /* the atomics there have the scope of the system */
extern _Atomic uint8_t site_bits[SITES];

unsigned site_add(uintptr_t site, unsigned slot);
uint64_t site_add_bit(unsigned number);
void sites_launch_begin(void);

static inline unsigned site_number(uintptr_t site)
{
    unsigned slot = (unsigned)(site * 0x9e3779b97f4a7c15 >> 50) % SITE_SLOTS;
    uintptr_t found;

    for (;; slot = (slot + 1) % SITE_SLOTS) {
        found = atomic_load_explicit(&site_slots[slot].site, memory_order_acquire);
        if (found == site)
            return atomic_load_explicit(&site_slots[slot].number, memory_order_relaxed);
        if (!found)
            return site_add(site, slot);
    }
}

static inline uint64_t site_bit(unsigned number)
{
    uint64_t bit = atomic_load_explicit(&site_bits[number], memory_order_relaxed);

    if (!bit)
        bit = site_add_bit(number);
    return bit == NO_SITE_BIT ? 0 : (uint64_t)1 << (bit - 1);
}

#endif
