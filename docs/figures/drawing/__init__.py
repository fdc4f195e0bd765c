"""
What docs/figures/draw draws. Each module of a subject ends with FIGURES: names and functions.

svg            boxes, texts, lines and arrows
traces         reads the traces of a warp's access
reduce_trees   reduce0 to reduce3
reduce_blocks  reduce4 to reduce7, reduce-float4, reduce-bulk, reduce-cluster, reduce-operators, reduce-states
device         sectors, and the CPU device
transpose      the transposes
stencil        the stencils
block_sync     the barriers between blocks
devices        several GPUs
spread         what is spread over them
scan           the scans
compact        the compactions
sort           the sorts
softmax        the softmaxes, and layer normalization
attention      the attentions
fft            the Fourier transforms
gemm           the products of matrices
tensor         those on tensor cores
tensor_bulk    those of them with a producer and consumers
"""
