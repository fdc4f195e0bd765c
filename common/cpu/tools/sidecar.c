/*
 * The sidecars of a run log: LOG-KIND.csv, what the counters, the trace or an estimate have in rows
 * of their own columns.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_device.h"
#include "csv/append.h"

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

/* NULL, or what is wrong, also if the file is not ours; then it is closed. */
static const char *open_sidecar(struct csv *csv, const char *path, const char *kind,
                                const char *header)
{
    int error = csv_open(csv, path);

    if (error)
        return cannot_write(path, kind, strerror(error));
    if (csv->bytes == 0 || strcmp(csv->header, header) == 0)
        return NULL;
    csv_close(csv);
    return message(
        "--%s with --log: %s holds something else; accepted: a new file, or one with this "
        "program's columns",
        kind, path);
}

const char *cpu_device_can_append(const char *log, const char *kind, const char *header)
{
    const char *wrong;
    char path[MAX_PATH];
    struct csv csv;

    sidecar_path(path, log, kind);
    wrong = open_sidecar(&csv, path, kind, header);
    if (!wrong)
        csv_discard(&csv, path);
    return wrong;
}

const char *cpu_device_append(const char *log, const char *kind, const char *header,
                              const char *rows)
{
    size_t length = strlen(header);
    const char *wrong;
    char path[MAX_PATH], *text;
    struct csv csv;
    int error = ENOMEM;

    sidecar_path(path, log, kind);
    wrong = open_sidecar(&csv, path, kind, header);
    if (wrong)
        return wrong;
    if (strncmp(rows, header, length) == 0 && rows[length] == '\n')
        rows += length + 1;
    text = malloc(length + strlen(rows) + 2);
    if (text) {
        sprintf(text, "%s%s%s", csv.bytes == 0 ? header : "", csv.bytes == 0 ? "\n" : "", rows);
        error = csv_append(&csv, text);
        free(text);
    }
    csv_close(&csv);
    return error ? cannot_write(path, kind, strerror(error)) : NULL;
}
