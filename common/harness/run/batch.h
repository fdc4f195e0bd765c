/*
 * --batch: many command lines in one process, a JSON line for each variant of each. Starting a
 * program costs more than a small run does, most of all on a GPU.
 */
#ifndef BATCH_H
#define BATCH_H

#include "harness/run/options.h"

/*
 * Work off the lines of the file ("-": standard input), each with the options of argv, less --batch
 * itself, before its own. Returns 0, 1 if some result was wrong or --check found something, or
 * BAD_DEVICE after a call of CUDA that failed: the lines behind have not been tried. BAD_USAGE
 * after one line if the file cannot be read; a line that is bad usage is reported in its JSON
 * alone. They are printed, or go to the file HAND_OVER.rows; hand_over may be NULL.
 */
int batch_run(const struct program *program, int argc, char **argv, const char *file,
              const char *hand_over);

#endif
