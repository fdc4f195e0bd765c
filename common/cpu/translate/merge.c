/*
 * Code for the host and code for the device. nvcc compiles a file twice, and __CUDA_ARCH__ is
 * defined for the device alone. Here both run in one program, so the two are merged by their
 * declarations: a function for one of them is taken from its own text; one for both that differs
 * asks, when it runs, where it is:
 *
 *   __host__ __device__ int f() { if (cpu_on_device("FILE", LINE)) { DEVICE } else { HOST } }
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/files.h"
#include "cpu/translate/merge.h"
#include "cpu/translate/units.h"

struct side {
    struct source source;
    struct units units;
};

static struct side host, device;
static struct text out;
static const char *copied; /* the host's text up to here is in the output */

bool asks_for_architecture(const char *text)
{
    bool found = false;

    classify_files(text);
    for (int i = 0; i < file_count() && !found; i++) {
        FILE *f = file_at(i)->library || file_at(i)->ours ? NULL : fopen(file_at(i)->name, "rb");
        static char piece[1 << 16];
        size_t kept = 0, n;

        if (!f)
            continue;
        while (!found && (n = fread(piece + kept, 1, sizeof(piece) - kept, f)) > 0) {
            found = memmem(piece, kept + n, "__CUDA_ARCH_", 12) != NULL;
            n += kept;
            kept = n < 12 ? n : 12; /* it may lie across two pieces */
            memmove(piece, piece + n - kept, kept);
        }
        fclose(f);
    }
    return found;
}

/* --- what is the same ------------------------------------------------------------------------- */

static bool same_tokens(int i, int j, int n)
{
    for (int k = 0; k < n; k++) {
        const struct token *a = &host.source.token[i + k], *b = &device.source.token[j + k];

        if (a->length != b->length || memcmp(a->at, b->at, a->length))
            return false;
    }
    return true;
}

static bool same(const struct unit *a, const struct unit *b)
{
    return a->to - a->from == b->to - b->from && same_tokens(a->from, b->from, a->to - a->from);
}

/* One function with two bodies. */
static bool two_bodies(const struct unit *a, const struct unit *b)
{
    return a->open >= 0 && b->open >= 0 && a->open - a->from == b->open - b->from &&
           same_tokens(a->from, b->from, a->open - a->from);
}

/* The next places from (i, j) on at which the two are alike again, as few units on as can be. */
static void meet_again(int *i, int *j)
{
    for (int far = 1; far <= host.units.count + device.units.count; far++)
        for (int a = 0; a <= far; a++) {
            int x = *i + a, y = *j + far - a;

            if (x > host.units.count || y > device.units.count)
                continue;
            if (x == host.units.count ? y == device.units.count
                                      : y < device.units.count &&
                                            (same(&host.units.at[x], &device.units.at[y]) ||
                                             two_bodies(&host.units.at[x], &device.units.at[y]))) {
                *i = x;
                *j = y;
                return;
            }
        }
}

/* --- what is written
 * --------------------------------------------------------------------------- */

static const char *end_of(const struct token *t)
{
    return t->at + t->length;
}

static void put_place(const struct token *t)
{
    if (t->file >= 0)
        put_format(&out, "\n# %d \"%s\"\n", t->line, file_name(t->file));
}

/* The host's text up to the end of its token i; with keep not set, without the tokens [from, i]. */
static void copy_host(int from, int i, bool keep)
{
    const struct token *t = host.source.token;

    if (keep) {
        put(&out, copied, (size_t)(end_of(&t[i]) - copied));
    } else {
        put(&out, copied, (size_t)(t[from].at - copied));
        put_place(&t[i]);
    }
    copied = end_of(&t[i]);
}

/* Tokens [from, to] of the device's text; then the host's goes on where it was. */
static void copy_device(int from, int to)
{
    const struct token *t = device.source.token;
    int last = 0;

    put_place(&t[from]);
    put(&out, t[from].at, (size_t)(end_of(&t[to]) - t[from].at));
    while (last + 1 < host.source.count && end_of(&host.source.token[last + 1]) <= copied)
        last++;
    put_place(&host.source.token[last]);
}

static bool is_constexpr(const struct unit *u)
{
    for (int i = u->from; i < u->open; i++)
        if (is(&host.source.token[i], "constexpr"))
            return true;
    return false;
}

/* A library's header has code for a GPU alone, such as PTX, where it knows one: the CPU device
 * takes what it has for the host. */
static bool in_library(const struct token *t)
{
    return t->file >= 0 && file_at(t->file)->library;
}

static void put_both(const struct unit *a, const struct unit *b)
{
    int file = host.source.token[a->from].file;
    const char *name = file >= 0 ? file_name(file) : NULL;

    for (int k = a->open; k < a->to && !a->device && !a->global; k++)
        if (host.source.token[k].device)
            fail(&host.source.token[k], "a device lambda in a function that __CUDA_ARCH__ changes: "
                                        "give the lambda's code a __device__ function of its own");
    if (in_library(&host.source.token[a->from])) {
        copy_host(a->from, a->to - 1, true);
    } else if (a->global || (a->device && !a->host)) {
        copy_host(a->from, a->to - 1, false);
        copy_device(b->from, b->to - 1);
    } else if (a->device) {
        copy_host(a->from, a->open, true);
        put_format(&out, " if (%scpu_on_device(\"%s\", %d)) ",
                   is_constexpr(a) ? "!__builtin_is_constant_evaluated() && " : "",
                   name ? basename(name) : "?", host.source.token[a->from].line);
        copy_device(b->open, b->to - 1);
        put_format(&out, " else {");
        copy_host(a->from, a->to - 1, true);
        put_format(&out, " }");
    } else {
        copy_host(a->from, a->to - 1, true);
    }
}

/* Units that one text alone has: [i, x) of the host's, [j, y) of the device's. */
static void put_single(int i, int x, int j, int y)
{
    const struct token *differs = NULL;

    for (; i < x; i++) {
        const struct unit *u = &host.units.at[i];
        bool library = in_library(&host.source.token[u->from]);
        bool for_device = u->kind == FUNCTION && (u->global || u->device) && !u->host && !library;

        if (!for_device && !library)
            differs = &host.source.token[u->from];
        copy_host(u->from, u->to - 1, !for_device);
    }
    for (; j < y; j++) {
        const struct unit *u = &device.units.at[j];
        bool for_device = u->kind == FUNCTION && (u->global || u->device) && !u->host;

        if (in_library(&device.source.token[u->from]))
            continue;
        if (differs && !for_device)
            fail(&device.source.token[u->from],
                 "declared in two ways, by __CUDA_ARCH__ (line %d): "
                 "the CPU device has one program for both",
                 differs->line);
        copy_device(u->from, u->to - 1);
    }
}

const char *merge(const char *host_text, const char *device_text)
{
    int i = 0, j = 0;

    host.source = tokens_of(host_text);
    host.units = units_of(&host.source);
    device.source = tokens_of(device_text);
    device.units = units_of(&device.source);
    copied = host_text;
    while (i < host.units.count || j < device.units.count) {
        const struct unit *a = &host.units.at[i], *b = &device.units.at[j];
        bool both = i < host.units.count && j < device.units.count;

        if (both && same(a, b)) {
            copy_host(a->from, a->to - 1, true);
            i++, j++;
        } else if (both && two_bodies(a, b)) {
            put_both(a, b);
            i++, j++;
        } else {
            int x = i, y = j;

            meet_again(&x, &y);
            put_single(i, x, j, y);
            i = x;
            j = y;
        }
    }
    put_format(&out, "%s", copied);
    return out.at;
}
