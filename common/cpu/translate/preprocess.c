/*
 * The compiler's own preprocessor, run as the compiler will be: so macros, headers, comments, line
 * splices and what stands in #if are what they will be for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cpu/translate/files.h"
#include "cpu/translate/headers.h"
#include "cpu/translate/preprocess.h"
#include "cpu/translate/text.h"

extern char **environ;

static const char *const always[] = {"-D__CUDACC__=1",
                                     "-D__NVCC__=1",
                                     "-D__CUDACC_VER_MAJOR__=12",
                                     "-D__CUDACC_VER_MINOR__=0",
                                     "-D__CUDACC_VER_BUILD__=0",
                                     "-D__CUDACC_EXTENDED_LAMBDA__=1",
                                     "-D__CUDACC_RELAXED_CONSTEXPR__=1",
                                     "-include",
                                     "cuda_preinclude.h"};

static void die(const char *what, int error)
{
    fprintf(stderr, "translate: %s: %s\n", what, strerror(error));
    exit(1);
}

/* -E, or to compile the headers that every source has; then input is an empty file. */
enum purpose { HOST_TEXT, DEVICE_TEXT, HEADERS };

static char **command_line(const char *input, const char *output, const char *depfile,
                           char **compiler, enum purpose purpose)
{
    size_t given = 0, n = 0;
    char **line;

    while (compiler[given])
        given++;
    line = grow(NULL, (given + 32) * sizeof(*line));
    for (n = 0; n < given; n++)
        line[n] = compiler[n];
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        line[n++] = (char *)always[i];
    if (purpose == DEVICE_TEXT) {
        line[n++] = "-D__CUDA_ARCH__=900";
        line[n++] = "-D__CUDA_ARCH_FEAT_SM90_ALL";
    }
    if (depfile) {
        line[n++] = "-MD";
        line[n++] = "-MF";
        line[n++] = (char *)depfile;
        line[n++] = "-MQ";
        line[n++] = (char *)output;
    }
    if (purpose == HEADERS) {
        line[n++] = "-o";
        line[n++] = (char *)output;
    } else
        line[n++] = "-E";
    line[n++] = "-x";
    line[n++] = purpose == HEADERS ? "c++-header" : "c++";
    line[n++] = (char *)input;
    line[n] = NULL;
    return line;
}

static char *read_all(int fd)
{
    struct text t = {0};
    char *piece = grow(NULL, 1 << 18);
    ssize_t n;

    put(&t, "", 0);
    while ((n = read(fd, piece, 1 << 18)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            put(&t, piece, (size_t)n);
    free(piece);
    return t.at;
}

void compile_headers(const char *output, const char *depfile, char **compiler)
{
    char **line = command_line("/dev/null", output, depfile, compiler, HEADERS);

    execvp(line[0], line);
    die(line[0], errno);
}

/* Compiled headers leave no marker that says where they are: in the first directory that is
 * searched and has one of them. */
static void note_headers(char **compiler)
{
    for (; *compiler; compiler++) {
        const char *directory = *compiler + 2;

        if (strncmp(*compiler, "-I", 2) ||
            access(format_text("%s/cuda_runtime.h", directory), R_OK))
            continue;
        own_headers_in(directory);
        return;
    }
}

char *preprocess(const char *input, const char *output, const char *depfile, char **compiler,
                 bool device)
{
    char **line = command_line(input, output, depfile, compiler, device ? DEVICE_TEXT : HOST_TEXT);
    posix_spawn_file_actions_t actions;
    int said = memfd_create("messages", MFD_CLOEXEC), pipe_ends[2], status, error;
    char *text, *messages;
    pid_t child;

    if (said < 0 || pipe2(pipe_ends, O_CLOEXEC))
        die("a pipe", errno);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
    error = posix_spawnp(&child, line[0], &actions, NULL, line, environ);
    if (error)
        die(line[0], error);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_ends[1]);
    free(line);
    text = read_all(pipe_ends[0]);
    close(pipe_ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    lseek(said, 0, SEEK_SET);
    messages = read_all(said);
    close(said);
    if (strstr(text, "\n#pragma GCC pch_preprocess "))
        note_headers(compiler);
    refuse_headers(text, messages);
    if (!device)
        fputs(messages, stderr);
    free(messages);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    return text;
}
