/*
 * What the CPU device has not, refused by name where the student's own files use it. Their headers
 * are refused in headers.c.
 */
#include <string.h>
#include "cpu/translate/cuda_words.h"

/* A word that ends with * is the beginning of words. */
static const struct {
    const char *word;
    const char *behind; /* marks, one of which must stand behind it; NULL: any */
    const char *what;
} refused[] = {
    {"cudaMallocMipmappedArray", NULL, "mipmapped arrays"},
    {"cudaMipmappedArray_t", NULL, "mipmapped arrays"},
    {"cudaBindTextureToMipmappedArray", NULL, "mipmapped arrays"},
    {"cudaGraphics*", NULL, "interoperation with graphics"},
    {"cudaGraphAddEvent*", NULL, "such nodes of graphs"},
    {"cudaGraphAddNode", NULL, "such nodes of graphs"},
    {"cudaGraphAddMemAlloc*", NULL, "such nodes of graphs"},
    {"cudaGraphAddMemFree*", NULL, "such nodes of graphs"},
    {"cudaGraphAddMemcpyNodeToSymbol", NULL, "such nodes of graphs"},
    {"cudaGraphAddMemcpyNodeFromSymbol", NULL, "such nodes of graphs"},
    {"cudaGraphConditional*", NULL, "such nodes of graphs"},
    {"cudaGraphKernelNode*", NULL, "graphs that change"}, /* those that can be launched do */
    {"cudaGraphAddDependencies", NULL, "graphs that change"},
    {"cudaIpc*", NULL, "memory that processes share"},
    {"cudaMemPoolExport*", NULL, "memory that processes share"},
    {"cudaMemPoolImport*", NULL, "memory that processes share"},
    {"cudaMemPoolPtrExportData", NULL, "memory that processes share"},
    {"cudaMemPoolSetAccess", NULL, "memory pool that other devices access"},
    {"cudaMemAccessDesc", NULL, "memory pool that other devices access"},
    {"CUmemGenericAllocationHandle", NULL, "virtual memory management"},
    {"CUmemAllocationProp", NULL, "virtual memory management"},
    {"CUmemAccessDesc", NULL, "virtual memory management"},
    {"cuMemAddressReserve", NULL, "virtual memory management"},
};

static bool word_is(const struct token *t, const char *word)
{
    size_t n = strlen(word) - 1;

    return word[n] == '*' ? t->length >= n && !memcmp(t->at, word, n) : is(t, word);
}

/* Whose `volatile` is no variable's. */
static bool is_assembler(const struct token *t)
{
    return is(t, "asm") || is(t, "__asm__") || is(t, "__asm");
}

void refuse_volatile(const struct source *s)
{
    for (int i = 0; i < s->count; i++)
        if (is(&s->token[i], "volatile") && s->token[i].device && !s->token[i].ours &&
            !(i && is_assembler(&s->token[i - 1])))
            fail(&s->token[i], "--fast: volatile in device code, at whose reads other threads must "
                               "go on; leave out --fast");
}

void refuse_words(const struct source *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct token *t = &s->token[i];

        if (t->kind != WORD || t->ours)
            continue;
        for (size_t k = 0; k < sizeof(refused) / sizeof(refused[0]); k++)
            if (word_is(t, refused[k].word) &&
                (!refused[k].behind || (t[1].kind == MARK && strchr(refused[k].behind, *t[1].at))))
                fail(t, "the CPU device has no %s (%.*s)", refused[k].what, (int)t->length, t->at);
    }
}
