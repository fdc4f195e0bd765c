/*
 * Which of the libraries' variants stand beside a step.
 */
#ifndef PEERS_H
#define PEERS_H

#include "harness/family.h"

/* The tables of a family as one, which ends with type NULL, without those variants that its
 * function `beside` puts beside none of the step's; NULL if none is left. tables: NULL at the end,
 * or NULL. The table is kept; the next call overwrites it. */
const struct peer *peers_join(const struct step *, const struct peer *const *tables);

#endif
