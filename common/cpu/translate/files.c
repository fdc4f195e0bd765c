/*
 * The files of a preprocessed source. What comes of a system header passes as it is, which is most
 * of the text, unless there is device code in it. A header is the CPU device's own if it lies where
 * its cuda_runtime.h does.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/files.h"
#include "cpu/translate/text.h"

static struct file *files;
static int count;

static int find_file(const char *name, size_t length)
{
    static int last;

    if (last < count && strlen(files[last].name) == length &&
        !memcmp(files[last].name, name, length))
        return last;
    for (int i = 0; i < count; i++)
        if (strlen(files[i].name) == length && !memcmp(files[i].name, name, length))
            return last = i;
    if (count % 64 == 0)
        files = grow(files, (size_t)(count + 64) * sizeof(*files));
    files[count] = (struct file){.name = format_text("%.*s", (int)length, name), .from = -1};
    return last = count++;
}

bool read_marker(const char *p, struct marker *m)
{
    const char *name;
    char *end;

    if (strncmp(p, "# ", 2) || !isdigit((unsigned char)p[2]))
        return false;
    m->line = (int)strtol(p + 2, &end, 10);
    if (strncmp(end, " \"", 2))
        return false;
    name = end + 2;
    for (p = name; *p && *p != '"' && *p != '\n'; p++)
        if (*p == '\\' && p[1])
            p++;
    m->file = find_file(name, (size_t)(p - name));
    m->enters = m->system = false;
    while (*p && *p != '\n') {
        m->enters |= *p == '1' && p[-1] == ' ';
        m->system |= *p == '3' && p[-1] == ' ';
        p++;
    }
    return true;
}

static bool has_device_code(const char *from, const char *to)
{
    static const char *const words[] = {"__device__", "__global__", "__host__"};

    for (int i = 0; i < 3; i++)
        if (memmem(from, (size_t)(to - from), words[i], strlen(words[i])))
            return true;
    return false;
}

static const char *directory; /* of our headers, with the slash */
static int length;

void own_headers_in(const char *path)
{
    directory = format_text("%s/", path);
    length = (int)strlen(directory);
}

static void note_ours(int file)
{
    const char *name = files[file].name, *slash = strrchr(name, '/');

    if (!directory && slash && !strcmp(slash, "/cuda_runtime.h")) {
        directory = name;
        length = (int)(slash + 1 - name);
    }
    files[file].ours = directory && !strncmp(name, directory, (size_t)length);
}

/* Those of its parts that are a warp's, a block's or a thread's. What its dispatch of device-wide
 * calls has is for the host. */
static void note_device(int file)
{
    static const char *const parts[] = {"/cub/block/",       "/cub/warp/",  "/cub/thread/",
                                        "/cub/util_ptx.cuh", "/cub/agent/", "/cub/grid/"};
    struct file *f = &files[file];

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        f->device |= f->library && strstr(f->name, parts[i]);
    f->system &= !(f->library && strstr(f->name, "/cub/"));
}

void classify_files(const char *text)
{
    struct marker m = {.file = -1};
    const char *begin = text;
    int now = -1, line = 0;

    for (const char *p = text; *p;) {
        const char *end = strchrnul(p, '\n');

        if (*p == '#') {
            int known = count;

            if (read_marker(p, &m)) {
                if (now >= 0 && files[now].system && has_device_code(begin, p))
                    files[now].system = false;
                if (m.file >= known) {
                    files[m.file].system = files[m.file].library = m.enters && m.system;
                    files[m.file].from = now;
                    files[m.file].line = line;
                    note_ours(m.file);
                    note_device(m.file);
                }
                now = m.file;
                line = m.line - 1;
                begin = end;
            }
        }
        line++;
        p = *end ? end + 1 : end;
    }
}

const struct file *file_at(int file)
{
    return &files[file];
}

int file_count(void)
{
    return count;
}
