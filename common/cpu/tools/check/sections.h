/* Critical sections: what threads do while they hold a lock. See sections.c. */
#ifndef CPU_TOOLS_CHECK_SECTIONS_H
#define CPU_TOOLS_CHECK_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { FILTER_WORDS = 4, MOST_BARE = 6 };

/* A Bloom filter (Bloom, 1970) of addresses, with one bit for each. */
struct filter {
    uint64_t bits[FILTER_WORDS];
};

/* All that one thread does while it holds one lock. */
struct section {
    struct section *next;        /* of the thread */
    struct section *next_bucket; /* of all */
    uintptr_t lock;
    uint32_t serial; /* of the block */
    unsigned thread;
    bool wide; /* other threads may take part: a barrier, or a flag, was waited for */
    struct filter reads, writes;
    unsigned bare[2];                  /* how many, below */
    uintptr_t bare_word[2][MOST_BARE]; /* touched with no fence since the lock was taken, of any
                                        * scope and of device scope; the first ones */
};

/* What a thread holds. */
struct holding {
    uintptr_t lock;                 /* 0: nothing */
    uint64_t free;                  /* the value that it had, and must get back */
    uint64_t fences, device_fences; /* of the thread, when it took it */
    bool takes;                     /* the swap at hand wants to know the old value */
    struct section first;           /* before it is known to be a lock */
    struct section *section;        /* from then on */
    struct section *all;            /* of the thread: of each lock one */
    struct release_record *record;  /* of the write that may give it back */
    struct suspect *suspect;
};

struct check_thread;
struct check_block;
struct access;
struct target;
struct thread;
struct finding;

bool sections_any(void); /* in this launch some lock was given back, or is about to be */
void sections_forget(void);

/* The thread's access is about to be checked. */
void section_access(const struct access *a);
/* An exchange, or a compare-and-swap, has changed the word. */
void section_swapped(struct thread *t, uintptr_t word, uint64_t old, uint64_t now);
/* It was written through volatile, which is taken to give a lock back. */
void section_written(const struct access *a);
void section_widen(struct check_thread *ct); /* the thread meets others */
void section_forget(struct check_thread *ct);

/* The thread's section of that lock: of a compare-and-swap or an exchange that looks at it. */
struct section *section_of_lock(struct thread *t, uintptr_t lock);

static inline bool filters_meet(const struct filter *a, const struct filter *b)
{
    for (int i = 0; i < FILTER_WORDS; i++)
        if (a->bits[i] & b->bits[i])
            return true;
    return false;
}

/* Does one do what may not happen beside what the other does? */
static inline bool sections_conflict(const struct section *a, const struct section *b)
{
    return a == b || a->wide || b->wide || filters_meet(&a->writes, &b->writes) ||
           filters_meet(&a->writes, &b->reads) || filters_meet(&a->reads, &b->writes);
}

/* The access is in order with `old`, because one thread took a lock after the other. Would it be in
 * another order, too? lock: of the block whose thread takes part. */
bool section_by_luck(const struct access *a, const struct target *old);
/* The same of a volatile flag, which orders nothing by itself: all others use it under a lock. */
bool section_left_out(const struct access *a, const struct target *old);
/* One of the two writes is volatile, and gives a lock back that the other one asks for. */
bool section_gives_back(const struct access *a, const struct target *old);
/* What was in order will not be the other way around, unless a fence follows before the lock is
 * given back. */
void section_suspect(const struct access *a, const struct target *old, const struct finding *f);

#endif
