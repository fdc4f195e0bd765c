#include "harness/kit/handed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/family.h"
#include "harness/kit/buffer.h"
#include "harness/kit/message.h"

#define MAX_ARRAYS 128

/* Of each run: how many arrays, and of each how many bytes, and these; UNTOUCHED without bytes of
 * one that is as it was poisoned. */
#define UNTOUCHED UINT64_MAX

static struct {
    FILE *file;
    bool ended; /* what it has is not what is asked for */
    struct {
        const struct buffer *buffer;
        size_t bytes;
    } array[MAX_ARRAYS];
    uint64_t count;
} handed;

int handed_open(const char *path, bool write)
{
    if (handed.file)
        return 0;
    handed.file = fopen(path, write ? "wb" : "rb");
    return handed.file ? 0 : complain(BAD_USAGE, "%s: %s", path, strerror(errno));
}

void handed_forget(void)
{
    handed.count = 0;
}

void handed_note(const struct buffer *buffer, size_t bytes)
{
    size_t i = 0;

    while (i < handed.count && handed.array[i].buffer != buffer)
        i++;
    if (!handed.file || i == MAX_ARRAYS)
        return;
    handed.array[i].buffer = buffer;
    handed.array[i].bytes = bytes;
    if (i == handed.count)
        handed.count++;
}

/* Room on the host for an array; NULL after one line. */
static void *room_for(size_t bytes)
{
    void *room = malloc(bytes ? bytes : 1);

    if (!room)
        complain(BAD_DEVICE, "no memory for the %zu bytes that a run hands over", bytes);
    return room;
}

static bool put(const void *from, size_t bytes)
{
    return fwrite(from, 1, bytes, handed.file) == bytes;
}

static bool is_untouched(const struct buffer *buffer, const unsigned char *at, size_t bytes)
{
    return bytes > 0 && at[0] == (unsigned char)buffer->poison &&
           memcmp(at, at + 1, bytes - 1) == 0;
}

static int write_array(const struct buffer *buffer, size_t bytes)
{
    uint64_t length = bytes;
    void *room = room_for(bytes);
    int status = room ? device_copy(&buffer->place, room, buffer->device, bytes) : BAD_DEVICE;

    if (status == 0 && is_untouched(buffer, (const unsigned char *)room, bytes))
        length = UNTOUCHED;
    if (status == 0 &&
        (!put(&length, sizeof(length)) || (length != UNTOUCHED && !put(room, bytes))))
        status =
            complain(BAD_DEVICE, "what a run hands over cannot be written (%s)", strerror(errno));
    free(room);
    return status;
}

int handed_write(void)
{
    int status =
        put(&handed.count, sizeof(handed.count))
            ? 0
            : complain(BAD_DEVICE, "what a run hands over cannot be written (%s)", strerror(errno));

    for (uint64_t i = 0; i < handed.count && status == 0; i++)
        status = write_array(handed.array[i].buffer, handed.array[i].bytes);
    if (status == 0 && fflush(handed.file) != 0)
        status =
            complain(BAD_DEVICE, "what a run hands over cannot be written (%s)", strerror(errno));
    return status;
}

/* The next number of the file; 0 where it has none. */
static uint64_t next(void)
{
    uint64_t found;

    return fread(&found, 1, sizeof(found), handed.file) == sizeof(found) ? found : 0;
}

static int read_array(const struct buffer *buffer, size_t bytes)
{
    void *room = room_for(bytes);
    uint64_t length = next();
    int status = room ? 0 : BAD_DEVICE;

    handed.ended = !room || (length != bytes && length != UNTOUCHED) ||
                   (length == bytes && fread(room, 1, bytes, handed.file) != bytes);
    if (!handed.ended && length == bytes)
        status = device_copy(&buffer->place, buffer->device, room, bytes);
    free(room);
    return status;
}

int handed_read(bool *there)
{
    int status = 0;

    handed.ended = handed.ended || handed.count == 0 || next() != handed.count;
    for (uint64_t i = 0; i < handed.count && status == 0 && !handed.ended; i++)
        status = read_array(handed.array[i].buffer, handed.array[i].bytes);
    *there = !handed.ended;
    return status;
}
