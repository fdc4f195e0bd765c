/*
 * A reader of JSON for files of ours: objects of texts, numbers and objects, taken member by
 * member. What is not asked for is skipped, at any depth up to a limit.
 */
#ifndef JSONREAD_H
#define JSONREAD_H

#include <stddef.h>

#include "harness/kit/message.h"

/* A text while it is read: it ends with a zero. */
struct json {
    const char *path; /* for messages */
    const char *text, *at;
    int depth;
};

/* Take a member whose key was read: with one of the functions below. 0, or BAD_USAGE after a
 * line. */
typedef int (*json_member)(void *context, struct json *, const char *key);

/* Each returns 0, or BAD_USAGE after one line that names the file and the line in it. */
int json_read_object(struct json *, json_member member, void *context);
int json_read_number(struct json *, double *value);
int json_read_text(struct json *, char *text, size_t room); /* what does not fit is an error */
int json_skip(struct json *);                               /* any value */
int json_end(struct json *);                                /* nothing follows */

/* Say what is wrong at this place. Returns BAD_USAGE. */
int json_complain(const struct json *, const char *format, ...) MESSAGE_FORMAT(2, 3);

#endif
