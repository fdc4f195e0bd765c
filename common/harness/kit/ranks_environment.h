/*
 * Which rank this process is, as its environment says.
 */
#ifndef RANKS_ENVIRONMENT_H
#define RANKS_ENVIRONMENT_H

struct ranks_environment {
    int rank, size;
    int local;           /* its number among those of its host */
    const char *address; /* of rank 0's host; of the environment, or constant */
    int port;
};

/* One process alone where nothing is said. 0, or BAD_USAGE after the line that says which variable
 * is missing or wrong. */
int ranks_environment(struct ranks_environment *);

#endif
