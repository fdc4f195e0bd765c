#define _DEFAULT_SOURCE /* dlopen */
#include "harness/kit/cudnn.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libcudnn.so.9"
#define FROM_DIRECTORY "CUDNN_LIB_DIR"

#ifndef CUDNN_FOLDER
#define CUDNN_FOLDER "" /* where the build found PyPI's package; "": nowhere */
#endif

static const struct {
    const char *name;
    size_t at; /* of the pointer to it in struct cudnn */
} functions[] = {
    {"cudnnGetVersion", offsetof(struct cudnn, get_version)},
    {"cudnnGetErrorString", offsetof(struct cudnn, error_string)},
    {"cudnnGetLastErrorString", offsetof(struct cudnn, last_error)},
    {"cudnnCreate", offsetof(struct cudnn, create)},
    {"cudnnCreateTensorDescriptor", offsetof(struct cudnn, create_tensor)},
    {"cudnnSetTensor4dDescriptor", offsetof(struct cudnn, set_tensor)},
    {"cudnnSoftmaxForward", offsetof(struct cudnn, softmax)},
    {"cudnnBackendCreateDescriptor", offsetof(struct cudnn, create_descriptor)},
    {"cudnnBackendSetAttribute", offsetof(struct cudnn, set)},
    {"cudnnBackendGetAttribute", offsetof(struct cudnn, get)},
    {"cudnnBackendFinalize", offsetof(struct cudnn, finalize)},
    {"cudnnBackendExecute", offsetof(struct cudnn, execute)},
};

/* Of what the library says about its last failure the cause: it tells that first, then, in further
 * lines, through which of its functions the failure went. */
static const char *cause(char *text)
{
    static const char mark[] = "Reason: ";
    char *begin = strstr(text, mark);

    begin = begin ? begin + strlen(mark) : text;
    begin[strcspn(begin, "\n")] = '\0';
    return begin;
}

void cudnn_explain(const struct cudnn *lib, int status, const char *call, char *text, size_t room)
{
    char said[4096] = "";
    const char *why;

    lib->last_error(said, sizeof(said));
    said[sizeof(said) - 1] = '\0';
    why = cause(said);
    snprintf(text, room, "cuDNN %zu.%zu.%zu: %s: %s%s%s", lib->version / 10000,
             lib->version / 100 % 100, lib->version % 100, call, lib->error_string(status),
             why[0] ? ": " : "", why);
}

void cudnn_check(const struct cudnn *lib, int status, const char *call)
{
    char text[1024];

    if (status == 0)
        return;
    cudnn_explain(lib, status, call, text, sizeof(text));
    fprintf(stderr, "%s\n", text);
    exit(3);
}

static void *load_from(const char *directory, char *why, size_t room)
{
    char path[4096];
    void *library;

    snprintf(path, sizeof(path), "%s/" LIBRARY, directory);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        snprintf(why, room, "cuDNN cannot be loaded: %s", dlerror());
    return library;
}

/* Its parts lie beside it, and it finds them there. */
static void *load(char *why, size_t room)
{
    const char *directory = getenv(FROM_DIRECTORY);
    void *library;

    if (directory)
        return load_from(directory, why, room);
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library && CUDNN_FOLDER[0])
        return load_from(CUDNN_FOLDER, why, room);
    if (!library)
        snprintf(why, room,
                 "cuDNN was not found: no " LIBRARY
                 " in the system, nor where the build looked for "
                 "PyPI's nvidia-cudnn-cu13; " FROM_DIRECTORY " can name its directory");
    return library;
}

static bool find_functions(struct cudnn *lib, void *library, char *why, size_t room)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(library, functions[i].name);

        if (!function) {
            snprintf(why, room, LIBRARY " has no function %s", functions[i].name);
            return false;
        }
        memcpy((char *)lib + functions[i].at, &function, sizeof(function));
    }
    return true;
}

const struct cudnn *cudnn_open(char *why, size_t room)
{
    static struct cudnn lib;
    void *library;
    int status;

    if (lib.handle)
        return &lib;
    library = load(why, room);
    if (!library)
        return NULL;
    if (!find_functions(&lib, library, why, room)) {
        dlclose(library);
        return NULL;
    }
    lib.version = lib.get_version();
    status = lib.create(&lib.handle);
    if (status == 0)
        return &lib;
    cudnn_explain(&lib, status, "cudnnCreate", why, room);
    lib.handle = NULL;
    dlclose(library);
    return NULL;
}
