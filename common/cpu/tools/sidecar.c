/*
 * The sidecars of a run log: LOG-KIND.csv, what the counters, the trace or an estimate have in rows
 * of their own columns.
 */
#define _DEFAULT_SOURCE /* flock */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu_device.h"

enum { MAX_PATH = 4096 };

/* What went wrong, in a line that stays until the next one. */
static const char *message(const char *format, ...)
{
    static char line[MAX_PATH + 200];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    return line;
}

static void sidecar_path(char path[MAX_PATH], const char *log, const char *kind)
{
    size_t length = strlen(log);

    if (length > 4 && strcmp(log + length - 4, ".csv") == 0)
        length -= 4;
    snprintf(path, MAX_PATH, "%.*s-%s.csv", (int)length, log, kind);
}

static const char *cannot_write(const char *path, const char *kind, const char *why)
{
    return message("--%s with --log: %s cannot be written (%s)", kind, path, why);
}

/* Whether the file, which is not empty, begins with this header. */
static bool begins_with(int file, const char *header)
{
    size_t length = strlen(header);
    char *line = calloc(1, length + 2);
    ssize_t got = line ? pread(file, line, length + 1, 0) : -1;
    bool same = got >= (ssize_t)length && strncmp(line, header, length) == 0 &&
                (got == (ssize_t)length || strchr("\r\n", line[length]));

    free(line);
    return same;
}

/* Open and lock it. -1 with what is wrong, also if it is not ours. */
static int open_sidecar(const char *path, const char *kind, const char *header, struct stat *now,
                        const char **wrong)
{
    int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

    if (file < 0 || fstat(file, now) != 0) {
        *wrong = cannot_write(path, kind, strerror(errno));
        if (file >= 0)
            close(file);
        return -1;
    }
    flock(file, LOCK_EX);
    fstat(file, now);
    if (now->st_size == 0 || begins_with(file, header))
        return file;
    *wrong =
        message("--%s with --log: %s holds something else; accepted: a new file, or one with this "
                "program's columns",
                kind, path);
    close(file);
    return -1;
}

const char *cpu_device_can_append(const char *log, const char *kind, const char *header)
{
    const char *wrong = NULL;
    char path[MAX_PATH];
    struct stat now;
    int file;

    sidecar_path(path, log, kind);
    file = open_sidecar(path, kind, header, &now, &wrong);
    if (file < 0)
        return wrong;
    if (now.st_size == 0)
        unlink(path);
    close(file);
    return NULL;
}

/* Write all of it, or put the file back to its length. */
static const char *write_whole(const char *path, const char *kind, int file, const struct stat *now,
                               const char *text)
{
    size_t length = strlen(text);
    ssize_t written = write(file, text, length);
    int error = errno;

    if (written == (ssize_t)length)
        return NULL;
    if (S_ISREG(now->st_mode) && ftruncate(file, now->st_size) != 0)
        return message("--%s with --log: the last row of %s is not whole", kind, path);
    return cannot_write(path, kind, written < 0 ? strerror(error) : "no room");
}

const char *cpu_device_append(const char *log, const char *kind, const char *header,
                              const char *rows)
{
    const char *wrong = NULL;
    char path[MAX_PATH], last = '\n', *text;
    size_t length = strlen(header);
    struct stat now;
    int file;

    sidecar_path(path, log, kind);
    file = open_sidecar(path, kind, header, &now, &wrong);
    if (file < 0)
        return wrong;
    if (strncmp(rows, header, length) == 0 && rows[length] == '\n')
        rows += length + 1;
    text = malloc(length + strlen(rows) + 3);
    if (!text) {
        close(file);
        return message("no memory left on the host");
    }
    if (now.st_size > 0 && pread(file, &last, 1, now.st_size - 1) != 1)
        last = '\n';
    sprintf(text, "%s%s%s%s", last == '\n' ? "" : "\n", now.st_size == 0 ? header : "",
            now.st_size == 0 ? "\n" : "", rows);
    wrong = write_whole(path, kind, file, &now, text);
    free(text);
    close(file);
    return wrong;
}
