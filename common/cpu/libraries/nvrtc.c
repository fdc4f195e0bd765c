/*
 * NVRTC by the compiler that made the program: cuda-cpu -ptx, in a directory of its own that is
 * gone when the call returns. CUDA_CPU is its path, and CUDA_CPU_FAST says whether the program was
 * made with --fast. For each name expression the source gets a line at its end, a pointer to what
 * the expression names, by which the module then tells how that is called.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nvrtc.h>
#include "cpu/libraries/library.h"

extern char **environ;

struct name {
    struct name *next;
    char *expression, *lowered; /* NULL: it names nothing */
    int number;
};

struct header {
    char *name, *source;
};

struct _nvrtcProgram {
    char *source, *name;
    struct header *header;
    int headers;
    struct name *names;
    int name_count;
    char *text, *log; /* the module; NULL: not compiled */
};

/* --- texts and files -------------------------------------------------------------------------- */

__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    return text;
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0;

    if (f) {
        if (getdelim(&text, &length, '\0', f) < 0) {
            free(text);
            text = strdup("");
        }
        fclose(f);
    }
    return text;
}

/* The directories of a name such as sub/own.h are made, too. */
static bool write_all(const char *folder, const char *name, const char *text)
{
    LIBRARY_FREED char *path = text_of("%s/%s", folder, name);
    bool good;
    FILE *f;

    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    f = fopen(path, "wb");
    good = f && fputs(text, f) >= 0;
    return f && !fclose(f) && good;
}

/* Each occurrence of a part. */
static void leave_out(char *text, const char *part)
{
    size_t length = strlen(part);

    while ((text = strstr(text, part)))
        memmove(text, text + length, strlen(text + length) + 1);
}

static void run(char *const *words, const char *log, int *status)
{
    posix_spawn_file_actions_t actions;
    pid_t child;

    *status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    if (!posix_spawnp(&child, words[0], &actions, NULL, words, environ))
        while (waitpid(child, status, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&actions);
}

/* --- programs --------------------------------------------------------------------------------- */

const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const names[] = {
        "NVRTC_SUCCESS",
        "NVRTC_ERROR_OUT_OF_MEMORY",
        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT",
        "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION",
        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        "NVRTC_ERROR_INTERNAL_ERROR",
        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
    };

    return (unsigned)result < sizeof(names) / sizeof(names[0]) ? names[result]
                                                               : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = CUDART_VERSION / 1000;
    *minor = CUDART_VERSION % 1000 / 10;
    return NVRTC_SUCCESS;
}

static const int archs[] = {75, 80, 86, 87, 89, 90};

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    if (!count)
        return NVRTC_ERROR_INVALID_INPUT;
    *count = sizeof(archs) / sizeof(archs[0]);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *to)
{
    if (!to)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(to, archs, sizeof(archs));
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                               int headers, const char *const *header_sources,
                               const char *const *header_names)
{
    nvrtcProgram p;

    if (!program || !source || headers < 0 || (headers && (!header_sources || !header_names)))
        return NVRTC_ERROR_INVALID_INPUT;
    p = calloc(1, sizeof(*p));
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->source = strdup(source);
    p->name = strdup(name && *name ? name : "default_program");
    p->header = calloc((size_t)headers + 1, sizeof(*p->header));
    for (int i = 0; i < headers; i++)
        p->header[i] = (struct header){strdup(header_names[i]), strdup(header_sources[i])};
    p->headers = headers;
    *program = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    nvrtcProgram p;

    if (!program || !*program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    p = *program;
    for (int i = 0; i < p->headers; i++) {
        free(p->header[i].name);
        free(p->header[i].source);
    }
    while (p->names) {
        struct name *n = p->names;

        p->names = n->next;
        free(n->expression);
        free(n->lowered);
        free(n);
    }
    free(p->header);
    free(p->source);
    free(p->name);
    free(p->text);
    free(p->log);
    free(p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

/* --- names ------------------------------------------------------------------------------------ */

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    struct name *n;

    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (program->log)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    if (!expression || !*expression)
        return NVRTC_ERROR_INVALID_INPUT;
    n = calloc(1, sizeof(*n));
    if (!n)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    n->expression = strdup(expression);
    n->number = program->name_count++;
    n->next = program->names;
    program->names = n;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name)
{
    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!program->text)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (const struct name *n = program->names; n && expression; n = n->next)
        if (!strcmp(n->expression, expression) && n->lowered) {
            *name = n->lowered;
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* The source, with a pointer for each name. A line of it stays where it is. */
static char *whole_source(const struct _nvrtcProgram *p)
{
    char *source = text_of("%s\n", p->source);

    for (const struct name *n = p->names; n; n = n->next) {
        const char *expression = n->expression + strspn(n->expression, " &");
        char *more = text_of("%sextern \"C\" { __attribute__((used, visibility(\"default\"))) "
                             "const void *cpu_name_%d = (const void *)&(%s); }\n",
                             source, n->number, expression);

        free(source);
        source = more;
    }
    return source;
}

static bool find_names(struct _nvrtcProgram *p)
{
    struct CUmod_st *module;

    if (p->names && cpu_module_load(&module, p->text))
        return false;
    for (struct name *n = p->names; n; n = n->next) {
        LIBRARY_FREED char *pointer = text_of("cpu_name_%d", n->number);
        const char *found = cpu_module_symbol(module, pointer);

        n->lowered = found ? strdup(found) : NULL;
    }
    return true;
}

/* --- compiling -------------------------------------------------------------------------------- */

/* The file's name, as findings then have it: what stands behind the last slash, with .cu. */
static char *file_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t length;

    name = slash && slash[1] ? slash + 1 : name;
    length = strlen(name);
    return text_of("%s%s", name, length > 3 && !strcmp(name + length - 3, ".cu") ? "" : ".cu");
}

/* In this directory. Of a source that is not compiled the log says why. */
static nvrtcResult compile_in(const char *folder, struct _nvrtcProgram *p, int count,
                              const char *const *options)
{
    LIBRARY_FREED char *file = file_name(p->name);
    LIBRARY_FREED char *path = text_of("%s/source/%s", folder, file);
    LIBRARY_FREED char *module = text_of("%s/module.ptx", folder);
    LIBRARY_FREED char *log = text_of("%s/log", folder);
    LIBRARY_FREED char *include = text_of("-I%s/source", folder);
    LIBRARY_FREED char *names = text_of("-ffile-prefix-map=%s/source/=", folder);
    LIBRARY_FREED char *source = whole_source(p);
    LIBRARY_FREED char *within = text_of("source/%s", file);
    LIBRARY_FREED char *within_folder = text_of("%s/source/", folder);
    const char **words = calloc((size_t)count + 16, sizeof(*words));
    int status, n = 0;
    bool good = words && source && write_all(folder, within, source);

    for (int i = 0; i < p->headers && good; i++) {
        LIBRARY_FREED char *name = text_of("source/%s", p->header[i].name);

        good = write_all(folder, name, p->header[i].source);
    }
    if (!good) {
        free(words);
        return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    words[n++] = CUDA_CPU;
    words[n++] = path;
    words[n++] = "-ptx";
    words[n++] = "-o";
    words[n++] = module;
    words[n++] = include;
    words[n++] = "-D__CUDACC_RTC__=1";
    words[n++] = "-Xcompiler"; /* the files are called what the program calls them */
    words[n++] = names;
    if (CUDA_CPU_FAST)
        words[n++] = "--fast";
    for (int i = 0; i < count; i++)
        words[n++] = options[i];
    run((char *const *)words, log, &status);
    free(words);
    p->log = read_all(log);
    if (!p->log)
        return NVRTC_ERROR_INTERNAL_ERROR;
    leave_out(p->log, within_folder);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return strstr(p->log, "unknown option") || strstr(p->log, "not accepted")
                   ? NVRTC_ERROR_INVALID_OPTION
                   : NVRTC_ERROR_COMPILATION;
    p->text = read_all(module);
    return p->text && find_names(p) ? NVRTC_SUCCESS : NVRTC_ERROR_INTERNAL_ERROR;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    const char *temporary = getenv("TMPDIR");
    LIBRARY_FREED char *folder =
        text_of("%s/cuda-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    char *const remove[] = {(char *)"rm", (char *)"-rf", folder, NULL};
    nvrtcResult result;
    int status;

    if (!program)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (count < 0 || (count && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    if (!mkdtemp(folder))
        return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    free(program->text);
    free(program->log);
    program->text = program->log = NULL;
    result = compile_in(folder, program, count, options);
    run(remove, "/dev/null", &status);
    return result;
}

/* --- what came out ---------------------------------------------------------------------------- */

/* A text with its 0; before it is there the call is one too many. */
static nvrtcResult give(const char *text, size_t *bytes, char *to)
{
    if (!text)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes && !to)
        return NVRTC_ERROR_INVALID_INPUT;
    if (bytes)
        *bytes = strlen(text) + 1;
    if (to)
        memcpy(to, text, strlen(text) + 1);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
    return give(program ? program->text : NULL, bytes, NULL);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
    return give(program ? program->text : NULL, NULL, ptx);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    if (!program || !program->text)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes)
        return NVRTC_ERROR_INVALID_INPUT;
    *bytes = cpu_module_code(program->text, NULL);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    if (!program || !program->text)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!cubin)
        return NVRTC_ERROR_INVALID_INPUT;
    cpu_module_code(program->text, cubin);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    return give(program ? program->log : NULL, bytes, NULL);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    return give(program ? program->log : NULL, NULL, log);
}
