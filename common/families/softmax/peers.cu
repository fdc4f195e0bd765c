/*
 * The peer of the softmax family: cuDNN, whose rows are images of one pixel and as many channels as there are columns.
 */
#include <limits.h>
#include <stdio.h>

#include "families/softmax/softmax.h"
#include "harness/kit/cudnn.h"
#include "harness/kit/peer.h"

/* Both tensors are of this shape. Its descriptor is made in a warm-up run, and kept. */
static void *tensor_of(const struct cudnn *lib, enum cudnn_data_type type, const struct work *w)
{
    static void *tensor;
    static size_t rows, cols;
    static enum cudnn_data_type of;

    if (!tensor)
        cudnn_check(lib, lib->create_tensor(&tensor), "cudnnCreateTensorDescriptor");
    if (rows != w->rows || cols != w->cols || of != type)
        cudnn_check(
            lib, lib->set_tensor(tensor, CUDNN_TENSOR_NCHW, type, (int)w->rows, (int)w->cols, 1, 1),
            "cudnnSetTensor4dDescriptor");
    rows = w->rows;
    cols = w->cols;
    of = type;
    return tensor;
}

template <enum cudnn_data_type TYPE> static void softmax(struct work *w)
{
    const float one = 1, zero = 0;
    char why[400];
    const struct cudnn *lib =
        w->rows > 0 ? cudnn_open(why, sizeof(why)) : NULL; /* it was opened before: see refuse */
    void *tensor = lib ? tensor_of(lib, TYPE, w) : NULL;

    if (lib)
        cudnn_check(lib,
                    lib->softmax(lib->handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE,
                                 &one, tensor, w->in, &zero, tensor, w->out),
                    "cudnnSoftmaxForward");
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    if (s->n > INT_MAX) {
        snprintf(why, room, "cuDNN's tensors have at most %d elements; got %zu", INT_MAX, s->n);
        return true;
    }
    return !cudnn_open(why, room);
}

/* How it adds a row up it does not say: the longest chain of additions is all of the row. There is
 * none for bf16: of version 9.19 a result may be off by more than one rounding to the type. */
#define CUDNN(type)                                                                                \
    {                                                                                              \
        "cudnn", "cudnnSoftmaxForward, accurate", softmax<type>, GRID_BY_SIZE | RESCALES,          \
            softmax_depth_row, .refuse = refuse                                                    \
    }

extern "C" {
extern const struct peer softmax_peers[];
}
const struct peer softmax_peers[] = {
    {&type_f32, CUDNN(CUDNN_DATA_FLOAT)},
    {&type_f16, CUDNN(CUDNN_DATA_HALF)},
    {NULL},
};
