/*
 * cuRAND's host API by the generators of its own device header, in the order that the API has them:
 * XORWOW and MRG32k3a are a row of lanes, each a subsequence of its own, which answer in turn; the
 * lanes of Philox give four numbers each, and it is counted where they are. So numbers are those of
 * a GPU, to the bit where they are integers or uniform.
 */
#include <cstdio>
#include <curand.h>
#include <curand_kernel.h>
#include <set>
#include <vector>
#include "cpu/libraries/library.h"

typedef curandStatePhilox4_32_10_t philox_state;
enum { PHILOX_LANES = 65536 };

/* Lanes begin at the offset: it is counted in turns, and may end in the middle of a round. */
template <typename S, unsigned LANES> struct lanes {
    unsigned long long seed, offset;
    unsigned next;
    std::vector<S> state;
    std::vector<bool> made;

    void begin(unsigned long long new_seed, unsigned long long new_offset)
    {
        seed = new_seed;
        offset = new_offset;
        next = (unsigned)(offset % LANES);
        made.assign(LANES, false);
        state.resize(LANES);
    }
    S *take()
    {
        unsigned lane = next;

        next = (next + 1) % LANES;
        if (!made[lane]) {
            curand_init(seed, lane, offset / LANES + (lane < offset % LANES), &state[lane]);
            made[lane] = true;
        }
        return &state[lane];
    }
};

struct curandGenerator_st {
    curandRngType_t type;
    bool host, begun;
    unsigned long long seed, offset;
    unsigned long long index; /* of Philox: the next number's */
    lanes<curandStateXORWOW_t, 4096> xorwow;
    lanes<curandStateMRG32k3a_t, 81920> mrg;
};

static std::set<curandGenerator_t> created; /* and not destroyed */

static bool exists(curandGenerator_t generator)
{
    return created.count(generator) > 0;
}

static curandStatus_t refused(const char *what)
{
    fprintf(stderr,
            "the CPU device's cuRAND has no %s on the host; it has XORWOW, MRG32k3a and "
            "Philox in their default order\n",
            what);
    return CURAND_STATUS_TYPE_ERROR;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool host)
{
    curandGenerator_t g;

    if (type == CURAND_RNG_PSEUDO_DEFAULT)
        type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_PSEUDO_MTGP32 || type == CURAND_RNG_PSEUDO_MT19937)
        return refused("Mersenne Twister");
    if (type >= CURAND_RNG_QUASI_DEFAULT && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
        return refused("quasi-random generators");
    if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_MRG32K3A &&
        type != CURAND_RNG_PSEUDO_PHILOX4_32_10)
        return CURAND_STATUS_TYPE_ERROR;
    g = new curandGenerator_st();
    g->type = type;
    g->host = host;
    *generator = g;
    created.insert(g);
    return CURAND_STATUS_SUCCESS;
}

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    if (!exists(generator))
        return CURAND_STATUS_NOT_INITIALIZED;
    created.erase(generator);
    delete generator;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    if (!exists(generator))
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->seed = seed;
    generator->begun = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!exists(generator))
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->offset = offset;
    generator->begun = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!exists(generator))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT ||
        (order == CURAND_ORDERING_PSEUDO_LEGACY && generator->type != CURAND_RNG_PSEUDO_MRG32K3A))
        return CURAND_STATUS_SUCCESS;
    refused("other ordering");
    return CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t)
{
    return exists(generator) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    return exists(generator) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGetVersion(int *version)
{
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
}

/* --- numbers: a kind says how many a turn gives, for Philox four of so many draws, and how ------ */

struct bits {
    typedef unsigned number;
    enum { GROUP = 1, DRAWS = 4 };
    template <typename S> static void make(S *s, unsigned *to)
    {
        to[0] = curand(s);
    }
    static void make(philox_state *s, unsigned *to)
    {
        uint4 v = curand4(s);

        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
};

struct uniform {
    typedef float number;
    enum { GROUP = 1, DRAWS = 4 };
    template <typename S> static void make(S *s, float *to)
    {
        to[0] = curand_uniform(s);
    }
    static void make(philox_state *s, float *to)
    {
        float4 v = curand_uniform4(s);

        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
};

struct uniform_double {
    typedef double number;
    enum { GROUP = 1, DRAWS = 8 };
    template <typename S> static void make(S *s, double *to)
    {
        to[0] = curand_uniform_double(s);
    }
    static void make(philox_state *s, double *to)
    {
        double2 v = curand_uniform2_double(s), w = curand_uniform2_double(s);

        to[0] = v.x, to[1] = v.y, to[2] = w.x, to[3] = w.y;
    }
};

struct normal {
    typedef float number;
    enum { GROUP = 2, DRAWS = 4 };
    template <typename S> static void make(S *s, float *to)
    {
        float2 v = curand_normal2(s);

        to[0] = v.x, to[1] = v.y;
    }
    static void make(philox_state *s, float *to)
    {
        float4 v = curand_normal4(s);

        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
};

struct normal_double {
    typedef double number;
    enum { GROUP = 2, DRAWS = 8 };
    template <typename S> static void make(S *s, double *to)
    {
        double2 v = curand_normal2_double(s);

        to[0] = v.x, to[1] = v.y;
    }
    static void make(philox_state *s, double *to)
    {
        double2 v = curand_normal2_double(s), w = curand_normal2_double(s);

        to[0] = v.x, to[1] = v.y, to[2] = w.x, to[3] = w.y;
    }
};

/* finish(v): what becomes of a number. */
template <typename KIND, typename L, typename F>
static void by_lanes(L &lanes, typename KIND::number *to, size_t n, F finish)
{
    typename KIND::number group[KIND::GROUP];

    for (size_t i = 0; i < n; i++) {
        if (i % KIND::GROUP == 0)
            KIND::make(lanes.take(), group);
        to[i] = finish(group[i % KIND::GROUP]);
    }
}

template <typename KIND, typename F>
static void by_counting(curandGenerator_t g, typename KIND::number *to, size_t n, F finish)
{
    typename KIND::number group[4];

    for (size_t i = 0; i < n; i++, g->index++) {
        if (i == 0 || g->index % 4 == 0) {
            philox_state s;

            curand_init(g->seed, g->index / 4 % PHILOX_LANES,
                        g->index / 4 / PHILOX_LANES * KIND::DRAWS, &s);
            KIND::make(&s, group);
        }
        to[i] = finish(group[g->index % 4]);
    }
}

template <typename KIND, typename F>
static curandStatus_t generate(const char *call, curandGenerator_t g, typename KIND::number *to,
                               size_t n, F finish)
{
    if (!exists(g))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (KIND::GROUP == 2 && n % 2)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    LIBRARY_CALL("cuRAND's host API", call);
    if (!g->host && cpu_library_range(call, to, n * sizeof(*to), true))
        return CURAND_STATUS_LAUNCH_FAILURE;
    if (!g->begun) {
        g->index = g->offset;
        if (g->type == CURAND_RNG_PSEUDO_XORWOW)
            g->xorwow.begin(g->seed, g->offset);
        else if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
            g->mrg.begin(g->seed, g->offset);
        g->begun = true;
    }
    if (g->type == CURAND_RNG_PSEUDO_XORWOW)
        by_lanes<KIND>(g->xorwow, to, n, finish);
    else if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
        by_lanes<KIND>(g->mrg, to, n, finish);
    else
        by_counting<KIND>(g, to, n, finish);
    return CURAND_STATUS_SUCCESS;
}

extern "C" {

curandStatus_t curandGenerate(curandGenerator_t g, unsigned *to, size_t n)
{
    return generate<bits>(__func__, g, to, n, [](unsigned v) { return v; });
}

curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t n)
{
    return generate<uniform>(__func__, g, to, n, [](float v) { return v; });
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t n)
{
    return generate<uniform_double>(__func__, g, to, n, [](double v) { return v; });
}

curandStatus_t curandGenerateNormal(curandGenerator_t g, float *to, size_t n, float mean,
                                    float deviation)
{
    return generate<normal>(__func__, g, to, n, [=](float v) { return v * deviation + mean; });
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *to, size_t n, double mean,
                                          double deviation)
{
    return generate<normal_double>(__func__, g, to, n,
                                   [=](double v) { return v * deviation + mean; });
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *to, size_t n, float mean,
                                       float deviation)
{
    return generate<normal>(__func__, g, to, n,
                            [=](float v) { return expf(v * deviation + mean); });
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *to, size_t n, double mean,
                                             double deviation)
{
    return generate<normal_double>(__func__, g, to, n,
                                   [=](double v) { return exp(v * deviation + mean); });
}
}
