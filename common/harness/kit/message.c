#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "harness/kit/message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *program = "cuda-steps";
static bool progress_shown, progress_lines;
static char *captured; /* where messages go; NULL: to standard error */
static size_t captured_room;
static void (*before_failure)(int status);

void message_program(const char *name)
{
    program = name;
}

void message_before_failure(void (*wait)(int status))
{
    before_failure = wait;
}

static void print_line(const char *variant, int status, const char *format, va_list arguments)
{
    char text[1024];

    if (status < 0 && before_failure)
        before_failure(status);
    vsnprintf(text, sizeof(text), format, arguments);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    }
    if (captured) {
        size_t used = strlen(captured);

        snprintf(captured + used, captured_room - used, "%s%s", used ? "; " : "", text);
        return;
    }
    progress_clear();
    fflush(stdout); /* so that the table and its complaints come in order */
    fprintf(stderr, "%s%s%s: %s\n", program, variant ? " " : "", variant ? variant : "", text);
}

int complain(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(NULL, status, format, arguments);
    va_end(arguments);
    return status;
}

int complain_of(const char *variant, int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(variant, status, format, arguments);
    va_end(arguments);
    return status;
}

void message_capture(char *text, size_t room)
{
    captured = text;
    captured_room = room;
    if (text)
        text[0] = '\0';
}

void progress_as_lines(bool lines)
{
    progress_lines = lines;
}

void progress(const char *format, ...)
{
    static double next; /* not before this time, in seconds */
    struct timespec t;
    double now;
    va_list arguments;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (next == 0)
        next = now + 1; /* what is done sooner needs no word */
    if (now < next || (!progress_lines && !isatty(STDERR_FILENO)))
        return;
    next = now + 0.5;
    va_start(arguments, format);
    fputs(progress_lines ? "progress: " : "\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    if (progress_lines)
        fputc('\n', stderr);
    fflush(stderr);
    va_end(arguments);
    progress_shown = !progress_lines;
}

void progress_clear(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
}
