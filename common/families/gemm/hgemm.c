/*
 * The family hgemm: the products of gemm where A and B are of f16 or bf16. Sums, alpha, beta and C
 * are floats, as cuBLAS has it with CUBLAS_COMPUTE_32F and a C of CUDA_R_32F: C could be of the
 * input's type, too, but then its rounding would hide what the sums are off by.
 */
#include "families/gemm/gemm_work.h"
#include "harness/kit/input.h"

static const struct parameter parameters[] = {
    GEMM_SCALARS,
    [PAD] = {"pad", "N", "elements between the end of a row and the next one (default 0)"},
    [LAYOUT] = {"layout", "NN|NT", "NT: B is stored as its transpose, N x K (default NN)"},
    {NULL, NULL, NULL},
};

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {"-n 256x512x128"}},
    {LADDER | GPU_ONLY, {"-n 4096"}},
    {SWEEP | CPU_ONLY, {"--sweep 5:8 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"--sweep 7:13 -r 3 -w 1"}},
    {QUICK, {"-n 64 -r 3"}},
    {RECORD | GPU_ONLY,
     {"-n 4096 -r 15", /* the most runs: the size of the ladder */
      "--sweep 7:13 -r 7 -w 2", "-n 16384 -r 3 -w 1", "-n 4096 --layout NT -r 15",
      "-n 8192 --layout NT -r 7", "-n 4096 --type f16 -r 15", "-n 8192 --type f16 -r 7",
      "-n 4097 -r 5", "-n 4104 -r 5", "-n 64x8192x8192 -r 5", "-n 8192x8192x64 -r 5"}},
    {COUNTED,
     {"-n 256", "-n 67x129x35", "-n 128x256x64 --layout NT", "-n 128x264x72 --pad 8 --layout NT"}},
    {SANITIZED,
     {"-n 65x130x33", "-n 128x256x200", "-n 40x70x20 --pad 1 --offset 1 --beta 2",
      "-n 130x258x72 --pad 8 --layout NT"}},
    /* The last: last stages of one step and of seven, and many stages of rows at odd addresses. */
    {MUTATED,
     {"-n 75x41x33", "-n 129x264x72 --pad 8 --beta 2 --alpha 0.5",
      "-n 40x70x24 --pad 1 --offset 1 --layout NT --beta -1", "-n 1x77x5 --layout NT",
      "-n 5x5x0 --beta 3", "-n 128x256x64 --input exact", "-n 136x264x208 --layout NT --pad 8",
      "-n 40x72x264 --input hostile --seed 1", "-n 2100x1x1", "-n 8x8x200",
      "-n 8x8x65 --pad 7 --layout NT", "-n 8x8x71 --pad 1 --layout NT", "-n 9x9x333",
      /* One less than whole tiles, in rows that are aligned; a band of 15 tiles. */
      "-n 127x256x64", "-n 128x255x64 --layout NT", "-n 1793x257x1"}},
    {CHECKED, {"-n 33x65x17", "-n 136x264x136", "-n 40x24x72 --layout NT", "-n 0x5x3"}},
    {TESTED,
     {"-n 33x65x31 --alpha 0.5 --beta -2 --pad 3 --offset 1",
      "-n 50x60x70 --input hostile --seed 1 --layout NT", "-n 50x60x70 --input hostile --seed 2"}},
    {TESTED | CPU_ONLY,
     {"-n 65x33x100 --alpha 0 --beta 0.5 --input hostile --seed 1",
      "-n 31x37x41 --beta 1 --input hostile --seed 3 --layout NT", "-n 5x7x3 --alpha 0",
      "-n 40x24x72 --input hostile --seed 0 --pad 8", "-n 129x257x72 --input ramp --layout NT",
      "-n 270x250x20 --input exact --beta 2 --pad 1"}}, /* more than is compared whole */
    {TESTED | GPU_ONLY,
     {"-n 2100x2100x300 --input exact --beta 2 --pad 1", "-n 3000x1504x72 --pad 8 --layout NT",
      "-n 1500x3001x64 --input ones", "-n 32768x32768x16 --input exact",
      "-n 1024x1024x1024 --input exact --layout NT"}},
    {0},
};

/* No machine file says yet how fast tensor cores are, and what their products wait for. */
static const struct family_estimate estimate = {
    .impossible = "it uses tensor cores, of which the machine file knows nothing"};

const struct family hgemm_family = {
    .name = "hgemm",
    .title = "Matrix product on tensor cores",
    .axes = gemm_axes,
    .axis_count = GEMM_AXES,
    .parameters = parameters,
    .options = OPTION_OFFSET | OPTION_INPUT | OPTION_BLOCKS,
    .inputs = input_names,
    .element = "multiply-add",
    .measure = MEASURE_FLOPS,
    .charts = "ladder rate",
    .test = {"256", "", "0 1 8"},
    .launches = launches,
    .most = (size_t)1 << 45,
    .estimate = &estimate,
    .accept = gemm_accept,
    .default_shape = gemm_default_shape,
    .refuse = gemm_refuse,
    .work = GEMM_WORK,
    .bytes = gemm_bytes,
    .flops = gemm_flops,
};
