/*
 * The main of every program. It is compiled once per program, with the element types that the
 * step was compiled for, as -DTYPES='TYPE(f32) TYPE(i32)', the default first; and in a build with
 * peers with the table of the family's, as -DPEERS=reduce_peers.
 */
#include "harness/family.h"

#define TYPE(name) extern const struct step step_##name;
TYPES
#undef TYPE

int main(int argc, char **argv)
{
#define TYPE(name) &step_##name,
    static const struct step *const steps[] = {TYPES NULL};
#ifdef PEERS
    extern const struct peer PEERS[];

    return harness_main(argc, argv, steps, PEERS);
#else
    return harness_main(argc, argv, steps, NULL);
#endif
}
