#include "harness/run/runlog.h"

#include <errno.h>
#include <string.h>

#include "csv/append.h"
#include "harness/kit/message.h"
#include "harness/run/runlog_row.h"

static int cannot_write(const char *path, int error, const char *accepted)
{
    return complain(BAD_USAGE, "--log %s: cannot be written (%s)%s", path, strerror(error),
                    accepted);
}

/* Whether the row can stand under the header. 0, or BAD_USAGE after one line. */
static int check_header(const char *path, const struct row *row, const char *header)
{
    const char *missing = row_missing(row, header);

    if (!row_is_header(header))
        return complain(BAD_USAGE,
                        "--log %s: holds something else; accepted: a new file or a run log", path);
    if (missing)
        return complain(BAD_USAGE,
                        "--log %s: it has no column %s, as an older version's log; accepted: a new "
                        "file, or a log with every column of this step",
                        path, missing);
    return 0;
}

int runlog_check(const char *path, const struct family *family)
{
    char header[ROW_TEXT];
    struct csv csv;
    struct row row;
    int error = csv_open(&csv, path), status;

    if (error)
        return cannot_write(path, error, "; accepted: a file that can");
    row_names(&row, family);
    row_header(header);
    status = check_header(path, &row, csv.bytes > 0 ? csv.header : header);
    csv_discard(&csv, path);
    return status;
}

static int append(const char *path, struct csv *csv, const struct row *row)
{
    static bool header_sent; /* to a pipe or terminal, whose size says nothing */
    bool first = csv->regular ? csv->bytes == 0 : !header_sent;
    char text[2 * ROW_TEXT] = "", header[ROW_TEXT];
    int status, error;

    row_header(header);
    if (csv->bytes > 0)
        strcpy(header, csv->header);
    status = check_header(path, row, header);
    if (status != 0)
        return status;
    if (first) {
        strcpy(text, header);
        strcat(text, "\n");
    }
    row_line(text + strlen(text), row, header);
    error = csv_append(csv, text);
    header_sent = true;
    return error ? cannot_write(path, error, "") : 0;
}

int runlog_append(const char *path, const struct measurement *m, const struct device *device)
{
    struct csv csv;
    struct row row;
    int error = csv_open(&csv, path), status;

    if (error)
        return cannot_write(path, error, "");
    row_fill(&row, m, device, time(NULL));
    status = append(path, &csv, &row);
    csv_close(&csv);
    return status;
}
