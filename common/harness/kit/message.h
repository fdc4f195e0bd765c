/*
 * Messages on standard error, each one line that starts with the program's name.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "harness/family.h" /* BAD_USAGE, BAD_DEVICE */

#define MESSAGE_FORMAT(text, first) __attribute__((format(printf, text, first)))

#ifdef __cplusplus
extern "C" {
#endif

/* The name that every line starts with, e.g. "reduce2". Not copied. */
void message_program(const char *name);

/* Print "reduce2: TEXT" and return status. Control characters come out as '?', so that a value
 * from the command line cannot break the line. */
int complain(int status, const char *format, ...) MESSAGE_FORMAT(2, 3);

/* The same with the variant before the colon: "reduce2 sequential: TEXT". */
int complain_of(const char *variant, int status, const char *format, ...) MESSAGE_FORMAT(3, 4);

/* Call this before each message that goes with a status below 0: what it is about may have a cause
 * that is told otherwise. */
void message_before_failure(void (*wait)(int status));

/* Keep the messages from here on in text, lines joined by "; ", in place of printing them; NULL:
 * print again. A text without a message is "". */
void message_capture(char *text, size_t room);

/* Show how far the work is, at most twice a second: on a terminal a line that the next one
 * replaces, after progress_as_lines(true) a line that begins with "progress: ", else nothing. */
void progress(const char *format, ...) MESSAGE_FORMAT(1, 2);
void progress_clear(void);
void progress_as_lines(bool lines);

#ifdef __cplusplus
}
#endif

#endif
