/*
 * Headers of what the CPU device has not: refused where the student's file includes them, before
 * the compiler can say a hundred other things about them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/files.h"
#include "cpu/translate/headers.h"
#include "cpu/translate/text.h"

static const struct {
    const char *header; /* how its name begins */
    const char *what;
} refused[] = {
    {"cub/device/", "such device-wide call of CUB"}, /* but for those in our headers */
    {"cudnn", "cuDNN"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cutlass/", "CUTLASS"},
    {"cute/", "CUTLASS"},
    {"cupti", "CUPTI"},
    {"npp", "NPP"},
    {"nvml", "NVML"},
    {"nccl", "NCCL"},
    {"cudaGL", "interoperation with graphics"},
    {"cuda_gl_interop", "interoperation with graphics"},
};
enum { REFUSED = sizeof(refused) / sizeof(refused[0]) };

static void refuse(const char *where, int length, int line, int which, const char *header)
{
    fprintf(stderr, "%.*s:%d: error: the CPU device has no %s (%s)\n", length, where, line,
            refused[which].what, header);
    exit(1);
}

/* Is the file FOLDER/HEADER one of those? Which one, or -1. A folder of that name, in which any
 * file may lie, is none. */
static int refused_file(const char *name)
{
    for (int i = 0; i < REFUSED; i++)
        for (const char *p = strstr(name, refused[i].header); p;
             p = strstr(p + 1, refused[i].header))
            if ((p == name || p[-1] == '/') && (strchr(refused[i].header, '/') || !strchr(p, '/')))
                return i;
    return -1;
}

/* A message `FILE:LINE:COLUMN: ...: HEADER: ...` of a header that is not there. */
static void refuse_missing(const char *messages)
{
    for (int i = 0; i < REFUSED; i++) {
        char *key = format_text(": %s", refused[i].header);
        const char *found = strstr(messages, key), *begin, *colon;
        int line;

        if (!found)
            continue;
        for (begin = found; begin > messages && begin[-1] != '\n'; begin--)
            ;
        for (colon = begin; colon < found; colon++)
            if (sscanf(colon, ":%d:", &line) == 1)
                refuse(begin, (int)(colon - begin), line, i,
                       format_text("%.*s", (int)strcspn(found + 2, ":"), found + 2));
    }
}

void refuse_headers(const char *text, const char *messages)
{
    refuse_missing(messages);
    classify_files(text);
    for (int i = 0; i < file_count(); i++) {
        const struct file *f = file_at(i);
        int which = f->from < 0 || f->ours ? -1 : refused_file(f->name);

        if (which >= 0 && !file_at(f->from)->system)
            refuse(file_at(f->from)->name, (int)strlen(file_at(f->from)->name), f->line, which,
                   strstr(f->name, refused[which].header));
    }
}
