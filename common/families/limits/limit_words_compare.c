/*
 * The comparison on the CPU device: a loop of the host.
 */
#include "families/limits/limit_words.h"

int words_compare(struct buffer *y, size_t n, size_t step, struct word_difference *d)
{
    int status = buffer_download(y, n);
    unsigned poison = 0x01010101u * (unsigned)y->poison;

    *d = (struct word_difference){0, 0};
    for (size_t i = 0; status == 0 && i < n; i++) {
        if (((const uint32_t *)y->host)[i] != word_wanted(i, n, step, poison) && d->count++ == 0)
            d->first = i;
    }
    return status;
}
