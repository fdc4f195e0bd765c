/*
 * Host loops over fixed chunks, by a few threads. The chunks do not depend on the number of
 * threads, so a result that is put together in the order of the chunks is the same on any machine.
 */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stddef.h>

#define PARALLEL_CHUNK ((size_t)1 << 18) /* elements; the last chunk may be shorter */

/* Handle the elements begin to end - 1; chunk counts from 0. Called by several threads at once. */
typedef void (*parallel_body)(void *context, size_t chunk, size_t begin, size_t end);

/* How many chunks n elements make. */
size_t parallel_chunks(size_t n);

/* Call body for every chunk of n elements, each once, in any order; return when all are done.
 * Where no thread can be started, the caller does all the work. */
void parallel_for(size_t n, parallel_body body, void *context);

#endif
