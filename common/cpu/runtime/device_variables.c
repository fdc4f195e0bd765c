/*
 * The program's __device__ and __constant__ variables, of which each device has its own.
 *
 * Kernels name a variable by one address. It lies in a section of the program (engine/memory.c),
 * and with several devices there is a file in memory with each device's copy of the sections.
 * Before a launch the pages of the section become the device's part of that file. The same part
 * also stands, for good, in the device's own memory: that is the address that the host gets for the
 * variable, and may give to kernels of any device. With one device nothing of all this is done.
 *
 * So only one device's variables have their names at a time. Launches of several devices that ran
 * at once would have to select theirs whenever one of their blocks goes on.
 *
 * What cannot be placed in a section (translate/cuda_words.c) exists once for all devices.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/memory.h"
#include "cpu/runtime/device_variables.h"

#ifdef __aarch64__
#define PAGE 65536 /* the largest that the system may have */
#else
#define PAGE 4096
#endif

/* Each section begins with a page and ends with one, because these stand last in it: the library is
 * linked behind the program. */
#define LAST_PAGE(SECTION)                                                                         \
    extern char __start_##SECTION[], __stop_##SECTION[];                                           \
    static char last_of_##SECTION[PAGE]                                                            \
        __attribute__((section(#SECTION), aligned(PAGE), used)) = {0};
LAST_PAGE(cpu_device)
LAST_PAGE(cpu_constant)

enum { SECTIONS = 2 };
static const struct section {
    char *start, *stop;
    char *volatile last; /* our page. Without the word GCC is sure that it does not end at stop */
} sections[SECTIONS] = {
    {__start_cpu_device, __stop_cpu_device, last_of_cpu_device},
    {__start_cpu_constant, __stop_cpu_constant, last_of_cpu_constant},
};

static int file = -1;                     /* the copies: those of device 0, then those of 1 ... */
static char *copy[MAX_DEVICES][SECTIONS]; /* where they stand in the devices' memory */
static int selected = -1;

static size_t bytes_of(int section)
{
    return (size_t)(sections[section].stop - sections[section].start);
}

static off_t offset_of(int device, int section)
{
    size_t both = bytes_of(0) + bytes_of(1);

    return (off_t)((size_t)device * both + (section ? bytes_of(0) : 0));
}

static void give_up(const char *why)
{
    fflush(stdout);
    fprintf(stderr, "CPU device: no variables for each of %d devices: %s\n", cpu_devices, why);
    _exit(3);
}

static void map(void *at, int device, int section)
{
    if (mmap(at, bytes_of(section), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             offset_of(device, section)) == MAP_FAILED)
        give_up("out of memory");
}

int memory_file(const char *name)
{
    int made = memfd_create(name, MFD_CLOEXEC);

    return made >= 0 ? made : open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static void make_copies(void)
{
    for (int i = 0; i < SECTIONS; i++)
        if ((uintptr_t)sections[i].start % PAGE || sections[i].last + PAGE != sections[i].stop)
            give_up("a library behind the CPU device's has some");
    file = memory_file("device variables");
    if (file < 0)
        give_up("out of memory");
    for (int device = 0; device < MAX_DEVICES; device++)
        for (int i = 0; i < SECTIONS; i++) {
            void *at = NULL;

            if (pwrite(file, sections[i].start, bytes_of(i), offset_of(device, i)) !=
                    (ssize_t)bytes_of(i) ||
                memory_allocate(&at, bytes_of(i), MEMORY_VARIABLES, device))
                give_up("out of memory");
            map(at, device, i);
            copy[device][i] = at;
        }
}

/* By host threads, one at a time at the first call. */
static void prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_copies);
}

void *device_variable(const void *symbol, int device)
{
    uintptr_t address = (uintptr_t)symbol;

    if (cpu_devices > 1)
        for (int i = 0; i < SECTIONS; i++)
            if (address - (uintptr_t)sections[i].start < bytes_of(i)) {
                prepare();
                return copy[device][i] + (address - (uintptr_t)sections[i].start);
            }
    return (void *)address;
}

void device_variables_select(int device)
{
    if (cpu_devices == 1 || device == selected)
        return;
    prepare();
    for (int i = 0; i < SECTIONS; i++)
        map(sections[i].start, device, i);
    selected = device;
}
