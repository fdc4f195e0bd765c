/* The table of nvcc's memory instructions; see nvcc.h, and sass.py for its form. It is owned
 * here; one that is read no more stays in memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/counters/nvcc.h"
#include "cpu/tools/grow.h"

enum { FIELDS = 9, LEAST_FIELDS = 7 };

struct row {
    const char *file;
    int line;
    int kind; /* enum kind, or KINDS: local memory */
    struct nvcc_line what;
};

struct nvcc_kernel {
    const char *name;
    struct row *row;
    size_t rows, room;
    struct nvcc_code *code;
    size_t codes, code_room;
    unsigned registers;
};

static struct nvcc_kernel *kernel;
static size_t kernels, room;

static int kind_named(const char *name)
{
    static const char *const names[] = {"global load", "global store", "shared load",
                                        "shared store"};

    for (int k = 0; k < 4; k++)
        if (!strcmp(names[k], name))
            return k;
    return KINDS;
}

static enum nvcc_of of_named(const char *name)
{
    return !strcmp(name, "taken") ? OF_TAKEN : !strcmp(name, "passed") ? OF_PASSED : OF_REQUESTS;
}

static struct row *find_row(const struct nvcc_kernel *k, const char *file, int line, int kind)
{
    for (size_t i = 0; i < k->rows; i++) {
        struct row *r = &k->row[i];

        if (r->kind == kind && r->line == line && !strcmp(r->file, file))
            return r;
    }
    return NULL;
}

/* INSTRUCTIONS,CYCLES,UNITS,WAITS,LOCAL */
static void read_work(char *text, struct nvcc_work *work)
{
    uint64_t *number[4 + CPU_UNITS] = {&work->instructions, &work->cycles};

    for (int i = 0; i < CPU_UNITS; i++)
        number[2 + i] = &work->unit[i];
    number[2 + CPU_UNITS] = &work->local_waits;
    number[3 + CPU_UNITS] = &work->local_cycles;
    for (int i = 0; i < 4 + CPU_UNITS && *text; i++, text += *text == ',')
        *number[i] = strtoull(text, &text, 10);
}

/* Kernels of one name, as of two overloads, are taken together. */
static void add_row(char *field[FIELDS])
{
    struct nvcc_kernel *k = (struct nvcc_kernel *)nvcc_kernel(field[0]);
    int line = atoi(field[2]), kind = kind_named(field[3]);
    struct row *r;

    if (!k) {
        kernel = tools_grow(kernel, kernels, &room, sizeof(*kernel));
        k = &kernel[kernels++];
        *k = (struct nvcc_kernel){.name = strdup(field[0])};
    }
    if (!strcmp(field[5], "code")) {
        struct nvcc_work work = {0};

        read_work(field[4], &work);
        k->code = tools_grow(k->code, k->codes, &k->code_room, sizeof(*k->code));
        k->code[k->codes++] = (struct nvcc_code){of_named(field[3]),
                                                 strdup(field[1]),
                                                 line,
                                                 (enum kind)kind,
                                                 work,
                                                 (unsigned)atoi(field[6]),
                                                 atoi(field[7]),
                                                 (unsigned)atoi(field[8])};
        return;
    }
    if (!strcmp(field[5], "registers") && atoi(field[4]) > (int)k->registers)
        k->registers = (unsigned)atoi(field[4]);
    if (!*field[1])
        return;
    r = find_row(k, field[1], line, kind);
    if (!r) {
        k->row = tools_grow(k->row, k->rows, &k->room, sizeof(*r));
        r = &k->row[k->rows++];
        *r = (struct row){strdup(field[1]), line, kind, {.outside = true}};
    }
    r->what.outside &= !strcmp(field[5], "outside");
    if (atoi(field[6]) > (int)r->what.together)
        r->what.together = (unsigned)atoi(field[6]);
    for (char *width = field[4]; *width; width += strspn(width, ","))
        r->what.widths |= (unsigned)strtoul(width, &width, 10);
}

int nvcc_read(const char *path)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    char *text = NULL;
    size_t length = 0;

    if (path && !file)
        return -1;
    kernels = 0;
    if (!file)
        return 0;
    while (getline(&text, &length, file) > 0) {
        char none[] = "", *field[FIELDS], *rest = text;
        int n = 0;

        text[strcspn(text, "\n")] = 0;
        while (n < FIELDS && (field[n] = strsep(&rest, "|")))
            n++;
        for (int i = n; n >= LEAST_FIELDS && i < FIELDS; i++)
            field[i] = none;
        if (n >= LEAST_FIELDS)
            add_row(field);
    }
    free(text);
    fclose(file);
    return 0;
}

const struct nvcc_kernel *nvcc_kernel(const char *name)
{
    for (size_t i = 0; i < kernels; i++)
        if (!strcmp(kernel[i].name, name))
            return &kernel[i];
    return NULL;
}

struct nvcc_line nvcc_line(const struct nvcc_kernel *k, const char *file, int line, enum kind kind)
{
    const struct row *r = file ? find_row(k, file, line, (int)kind) : NULL;

    return r ? r->what : (struct nvcc_line){0};
}

const struct nvcc_code *nvcc_code(const struct nvcc_kernel *k, unsigned at)
{
    return at < k->codes ? &k->code[at] : NULL;
}

unsigned nvcc_widths(const struct nvcc_kernel *k, enum kind kind)
{
    unsigned widths = 0;

    for (size_t i = 0; i < k->rows; i++)
        if (k->row[i].kind == (int)kind)
            widths |= k->row[i].what.widths;
    return widths;
}

bool nvcc_local(const struct nvcc_kernel *k)
{
    for (size_t i = 0; i < k->rows; i++)
        if (k->row[i].kind == KINDS)
            return true;
    return false;
}

unsigned nvcc_registers(const struct nvcc_kernel *k)
{
    return k->registers;
}

bool nvcc_nth(const struct nvcc_kernel *k, enum kind kind, unsigned at, const char **file,
              int *line)
{
    for (size_t i = 0; i < k->rows; i++)
        if (k->row[i].kind == (int)kind && at-- == 0) {
            *file = k->row[i].file;
            *line = k->row[i].line;
            return true;
        }
    return false;
}
