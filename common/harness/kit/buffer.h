/*
 * The arrays of a family: allocated on the device, filled from the host, poisoned before a run,
 * restored after a variant that destroys them, and with a guard behind them that no kernel may
 * touch. A family says what an array is; how that is done stands here.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include "harness/family.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Behind an output, so that a store past its end is seen. An input has none, so that a load past its
 * end is out of bounds. */
#define BUFFER_GUARD 256

/* The family fills in the first part; a zeroed rest is an array that is not there yet. */
struct buffer {
    const char *what;        /* in messages: "the input" */
    size_t bytes;            /* of an element */
    const struct type *type; /* of an input that changes from run to run: f32 or i32; else NULL */
    int offset;              /* elements that it starts after an aligned address */
    int poison;              /* the byte that it is filled with before a run */
    size_t guard; /* bytes behind it that stay as the poison made them: 0 or BUFFER_GUARD */
    /* The kit's. */
    size_t capacity; /* elements, without the guard */
    char *base;      /* device memory, from its aligned start */
    void *device;    /* the array's first element */
    void *host;      /* the first elements, and room for the guard, on the host; NULL: none */
    size_t on_host;  /* how many elements */
    void *backup;    /* a second copy on the device, made when a variant first destroys the input */
    bool backup_tried, dirty;
    unsigned runs;  /* of the present variant, on an input */
    bool opposite;  /* the device, not the host, holds the opposite of what was uploaded, */
    size_t turned;  /* in so many elements, the first */
    uint64_t print; /* of the input as it was uploaded; see buffer_settle */
};

/* What floats and ints are filled with where a result is awaited: a NaN that no computation gives;
 * a number that no sum of ours is likely to be. */
int buffer_poison_of(const struct type *type);

/* Room for at least so many elements on the device; what was there is lost if there was less. 0, or
 * BAD_DEVICE after one line. */
int buffer_reserve(struct buffer *, size_t elements);

/* Make an input: as many elements as are needed, on the host what the setting asks for, and that on
 * the device. 0, or BAD_DEVICE after one line. */
int buffer_input(struct buffer *, size_t elements, const struct setting *);

/* Room for the first elements on the host. 0, or BAD_DEVICE after one line. */
int buffer_reserve_host(struct buffer *, size_t elements);

/* Copy all elements, which the host must hold, to the device. 0, or BAD_DEVICE after one line. */
int buffer_upload(struct buffer *);

/*
 * Make an input ready for a run. Undo what the last one destroyed, if it did; destroys says whether
 * this one will: from the second copy on the device if there is room for one, else from the host. Then
 * let every second run of a variant see the opposite of the input (see opposite.h), the first run never:
 * the member opposite says what the device holds. What a run leaves for the next is then wrong there.
 */
int buffer_restore(struct buffer *, size_t elements, bool destroys);

/* Poison the first elements, and the guard behind them. */
int buffer_poison(struct buffer *, size_t elements);

/* Copy the first elements and their guard to the host. 0, or BAD_DEVICE after one line. */
int buffer_download(struct buffer *, size_t elements);

/* The verdict on an output of so many elements: wrong if some element is, where says which and how;
 * or if the guard behind them was written to, on the host for a variant ON_HOST. 0, or BAD_DEVICE
 * after one line. */
int buffer_verdict(const struct buffer *, const struct variant *, size_t elements, size_t wrong,
                   const char *where, struct result *);

/* For a family's settle: make the result wrong, with a note, if the input is no longer what was
 * uploaded, unless the variant may write to it. Reads all of it. The next run is the first one of a
 * variant. 0, or BAD_DEVICE after one line. */
int buffer_settle(struct buffer *, const struct variant *, struct result *);

void buffer_free(struct buffer *);

/* So many bytes of zeroed memory on the host, for a family's struct; NULL after one line. */
void *work_new(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
