/*
 * A launch's workers' tallies, added up and kept until the next report: equal launches as one, and
 * for each source line all launches together. Called by the host, between launches.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/cluster.h"
#include "cpu/tools/counters/differences.h"
#include "cpu/tools/counters/gather.h"
#include "cpu/tools/counters/links.h"
#include "cpu/tools/counters/model.h"
#include "cpu/tools/grow.h"
#include "cpu/tools/lines/lines.h"
#include "cpu_device.h"

struct gathered gathered;

static const char *phase = ""; /* see cpu_device_set_phase */

void cpu_device_set_phase(const char *word)
{
    phase = word;
    links_phase(word);
}

static bool same_launch(const struct launch_record *r, const struct launch *l, const char *name,
                        const struct counts *c)
{
    return !strcmp(r->name, name) && !strcmp(r->phase, phase) &&
           !memcmp(&r->grid, &l->grid, sizeof(r->grid)) &&
           !memcmp(&r->dim, &l->dim, sizeof(r->dim)) && !memcmp(&r->counts, c, sizeof(*c));
}

static void record_launch(const struct launch *l, const char *name, unsigned registers,
                          const struct counts *c)
{
    struct launch_record *r;

    for (size_t i = 0; i < gathered.launches; i++)
        if (same_launch(&gathered.launch[i], l, name, c)) {
            gathered.launch[i].launches++;
            return;
        }
    gathered.launch =
        tools_grow(gathered.launch, gathered.launches, &gathered.launch_room, sizeof(*r));
    gathered.launch[gathered.launches++] = (struct launch_record){.name = name,
                                                                  .phase = phase,
                                                                  .grid = l->grid,
                                                                  .dim = l->dim,
                                                                  .launches = 1,
                                                                  .registers = registers,
                                                                  .counts = *c};
}

/* n for all blocks, where `sampled` of them have run. */
static uint64_t scaled(const struct launch *l, uint64_t n)
{
    return (uint64_t)((__uint128_t)n * l->blocks / l->sampled);
}

static void record_line(const struct launch *l, const char *name, const struct place_sum *p)
{
    struct source_line s = lines_find(key_site(p->key));
    enum kind kind = key_kind(p->key);
    struct line_record *r = NULL;

    for (size_t i = 0; i < gathered.lines && !r; i++) {
        struct line_record *other = &gathered.line[i];

        if (other->line == s.line && other->kind == kind && other->file == s.file &&
            !strcmp(other->name, name))
            r = other;
    }
    if (!r) {
        gathered.line = tools_grow(gathered.line, gathered.lines, &gathered.line_room, sizeof(*r));
        r = &gathered.line[gathered.lines++];
        *r = (struct line_record){.name = name, .file = s.file, .line = s.line, .kind = kind};
    }
    r->requests += scaled(l, p->requests);
    r->units += scaled(l, p->units);
    r->ideal += scaled(l, p->ideal);
    r->lanes += scaled(l, p->lanes);
}

static void add_place(struct counts *c, const struct place_sum *p)
{
    enum kind kind = key_kind(p->key);

    if (kind == REMOTE) {
        c->remote[key_remote(p->key)] += p->requests;
        c->remote_units[key_remote(p->key)] += p->units;
        c->lanes += p->lanes;
        return;
    }
    c->requests[kind] += p->requests;
    c->units[kind] += p->units;
    c->ideal[kind] += p->ideal;
    c->passes[kind] += p->passes;
    c->lanes += p->lanes;
    if (p->same_address > c->same_address)
        c->same_address = p->same_address;
}

/* nvcc's kernel has no such instruction at all: what the source says there, a register holds. */
static bool is_in_registers(const struct nvcc_kernel *nvcc, const struct place_sum *p)
{
    return nvcc && key_kind(p->key) <= SHARED_STORE && !key_is_volatile(p->key) &&
           !nvcc_widths(nvcc, key_kind(p->key));
}

/*
 * May nvcc do otherwise? Where its code is known: has the line no such instruction, and none of
 * those beside it, to which a compiler may put it down? Else: does the place store to one address
 * again and again, or do at least half of its accesses, as in a loop over pairs, lie beside others,
 * in shared memory or where the kernel's arguments point to structures, which may be aligned?
 */
static bool is_doubtful(const struct nvcc_kernel *nvcc, const struct place_sum *p, bool aligned)
{
    enum kind kind = key_kind(p->key);
    struct source_line s;
    unsigned widths;

    if (kind == SHARED_ATOMIC && p->key & KEY_LOOP)
        return true; /* how often the loop goes round is not modelled */
    if (kind > SHARED_STORE || key_is_volatile(p->key))
        return false;
    if (!nvcc)
        return p->again || (2 * p->adjacent >= p->requests && (kind >= SHARED_LOAD || aligned));
    s = lines_find(key_site(p->key));
    widths = p->shape.widths | nvcc_line(nvcc, s.file, s.line - 1, kind).widths |
             nvcc_line(nvcc, s.file, s.line + 1, kind).widths;
    return !(widths & key_bytes(p->key));
}

static uint64_t number_of(const struct place_sum *p, enum nvcc_of of)
{
    return of == OF_REQUESTS ? p->requests : of == OF_TAKEN ? p->units : p->ideal;
}

/* The requests at a line are those of its places; of branches, how often they were taken or not. */
static uint64_t requests_at(const struct launch *l, const struct tally *tallies,
                            const struct nvcc_code *code, int line, enum kind kind)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < l->workers; i++)
        for (size_t j = 0; j < tallies[i].slots; j++) {
            const struct place_sum *p = &tallies[i].table[j];

            if (p->requests && p->shape.line == line && key_kind(p->key) == kind &&
                key_is(p->key, BRANCH) == (code->of != OF_REQUESTS) && p->shape.file &&
                !strcmp(p->shape.file, code->file))
                sum += number_of(p, code->of);
        }
    return scaled(l, sum);
}

/* How often the warps have executed it. The requests of a loop tell, unless the source has none, as
 * of tables that nvcc's functions read; then its rounds do. */
static uint64_t times_of(const struct launch *l, const struct tally *tallies,
                         const struct nvcc_code *code)
{
    uint64_t times = requests_at(l, tallies, code, code->line, code->kind) / code->per;

    return times || !code->rounds || code->of != OF_REQUESTS
               ? times
               : requests_at(l, tallies, code, code->round_line, OTHER) / code->rounds;
}

/* Of all warps; several kernels of one name each begin with what is executed once: then nobody
 * knows. */
static struct nvcc_work work_of(const struct launch *l, const struct tally *tallies,
                                const struct nvcc_kernel *nvcc)
{
    uint64_t warps = (uint64_t)l->grid.x * l->grid.y * l->grid.z *
                     ((l->dim.x * l->dim.y * l->dim.z + WARP - 1) / WARP);
    const struct nvcc_code *code;
    struct nvcc_work sum = {0};

    for (unsigned at = 0; nvcc && (code = nvcc_code(nvcc, at)); at++) {
        uint64_t times = code->per ? times_of(l, tallies, code) : warps;

        if (!code->per && at)
            return (struct nvcc_work){0};
        sum.instructions += code->work.instructions * times;
        sum.cycles += code->work.cycles * times;
        for (int i = 0; i < CPU_UNITS; i++)
            sum.unit[i] += code->work.unit[i] * times;
        sum.local_waits += code->work.local_waits * times;
        sum.local_cycles += code->work.local_cycles * times;
    }
    return sum;
}

static void add_spans(struct counts *c, const struct spans *s)
{
    for (int i = 0; i < CPU_WAIT_KINDS; i++) {
        c->chains.waits[i] += s->sum.waits[i];
        c->tails.waits[i] += s->tail.waits[i];
    }
    if (span_longer(&s->longest, &c->span))
        c->span = s->longest;
    if (s->shared > c->shared)
        c->shared = s->shared;
}

static void add_traffic(struct counts *c, const struct traffic *t)
{
    c->cache_sectors += t->cache_sectors;
    c->lines += t->lines;
    c->missed += t->missed;
    c->quarters += t->quarters;
    c->partial += t->partial;
    c->partial_lines += t->partial_lines;
    c->added += t->added;
    c->answered += t->answered;
}

/* Before the tallies are cleared. */
static struct footprint footprint_of(const struct launch *l, struct tally *tallies)
{
    struct touched *all[MAX_WORKERS];

    for (unsigned i = 0; i < l->workers; i++) {
        all[i] = tallies[i].traffic.touched;
        tallies[i].traffic.touched = NULL;
    }
    return touched_sum(all, l->workers, (double)l->sampled,
                       traffic_resident(l->threads, l->dynamic_shared + l->static_shared));
}

/* Sums over the blocks. What is the most of any stays; and so does what they have touched together,
 * because nobody knows what of it the others share. */
static void scale(const struct launch *l, struct counts *c)
{
    uint64_t *const sums[] = {&c->lanes,
                              &c->barriers,
                              &c->divergent_warps,
                              &c->local,
                              &c->instructions,
                              &c->tail_instructions,
                              &c->cache_sectors,
                              &c->tensor,
                              &c->bulk_copies,
                              &c->bulk_bytes,
                              &c->cluster_barriers,
                              &c->constants,
                              &c->lines,
                              &c->missed,
                              &c->quarters,
                              &c->partial,
                              &c->partial_lines,
                              &c->added,
                              &c->answered,
                              &c->footprint.common,
                              &c->footprint.hot.sectors,
                              &c->footprint.hot.passes,
                              &c->footprint.hot.integers};

    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
        *sums[i] = scaled(l, *sums[i]);
    for (int k = 0; k < KINDS; k++) {
        c->requests[k] = scaled(l, c->requests[k]);
        c->units[k] = scaled(l, c->units[k]);
        c->ideal[k] = scaled(l, c->ideal[k]);
        c->passes[k] = scaled(l, c->passes[k]);
    }
    for (int k = 0; k < REMOTES; k++) {
        c->remote[k] = scaled(l, c->remote[k]);
        c->remote_units[k] = scaled(l, c->remote_units[k]);
    }
    for (int k = 0; k < OPERATION_GUESSED; k++)
        c->operations[k] = scaled(l, c->operations[k]);
    for (int k = 0; k < CPU_WAIT_KINDS; k++) {
        c->chains.waits[k] = scaled(l, c->chains.waits[k]);
        c->tails.waits[k] = scaled(l, c->tails.waits[k]);
    }
}

static void add_up(struct counts *c)
{
    for (int k = 0; k < KINDS; k++)
        c->total.requests += c->requests[k];
    for (int k = 0; k < REMOTES; k++)
        c->total.requests += c->remote[k];
    for (int i = 0; i < OPERATION_GUESSED; i++)
        c->total.operations += c->operations[i];
    c->total.global_requests =
        c->requests[GLOBAL_LOAD] + c->requests[GLOBAL_STORE] + c->requests[GLOBAL_ATOMIC];
    c->total.ideal_stores = c->ideal[GLOBAL_STORE] + c->passes[GLOBAL_ATOMIC];
    c->total.atomics = c->requests[GLOBAL_ATOMIC] + c->requests[SHARED_ATOMIC];
    c->total.bank_conflicts = c->units[SHARED_LOAD] - c->ideal[SHARED_LOAD] +
                              c->units[SHARED_STORE] - c->ideal[SHARED_STORE];
    c->total.flops = c->total.operations + c->operations[OPERATION_FMA];
    c->total.global_bytes = SECTOR * (c->units[GLOBAL_LOAD] + c->units[GLOBAL_STORE]);
    c->total.store_sectors = c->units[GLOBAL_STORE] + c->passes[GLOBAL_ATOMIC];
    c->total.wavefronts = c->units[SHARED_LOAD] + c->units[SHARED_STORE] + c->passes[SHARED_ATOMIC];
    c->total.hot_passes = c->footprint.hot.passes + c->footprint.hot.integers;
}

void gather_launch(const struct launch *l, struct tally *tallies, const struct nvcc_kernel *nvcc,
                   bool launches, bool lines)
{
    const char *name = lines_kernel(l->kernel, l->name);
    bool aligned = lines_structures(l->kernel);
    struct counts c = {0};
    struct nvcc_work work;
    uint64_t warps = 0;

    c.footprint = footprint_of(l, tallies);
    c.ran = l->sampled;
    c.cluster_blocks = l->cluster.x ? cluster_blocks(l) : 0;
    c.polled = l->polled;
    work = work_of(l, tallies, nvcc);
    for (unsigned i = 0; i < l->workers; i++)
        warps += tallies[i].warp_instructions;
    warps = scaled(l, warps);
    c.warp_instructions = work.instructions ? work.instructions : warps;
    c.issue_cycles = work.cycles;
    c.local_waits = work.local_waits;
    c.local_cycles = work.local_cycles;
    memcpy(c.unit_cycles, work.unit, sizeof(c.unit_cycles));
    for (unsigned i = 0; i < l->workers; i++) {
        struct tally *t = &tallies[i];

        c.barriers += t->barriers;
        c.divergent_warps += t->divergent_warps;
        c.tail_instructions += t->tail_instructions;
        c.local += t->local;
        c.bulk_copies += t->bulk_copies;
        c.bulk_bytes += t->bulk_bytes;
        c.cluster_barriers += t->cluster_barriers;
        for (int k = 0; k < OPERATION_GUESSED; k++)
            c.operations[k] += t->operations[k];
        c.instructions += t->operations[OPERATION_INSTRUCTIONS];
        c.tensor += t->operations[OPERATION_TENSOR];
        c.doubt |= (!nvcc && t->doubt) || t->operations[OPERATION_GUESSED];
        for (size_t j = 0; j < t->slots; j++) {
            struct place_sum *p = &t->table[j];

            if (!p->requests || is_in_registers(nvcc, p))
                continue;
            c.doubt |= is_doubtful(nvcc, p, aligned);
            c.differences |= differences_of(p);
            if (key_kind(p->key) != OTHER)
                add_place(&c, p);
            if (key_is(p->key, CONSTANT))
                c.constants += p->units;
            if (lines && key_kind(p->key) != REMOTE &&
                (key_kind(p->key) != OTHER || key_is(p->key, BARRIER)))
                record_line(l, name, p);
            if (p->picture)
                trace_keep(p->picture);
        }
        add_traffic(&c, &t->traffic);
        add_spans(&c, &t->spans);
        tally_clear(t);
    }
    if (nvcc && !nvcc_local(nvcc))
        c.local = 0;
    c.doubt |= nvcc && nvcc_local(nvcc) && !c.local;
    scale(l, &c);
    if (work.instructions && warps) /* by the rule: the same part of what nvcc's code has */
        c.tail_instructions =
            (uint64_t)((__uint128_t)c.tail_instructions * work.instructions / warps);
    add_up(&c);
    if (launches)
        record_launch(l, name, nvcc ? nvcc_registers(nvcc) : 0, &c);
}
