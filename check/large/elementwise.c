/*
 * Vector additions: numbers at the beginning and at the end, in the elements of sampled blocks; the
 * rest is zeros. One block alone has too much to do, and is left out.
 */
#include <stdio.h>

#include "families/elementwise/elementwise.h"
#include "large.h"
#include "sampled.h"

#define EACH 1000

static void look(const int *c, size_t i, int wanted, struct found *found)
{
    if (c[i] != wanted && !*found->text)
        snprintf(found->text, sizeof(found->text), "c[%zu] is %d, not %d", i, c[i], wanted);
}

void large_run(const struct variant *v, struct found *found)
{
    int *a = large_array(LARGE * sizeof(*a)), *b = large_array(LARGE * sizeof(*b));
    int *c = large_array(LARGE * sizeof(*c));
    size_t n = v->rules & WHOLE_QUADS ? LARGE / 4 * 4 : LARGE;
    struct work w = {.c = c, .a = a, .b = b, .n = n, .blocks = 1 << 14, .threads = 256};

    for (int i = 0; i < EACH; i++) {
        a[i] = 1 + i;
        b[i] = 10000;
        a[n - EACH + i] = 20001 + i;
        b[n - EACH + i] = 30000;
    }
    sampled_only(true);
    v->launch(&w);
    large_wait(v);
    sampled_only(false);
    found->left_out = sampled_left_out();
    for (int i = 0; i < EACH && !found->left_out; i++) {
        look(c, (size_t)i, 10001 + i, found);
        look(c, n - EACH + (size_t)i, 50001 + i, found);
    }
    large_free(a);
    large_free(b);
    large_free(c);
}
