/* The queue's lock, for the queue alone: others have queue_lock in queue.h. See queue_lock.c. */
#ifndef CPU_RUNTIME_QUEUE_LOCK_H
#define CPU_RUNTIME_QUEUE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

extern pthread_mutex_t queue_mutex;
extern _Atomic unsigned queue_coming;      /* threads that want it */
extern _Thread_local unsigned queue_depth; /* how often this thread has taken it */
extern _Thread_local bool queue_driver;    /* this thread does what is queued */
extern unsigned queue_hosts;               /* threads of the host; under the lock */
extern uint64_t queue_changes;             /* by them, or from outside; the same */

#endif
