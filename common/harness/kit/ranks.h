/*
 * A process per GPU: mpirun, srun, torchrun or a loop of the shell starts the same program several
 * times, and says in the environment of each process which one it is, its rank. The processes find
 * one another by TCP at rank 0's address. NCCL moves the arrays; here go only its id, verdicts and
 * times. Started once, a program is rank 0 of 1, and works with all devices.
 *
 * A rank that ends before the others ends them, too: each says so in a line, with status 3.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAX_RANKS 16
#define RANKS_BYTES 192 /* that a rank gives to ranks_gather at most */

int ranks_count(void); /* 1: this process is alone */
int ranks_own(void);   /* the number of this one, from 0 */

/* The number of this rank's device, of so many that it sees; on the CPU device each process has its
 * own. BAD_DEVICE after one line if there is none for it. */
int ranks_device(int visible);

/* Read the environment, and meet the others, which must run the same step with the same options.
 * 0, or BAD_USAGE or BAD_DEVICE after one line. */
int ranks_begin(const char *step, int argc, char **argv);

/* All ranks call it, in the same order: what each of them gave, in the order of the ranks, is in
 * all. Nobody returns before everybody has come. */
void ranks_gather(const void *own, void *all, size_t bytes);

/* The same for one value of each rank. */
bool ranks_agree(bool own);       /* whether it is true for all */
double ranks_largest(double own); /* of all; NaN if it is for one */

/* The end: the worst status of all ranks. A status above 1 ends the others, which say nothing,
 * because this rank has said why. */
int ranks_end(int status);

#ifdef __cplusplus
}
#endif
#endif
