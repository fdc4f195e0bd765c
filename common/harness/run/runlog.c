#define _DEFAULT_SOURCE /* flock, realpath */
#include "harness/run/runlog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/kit/message.h"
#include "harness/run/runlog_row.h"

/* Read the header, without more. False if the file, which is not empty, holds something else. */
static bool read_header(int file, char header[ROW_TEXT])
{
    ssize_t got = pread(file, header, ROW_TEXT - 1, 0);

    header[got > 0 ? got : 0] = '\0';
    header[strcspn(header, "\r\n")] = '\0';
    return row_is_header(header);
}

/* Open and lock. By the time of the lock another program may have put a file in this one's place
 * (see extend) or removed it (see runlog_check): then try again. */
static int open_locked(const char *path, struct stat *now)
{
    for (;;) {
        struct stat named;
        int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);

        if (file < 0 && errno == EACCES) /* for what is no file, writing is enough */
            file = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            return -1;
        flock(file, LOCK_EX); /* where there are no locks, one write per row still holds */
        if (fstat(file, now) == 0 &&
            (!S_ISREG(now->st_mode) || (stat(path, &named) == 0 && named.st_ino == now->st_ino &&
                                        named.st_dev == now->st_dev)))
            return file;
        close(file);
    }
}

static int cannot_write(const char *path, const char *why)
{
    return complain(BAD_USAGE, "--log %s: cannot be written (%s)", path, why);
}

static int holds_something_else(const char *path)
{
    return complain(BAD_USAGE, "--log %s: holds something else; accepted: a new file or a run log",
                    path);
}

int runlog_check(const char *path)
{
    char header[ROW_TEXT];
    struct stat before, now;
    bool existed = stat(path, &before) == 0;
    int file = open_locked(path, &now);
    int status = 0;

    if (file < 0)
        return complain(BAD_USAGE, "--log %s: cannot be written (%s); accepted: a file that can",
                        path, strerror(errno));
    if (S_ISREG(now.st_mode) && now.st_size > 0 && !read_header(file, header))
        status = holds_something_else(path);
    if (!existed && now.st_size == 0)
        unlink(path); /* under the lock: no other program has appended to it */
    close(file);
    return status;
}

/* Copy the log, with more columns: the names behind the header, and a comma for each behind every
 * row. Line breaks within quotes are a field's. */
static bool copy_extended(FILE *from, FILE *to, const char *names, int count)
{
    bool quoted = false, header = true;
    int c, last = '\n';

    for (; (c = getc(from)) != EOF || last != '\n'; last = c) {
        if (c == EOF)
            c = '\n'; /* the last row was cut */
        quoted ^= c == '"';
        if (c == '\n' && !quoted) {
            if (header)
                fputs(names, to);
            for (int i = 0; i < count && !header; i++)
                putc(',', to);
            header = false;
        }
        if (c != '\r')
            putc(c, to);
    }
    return !ferror(from) && !ferror(to);
}

/* Put a log with more columns in this one's place. The lock of the old one is held. 0 or BAD_USAGE. */
static int extend(const char *path, const struct stat *now, const char *names, int count)
{
    char real[PATH_MAX], temporary[PATH_MAX + 8];
    FILE *from = NULL, *to = NULL;
    bool good = realpath(path, real) != NULL;
    int copy = -1;

    snprintf(temporary, sizeof(temporary), "%s.XXXXXX", good ? real : path);
    if (good)
        copy = mkstemp(temporary);
    if (copy >= 0) {
        to = fdopen(copy, "w");
        from = fopen(real, "r");
        good = to && from && fchmod(copy, now->st_mode & 07777) == 0 &&
               copy_extended(from, to, names, count);
        good = to && fflush(to) == 0 && good;
        good = good && rename(temporary, real) == 0;
    }
    if (copy < 0 || !good) {
        cannot_write(path, errno ? strerror(errno) : "no room");
        if (copy >= 0)
            unlink(temporary);
        good = false;
    }
    if (to)
        fclose(to);
    if (from)
        fclose(from);
    return good ? 0 : BAD_USAGE;
}

static int write_row(const char *path, int file, const struct stat *now, const char *text)
{
    size_t length = strlen(text);
    ssize_t written = write(file, text, length);
    int status;

    if (written == (ssize_t)length)
        return 0;
    status = cannot_write(path, written < 0 ? strerror(errno) : "no room");
    if (S_ISREG(now->st_mode) && ftruncate(file, now->st_size) != 0)
        complain(BAD_USAGE, "--log %s: its last row is not whole", path);
    return status;
}

/* Whether the file ends within a row, which a full disk or a copy may have cut. */
static bool ends_within_row(int file, const struct stat *now)
{
    char last = '\n';

    return now->st_size > 0 && pread(file, &last, 1, now->st_size - 1) == 1 && last != '\n';
}

/* Append to the log as it is now. 0, BAD_USAGE, or 1 if it was extended first: then again. */
static int append_once(const char *path, const struct row *row)
{
    static bool header_sent; /* to a pipe or terminal, whose size says nothing */
    char header[ROW_TEXT], names[ROW_TEXT], text[2 * ROW_TEXT] = "", line[ROW_TEXT];
    struct stat now;
    int file = open_locked(path, &now), lacks, status = 0;
    bool regular;

    if (file < 0)
        return cannot_write(path, strerror(errno));
    regular = S_ISREG(now.st_mode);
    row_header(header, row);
    if (regular ? now.st_size == 0 : !header_sent) {
        strcat(text, header);
    } else if (regular && !read_header(file, header)) {
        status = holds_something_else(path);
    } else if ((lacks = row_lacks(names, row, header)) > 0) {
        status = extend(path, &now, names, lacks);
        close(file);
        return status == 0 ? 1 : status;
    } else if (regular && ends_within_row(file, &now)) {
        strcat(text, "\n");
    }
    if (status == 0) {
        row_line(line, row, header);
        strcat(text, line);
        status = write_row(path, file, &now, text);
        header_sent = true;
    }
    close(file);
    return status;
}

int runlog_append(const char *path, const struct measurement *m, const struct device *device)
{
    struct row row;
    int status;

    row_fill(&row, m, device, time(NULL));
    do
        status = append_once(path, &row);
    while (status == 1);
    return status;
}
