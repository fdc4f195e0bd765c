#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "harness/run/spans.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv/append.h"
#include "harness/kit/message.h"
#include "harness/kit/timeline.h"
#include "harness/run/options.h"

#define HEADER "step,variant,type,n,threads,row,item,begin_us,end_us\n"

/* The rows as text, to be freed; NULL: no memory. */
static char *rows_of(const struct measurement *m, const struct timeline_span *spans, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s,%s,%s,%zu,%d,%s,%zu,%.3f,%.3f\n", m->program->step, m->variant->name,
                m->shape.type->name, m->shape.n, m->shape.threads, spans[i].row, spans[i].item,
                spans[i].begin_us, spans[i].end_us);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int append(const char *log, const char *rows)
{
    size_t length = strlen(log), cut = strlen(HEADER) - 1;
    bool named = length > 4 && strcmp(log + length - 4, ".csv") == 0;
    char path[4096];
    struct csv csv;
    int error;

    snprintf(path, sizeof(path), "%.*s-timeline.csv", (int)(named ? length - 4 : length), log);
    error = csv_open(&csv, path);
    if (error)
        return complain(BAD_USAGE, "--timeline with --log: %s cannot be written (%s)", path,
                        strerror(error));
    if (csv.bytes > 0 && (strlen(csv.header) != cut || strncmp(csv.header, HEADER, cut) != 0)) {
        csv_close(&csv);
        return complain(BAD_USAGE, "--timeline with --log: %s holds something else", path);
    }
    if (csv.bytes == 0)
        error = csv_append(&csv, HEADER);
    if (error == 0)
        error = csv_append(&csv, rows);
    csv_close(&csv);
    return error ? complain(BAD_USAGE, "--timeline with --log: %s cannot be written (%s)", path,
                            strerror(error))
                 : 0;
}

int spans_run(struct meter *meter, const struct measured *measured, const struct measurement *m,
              const char *log)
{
    struct measured once = *measured;
    const struct timeline_span *spans = NULL;
    struct stats us;
    size_t count = 0;
    int status = 0;
    char *rows = NULL;

    once.runs = 1;
    once.warmup = 0;
    once.from_idle = true;                             /* the start is the run's */
    for (int run = 0; run < 2 && status == 0; run++) { /* what is made once, the first makes */
        status = timeline_open();
        if (status == 0)
            status = measure(meter, &once, &us, NULL);
    }
    if (status == 0)
        status = timeline_read(&spans, &count);
    if (status == 0)
        rows = rows_of(m, spans, count);
    timeline_close();
    if (status != 0 || (!rows && complain(BAD_DEVICE, "no memory left on the host")))
        return status ? status : BAD_DEVICE;
    if (log)
        status = append(log, rows);
    else
        printf("%s%s", HEADER, rows);
    free(rows);
    return status;
}
