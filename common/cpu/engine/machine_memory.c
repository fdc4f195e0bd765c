#include "cpu/engine/machine_memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t machine; /* bytes */

/* The number behind the word in a file of the system's, or SIZE_MAX. */
static size_t number_in(const char *path, const char *word)
{
    FILE *f = fopen(path, "r");
    char line[128];
    unsigned long long n;
    size_t found = SIZE_MAX;

    while (f && found == SIZE_MAX && fgets(line, sizeof(line), f))
        if (!strncmp(line, word, strlen(word)) && sscanf(line + strlen(word), "%llu", &n) == 1)
            found = n;
    if (f)
        fclose(f);
    return found;
}

static void find_machine(void)
{
    static const char *const limits[] = {"/sys/fs/cgroup/memory.max",
                                         "/sys/fs/cgroup/memory/memory.limit_in_bytes"};

    machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < 2; i++) {
        size_t limit = number_in(limits[i], "");

        machine = limit < machine ? limit : machine;
    }
}

size_t machine_memory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_machine);
    return machine;
}

size_t machine_memory_available(void)
{
    size_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");

    return kilobytes > SIZE_MAX / 1024 ? SIZE_MAX : kilobytes * 1024;
}
