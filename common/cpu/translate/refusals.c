/*
 * What the CPU device has not, refused by name where the student's own files use it. Their headers
 * are refused in headers.c, a launch in device code in launches.c.
 */
#include <string.h>
#include "cpu/translate/cuda_words.h"

/* A word that ends with * is the beginning of words. */
static const struct {
    const char *word;
    const char *behind; /* marks, one of which must stand behind it; NULL: any */
    const char *what;
} refused[] = {
    {"texture", "<", "textures"},
    {"tex1D*", "<(", "textures"},
    {"tex2D*", "<(", "textures"},
    {"tex3D*", "<(", "textures"},
    {"texCubemap*", "<(", "textures"},
    {"cudaTextureObject_t", NULL, "textures"},
    {"cudaTextureDesc", NULL, "textures"},
    {"cudaCreateTextureObject", NULL, "textures"},
    {"cudaBindTexture*", NULL, "textures"},
    {"cudaArray_t", NULL, "textures (CUDA arrays)"},
    {"cudaArray", NULL, "textures (CUDA arrays)"},
    {"cudaMallocArray", NULL, "textures (CUDA arrays)"},
    {"cudaMalloc3DArray", NULL, "textures (CUDA arrays)"},
    {"surface", "<", "surfaces"},
    {"surf1D*", "<(", "surfaces"},
    {"surf2D*", "<(", "surfaces"},
    {"surf3D*", "<(", "surfaces"},
    {"cudaSurfaceObject_t", NULL, "surfaces"},
    {"cudaCreateSurfaceObject", NULL, "surfaces"},
    {"cudaGraphics*", NULL, "interoperation with graphics"},
    {"cudaGraphAddMemset*", NULL, "nodes of graphs but kernels and copies of a range"},
    {"cudaGraphAddMemcpyNode", NULL, "nodes of graphs but kernels and copies of a range"},
    {"cudaGraphAddHost*", NULL, "nodes of graphs but kernels and copies of a range"},
    {"cudaGraphAddEvent*", NULL, "nodes of graphs but kernels and copies of a range"},
    {"cudaGraphAddChild*", NULL, "nodes of graphs but kernels and copies of a range"},
    {"cudaGraphAddNode", NULL, "nodes of graphs but kernels and copies of a range"},
    {"cudaGraphAddDependencies", NULL, "graphs that change"},
    {"cudaGraphClone", NULL, "graphs that change"},
    {"cudaGraphExecUpdate", NULL, "graphs that change"},
    {"cudaGraphExecKernel*", NULL, "graphs that change"},
    {"cudaGraphExecMem*", NULL, "graphs that change"},
    {"__cluster_dims__", NULL, "clusters"},
    {"this_cluster", "(", "clusters"},
    {"cluster_group", NULL, "clusters"},
    {"cudaLaunchAttributeClusterDimension", NULL, "clusters"},
    {"wmma", NULL, "tensor cores (wmma)"},
    {"nvcuda", NULL, "tensor cores (wmma)"},
};

static bool word_is(const struct token *t, const char *word)
{
    size_t n = strlen(word) - 1;

    return word[n] == '*' ? t->length >= n && !memcmp(t->at, word, n) : is(t, word);
}

void refuse_words(const struct source *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct token *t = &s->token[i];

        if (t->kind != WORD || t->ours)
            continue;
        if (t->device && (is(t, "asm") || is(t, "__asm__") || is(t, "__asm")))
            fail(t, "the CPU device has no inline PTX (%.*s)", (int)t->length, t->at);
        for (size_t k = 0; k < sizeof(refused) / sizeof(refused[0]); k++)
            if (word_is(t, refused[k].word) &&
                (!refused[k].behind || (t[1].kind == MARK && strchr(refused[k].behind, *t[1].at))))
                fail(t, "the CPU device has no %s (%.*s)", refused[k].what, (int)t->length, t->at);
    }
}
