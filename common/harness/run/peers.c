#include "harness/run/peers.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "harness/run/options.h"

static bool is_beside(const struct step *step, const struct variant *library)
{
    if (!step->family->beside)
        return true;
    for (size_t i = 0; i < step->count; i++) {
        if (step->family->beside(&step->variants[i], library))
            return true;
    }
    return false;
}

const struct peer *peers_join(const struct step *step, const struct peer *const *tables)
{
    static struct peer all[MAX_VARIANTS + 1]; /* whose place bits name: see chosen_peers */
    size_t count = 0;

    memset(all, 0, sizeof(all));
    for (; tables && *tables; tables++) {
        for (const struct peer *peer = *tables; peer->type; peer++) {
            if (!is_beside(step, &peer->variant))
                continue;
            assert(count < MAX_VARIANTS);
            memcpy(&all[count++], peer, sizeof(*peer));
        }
    }
    return count > 0 ? all : NULL;
}
