/*
 * Libraries that compute on the host with the device's memory: who is in a call of one, and which
 * calls there were, because nothing of them is counted or checked, and that is said.
 */
#include "cpu/engine/library_calls.h"
#include <string.h>

enum { MOST = 256 }; /* different calls that are told by their names */

static __thread unsigned depth;
static struct {
    const char *library, *call;
    unsigned long times;
} called[MOST];
static unsigned count;
static bool took_host;

bool library_enter(void)
{
    return !depth++;
}

void library_leave(void)
{
    depth--;
}

bool library_open(void)
{
    return depth > 0;
}

/* Of a name without template arguments, and without the number of its version, as in _v2. */
static int name_length(const char *call)
{
    size_t length = strcspn(call, "<");

    return (int)(length > 3 && !strncmp(call + length - 3, "_v2", 3) ? length - 3 : length);
}

static bool same_call(const char *a, const char *b)
{
    int length = name_length(a);

    return length == name_length(b) && !strncmp(a, b, (size_t)length);
}

void library_note(const char *library, const char *call)
{
    unsigned i = 0;

    while (i < count && (strcmp(called[i].library, library) || !same_call(called[i].call, call)))
        i++;
    if (i == MOST)
        return;
    if (i == count) {
        called[i].library = library;
        called[i].call = call;
        called[i].times = 0;
        count++;
    }
    called[i].times++;
}

void library_took_host(const char *file, int line)
{
    if (!took_host)
        fprintf(stderr,
                "CPU device: %s:%d: of this function a library ran the code for the host, not what "
                "__CUDA_ARCH__ gives the device\n",
                file, line);
    took_host = true;
}

void library_report(FILE *out)
{
    for (unsigned i = 0; i < count; i++) {
        bool said = false;

        for (unsigned k = 0; k < i; k++)
            said |= !strcmp(called[k].library, called[i].library);
        if (said)
            continue;
        fprintf(out, "%s ran on the host, not counted and not checked:", called[i].library);
        for (unsigned k = i; k < count; k++)
            if (!strcmp(called[k].library, called[i].library))
                fprintf(out, " %.*s %lu", name_length(called[k].call), called[k].call,
                        called[k].times);
        fputc('\n', out);
    }
    count = 0;
}
