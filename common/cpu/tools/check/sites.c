/*
 * Code addresses as numbers. They are given once, for the whole program, and read without a lock: a
 * slot's number is stored before its address.
 */
#include <stdbool.h>
#include <string.h>
#include "cpu/tools/check/sites.h"

struct site_slot site_slots[SITE_SLOTS];
uintptr_t site_of[SITES];
atomic_bool site_polls[SITES];
atomic_bool site_guesses[SITES];
atomic_bool site_systems[SITES];
_Atomic uint8_t site_bits[SITES];

static atomic_uint site_count;
static unsigned bits_used;
static atomic_flag lock = ATOMIC_FLAG_INIT;

unsigned site_add(uintptr_t site, unsigned slot)
{
    unsigned number = 0;

    while (atomic_flag_test_and_set(&lock))
        ;
    while (atomic_load(&site_slots[slot].site) && atomic_load(&site_slots[slot].site) != site)
        slot = (slot + 1) % SITE_SLOTS;
    if (atomic_load(&site_slots[slot].site) == site) {
        number = atomic_load(&site_slots[slot].number);
    } else if (atomic_load(&site_count) < SITES - 1) {
        number = atomic_fetch_add(&site_count, 1) + 1;
        site_of[number] = site;
        atomic_store(&site_slots[slot].number, (uint16_t)number);
        atomic_store(&site_slots[slot].site, site);
    }
    atomic_flag_clear(&lock);
    return number;
}

uint64_t site_add_bit(unsigned number)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    if (!atomic_load(&site_bits[number]))
        atomic_store(&site_bits[number], (uint8_t)(bits_used < 64 ? ++bits_used : NO_SITE_BIT));
    atomic_flag_clear(&lock);
    return atomic_load(&site_bits[number]);
}

void sites_launch_begin(void)
{
    memset((void *)site_bits, 0, sizeof(site_bits));
    atomic_store(&site_bits[0], NO_SITE_BIT);
    bits_used = 0;
}
