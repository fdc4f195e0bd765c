/*
 * The peer of the fft family: cuFFT.
 */
#include <cufft.h>

#include "harness/kit/peer.h"
#include "families/fft/fft.h"

/* A plan is kept until another length or batch is asked for: made in a warm-up run. */
static void cufft(struct work *w)
{
    static cufftHandle plan;
    static size_t length, batch;
    int direction = w->sign > 0 ? CUFFT_FORWARD : CUFFT_INVERSE;

    if (w->batch == 0)
        return;
    if (length != w->length || batch != w->batch) {
        if (length)
            peer_check(cufftDestroy(plan), "cufftDestroy");
        peer_check(cufftPlan1d(&plan, (int)w->length, CUFFT_C2C, (int)w->batch), "cufftPlan1d");
        length = w->length;
        batch = w->batch;
    }
    peer_check(cufftExecC2C(plan, (cufftComplex *)w->in, (cufftComplex *)w->out, direction),
               "cufftExecC2C");
}

extern "C" {
extern const struct peer fft_peers[];
}
const struct peer fft_peers[] = {
    {&type_c32, {"cufft", "cufftExecC2C", cufft, GRID_BY_SIZE}},
    {NULL},
};
