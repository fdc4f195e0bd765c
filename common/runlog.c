#define _DEFAULT_SOURCE /* flock */
#include "runlog.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

static const char header[] =
    "utc,commit,backend,device,driver,cuda,step,variant,n,rows,cols,type,blocks,threads,runs,cache,"
    "median_us,min_us,q1_us,q3_us,max_us,bytes,flops,gb_per_s,gflop_per_s,copy_gb_per_s,"
    "value,reference,error,bound,status\n";

/* A row under construction. A row that does not fit is cut and noticed by its length. */
struct row {
    char text[4096];
    size_t length;
};

static void put(struct row *row, const char *format, ...) MESSAGE_FORMAT(2, 3);

static void put(struct row *row, const char *format, ...)
{
    size_t room = sizeof(row->text) - row->length;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(row->text + row->length, room, format, arguments);
    va_end(arguments);
    row->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* RFC 4180: quote a field with a comma, quote or line break, and double its quotes. */
static void put_text(struct row *row, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        put(row, "%s,", text);
        return;
    }
    put(row, "\"");
    for (; *text; text++)
        put(row, *text == '"' ? "\"\"" : "%c", *text);
    put(row, "\",");
}

static void put_number(struct row *row, const char *format, double value)
{
    char text[64] = "";

    if (!isnan(value))
        snprintf(text, sizeof(text), format, value);
    put(row, "%s,", text);
}

static void put_count(struct row *row, size_t count)
{
    if (count)
        put(row, "%zu,", count);
    else
        put(row, ",");
}

/* value and reference may truly be NaN, which is not unknown. */
static void put_value(struct row *row, bool known, double value)
{
    if (known && isnan(value))
        put(row, "nan,");
    else
        put_number(row, "%.17g", known ? value : NAN);
}

/* x in units of 1e9 a second, for so many microseconds. */
static double rate(double x, double us)
{
    return us > 0 ? x / us * 1e-3 : NAN;
}

static void put_record(struct row *row, const struct record *r)
{
    const struct shape *s = &r->shape;
    char utc[32] = "";
    struct tm tm;

    if (gmtime_r(&r->when, &tm))
        strftime(utc, sizeof(utc), "%Y-%m-%dT%H:%M:%SZ", &tm);
    put_text(row, utc);
    put_text(row, r->commit);
    put_text(row, r->backend);
    put_text(row, r->device);
    put_text(row, r->driver);
    put_text(row, r->cuda);
    put_text(row, r->step);
    put_text(row, r->variant);
    put(row, "%zu,", s->n);
    if (s->rows || s->cols)
        put(row, "%zu,%zu,", s->rows, s->cols);
    else
        put(row, ",,");
    put_text(row, s->type == TYPE_F32 ? "f32" : "i32");
    put_count(row, (size_t)s->blocks);
    put_count(row, (size_t)s->threads);
    put_count(row, (size_t)r->runs);
    put_text(row, r->cold ? "cold" : "warm");
    put_number(row, "%.4f", r->us.median);
    put_number(row, "%.4f", r->us.min);
    put_number(row, "%.4f", r->us.q1);
    put_number(row, "%.4f", r->us.q3);
    put_number(row, "%.4f", r->us.max);
    put_number(row, "%.0f", r->bytes);
    put_number(row, "%.0f", r->flops);
    put_number(row, "%.6g", rate(r->bytes, r->us.median));
    put_number(row, "%.6g", rate(r->flops, r->us.median));
    put_number(row, "%.6g", r->copy_gb_per_s);
    put_value(row, r->result.has_value, r->result.value);
    put_value(row, r->result.has_value, r->result.reference);
    put_number(row, "%.6g", r->result.error);
    put_number(row, "%.6g", r->result.bound);
    put(row, "%s\n", r->status);
}

/* Does the file start with our header? An empty one, or none that can be read, counts as yes. */
static bool is_runlog(int file, off_t size)
{
    char start[sizeof(header) - 1];
    ssize_t got = size > 0 ? pread(file, start, sizeof(start), 0) : 0;

    return got <= 0 || ((size_t)got == sizeof(start) && memcmp(start, header, sizeof(start)) == 0);
}

/* Open and lock. The name may have gone by the time of the lock (see runlog_check): try again. */
static int open_locked(const char *path, struct stat *stat)
{
    for (;;) {
        int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);

        if (file < 0 && errno == EACCES) /* writing is enough */
            file = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC);
        if (file < 0)
            return -1;
        flock(file, LOCK_EX); /* where there are no locks, one write a row still holds */
        if (fstat(file, stat) == 0 && (stat->st_nlink > 0 || !S_ISREG(stat->st_mode)))
            return file;
        close(file);
    }
}

int runlog_check(const char *path)
{
    struct stat before, now;
    bool existed = stat(path, &before) == 0;
    int file = open_locked(path, &now);
    int status = 0;

    if (file < 0)
        return complain(BAD_USAGE, "--log %s: cannot be written (%s); accepted: a file that can",
                        path, strerror(errno));
    if (S_ISREG(now.st_mode) && !is_runlog(file, now.st_size))
        status = complain(BAD_USAGE,
                          "--log %s: holds something else; accepted: a new file or a run "
                          "log",
                          path);
    if (!existed && now.st_size == 0)
        unlink(path); /* under the lock: nobody has appended to it */
    close(file);
    return status;
}

int runlog_append(const char *path, const struct record *record)
{
    static bool header_sent; /* to a pipe or terminal, whose size says nothing */
    struct row row = {.length = 0};
    struct stat stat;
    int file = open_locked(path, &stat);
    int status = 0;
    ssize_t written;

    if (file < 0)
        return complain(BAD_USAGE, "--log %s: cannot be written (%s)", path, strerror(errno));
    if (S_ISREG(stat.st_mode) ? stat.st_size == 0 : !header_sent)
        put(&row, "%s", header);
    header_sent = true;
    put_record(&row, record);
    written = write(file, row.text, row.length);
    if (written != (ssize_t)row.length) {
        status = complain(BAD_USAGE, "--log %s: cannot be written (%s)", path,
                          written < 0 ? strerror(errno) : "no room");
        if (S_ISREG(stat.st_mode) && ftruncate(file, stat.st_size) != 0)
            complain(BAD_USAGE, "--log %s: its last row is not whole", path);
    }
    close(file);
    return status;
}
