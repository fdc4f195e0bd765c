/*
 * The graph of operations that cuDNN takes for attention (its documentation, "Graph API", fused
 * attention; NVIDIA's cudnn-frontend builds the same for libraries before 9.21, which have no
 * single operation for it that could be causal):
 *
 *     scores = scale (q k^T), where causal -infinity for the keys behind a query
 *     shares = exp(scores - max) / sum,   out = shares v
 *
 * What stands between two operations is virtual: it has a name and a type, and is never in memory.
 */
#include "families/attention/attention_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIMS 4 /* of every tensor: 1, heads, rows, columns */
#define MOST_OPERATIONS 16
#define MOST_ENGINES 16    /* ways to compute the graph that are looked at */
#define ALIGNMENT 16       /* bytes */
#define NOT_SUPPORTED 3000 /* cuDNN's status for it */
#define OLDEST 91000       /* the first that masks with -infinity */

/* The tensors that are not virtual, by the names that the plan knows them by. */
enum { NO_TENSOR, Q, K, V, OUT, SCALE, MASKED, FIRST_VIRTUAL };

struct attention_plan {
    struct attention_case made_for;
    float scale, masked;
    void *plan;
    int64_t workspace;
    void *pack; /* the arrays below, as cuDNN takes them; NULL: none yet */
    struct attention_arrays arrays;
    struct attention_plan *next;
};

/* A graph while it is put together. Descriptors are kept until the program ends, because a plan
 * refers to them. After a call that failed nothing more is done. */
struct graph {
    const struct cudnn *lib;
    const struct attention_case *of;
    int64_t names; /* of virtual tensors so far */
    void *operations[MOST_OPERATIONS];
    int64_t count;
    bool failed;
    char *why;
    size_t room;
};

static bool good(struct graph *g, int status, const char *call)
{
    if (status != 0 && !g->failed)
        cudnn_explain(g->lib, status, call, g->why, g->room);
    g->failed = g->failed || status != 0;
    return !g->failed;
}

static void *begin(struct graph *g, enum cudnn_descriptor what)
{
    void *descriptor = NULL;

    if (!g->failed)
        good(g, g->lib->create_descriptor(what, &descriptor), "cudnnBackendCreateDescriptor");
    return descriptor;
}

static void set(struct graph *g, void *descriptor, enum cudnn_attribute attribute,
                enum cudnn_attribute_type type, int64_t count, const void *values)
{
    char call[64];

    if (g->failed)
        return;
    snprintf(call, sizeof(call), "cudnnBackendSetAttribute %d", (int)attribute);
    good(g, g->lib->set(descriptor, attribute, type, count, values), call);
}

static void set_descriptor(struct graph *g, void *descriptor, enum cudnn_attribute attribute,
                           void *value)
{
    set(g, descriptor, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

static void set_name(struct graph *g, void *descriptor, enum cudnn_attribute attribute,
                     enum cudnn_attribute_type type, int value)
{
    set(g, descriptor, attribute, type, 1, &value);
}

static void *finish(struct graph *g, void *descriptor, const char *what)
{
    char call[64];

    snprintf(call, sizeof(call), "cudnnBackendFinalize of %s", what);
    if (!g->failed)
        good(g, g->lib->finalize(descriptor), call);
    return descriptor;
}

/* A tensor of 1 x heads x rows x cols, of which rows and columns are so far apart. */
static void *tensor(struct graph *g, int64_t name, enum cudnn_data_type type,
                    const int64_t dims[DIMS], const int64_t strides[DIMS])
{
    void *t = begin(g, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    bool is_virtual = name >= FIRST_VIRTUAL, by_value = name == SCALE || name == MASKED;
    int64_t alignment = ALIGNMENT;

    set_name(g, t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    set(g, t, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, DIMS, dims);
    set(g, t, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, DIMS, strides);
    set(g, t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &name);
    set(g, t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    set(g, t, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
    set(g, t, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
    return finish(g, t, "a tensor");
}

/* One of q, v and the output; of the keys, as their transpose. */
static void *array(struct graph *g, int64_t name)
{
    int64_t heads = (int64_t)g->of->heads, length = (int64_t)g->of->length, dim = g->of->dim;
    int64_t dims[] = {1, heads, length, dim};
    int64_t strides[] = {heads * length * dim, length * dim, dim, 1};

    if (name == K) {
        dims[2] = dim, dims[3] = length;
        strides[2] = 1, strides[3] = dim;
    }
    return tensor(g, name, g->of->type, dims, strides);
}

static void *number(struct graph *g, int64_t name)
{
    const int64_t ones[DIMS] = {1, 1, 1, 1};

    return tensor(g, name, CUDNN_DATA_FLOAT, ones, ones);
}

/* What an operation hands to another: a row of so many columns for each query. */
static void *between(struct graph *g, enum cudnn_data_type type, size_t columns)
{
    int64_t heads = (int64_t)g->of->heads, length = (int64_t)g->of->length;
    int64_t cols = (int64_t)columns;
    const int64_t dims[] = {1, heads, length, cols};
    const int64_t strides[] = {heads * length * cols, length * cols, cols, 1};

    return tensor(g, FIRST_VIRTUAL + g->names++, type, dims, strides);
}

static void add(struct graph *g, void *operation)
{
    g->operations[g->count++] = finish(g, operation, "an operation");
}

static void product(struct graph *g, void *a, void *b, void *c)
{
    void *how = begin(g, CUDNN_BACKEND_MATMUL_DESCRIPTOR), *operation;

    set_name(g, how, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    finish(g, how, "a product");
    operation = begin(g, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
    add(g, operation);
}

/* Over a row. */
static void *reduction(struct graph *g, enum cudnn_mode mode, void *x)
{
    void *how = begin(g, CUDNN_BACKEND_REDUCTION_DESCRIPTOR), *operation, *y;

    set_name(g, how, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, (int)mode);
    set_name(g, how, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    finish(g, how, "a reduction");
    y = between(g, CUDNN_DATA_FLOAT, 1);
    operation = begin(g, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
    add(g, operation);
    return y;
}

/* Element by element: of x; b and t where the mode has them, else NULL. */
struct elementwise {
    enum cudnn_mode mode;
    enum cudnn_data_type in, out; /* it computes in, and hands on */
    size_t columns;               /* of what it hands on */
    int64_t axis;                 /* of which an index is made; 0: none is */
    void *x, *b, *t;
};

static void *elementwise(struct graph *g, struct elementwise e)
{
    void *how = begin(g, CUDNN_BACKEND_POINTWISE_DESCRIPTOR), *operation, *y;

    set_name(g, how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, (int)e.mode);
    set_name(g, how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, (int)e.in);
    if (e.axis)
        set(g, how, CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &e.axis);
    finish(g, how, "an elementwise function");
    y = between(g, e.out, e.columns);
    operation = begin(g, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, e.x);
    if (e.b)
        set_descriptor(g, operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, e.b);
    if (e.t)
        set_descriptor(g, operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, e.t);
    set_descriptor(g, operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    add(g, operation);
    return y;
}

/* Of floats, so many in a row. */
static void *computed(struct graph *g, enum cudnn_mode mode, size_t columns, void *x, void *b)
{
    return elementwise(g, (struct elementwise){.mode = mode,
                                               .in = CUDNN_DATA_FLOAT,
                                               .out = CUDNN_DATA_FLOAT,
                                               .columns = columns,
                                               .x = x,
                                               .b = b});
}

/* A score's place along an axis: 2 its query, 3 its key. */
static void *place(struct graph *g, void *scores, int64_t axis)
{
    return elementwise(g, (struct elementwise){.mode = CUDNN_POINTWISE_GEN_INDEX,
                                               .in = CUDNN_DATA_FLOAT,
                                               .out = CUDNN_DATA_INT32,
                                               .columns = g->of->length,
                                               .axis = axis,
                                               .x = scores});
}

static void *masked(struct graph *g, void *scores)
{
    void *query = place(g, scores, 2), *key = place(g, scores, 3);
    void *seen = elementwise(g, (struct elementwise){.mode = CUDNN_POINTWISE_CMP_GE,
                                                     .in = CUDNN_DATA_BOOLEAN,
                                                     .out = CUDNN_DATA_BOOLEAN,
                                                     .columns = g->of->length,
                                                     .x = query,
                                                     .b = key});

    return elementwise(g, (struct elementwise){.mode = CUDNN_POINTWISE_BINARY_SELECT,
                                               .in = CUDNN_DATA_FLOAT,
                                               .out = CUDNN_DATA_FLOAT,
                                               .columns = g->of->length,
                                               .x = scores,
                                               .b = number(g, MASKED),
                                               .t = seen});
}

/* The shares of a query's keys. The logarithm of a query's sum, which training would keep, goes
 * nowhere; but cuDNN knows the pattern only with it. */
static void *softmax(struct graph *g, void *scores)
{
    size_t length = g->of->length;
    void *max = reduction(g, CUDNN_REDUCE_TENSOR_MAX, scores), *sum;
    void *shares = computed(g, CUDNN_POINTWISE_SUB, length, scores, max);

    shares = computed(g, CUDNN_POINTWISE_EXP, length, shares, NULL);
    sum = reduction(g, CUDNN_REDUCE_TENSOR_ADD, shares);
    computed(g, CUDNN_POINTWISE_ADD, 1, max, computed(g, CUDNN_POINTWISE_LOG, 1, sum, NULL));
    return elementwise(g, (struct elementwise){.mode = CUDNN_POINTWISE_DIV,
                                               .in = CUDNN_DATA_FLOAT,
                                               .out = g->of->type, /* as the product takes it */
                                               .columns = length,
                                               .x = shares,
                                               .b = sum});
}

/* All operations, as one graph. */
static void *whole(struct graph *g)
{
    size_t length = g->of->length;
    void *scores = between(g, CUDNN_DATA_FLOAT, length), *graph;

    product(g, array(g, Q), array(g, K), scores);
    scores = computed(g, CUDNN_POINTWISE_MUL, length, scores, number(g, SCALE));
    if (g->of->causal)
        scores = masked(g, scores);
    product(g, softmax(g, scores), array(g, V), array(g, OUT));
    graph = begin(g, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    set(g, graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, g->count,
        g->operations);
    set(g, graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &g->lib->handle);
    return finish(g, graph, "the graph");
}

/* The ways to compute the graph that the library names, the one that it holds for best first. */
static int64_t engines(struct graph *g, void *graph, enum cudnn_mode mode,
                       void *found[MOST_ENGINES])
{
    void *asked = begin(g, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    int64_t count = 0;

    set_descriptor(g, asked, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    set_name(g, asked, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, (int)mode);
    finish(g, asked, "the question for engines");
    for (int i = 0; i < MOST_ENGINES; i++)
        found[i] = begin(g, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    if (!g->failed)
        good(g,
             g->lib->get(asked, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                         MOST_ENGINES, &count, found),
             "cudnnBackendGetAttribute of the engines");
    return g->failed ? 0 : count < MOST_ENGINES ? count : MOST_ENGINES;
}

/* The plan of the first engine that takes the graph. */
static void *plan_of(struct graph *g, void *graph, enum cudnn_mode mode)
{
    void *found[MOST_ENGINES], *plan = NULL;
    int64_t count = engines(g, graph, mode, found);

    if (count == 0)
        good(g, NOT_SUPPORTED, "an engine for this shape on this device");
    for (int64_t i = 0; i < count; i++) {
        g->failed = false; /* an engine may refuse what the next one takes */
        plan = begin(g, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        set_descriptor(g, plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, found[i]);
        set(g, plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &g->lib->handle);
        finish(g, plan, "a plan");
        if (!g->failed)
            break;
    }
    return plan;
}

/* Ask for a plan once more, where there is none of the engines that are held for the best. What the
 * first answer was stays in why. */
static void *fallback(struct graph *g, void *graph)
{
    char text[256];
    char *why = g->why;
    size_t room = g->room;
    void *plan;

    g->why = text;
    g->room = sizeof(text);
    plan = plan_of(g, graph, CUDNN_HEUR_MODE_FALLBACK);
    g->why = why;
    g->room = room;
    return plan;
}

/* False with one line in why if it cannot be made. */
static bool make(struct attention_plan *p, struct graph *g)
{
    void *graph = whole(g);

    if (g->failed)
        return false;
    p->plan = plan_of(g, graph, CUDNN_HEUR_MODE_A);
    if (g->failed) {
        g->failed = false;
        p->plan = fallback(g, graph);
    }
    if (!g->failed)
        good(g,
             g->lib->get(p->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                         NULL, &p->workspace),
             "cudnnBackendGetAttribute of the workspace");
    return !g->failed;
}

static bool same(const struct attention_case *a, const struct attention_case *b)
{
    return a->type == b->type && a->heads == b->heads && a->length == b->length &&
           a->dim == b->dim && a->causal == b->causal;
}

struct attention_plan *attention_plan(const struct cudnn *lib, const struct attention_case *of,
                                      char *why, size_t room)
{
    static struct attention_plan *plans;
    struct attention_plan *p = plans;
    struct graph g = {.lib = lib, .of = of, .why = why, .room = room};

    while (p && !same(&p->made_for, of))
        p = p->next;
    if (p)
        return p;
    if (lib->version < OLDEST) {
        snprintf(why, room, "it needs cuDNN 9.10 or newer; this is %zu.%zu", lib->version / 10000,
                 lib->version / 100 % 100);
        return NULL;
    }
    p = (struct attention_plan *)calloc(1, sizeof(*p));
    if (!p) {
        snprintf(why, room, "no memory for a plan");
        return NULL;
    }
    p->made_for = *of;
    p->scale = 1 / sqrtf((float)of->dim);
    p->masked = -INFINITY;
    if (!make(p, &g)) {
        free(p);
        return NULL;
    }
    why[0] = '\0'; /* of an engine before the one that takes it */
    p->next = plans;
    plans = p;
    return p;
}

size_t attention_plan_workspace(const struct attention_plan *p)
{
    return (size_t)p->workspace;
}

/* The arrays as cuDNN takes them; with what was made for others it would work on those. */
static void pack(const struct cudnn *lib, struct attention_plan *p,
                 const struct attention_arrays *a)
{
    const int64_t names[] = {Q, K, V, OUT, SCALE, MASKED};
    const void *at[] = {a->q, a->k, a->v, a->out, &p->scale, &p->masked};
    int64_t count = p->made_for.causal ? 6 : 5;
    char why[1024];
    struct graph g = {.lib = lib, .why = why, .room = sizeof(why)};

    p->arrays = *a;
    p->pack = begin(&g, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    set(&g, p->pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, names);
    set(&g, p->pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, at);
    set(&g, p->pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &a->workspace);
    finish(&g, p->pack, "the arrays");
    if (g.failed) {
        fprintf(stderr, "%s\n", why);
        exit(3);
    }
}

void attention_plan_run(const struct cudnn *lib, struct attention_plan *p,
                        const struct attention_arrays *a)
{
    if (!p->pack || memcmp(&p->arrays, a, sizeof(*a)) != 0)
        pack(lib, p, a);
    cudnn_check(lib, lib->execute(lib->handle, p->plan, p->pack), "cudnnBackendExecute");
}
