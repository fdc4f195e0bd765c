/*
 * The main of every program. It is compiled once per program, with the element types that the
 * step was compiled for, as -DTYPES='TYPE(f32) TYPE(i32)', the default first; and in a build with
 * peers with the tables of the family's, as -DPEERS='TABLE(reduce_peers)'.
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
#define TABLE(name) extern const struct peer name[];
    PEERS
#undef TABLE
#define TABLE(name) name,
    static const struct peer *const peers[] = {PEERS NULL};

    return harness_main(argc, argv, steps, peers);
#else
    return harness_main(argc, argv, steps, NULL);
#endif
}
