/* What a scan's family asks of its comparison, on either device. */
#include "harness/kit/prefix.h"

#include <stdio.h>

int prefix_verify(struct prefix *c, size_t n, double depth, const struct variant *variant,
                  struct result *result)
{
    struct worst worst = WORST_NONE;
    char where[64];
    int status;

    c->n = n;
    c->opposite = c->x->opposite;
    c->depth = depth;
    status = prefix_compare(c, &worst);
    *result = (struct result){
        .has_value = n > 0,
        .value = worst.value,
        .reference = worst.reference,
        .error = worst.error, /* without elements 0, as the bound */
        .bound = worst.bound,
    };
    snprintf(where, sizeof(where), "%zu elements, first y[%zu]", worst.wrong, worst.at);
    return status == 0 ? buffer_verdict(c->y, variant, n,
                                        (struct wrong){worst.wrong, worst.at, where}, result)
                       : status;
}
