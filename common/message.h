/*
 * Messages on standard error, each one line that starts with the program's name.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

/* What functions return after they printed one line; the exit status is its negative. */
#define BAD_USAGE (-2)
#define BAD_DEVICE (-3)

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

/* Show a line that the next one replaces, if standard error is a terminal; else nothing. */
void progress(const char *format, ...) MESSAGE_FORMAT(1, 2);
void progress_clear(void);

#ifdef __cplusplus
}
#endif

#endif
