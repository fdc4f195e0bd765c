#define _POSIX_C_SOURCE 200809L /* gmtime_r */
#include "harness/run/runlog_row.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/kit/message.h"
#include "harness/run/options.h"
#include "harness/run/version.h"

static void add(struct row *row, const char *name, const char *format, ...) MESSAGE_FORMAT(3, 4);

static void add(struct row *row, const char *name, const char *format, ...)
{
    struct field *field = &row->fields[row->count++];
    va_list arguments;

    field->name = name;
    va_start(arguments, format);
    vsnprintf(field->text, sizeof(field->text), format, arguments);
    va_end(arguments);
}

/* A number, or nothing for NaN. The format is for one double. */
static void add_number(struct row *row, const char *name, const char *format, double value)
{
    char text[64] = "";

    if (!isnan(value))
        snprintf(text, sizeof(text), format, value);
    add(row, name, "%s", text);
}

static void add_count(struct row *row, const char *name, int count)
{
    add(row, name, count ? "%d" : "", count);
}

/* value and reference may truly be NaN, which is not unknown. */
static void add_value(struct row *row, const char *name, bool known, double value)
{
    if (known && isnan(value))
        add(row, name, "nan");
    else
        add_number(row, name, "%.17g", known ? value : NAN);
}

/* n, unless it is one of the axes the number of elements; then the other axes. */
static void add_axes(struct row *row, const struct family *family, const struct shape *s)
{
    size_t n = s->n;

    for (size_t i = 0; i < family->axis_count; i++)
        n = strcmp(family->axes[i].name, "n") == 0 ? s->axis[i] : n;
    add(row, "n", "%zu", n);
    for (size_t i = 0; i < family->axis_count; i++) {
        if (strcmp(family->axes[i].name, "n") != 0)
            add(row, family->axes[i].name, "%zu", s->axis[i]);
    }
}

/* What the input was, and the family's parameters as they were given. */
static void add_setting(struct row *row, const struct family *family, const struct setting *setting)
{
    add(row, "input", "%s", setting->input ? setting->input : "");
    for (int i = 0; family->parameters && family->parameters[i].option; i++)
        add(row, family->parameters[i].option, "%s",
            setting->parameters[i] ? setting->parameters[i] : "");
}

void row_fill(struct row *row, const struct measurement *m, const struct device *device,
              time_t when)
{
    const struct shape *s = &m->shape;
    const struct result *r = &m->result;
    char utc[32] = "";
    struct tm tm;

    row->count = 0;
    if (gmtime_r(&when, &tm))
        strftime(utc, sizeof(utc), "%Y-%m-%dT%H:%M:%SZ", &tm);
    add(row, "utc", "%s", utc);
    add(row, "commit", "%s", project_commit());
    add(row, "backend", "%s", backend_name());
    add(row, "device", "%s", device->name);
    add(row, "driver", "%s", device->driver);
    add(row, "cuda", "%s", device->cuda);
    add(row, "step", "%s", m->program->step);
    add(row, "variant", "%s", m->variant->name);
    add(row, "role", "%s", role_name(m->role));
    add_axes(row, m->program->family, s);
    add_setting(row, m->program->family, m->setting);
    add(row, "type", "%s", s->type->name);
    add_count(row, "blocks", s->blocks);
    add_count(row, "threads", s->threads);
    add_count(row, "runs", m->runs);
    add(row, "cache", "%s", m->cold ? "cold" : "warm");
    add_number(row, "median_us", "%.4f", m->us.median);
    add_number(row, "min_us", "%.4f", m->us.min);
    add_number(row, "q1_us", "%.4f", m->us.q1);
    add_number(row, "q3_us", "%.4f", m->us.q3);
    add_number(row, "max_us", "%.4f", m->us.max);
    add_number(row, "bytes", "%.0f", m->bytes);
    add_number(row, "flops", "%.0f", m->flops);
    add_number(row, "gb_per_s", "%.6g", rate(m->bytes, m->us.median));
    add_number(row, "gflop_per_s", "%.6g", rate(m->flops, m->us.median));
    add_number(row, "copy_gb_per_s", "%.6g", m->copy_gb_per_s);
    add_value(row, "value", r->has_value, r->value);
    add_value(row, "reference", r->has_value, r->reference);
    add_number(row, "error", "%.6g", r->error);
    add_number(row, "bound", "%.6g", r->bound);
    add(row, "status", "%s", verdict_name(r->verdict));
}

void row_header(char text[ROW_TEXT], const struct row *row)
{
    size_t used = 0;

    for (int i = 0; i < row->count; i++)
        used += (size_t)snprintf(text + used, ROW_TEXT - used, "%s%s", i ? "," : "",
                                 row->fields[i].name);
    snprintf(text + used, ROW_TEXT - used, "\n");
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

int row_lacks(char text[ROW_TEXT], const struct row *row, const char *header)
{
    size_t used = 0;
    int count = 0;

    text[0] = '\0';
    for (int i = 0; i < row->count; i++) {
        if (find_column(header, row->fields[i].name) >= 0)
            continue;
        used += (size_t)snprintf(text + used, ROW_TEXT - used, ",%s", row->fields[i].name);
        count++;
    }
    return count;
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
