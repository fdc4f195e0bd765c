/*
 * Attention on tensor cores: the same with inputs of bf16.
 */
#define HALVES
#include "attention.c"
