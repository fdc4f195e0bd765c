#define _GNU_SOURCE /* strchrnul */
#include "harness/run/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row: step,type,"kernel",registers. The quotes are for the commas of a template's arguments. */
static void take_row(struct counted *c, const char *row, const char *step, const char *type)
{
    char start[256];
    const char *kernel, *end;
    int length = snprintf(start, sizeof(start), "%s,%s,\"", step, type);

    if (strncmp(row, start, (size_t)length) != 0)
        return;
    kernel = row + length;
    end = strchrnul(kernel, '"');
    for (size_t i = 0; i < c->count && *end; i++) {
        struct cpu_device_launch *l = &c->launch[i];

        if (strlen(l->kernel) == (size_t)(end - kernel) &&
            memcmp(l->kernel, kernel, (size_t)(end - kernel)) == 0)
            l->registers = atof(end + 2);
    }
}

void registers_take(struct counted *c, const char *machine_file, const char *step, const char *type)
{
    const char *name = strrchr(machine_file, '/');
    int folder = name ? (int)(name + 1 - machine_file) : 0;
    char path[4096], *row = NULL;
    size_t room = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%.*sregisters.csv", folder, machine_file);
    file = fopen(path, "r");
    while (file && getline(&row, &room, file) > 0)
        take_row(c, row, step, type);
    free(row);
    if (file)
        fclose(file);
}
