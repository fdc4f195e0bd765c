/*
 * Kernels: what is known of each, and their launch.
 *
 * A kernel is known by its address, from the first call that names it to the end of the program.
 * How much static shared memory it has is learnt while it runs, so the first launch of a kernel is
 * taken to have none. The table is shared by the host and all workers, under its lock.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/children.h"
#include "cpu/runtime/device_variables.h"
#include "cpu/runtime/errors.h"
#include "cpu/runtime/faults.h"
#include "cpu/runtime/graphs.h"
#include "cpu/runtime/heap.h"
#include "cpu/runtime/kernels.h"
#include "cpu/runtime/streams.h"

enum { MAX_KERNELS = 4096 };

struct kernel {
    const void *address;
    size_t fixed;                  /* bytes of static shared memory, as far as known */
    unsigned bounds;               /* threads per block that __launch_bounds__ allows; 0: any */
    const char *name, *parameters; /* their names; NULL: not known */
    cpu_giver *give;
    int count; /* of its parameters; and their layout */
    const struct cpu_layout *layout;
    bool has_clusters; /* by __cluster_dims__ */
    struct settings {
        size_t limit;                   /* bytes of dynamic shared memory, at most */
        int carveout, any_size, policy; /* any_size: of a cluster */
        int cluster[3];                 /* that a launch must have; 0: any */
    } on[MAX_DEVICES];                  /* of each device */
};

static struct kernel kernels[MAX_KERNELS];
static unsigned kernel_count;
static pthread_mutex_t kernel_lock = PTHREAD_MUTEX_INITIALIZER;

/* The entry of a kernel; made when it is new. Called with kernel_lock held. */
static struct kernel *kernel_entry(const void *kernel)
{
    unsigned i;

    for (i = 0; i < kernel_count && kernels[i].address != kernel; i++)
        ;
    if (i == kernel_count && i < MAX_KERNELS - 1) {
        kernels[i].address = kernel;
        for (int device = 0; device < MAX_DEVICES; device++)
            kernels[i].on[device] = (struct settings){.limit = MODEL_SHARED_PER_BLOCK,
                                                      .carveout = cudaSharedmemCarveoutDefault};
        kernel_count++;
    }
    return &kernels[i];
}

static struct kernel known_of(const void *kernel)
{
    struct kernel k;

    pthread_mutex_lock(&kernel_lock);
    k = *kernel_entry(kernel);
    pthread_mutex_unlock(&kernel_lock);
    return k;
}

void kernel_note_static(const void *kernel, size_t bytes)
{
    struct kernel *k;

    pthread_mutex_lock(&kernel_lock);
    k = kernel_entry(kernel);
    if (k->fixed < bytes)
        k->fixed = bytes;
    pthread_mutex_unlock(&kernel_lock);
}

void cpu_kernel_bounds(const void *kernel, unsigned threads)
{
    pthread_mutex_lock(&kernel_lock);
    kernel_entry(kernel)->bounds = threads;
    pthread_mutex_unlock(&kernel_lock);
}

void cpu_kernel_cluster(const void *kernel, struct cpu_dim blocks)
{
    struct kernel *k;

    pthread_mutex_lock(&kernel_lock);
    k = kernel_entry(kernel);
    k->has_clusters = true;
    for (int device = 0; device < MAX_DEVICES; device++) {
        int *cluster = k->on[device].cluster;

        cluster[0] = (int)blocks.x;
        cluster[1] = (int)blocks.y;
        cluster[2] = (int)blocks.z;
    }
    pthread_mutex_unlock(&kernel_lock);
}

void cpu_kernel_text(const void *kernel, const char *name, const char *parameters, cpu_giver *give,
                     unsigned count, const struct cpu_layout *layout)
{
    struct kernel *k;

    pthread_mutex_lock(&kernel_lock);
    k = kernel_entry(kernel);
    k->name = name;
    k->parameters = parameters;
    k->give = give;
    k->count = (int)count;
    k->layout = layout;
    pthread_mutex_unlock(&kernel_lock);
}

int kernel_layout(const void *kernel, const struct cpu_layout **layout)
{
    struct kernel k = known_of(kernel);

    *layout = k.layout;
    return k.give ? k.count : -1;
}

/* --- attributes and occupancy ----------------------------------------------------------------- */

static int set_of_clusters(const void *kernel, int attribute, int value)
{
    struct settings *s;

    if (value < 0)
        return error_say(cudaErrorInvalidValue, "attribute %d of clusters cannot be %d", attribute,
                         value);
    pthread_mutex_lock(&kernel_lock);
    s = &kernel_entry(kernel)->on[cpu_current_device];
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
        s->any_size = value;
    else if (attribute == cudaFuncAttributeClusterSchedulingPolicyPreference)
        s->policy = value;
    else
        s->cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = value;
    pthread_mutex_unlock(&kernel_lock);
    return cudaSuccess;
}

int cpu_func_set_attribute(const void *kernel, int attribute, int value)
{
    if (cpu_failure())
        return error_keep(cpu_failure());
    if (!kernel)
        return error_keep(cudaErrorInvalidDeviceFunction);
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        if (value < -1 || value > 100)
            return error_say(cudaErrorInvalidValue, "a carveout is -1 or 0 to 100 percent, not %d",
                             value);
        pthread_mutex_lock(&kernel_lock);
        kernel_entry(kernel)->on[cpu_current_device].carveout = value;
        pthread_mutex_unlock(&kernel_lock);
        return cudaSuccess;
    }
    if (attribute >= cudaFuncAttributeRequiredClusterWidth &&
        attribute <= cudaFuncAttributeClusterSchedulingPolicyPreference)
        return set_of_clusters(kernel, attribute, value);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return error_say(cudaErrorInvalidValue, "no attribute %d can be set", attribute);
    if (value < 0 || value > MODEL_SHARED_OPTIN)
        return error_say(cudaErrorInvalidValue,
                         "%d bytes of dynamic shared memory, where a block may have %d", value,
                         MODEL_SHARED_OPTIN);
    pthread_mutex_lock(&kernel_lock);
    kernel_entry(kernel)->on[cpu_current_device].limit = (size_t)value;
    pthread_mutex_unlock(&kernel_lock);
    return cudaSuccess;
}

int cpu_func_get_attributes(struct cudaFuncAttributes *a, const void *kernel)
{
    const struct settings *s;
    struct kernel k;

    if (!a)
        return error_keep(cudaErrorInvalidValue);
    if (!kernel)
        return error_keep(cudaErrorInvalidDeviceFunction);
    k = known_of(kernel);
    s = &k.on[cpu_current_device];
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = k.fixed,
        .maxThreadsPerBlock = k.bounds ? (int)k.bounds : MAX_THREADS,
        .ptxVersion = 90,
        .binaryVersion = 90,
        .maxDynamicSharedSizeBytes = (int)s->limit,
        .preferredShmemCarveout = s->carveout,
        .clusterDimMustBeSet = k.has_clusters,
        .requiredClusterWidth = s->cluster[0],
        .requiredClusterHeight = s->cluster[1],
        .requiredClusterDepth = s->cluster[2],
        .clusterSchedulingPolicyPreference = s->policy,
        .nonPortableClusterSizeAllowed = s->any_size,
    };
    return cudaSuccess;
}

uint64_t kernel_resident(const void *kernel, int threads, size_t dynamic_shared)
{
    struct kernel k = known_of(kernel);

    return threads <= (k.bounds ? (int)k.bounds : MAX_THREADS) &&
                   dynamic_shared <= k.on[cpu_current_device].limit
               ? launch_resident((unsigned)threads, dynamic_shared + k.fixed)
               : 0;
}

int cpu_occupancy(int *blocks, const void *kernel, int threads, size_t dynamic_shared)
{
    if (!blocks || threads < 1)
        return error_keep(cudaErrorInvalidValue);
    *blocks = (int)kernel_resident(kernel, threads, dynamic_shared);
    return cudaSuccess;
}

bool kernel_clusters(const void *kernel, int device, struct cpu_dim *cluster, unsigned *limit)
{
    struct kernel k = known_of(kernel);
    const struct settings *s = &k.on[device];
    unsigned asked[3] = {cluster->x, cluster->y, cluster->z};
    bool asks = asked[0] || asked[1] || asked[2], fits = true;

    *limit = s->any_size ? MAX_CLUSTER : PORTABLE_CLUSTER;
    for (int i = 0; i < 3; i++)
        fits &= !asks || !s->cluster[i] || asked[i] == (unsigned)s->cluster[i];
    if (!asks)
        *cluster = (struct cpu_dim){(unsigned)s->cluster[0], (unsigned)s->cluster[1],
                                    (unsigned)s->cluster[2]};
    return fits;
}

/* --- launches --------------------------------------------------------------------------------- */

/* Why CUDA's checks refuse it, in words; the check itself is the engine's. */
static cudaError_t refuse(cudaError_t error, const struct launch *l)
{
    const struct cpu_dim *g = &l->grid, *b = &l->dim;

    if (error == cudaErrorInvalidValue && !launch_has_shape(l))
        return error_say(error,
                         "%s<<<(%u, %u, %u), (%u, %u, %u)>>>: a block has 1 to %d threads, 64 "
                         "at most in z, and no side of the grid is 0 or too large",
                         l->name, g->x, g->y, g->z, b->x, b->y, b->z, MAX_THREADS);
    if (error == cudaErrorInvalidValue)
        return error_say(error,
                         "%s is launched with %zu bytes of dynamic shared memory, and may "
                         "have %zu (cudaFuncSetAttribute, up to %d)",
                         l->name, l->dynamic_shared, l->shared_limit, MODEL_SHARED_OPTIN);
    if (error == cudaErrorInvalidClusterSize)
        return error_say(error,
                         "%s is launched with clusters of (%u, %u, %u) blocks, where the grid has "
                         "(%u, %u, %u): each side divides the grid's, is what the kernel says, and "
                         "a cluster has %u blocks at most%s",
                         l->name, l->cluster.x, l->cluster.y, l->cluster.z, g->x, g->y, g->z,
                         l->cluster_limit,
                         l->cluster_limit < MAX_CLUSTER
                             ? " (16 with cudaFuncAttributeNonPortableClusterSizeAllowed)"
                             : "");
    return error_keep(error);
}

/* Is it a launch that this kernel can have? What is known of the kernel is put in. */
static cudaError_t prepare(struct launch *l)
{
    struct kernel k = known_of(l->kernel);
    uint64_t threads = (uint64_t)l->dim.x * l->dim.y * l->dim.z;

    l->static_shared = k.fixed;
    l->parameter_names = k.parameters;
    l->shared_limit = k.on[l->device].limit;
    if (k.bounds && threads > k.bounds && threads <= MAX_THREADS && !cpu_failure())
        return error_say(cudaErrorInvalidValue,
                         "%s is launched with %llu threads per block, and its __launch_bounds__ "
                         "allow %u",
                         l->name, (unsigned long long)threads, k.bounds);
    return kernel_clusters(l->kernel, l->device, &l->cluster, &l->cluster_limit)
               ? cudaSuccess
               : refuse(cudaErrorInvalidClusterSize, l);
}

/* By this thread, to its end. */
static cudaError_t run(struct launch *l, struct CUstream_st *s)
{
    cudaError_t error = prepare(l);

    if (error)
        return error;
    queue_lock();
    faults_catch();
    heap_launch_begin(l->device);
    device_variables_select(l->device);
    l->stream = s->number;
    l->number = queue_direct(s);
    l->after = s->after;
    error = children_possible() ? children_run(l) : launch_run(l);
    cpu_worker = NULL; /* this host thread is outside of kernels again */
    queue_unlock();
    return error ? refuse(error, l) : cudaSuccess;
}

/* --- queued launches -------------------------------------------------------------------------- */

struct queued {
    struct work work;
    struct launch launch;
    struct cpu_kernel_call call; /* with arguments and parameters of its own */
};

static bool begin(struct work *w)
{
    struct queued *q = (struct queued *)w;
    struct launch *l = &q->launch;
    cudaError_t error = prepare(l);

    if (!error)
        error = launch_prepare(l);
    if (error) { /* it has been good when it was given */
        cpu_fail(error, "%s: %s", l->name, cudaGetErrorString(refuse(error, l)));
        return true;
    }
    faults_catch();
    device_variables_select(l->device);
    l->body = q->call.body;
    l->arguments = q->call.arguments;
    l->parameter = q->call.parameters;
    l->parameters = q->call.count;
    l->stream = w->stream->number;
    l->number = w->number;
    l->after = w->after;
    if (children_possible()) { /* with all that it launches, before anything else goes on */
        heap_launch_begin(l->device);
        children_run(l);
        return true;
    }
    if (!launch_begin(l))
        return false;
    heap_launch_begin(l->device);
    return true;
}

static bool ended(struct work *w)
{
    return !((struct queued *)w)->launch.kept;
}

static void forget(struct work *w)
{
    struct queued *q = (struct queued *)w;

    q->call.drop(q->call.arguments);
    free((void *)(uintptr_t)q->call.parameters);
}

static bool keep(struct work *w, const struct work *from)
{
    struct queued *q = (struct queued *)w;
    const struct cpu_kernel_call *given = &((const struct queued *)from)->call;
    size_t bytes = given->count * sizeof(struct cpu_parameter);
    struct cpu_parameter *parameters = malloc(bytes ? bytes : 1);

    if (!parameters)
        return false;
    memcpy(parameters, given->parameters, bytes);
    q->call = *given;
    q->call.parameters = parameters;
    q->call.arguments = given->keep(given->arguments);
    return true;
}

static cudaError_t put(struct launch *l, const struct cpu_kernel_call *call, cudaStream_t stream,
                       uintptr_t site)
{
    struct queued given = {.call = *call}, *q;
    cudaError_t error = prepare(l);

    if (error)
        return error;
    error = launch_prepare(l);
    if (error)
        return refuse(error, l);
    q = queue_new(sizeof(*q), l->name, site);
    if (!q)
        return cudaErrorMemoryAllocation;
    memcpy(&q->launch, l, sizeof(*l));
    if (!keep(&q->work, &given.work)) {
        free(q);
        return error_keep(cudaErrorMemoryAllocation);
    }
    q->work.begin = begin;
    q->work.ended = ended;
    q->work.forget = forget;
    q->work.copy = keep;
    return queue_add(&q->work, stream);
}

/* It is the kernel's stream, of which the host knows nothing. */
static void number_of_child(struct launch *l)
{
    struct CUstream_st *s = stream_default(l->device);

    l->stream = s->number;
    l->number = queue_direct(s);
    l->after = s->after;
}

static cudaError_t by_kernel(struct thread *t, struct launch *l, const struct cpu_kernel_call *call,
                             cudaStream_t stream)
{
    cudaError_t error;

    if (!children_possible()) {
        cpu_fail(cudaErrorNotSupported,
                 "%s launches %s by a function of the host, which a kernel must not call",
                 t->block->launch->name, l->name);
        cpu_kill(t);
    }
    error = l->cooperative ? cudaErrorNotSupported : prepare(l);
    if (!error)
        error = launch_prepare(l);
    children_number = number_of_child;
    return error ? error : children_add(t, l, call, stream);
}

static const char *name_of(const void *kernel)
{
    const char *name = known_of(kernel).name;

    return name ? name : "the kernel of cudaLaunchKernelEx";
}

int cpu_launch(const void *kernel, const char *name, struct cpu_dim grid, struct cpu_dim dim,
               size_t shared, struct cpu_how how, const struct cpu_kernel_call *call,
               const void *stream)
{
    cudaStream_t to = (cudaStream_t)(uintptr_t)stream;
    struct thread *t = cpu_thread();
    struct launch *l;
    cudaError_t error;

    l = calloc(1, sizeof(*l));
    if (!l)
        return error_keep(cudaErrorMemoryAllocation);
    l->kernel = kernel;
    l->name = name ? name : name_of(kernel);
    l->grid = grid;
    l->dim = dim;
    l->dynamic_shared = shared;
    l->cooperative = how.cooperative;
    l->cluster = how.cluster;
    l->device = t ? t->block->launch->device : cpu_current_device;
    if (t) {
        error = by_kernel(t, l, call, to);
        free(l);
        return error;
    }
    l->body = call->body;
    l->arguments = call->arguments;
    l->parameter = call->parameters;
    l->parameters = call->count;
    errors_at_exit();
    error = queue_is_needed() ? put(l, call, to, HERE) : run(l, stream_of(to));
    if (error)
        error_of_launch(error, l->name);
    free(l);
    return error;
}

/* --- launches of what is known by its address alone: by pointers, and nodes of graphs --------- */

struct node {
    const void *kernel;
    const char *name;
    struct cpu_dim grid, dim;
    size_t shared;
    cudaStream_t entry;
    struct cpu_how how;
};

static int add(void *to, const struct cpu_kernel_call *call)
{
    const struct node *n = to;

    return cpu_launch(n->kernel, n->name, n->grid, n->dim, n->shared, n->how, call, n->entry);
}

static cudaError_t give(const struct kernel *k, void **arguments, struct node *n)
{
    if (!k->give)
        return error_say(cudaErrorInvalidDeviceFunction, "a kernel of which nothing is known");
    return (cudaError_t)k->give(arguments, add, n);
}

cudaError_t kernel_launch(const void *kernel, struct cpu_dim grid, struct cpu_dim dim,
                          size_t shared, struct cpu_how how, void **arguments, cudaStream_t stream)
{
    struct kernel k = known_of(kernel);
    struct node n = {kernel, k.name, grid, dim, shared, stream, how};
    cudaError_t error = (cudaError_t)cpu_stream_takes_launch(stream);

    return error ? error : give(&k, arguments, &n);
}

int cpu_graph_change_kernel(cudaGraphExec_t exec, cudaGraphNode_t node, const void *kernel,
                            struct cpu_dim grid, struct cpu_dim dim, size_t shared,
                            void **arguments)
{
    struct kernel k = known_of(kernel);
    struct node n = {kernel, k.name, grid, dim, shared, NULL, {0}};
    cudaError_t error = graph_change_begin(exec, node, &n.entry);

    return graph_change_end(error ? error : give(&k, arguments, &n));
}

int cpu_graph_add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needed,
                         size_t count, const void *kernel, struct cpu_dim grid, struct cpu_dim dim,
                         size_t shared, void **arguments)
{
    struct kernel k = known_of(kernel);
    struct node n = {kernel, k.name, grid, dim, shared, NULL, {0}};
    cudaError_t error = graph_node_begin(graph, needed, count, &n.entry);

    return graph_node_end(node, error ? error : give(&k, arguments, &n));
}

/*
 * The name that stands first in a list of arguments, without a cast and '&'. The list is a literal,
 * the text of one launch in the source, so its address tells it from others, and what was cut from
 * it is kept for the next time. There are as many as such launches in the source: a few.
 */
const char *cpu_first_argument(const char *arguments)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct cut {
        struct cut *next;
        const char *of;
        char name[];
    } * cuts;
    const char *from = arguments + strspn(arguments, " &"), *to;
    struct cut *c;
    int depth = 0;

    if (*from == '(' && strchr(from, ')') && strchr(from, ')')[1] != ',')
        from = strchr(from, ')') + 1;
    from += strspn(from, " &");
    for (to = from; *to && (depth || *to != ','); to++)
        if (!strncmp(to, "->", 2))
            to++; /* closes nothing */
        else
            depth += (*to == '<' || *to == '(') - (*to == '>' || *to == ')');
    pthread_mutex_lock(&lock);
    for (c = cuts; c && c->of != arguments; c = c->next)
        ;
    if (!c && (c = calloc(1, sizeof(*c) + (size_t)(to - from) + 1))) {
        c->of = arguments;
        memcpy(c->name, from, (size_t)(to - from));
        c->next = cuts;
        cuts = c;
    }
    pthread_mutex_unlock(&lock);
    return c ? c->name : arguments;
}

int cpu_launch_pointer(const char *call, const char *name, const void *kernel, struct cpu_dim grid,
                       struct cpu_dim dim, size_t shared, struct cpu_how how, void **arguments,
                       const void *stream)
{
    const struct cpu_layout *layout;

    if (kernel_layout(kernel, &layout) < 0)
        return error_say(cudaErrorInvalidDeviceFunction,
                         "%s(%s, ...): the CPU device must see which kernel it is: write the "
                         "kernel's name there, with or without (void *)",
                         call, name);
    return kernel_launch(kernel, grid, dim, shared, how, arguments,
                         (cudaStream_t)(uintptr_t)stream);
}
