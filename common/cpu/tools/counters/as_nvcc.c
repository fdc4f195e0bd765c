/*
 * Accesses of a warp, counted with the widths that nvcc's instructions have: scalars side by side
 * as one access of 8 or 16 bytes, a structure in pieces, a sum that stays in a register once.
 *
 * Loads and stores that the compiler put side by side wait here until their neighbours have come,
 * or until nothing may be moved any more: at a barrier, at a warp operation, where the warp ends,
 * and where a lane stores what it loads, or the other way round. An access joins one that waits
 * when every lane's address follows on that lane's, in a block of the whole width.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/counters/as_nvcc.h"

enum { WAITING = 96 }; /* accesses; the oldest goes when there are more */

struct waiting {
    access_key key;
    uint32_t lanes;
    unsigned bytes;  /* so far */
    unsigned widths; /* that instructions of its lines have */
    bool once;
    uint64_t address[WARP];
};

struct as_nvcc {
    unsigned count;
    /* In order of arrival: whose turn it is, then the free ones; and near what its first lane
     * is. */
    uint8_t order[WAITING];
    uint64_t near[WAITING];
    struct waiting at[WAITING];
};

static struct waiting *nth(struct as_nvcc *r, unsigned i)
{
    return &r->at[r->order[i]];
}

/* Accesses that can be joined have this in common, besides their lanes. */
static uint64_t near(access_key key, uint32_t lanes, const uint64_t *address)
{
    return address[__builtin_ctz(lanes)] / 16 * KINDS + key_kind(key);
}

struct as_nvcc *as_nvcc_create(void)
{
    struct as_nvcc *r = malloc(sizeof(*r));

    if (r) {
        r->count = 0;
        for (unsigned i = 0; i < WAITING; i++)
            r->order[i] = (uint8_t)i;
    }
    return r;
}

void as_nvcc_reset(struct as_nvcc *r)
{
    r->count = 0;
}

static unsigned largest(unsigned widths)
{
    return widths ? 1u << (31 - (unsigned)__builtin_clz(widths)) : 0;
}

/* Do all lanes' bytes lie within one block of the whole width? */
static bool fits(uint32_t lanes, const uint64_t *address, unsigned bytes, unsigned whole)
{
    for (; lanes; lanes &= lanes - 1)
        if (address[__builtin_ctz(lanes)] % whole + bytes > whole)
            return false;
    return true;
}

/* In the widest pieces that there are instructions for. What is less than the smallest is part
 * of an access of that width, some of which the source does not ask for. */
static void count_pieces(struct warp_accesses *accesses, access_key key, uint32_t lanes,
                         const uint64_t *address, unsigned bytes, unsigned widths,
                         as_nvcc_count *count)
{
    uint64_t at[WARP];

    unsigned least = widths & -widths;

    memcpy(at, address, sizeof(at));
    if (bytes < least && fits(lanes, address, bytes, least)) {
        for (unsigned i = 0; i < WARP; i++)
            at[i] -= at[i] % least;
        bytes = least;
    }
    while (bytes) {
        unsigned fitting = largest(widths & (2 * largest(bytes) - 1));
        unsigned piece = fitting ? fitting : largest(bytes);

        count(accesses, key_of(key_site(key), piece, key_kind(key)), lanes, at);
        bytes -= piece;
        for (unsigned i = 0; i < WARP; i++)
            at[i] += piece;
    }
}

static void let_go(struct as_nvcc *r, unsigned i, struct warp_accesses *accesses,
                   as_nvcc_count *count)
{
    const struct waiting *w = nth(r, i);
    uint8_t slot = r->order[i];

    r->count--;
    memmove(&r->order[i], &r->order[i + 1], (r->count - i) * sizeof(r->order[0]));
    memmove(&r->near[i], &r->near[i + 1], (r->count - i) * sizeof(r->near[0]));
    r->order[r->count] = slot;
    count_pieces(accesses, w->key, w->lanes, w->address, w->bytes, w->widths, count);
}

void as_nvcc_flush(struct as_nvcc *r, struct warp_accesses *accesses, as_nvcc_count *count)
{
    while (r->count)
        let_go(r, 0, accesses, count);
}

/* Does one load what the other stores, in some lane? */
static bool is_opposite(const struct waiting *w, access_key key, uint32_t lanes,
                        const uint64_t *address)
{
    if ((key_kind(w->key) ^ key_kind(key)) != 1)
        return false;
    for (lanes &= w->lanes; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);

        if (address[lane] < w->address[lane] + w->bytes &&
            w->address[lane] < address[lane] + key_bytes(key))
            return true;
    }
    return false;
}

/* Does it go to where w went? Lanes that w lacks do not matter. */
static bool is_repeated(const struct waiting *w, access_key key, uint32_t lanes,
                        const uint64_t *address)
{
    if (w->key != key)
        return false;
    for (lanes &= w->lanes; lanes; lanes &= lanes - 1)
        if (w->address[__builtin_ctz(lanes)] != address[__builtin_ctz(lanes)])
            return false;
    return true;
}

/* Do all lanes' bytes follow on w's (gap: w's width) or go before them (gap: minus the new one's),
 * within one block of the whole width? */
static bool is_adjacent(const struct waiting *w, uint32_t lanes, const uint64_t *address,
                        int64_t gap, unsigned bytes, unsigned whole)
{
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        if (address[lane] != w->address[lane] + (uint64_t)gap)
            return false;
    }
    return fits(lanes, gap > 0 ? w->address : address, w->bytes + bytes, whole);
}

/* Do all lanes' bytes lie within w's? */
static bool is_within(const struct waiting *w, uint32_t lanes, const uint64_t *address,
                      unsigned bytes)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);

        if (address[lane] - w->address[lane] + bytes > w->bytes)
            return false;
    }
    return true;
}

/* Joins the access to one that waits; false: there is none that it fits. */
static bool join(struct as_nvcc *r, struct warp_accesses *accesses, struct nvcc_shape shape,
                 access_key key, uint32_t lanes, const uint64_t *address, as_nvcc_count *count)
{
    unsigned bytes = key_bytes(key);
    uint64_t place = near(key, lanes, address);

    for (unsigned i = r->count; i-- > 0;) {
        struct waiting *w;
        unsigned whole;
        bool absorbed;

        if (shape.widths && r->near[i] != place)
            continue;
        w = nth(r, i);
        whole = largest(w->widths | shape.widths);
        absorbed = !shape.widths && !(lanes & ~w->lanes); /* has no instruction of its own */
        if (!whole || w->once || key_kind(w->key) != key_kind(key) ||
            (lanes != w->lanes && !absorbed))
            continue;
        if (absorbed && is_within(w, lanes, address, bytes))
            return true;
        if (is_adjacent(w, lanes, address, -(int64_t)bytes, bytes, whole))
            for (unsigned lane = 0; lane < WARP; lane++)
                w->address[lane] -= bytes;
        else if (!is_adjacent(w, lanes, address, w->bytes, bytes, whole))
            continue;
        if (!(w->widths & whole)) /* the wide one stands at the other's line */
            w->key = key;
        w->bytes += bytes;
        w->widths |= shape.widths;
        if (w->bytes == whole)
            let_go(r, i, accesses, count);
        return true;
    }
    return false;
}

void as_nvcc_add(struct as_nvcc *r, struct warp_accesses *accesses, struct nvcc_shape shape,
                 access_key key, uint32_t lanes, const uint64_t *address, as_nvcc_count *count)
{
    enum kind kind = key_kind(key);
    struct waiting *added;

    for (unsigned i = r->count; i-- > 0;)
        if (r->near[i] % KINDS != kind && !nth(r, i)->once &&
            is_opposite(nth(r, i), key, lanes, address))
            let_go(r, i, accesses, count);
    if (shape.once) {
        for (unsigned i = 0; i < r->count; i++) {
            struct waiting *w = nth(r, i);

            if (w->once && is_repeated(w, key, lanes, address)) {
                for (uint32_t rest = lanes; rest; rest &= rest - 1)
                    w->address[__builtin_ctz(rest)] = address[__builtin_ctz(rest)];
                w->lanes |= lanes;
                return;
            }
        }
    } else if (!shape.join) {
        count_pieces(accesses, key, lanes, address, key_bytes(key), shape.widths, count);
        return;
    } else if (join(r, accesses, shape, key, lanes, address, count)) {
        return;
    }
    if (r->count == WAITING)
        let_go(r, 0, accesses, count);
    added = nth(r, r->count);
    *added = (struct waiting){key, lanes, key_bytes(key), shape.widths, shape.once, {0}};
    memcpy(added->address, address, sizeof(added->address));
    r->near[r->count++] = near(key, lanes, address);
}
