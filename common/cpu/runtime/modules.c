/*
 * Modules: kernels and variables that are loaded while the program runs. A module is a shared
 * object, which ./steps/cuda -cubin makes of a .cu file, or the same as text, in base64, which
 * -ptx makes. Each load has a file in memory of its own, so that the system takes two loads of one
 * file for two modules, with variables of their own. Nothing is ever unloaded: a launch may still
 * be queued, and what the tools say names lines of the code.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/images.h"
#include "cpu/runtime/device_variables.h"
#include "cpu/runtime/driver.h"
#include "cpu/runtime/modules.h"

/* The text's first line, behind which its bytes are told. */
static const char text_begins[] = "// A module of the CPU device, ";

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

/* --- the text --------------------------------------------------------------------------------- */

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* The bytes of the lines of code, each behind "//: ", until so many are there. */
static size_t decode(const char *text, size_t bytes, unsigned char *to)
{
    size_t made = 0;
    unsigned bits = 0, value = 0;

    for (const char *line = text; line && made < bytes; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "//: ", 4))
            continue;
        for (line += 4; digit_of(*line) >= 0 && made < bytes; line++) {
            value = value << 6 | (unsigned)digit_of(*line);
            bits += 6;
            if (bits >= 8) {
                bits -= 8;
                to[made++] = (unsigned char)(value >> bits);
            }
        }
    }
    return made;
}

static bool is_text(const void *image)
{
    return !strncmp(image, text_begins, sizeof(text_begins) - 1);
}

/* --- machine code ----------------------------------------------------------------------------- */

static size_t elf_bytes(const void *image)
{
    const ElfW(Ehdr) *head = image;
    const ElfW(Phdr) *part = (const ElfW(Phdr) *)((const char *)image + head->e_phoff);
    size_t end = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;

    for (int i = 0; i < head->e_phnum; i++)
        if (part[i].p_offset + part[i].p_filesz > end)
            end = part[i].p_offset + part[i].p_filesz;
    return end;
}

size_t cpu_module_code(const void *image, void *to)
{
    size_t bytes;

    if (is_text(image)) {
        bytes = strtoul((const char *)image + sizeof(text_begins) - 1, NULL, 10);
        return to ? decode(image, bytes, to) : bytes;
    }
    bytes = elf_bytes(image);
    if (to)
        memcpy(to, image, bytes);
    return bytes;
}

/* Is it a module? Else the error, in words. */
static CUresult image_good(const void *image)
{
    static const char how[] =
        "the CPU device takes modules that it made itself, of the .cu file: ./steps/cuda -cubin";
    const ElfW(Ehdr) *head = image;
    const char *text = image;

    if (!image)
        return driver_say(CUDA_ERROR_INVALID_VALUE, "a module without an image");
    if (is_text(image))
        return CUDA_SUCCESS;
    if (!memcmp(image, "\x50\xed\x55\xba", 4))
        return driver_say(CUDA_ERROR_NO_BINARY_FOR_GPU, "the image is a GPU's fat binary; %s", how);
    if (!memcmp(head->e_ident, ELFMAG, SELFMAG)) {
        if (head->e_machine == MACHINE && head->e_type == ET_DYN)
            return CUDA_SUCCESS;
        return driver_say(CUDA_ERROR_NO_BINARY_FOR_GPU,
                          "the image is code of another processor, or of a GPU; %s", how);
    }
    text += strspn(text, " \t\r\n");
    if (!strncmp(text, "//", 2) || !strncmp(text, ".version", 8))
        return driver_say(CUDA_ERROR_INVALID_PTX, "the image is PTX; %s", how);
    return driver_say(CUDA_ERROR_INVALID_IMAGE, "the image is no module; %s", how);
}

/* The file's descriptor, -1: there is no memory. It stays open for the tools. */
static int file_of(const void *image)
{
    size_t bytes = cpu_module_code(image, NULL), done = 0;
    char *code = malloc(bytes ? bytes : 1);
    int file = code ? memory_file("module") : -1;

    if (file >= 0 && cpu_module_code(image, code) == bytes)
        while (done < bytes) {
            ssize_t n = write(file, code + done, bytes - done);

            if (n <= 0)
                break;
            done += (size_t)n;
        }
    free(code);
    if (file >= 0 && done < bytes) {
        close(file);
        file = -1;
    }
    return file;
}

int cpu_module_load(struct CUmod_st **module, const void *image)
{
    CUresult error = image_good(image);
    struct CUmod_st *m;
    char path[32];
    int file;

    if (error)
        return error;
    file = file_of(image);
    m = calloc(1, sizeof(*m));
    if (file < 0 || !m) {
        free(m);
        return driver_say(CUDA_ERROR_OUT_OF_MEMORY, "a module of %zu bytes",
                          cpu_module_code(image, NULL));
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    image_set_file(file);
    m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    image_set_file(-1);
    if (!m->handle || !dlsym(m->handle, "cpu_module_parts")) {
        error = driver_say(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "the module cannot be loaded: %s",
                           m->handle ? "it is none of the CPU device's" : dlerror());
        close(file);
        free(m);
        return error;
    }
    *module = m;
    return CUDA_SUCCESS;
}

/* --- what is in it ---------------------------------------------------------------------------- */

const void *module_find(const struct CUmod_st *module, const char *name, size_t *bytes)
{
    void *at = dlsym(module->handle, name);
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    if (!at || !dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
        !image_of((uintptr_t)at)) /* of the program, or of a library behind the module */
        return NULL;
    if (bytes)
        *bytes = symbol ? symbol->st_size : 0;
    return at;
}

const char *cpu_module_symbol(const struct CUmod_st *module, const char *pointer)
{
    void *const *at = dlsym(module->handle, pointer);
    Dl_info info;

    return at && *at && dladdr(*at, &info) && info.dli_saddr == *at ? info.dli_sname : NULL;
}
