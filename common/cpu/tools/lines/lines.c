/*
 * Where in the source a code address comes from, by the program's own debug information (libdw).
 * An access inside one of the CPU device's headers, as of an atomic, is put down to the line of the
 * step that called it.
 *
 * What was looked up is kept for the life of the program, and so are its strings; all of it is
 * under one lock. Any worker may ask, also from inside a kernel; libdw itself wants far more stack
 * than a fiber has, so it runs there on another OS thread.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cpu/engine/images.h"
#include "cpu/engine/schedule.h"
#include "cpu/tools/lines/lines.h"

const bool lines_known = true;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Dwfl *program;

struct known { /* a site looked up before */
    uintptr_t site;
    struct source_line line;
};
static struct known *known; /* in order of address */
static size_t known_count, known_room;

/* A module's file has no name. */
static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                    char **file, Elf **elf)
{
    int own = image_file((uintptr_t)base);

    if (own < 0)
        return dwfl_linux_proc_find_elf(module, data, name, base, file, elf);
    return dup(own);
}

/* The program as it is now: opened, or opened once more when it has loaded modules. */
static Dwfl *opened(void)
{
    static const Dwfl_Callbacks callbacks = {
        .find_elf = find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
    };
    static bool tried;
    static unsigned images;

    if (tried && images == image_count())
        return program;
    if (!tried)
        program = dwfl_begin(&callbacks);
    else if (program)
        dwfl_report_begin(program);
    tried = true;
    images = image_count();
    if (program &&
        (dwfl_linux_proc_report(program, getpid()) || dwfl_report_end(program, NULL, NULL))) {
        dwfl_end(program);
        program = NULL;
    }
    return program;
}

/* Whose inlined functions count as the line that calls them. */
static bool is_header(const char *path)
{
    return strstr(path, "cpu/include/") || lines_is_system(path);
}

static bool is_device_code(const char *path)
{
    return strstr(path, "cpu/runtime/") || strstr(path, "cpu/engine/") ||
           strstr(path, "cpu/tools/");
}

/* The call, in the innermost function that is not of such a header, of what is inlined at pc. */
static bool find_caller(Dwfl_Module *module, Dwarf_Addr pc, const char **file, int *line)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(module, pc, &bias), *inner = NULL, *scope = NULL;
    Dwarf_Files *files;
    bool found = false;
    int n;

    if (!unit || dwarf_getsrcfiles(unit, &files, NULL))
        return false;
    if (dwarf_getscopes(unit, pc - bias, &inner) > 0) {
        n = dwarf_getscopes_die(&inner[0], &scope);
        for (int i = 0; i < n && !found; i++) {
            Dwarf_Attribute attribute;
            Dwarf_Word call_file, call_line;
            const char *path;

            if (dwarf_tag(&scope[i]) != DW_TAG_inlined_subroutine ||
                dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_file, &attribute), &call_file) ||
                dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_line, &attribute), &call_line))
                continue;
            path = dwarf_filesrc(files, call_file, NULL, NULL);
            if (path && !is_header(path)) {
                *file = path;
                *line = (int)call_line;
                found = true;
            }
        }
        free(scope);
    }
    free(inner);
    return found;
}

/* A file's path that leads to it wherever the program was started; kept for the program's life. */
static const char *whole_path(Dwfl_Line *where, const char *file)
{
    const char *built_in = dwfl_line_comp_dir(where);
    char *path;

    return file[0] == '/' || !built_in || asprintf(&path, "%s/%s", built_in, file) < 0 ? file
                                                                                       : path;
}

static struct source_line look_up(uintptr_t site)
{
    Dwarf_Addr pc = site - 1; /* in the call, not behind it */
    Dwfl_Module *module = program ? dwfl_addrmodule(program, pc) : NULL;
    Dwfl_Line *where = module ? dwfl_module_getsrc(module, pc) : NULL;
    const char *file = NULL, *slash;
    int line = 0;

    if (where)
        file = dwfl_lineinfo(where, NULL, &line, NULL, NULL, NULL);
    if (!file)
        return (struct source_line){NULL, NULL, 0, false};
    if (is_header(file))
        find_caller(module, pc, &file, &line);
    slash = strrchr(file, '/');
    return (struct source_line){slash ? slash + 1 : file, whole_path(where, file), line,
                                is_device_code(file)};
}

struct question {
    uintptr_t site;
    struct source_line answer;
};

static void *answer(void *argument)
{
    struct question *q = argument;

    opened();
    q->answer = look_up(q->site);
    return NULL;
}

static struct source_line ask(uintptr_t site)
{
    struct question q = {.site = site};
    pthread_t helper;

    if (!cpu_thread())
        answer(&q);
    else if (!pthread_create(&helper, NULL, answer, &q))
        pthread_join(helper, NULL);
    return q.answer;
}

struct source_line lines_find(uintptr_t site)
{
    size_t low = 0, high;
    struct source_line line;

    pthread_mutex_lock(&lock);
    for (high = known_count; low < high;) {
        size_t middle = (low + high) / 2;

        if (known[middle].site < site)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < known_count && known[low].site == site) {
        line = known[low].line;
        pthread_mutex_unlock(&lock);
        return line;
    }
    line = ask(site);
    if (known_count == known_room) {
        size_t room = known_room ? 2 * known_room : 64;
        struct known *bigger = realloc(known, room * sizeof(*known));

        if (bigger) {
            known = bigger;
            known_room = room;
        }
    }
    if (known_count < known_room) {
        memmove(&known[low + 1], &known[low], (known_count - low) * sizeof(*known));
        known[low] = (struct known){site, line};
        known_count++;
    }
    pthread_mutex_unlock(&lock);
    return line;
}

/* --- names of kernels ------------------------------------------------------------------------ */

/* The function at pc; false: unknown. */
static bool find_function(Dwarf_Addr pc, Dwarf_Die *function)
{
    Dwfl_Module *module;
    Dwarf_Addr bias;
    Dwarf_Die *unit, *scope = NULL;
    bool found = false;
    int n;

    opened();
    module = program ? dwfl_addrmodule(program, pc) : NULL;
    unit = module ? dwfl_module_addrdie(module, pc, &bias) : NULL;
    n = unit ? dwarf_getscopes(unit, pc - bias, &scope) : 0;
    for (int i = 0; i < n && !found; i++)
        if (dwarf_tag(&scope[i]) == DW_TAG_subprogram) {
            *function = scope[i];
            found = true;
        }
    free(scope);
    return found;
}

/* As the compiler names the function at pc: with a template's arguments, without a type. */
static const char *function_name(Dwarf_Addr pc)
{
    Dwarf_Die function;

    return find_function(pc, &function) ? dwarf_diename(&function) : NULL;
}

/* The type that a variable or another type is of, without const and names; false: none. */
static bool find_type(Dwarf_Die *of, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &attribute), type) &&
           !dwarf_peel_type(type, type);
}

/* Is it a structure, or does it point to one? */
static bool has_structure(Dwarf_Die *type)
{
    Dwarf_Die target;

    return dwarf_tag(type) == DW_TAG_structure_type || dwarf_tag(type) == DW_TAG_class_type ||
           (dwarf_tag(type) == DW_TAG_pointer_type && find_type(type, &target) &&
            has_structure(&target));
}

bool lines_structures(const void *kernel)
{
    Dwarf_Die function, part, type;
    bool found = false;

    pthread_mutex_lock(&lock);
    if (!find_function((Dwarf_Addr)(uintptr_t)kernel, &function) || dwarf_child(&function, &part)) {
        found = true;
    } else {
        do
            found = dwarf_tag(&part) == DW_TAG_formal_parameter && find_type(&part, &type) &&
                    has_structure(&type);
        while (!found && !dwarf_siblingof(&part, &part));
    }
    pthread_mutex_unlock(&lock);
    return found;
}

const char *lines_kernel(const void *kernel, const char *name)
{
    static struct {
        const void *kernel;
        const char *name;
    } seen[64];
    static unsigned count;
    const char *found = NULL;

    if (!strpbrk(name, "[(*&.?") && !strstr(name, "->"))
        return name;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < count && !found; i++)
        if (seen[i].kernel == kernel)
            found = seen[i].name;
    if (!found) {
        found = function_name((Dwarf_Addr)(uintptr_t)kernel);
        if (found && count < sizeof(seen) / sizeof(seen[0])) {
            seen[count].kernel = kernel;
            seen[count++].name = found;
        }
    }
    pthread_mutex_unlock(&lock);
    return found ? found : name;
}
