#define _DEFAULT_SOURCE /* flock */
#include "csv/append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_for_append(const char *path)
{
    int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);

    if (file < 0 && errno == EACCES) /* for what is no file, writing is enough */
        file = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
    return file;
}

/* Whether the path still leads to the open file. */
static bool is_named(const char *path, const struct stat *open)
{
    struct stat named;

    return stat(path, &named) == 0 && named.st_ino == open->st_ino && named.st_dev == open->st_dev;
}

int csv_open(struct csv *csv, const char *path)
{
    for (;;) {
        struct stat now;
        ssize_t got = 0;

        *csv = (struct csv){.created = stat(path, &now) != 0};
        csv->file = open_for_append(path);
        if (csv->file < 0)
            return errno;
        flock(csv->file, LOCK_EX); /* where there are no locks, one write per row still holds */
        if (fstat(csv->file, &now) != 0) {
            int error = errno;

            close(csv->file);
            return error;
        }
        csv->regular = S_ISREG(now.st_mode);
        if (csv->regular && !is_named(path, &now)) { /* removed meanwhile by csv_discard */
            close(csv->file);
            continue;
        }
        csv->bytes = csv->regular ? now.st_size : 0;
        if (csv->bytes > 0)
            got = pread(csv->file, csv->header, CSV_HEADER - 1, 0);
        csv->header[got > 0 ? got : 0] = '\0';
        csv->header[strcspn(csv->header, "\r\n")] = '\0';
        return 0;
    }
}

static bool ends_within_row(const struct csv *csv)
{
    char last = '\n';

    return csv->bytes > 0 && pread(csv->file, &last, 1, csv->bytes - 1) == 1 && last != '\n';
}

int csv_append(struct csv *csv, const char *rows)
{
    size_t ending = ends_within_row(csv), length = ending + strlen(rows);
    char *text = malloc(length + 1);
    ssize_t written;
    int error;

    if (!text)
        return ENOMEM;
    memcpy(text, "\n", ending);
    strcpy(text + ending, rows);
    written = write(csv->file, text, length);
    error = written < 0 ? errno : ENOSPC;
    free(text);
    if (written == (ssize_t)length) {
        csv->bytes += csv->regular ? written : 0;
        return 0;
    }
    return csv->regular && ftruncate(csv->file, csv->bytes) != 0 ? EIO : error;
}

void csv_close(struct csv *csv)
{
    close(csv->file);
}

void csv_discard(struct csv *csv, const char *path)
{
    if (csv->created && csv->regular && csv->bytes == 0)
        unlink(path); /* under the lock: no other program has appended to it */
    close(csv->file);
}
