#include "message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static const char *program = "cuda-steps";
static bool progress_shown;

void message_program(const char *name)
{
    program = name;
}

static void print_line(const char *variant, const char *format, va_list arguments)
{
    char text[1024];

    vsnprintf(text, sizeof(text), format, arguments);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    }
    progress_clear();
    fflush(stdout); /* so that the table and its complaints come in order */
    fprintf(stderr, "%s%s%s: %s\n", program, variant ? " " : "", variant ? variant : "", text);
}

int complain(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(NULL, format, arguments);
    va_end(arguments);
    return status;
}

int complain_of(const char *variant, int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(variant, format, arguments);
    va_end(arguments);
    return status;
}

void progress(const char *format, ...)
{
    va_list arguments;

    if (!isatty(STDERR_FILENO))
        return;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    fflush(stderr);
    va_end(arguments);
    progress_shown = true;
}

void progress_clear(void)
{
    if (progress_shown)
        fputs("\r\033[K", stderr);
    progress_shown = false;
}
