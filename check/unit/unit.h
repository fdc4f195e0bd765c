/*
 * What every unit test needs: cmocka, and standard error or output caught in a string.
 */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct capture {
    FILE *file;
    int stream, saved;
    char text[8192];
};

/* Send a stream (STDERR_FILENO or STDOUT_FILENO) to a file until capture_stop. */
static inline void capture_start(struct capture *c, int stream)
{
    fflush(NULL);
    c->file = tmpfile();
    assert_non_null(c->file);
    c->stream = stream;
    c->saved = dup(stream);
    dup2(fileno(c->file), stream);
}

/* What was printed since. */
static inline const char *capture_stop(struct capture *c)
{
    size_t length;

    fflush(NULL);
    dup2(c->saved, c->stream);
    close(c->saved);
    rewind(c->file);
    length = fread(c->text, 1, sizeof(c->text) - 1, c->file);
    c->text[length] = '\0';
    fclose(c->file);
    return c->text;
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not contain '%s'", text, part);
}

/* One line, no more and no less, that contains part. */
static inline void assert_one_line(const char *text, const char *part)
{
    const char *end = strchr(text, '\n');

    if (!end || end[1])
        fail_msg("not one line: '%s'", text);
    assert_contains(text, part);
}

#endif
