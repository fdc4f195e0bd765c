/*
 * The arrays of a family: allocated on the device, filled from the host, poisoned before a run,
 * restored after a variant that destroys them, and with a guard behind them that no kernel may
 * touch. A family says what an array is; how that is done stands here.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include "harness/kit/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Behind an output, so that a store past its end is seen. An input has none, so that a load past
 * its end is out of bounds. */
#define BUFFER_GUARD 256

/* What has become of an input since it was uploaded: by this it is made ready for the next run. */
struct input_state {
    uint64_t checksum; /* of the input as it was uploaded; see buffer_settle */
    void *backup;      /* a second copy on the device; NULL: none yet, or no room for one */
    bool backup_tried; /* when a variant first destroyed the input */
    bool dirty;        /* the last run was allowed to write to it */
    unsigned variant;  /* that had the last run; see buffer_begin_variant */
    unsigned runs;     /* of that variant */
    const struct setting *setting; /* of an input that the host has no copy of; else NULL */
    size_t turned; /* the first elements, of which the device had the opposite last */
};

/* The family fills in the first part; a zeroed rest is an array that is not there yet. */
struct buffer {
    const char *what;        /* in messages: "the input" */
    size_t bytes;            /* of an element */
    const struct type *type; /* of an input that changes from run to run: no integer but i32 */
    int offset;              /* elements that it starts after an aligned address */
    int poison;              /* the byte that it is filled with before a run */
    size_t guard; /* bytes behind it that stay as the poison made them: 0 or BUFFER_GUARD */
    struct device_stream place; /* where it lives, and is made ready; zeroed: see buffer_reserve */
    /* The kit fills in the others. */
    size_t capacity;      /* elements on the device, without the guard */
    void *device;         /* the first of them; NULL: none yet */
    void *host;           /* the first elements, and room for the guard, on the host; NULL: none */
    size_t host_capacity; /* elements on the host, without the guard */
    bool opposite;        /* the device holds the opposite of what the host holds */
    struct input_state state; /* for the kit alone */
};

/* What floats and ints are filled with where a result is awaited: a NaN that no computation gives;
 * a number that no sum of ours is likely to be. */
int buffer_poison_of(const struct type *type);

/* Room for at least so many elements on the device of the array's place; what was there is lost if
 * there was less. An array without a place stays where it is first reserved: on the current device.
 * 0, or BAD_DEVICE after one line. */
int buffer_reserve(struct buffer *, size_t elements);

/* Make an input: as many elements as are needed, on the host what the setting asks for, and that on
 * the device. 0, or BAD_DEVICE after one line. */
int buffer_input(struct buffer *, size_t elements, const struct setting *);

/* The same; but on a GPU that can make it itself, it does, and the host gets no copy. The setting
 * must outlive the array. */
int buffer_input_there(struct buffer *, size_t elements, const struct setting *);

/* Room for the first elements on the host. 0, or BAD_DEVICE after one line. */
int buffer_reserve_host(struct buffer *, size_t elements);

/* Copy all elements, which the host must hold, to the device. 0, or BAD_DEVICE after one line. */
int buffer_upload(struct buffer *);

/* All elements are what a run is to find, on the device alone. 0, or BAD_DEVICE after one line. */
int buffer_made(struct buffer *);

/* The next run of any input is the first one of a variant. */
void buffer_begin_variant(void);

/*
 * Make an input ready for a run. Undo what the last one destroyed, if it did; destroys says whether
 * this one will: from a second copy on the device if there is room for one, else as it was made.
 * Then let every second run of a variant see the opposite of the input (see opposite.h), the first
 * run never: the member opposite says what the device holds. What a run leaves for the next is then
 * wrong there.
 */
int buffer_restore(struct buffer *, size_t elements, bool destroys);

/* Poison the first elements, and the guard behind them. */
int buffer_poison(struct buffer *, size_t elements);

/* Copy the first elements and their guard to the host. 0, or BAD_DEVICE after one line. */
int buffer_download(struct buffer *, size_t elements);

/* What a comparison has found wrong in an output. */
#define NO_ELEMENT SIZE_MAX /* of the output is the one that is wrong: a sum over it, say */
struct wrong {
    size_t count, first; /* elements; the first of them */
    const char *where;   /* says which and how */
};

/* The verdict on an output of so many elements: wrong if some element is, or if the guard behind
 * them was written to, on the host for a variant ON_HOST. 0, or BAD_DEVICE after one line. */
int buffer_verdict(const struct buffer *, const struct variant *, size_t elements, struct wrong,
                   struct result *);

/* The result speaks of this element of an array on the device. */
void buffer_point(const struct buffer *, size_t element, struct result *);

/* For a family's settle: make the result wrong, with a note, if the input is no longer what the run
 * was given, unless the variant may write to it. Reads all of it. 0, or BAD_DEVICE after one line.
 */
int buffer_settle(struct buffer *, const struct variant *, struct result *);

void buffer_free(struct buffer *);

/* So many bytes of zeroed memory on the host, for a family's struct; NULL after one line. */
void *work_new(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
