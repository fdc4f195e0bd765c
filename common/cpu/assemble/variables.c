/*
 * The device's variables: the translator has put them into sections of their own. Here each gets a
 * gap before it, so that an access past the end of one does not come to the next, and an entry in
 * the section cpu_variables: where it is, its bytes, its name.
 *
 *          .section cpu_device,"aw"
 *          .align 32
 *          .type   x, @object
 *          .size   x, 4096
 *          .zero   256             the gap, a multiple of the alignment
 *   x:
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include "cpu/assemble/variables.h"

enum { GAP = 256 };

static struct variable {
    char *symbol;
    size_t bytes;
} * variable;
static size_t count, room;
static bool inside;      /* one of the sections */
static size_t alignment; /* of what comes next */
static char *sized;  /* the symbol of the last .size, which comes before the label, as GCC has it */
static size_t bytes; /* and its bytes */

/* What stands behind a directive; NULL: the line is another one. */
static const char *behind(const char *line, const char *directive)
{
    size_t length = strlen(directive);

    line += strspn(line, " \t");
    if (strncmp(line, directive, length) || !strchr(" \t\n", line[length]))
        return NULL;
    line += length;
    return line + strspn(line, " \t");
}

static bool is_section(const char *name)
{
    static const char *const names[] = {"cpu_device", "cpu_constant", "cpu_managed"};
    size_t length = strcspn(name, ",\n");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && !strncmp(name, names[i], length))
            return true;
    return false;
}

static void add(void)
{
    if (count == room) {
        room = room ? 2 * room : 16;
        variable = realloc(variable, room * sizeof(*variable));
        if (!variable)
            abort();
    }
    variable[count].symbol = sized;
    variable[count++].bytes = bytes;
    sized = NULL;
}

bool variables_line(const char *line)
{
    const char *rest;

    if ((rest = behind(line, ".section")))
        inside = is_section(rest);
    else if (behind(line, ".text") || behind(line, ".data") || behind(line, ".bss"))
        inside = false;
    if (!inside)
        return false;
    if ((rest = behind(line, ".align")))
        alignment = strtoul(rest, NULL, 10);
    else if ((rest = behind(line, ".size"))) {
        free(sized);
        sized = strndup(rest, strcspn(rest, ",\n"));
        bytes = strtoul(rest + strcspn(rest, ",\n") + 1, NULL, 10);
    }
    if (!sized || strncmp(line, sized, strlen(sized)) || line[strlen(sized)] != ':')
        return false;
    add();
    return true;
}

void variables_gap(FILE *out)
{
    fprintf(out, "\t.zero\t%zu\n", alignment > GAP ? alignment : GAP);
    alignment = 0;
}

/* The name in the source, of a symbol such as x, _ZL1x or _ZN5space1xE: the last part. */
static void name_of(const char *symbol, const char **name, size_t *length)
{
    const char *at = symbol + 2;
    char *end;

    *name = symbol;
    *length = strlen(symbol);
    if (strncmp(symbol, "_Z", 2))
        return;
    at += strspn(at, "NL");
    while (*at >= '0' && *at <= '9') {
        *length = strtoul(at, &end, 10);
        *name = end;
        at = end + (*length < strlen(end) ? *length : strlen(end));
        at += *at == 'L';
    }
}

void variables_list(FILE *out)
{
    const char *name;
    size_t length;

    if (!count)
        return;
    fputs("\t.section\tcpu_variables,\"aw\"\n\t.balign\t8\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "\t.quad\t%s, %zu, .Lcpu_variable%zu\n", variable[i].symbol, variable[i].bytes,
                i);
    fputs("\t.section\t.rodata\n", out);
    for (size_t i = 0; i < count; i++) {
        name_of(variable[i].symbol, &name, &length);
        fprintf(out, ".Lcpu_variable%zu:\n\t.string\t\"%.*s\"\n", i, (int)length, name);
    }
}
