#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include "harness/run/runlog_row.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/kit/ranks.h"
#include "harness/run/options.h"
#include "harness/run/version.h"
#include "log_columns.h"

/* The columns that every family has, in the order of a new log. Behind them are those of the
 * families' own axes and parameters, LOG_COLUMNS, which their meson.build names. */
static const char *const columns[] = {
    "utc",     "commit", "backend",   "device",      "driver",        "cuda",   "step",
    "variant", "role",   "n",         "input",       "type",          "blocks", "threads",
    "runs",    "cache",  "median_us", "min_us",      "q1_us",         "q3_us",  "max_us",
    "bytes",   "flops",  "gb_per_s",  "gflop_per_s", "copy_gb_per_s", "value",  "reference",
    "error",   "bound",  "status"};

/* A column of its own, behind all others, of logs that ranks have begun: what several processes
 * were timed with does not stand among rows of one. */
#define RANKS "ranks"

static void add(struct row *row, const char *name)
{
    struct field *field = &row->fields[row->count++];

    field->name = name;
    field->text[0] = '\0';
}

void row_names(struct row *row, const struct family *family)
{
    row->count = 0;
    for (size_t i = 0; i < COUNT(columns); i++)
        add(row, columns[i]);
    for (size_t i = 0; i < family->axis_count; i++) {
        if (strcmp(family->axes[i].name, "n") != 0)
            add(row, family->axes[i].name);
    }
    for (const struct parameter *p = family->parameters; p && p->option; p++)
        add(row, p->option);
    if (ranks_count() > 1)
        add(row, RANKS);
}

static void set(struct row *row, const char *name, const char *format, ...) MESSAGE_FORMAT(3, 4);

/* One of the row's names. */
static void set(struct row *row, const char *name, const char *format, ...)
{
    struct field *field = row->fields;
    va_list arguments;

    while (strcmp(field->name, name) != 0)
        field++;
    va_start(arguments, format);
    vsnprintf(field->text, sizeof(field->text), format, arguments);
    va_end(arguments);
}

/* A number, or nothing for NaN. The format is for one double. */
static void set_number(struct row *row, const char *name, const char *format, double value)
{
    char text[64] = "";

    if (!isnan(value))
        snprintf(text, sizeof(text), format, value);
    set(row, name, "%s", text);
}

static void set_count(struct row *row, const char *name, int count)
{
    set(row, name, count ? "%d" : "", count);
}

/* value and reference may truly be NaN, which is not unknown. */
static void set_value(struct row *row, const char *name, bool known, double value)
{
    if (known && isnan(value))
        set(row, name, "nan");
    else
        set_number(row, name, "%.17g", known ? value : NAN);
}

/* n, unless it is one of the axes the number of elements; then the other axes. */
static void set_axes(struct row *row, const struct family *family, const struct shape *s)
{
    size_t n = s->n;

    for (size_t i = 0; i < family->axis_count; i++)
        n = strcmp(family->axes[i].name, "n") == 0 ? s->axis[i] : n;
    set(row, "n", "%zu", n);
    for (size_t i = 0; i < family->axis_count; i++) {
        if (strcmp(family->axes[i].name, "n") != 0)
            set(row, family->axes[i].name, "%zu", s->axis[i]);
    }
}

/* What the input was, and the family's parameters as they were given. */
static void set_setting(struct row *row, const struct family *family, const struct setting *setting)
{
    set(row, "input", "%s", setting->input ? setting->input : "");
    for (int i = 0; family->parameters && family->parameters[i].option; i++)
        set(row, family->parameters[i].option, "%s",
            setting->parameters[i] ? setting->parameters[i] : "");
}

void row_fill(struct row *row, const struct measurement *m, const struct device *device,
              time_t when)
{
    const struct shape *s = &m->shape;
    const struct result *r = &m->result;
    char utc[32] = "";
    struct tm tm;

    row_names(row, m->program->family);
    if (gmtime_r(&when, &tm))
        strftime(utc, sizeof(utc), "%Y-%m-%dT%H:%M:%SZ", &tm);
    set(row, "utc", "%s", utc);
    set(row, "commit", "%s", project_commit());
    set(row, "backend", "%s", backend_name());
    set(row, "device", "%s", device->name);
    set(row, "driver", "%s", device->driver);
    set(row, "cuda", "%s", device->cuda);
    set(row, "step", "%s", m->program->step);
    set(row, "variant", "%s", m->variant->name);
    set(row, "role", "%s", role_name(m->role));
    set_axes(row, m->program->family, s);
    set_setting(row, m->program->family, m->setting);
    set(row, "type", "%s", s->type->name);
    set_count(row, "blocks", s->blocks);
    set_count(row, "threads", s->threads);
    set_count(row, "runs", m->runs);
    set(row, "cache", "%s", m->cold ? "cold" : "warm");
    set_number(row, "median_us", "%.4f", m->us.median);
    set_number(row, "min_us", "%.4f", m->us.min);
    set_number(row, "q1_us", "%.4f", m->us.q1);
    set_number(row, "q3_us", "%.4f", m->us.q3);
    set_number(row, "max_us", "%.4f", m->us.max);
    set_number(row, "bytes", "%.0f", m->bytes);
    set_number(row, "flops", "%.0f", m->flops);
    set_number(row, "gb_per_s", "%.6g", rate(m->bytes, m->us.median));
    set_number(row, "gflop_per_s", "%.6g", rate(m->flops, m->us.median));
    set_number(row, "copy_gb_per_s", "%.6g", m->copy_gb_per_s);
    set_value(row, "value", r->has_value, r->value);
    set_value(row, "reference", r->has_value, r->reference);
    set_number(row, "error", "%.6g", r->error);
    set_number(row, "bound", "%.6g", r->bound);
    set(row, "status", "%s", verdict_name(r->verdict));
    if (ranks_count() > 1)
        set(row, RANKS, "%d", ranks_count());
}

void row_header(char text[ROW_TEXT])
{
    size_t used = 0;

    for (size_t i = 0; i < COUNT(columns); i++)
        used += (size_t)snprintf(text + used, ROW_TEXT - used, "%s%s", i ? "," : "", columns[i]);
    snprintf(text + used, ROW_TEXT - used, ",%s%s", LOG_COLUMNS,
             ranks_count() > 1 ? "," RANKS : "");
}

/* The place of the column of this name in the header, or -1. */
static int find_column(const char *header, const char *name)
{
    size_t length = strlen(name);

    for (int place = 0;; place++) {
        size_t own = strcspn(header, ",\r\n");

        if (own == length && strncmp(header, name, length) == 0)
            return place;
        if (header[own] != ',')
            return -1;
        header += own + 1;
    }
}

const char *row_missing(const struct row *row, const char *header)
{
    for (int i = 0; i < row->count; i++) {
        if (find_column(header, row->fields[i].name) < 0)
            return row->fields[i].name;
    }
    return NULL;
}

/* RFC 4180: quote a field with a comma, quote or line break, and double its quotes. */
static size_t put(char *to, size_t room, const char *text)
{
    size_t used = 0;

    if (!text[strcspn(text, ",\"\r\n")])
        return (size_t)snprintf(to, room, "%s", text);
    used += (size_t)snprintf(to, room, "\"");
    for (; *text && used + 3 < room; text++)
        used += (size_t)snprintf(to + used, room - used, *text == '"' ? "\"\"" : "%c", *text);
    return used + (size_t)snprintf(to + used, room - used, "\"");
}

void row_line(char text[ROW_TEXT], const struct row *row, const char *header)
{
    size_t used = 0;

    for (;;) {
        size_t own = strcspn(header, ",\r\n");

        for (int i = 0; i < row->count; i++) {
            const char *name = row->fields[i].name;

            if (strlen(name) == own && strncmp(header, name, own) == 0)
                used += put(text + used, ROW_TEXT - used, row->fields[i].text);
        }
        if (header[own] != ',')
            break;
        used += (size_t)snprintf(text + used, ROW_TEXT - used, ",");
        header += own + 1;
    }
    snprintf(text + used, ROW_TEXT - used, "\n");
}

bool row_is_header(const char *line)
{
    return find_column(line, "step") >= 0 && find_column(line, "variant") >= 0 &&
           find_column(line, "median_us") >= 0;
}
