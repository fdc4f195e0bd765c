#include "harness/kit/machine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kit/jsonread.h"
#include "harness/kit/message.h"

#define MAX_BYTES ((size_t)1 << 20)

static const struct {
    const char *name, *unit;
} numbers[MACHINE_NUMBERS] = {
    [MACHINE_FIRST_OPERATION] = {"first_operation", "us"},
    [MACHINE_NEXT_OPERATION] = {"next_operation", "us"},
    [MACHINE_BLOCK_START] = {"block_start", "ns"},
    [MACHINE_WIDE_START] = {"wide_block_start", "ns"},
    [MACHINE_DRAM_READ] = {"dram_read", "GB/s"},
    [MACHINE_DRAM_WRITE] = {"dram_write", "GB/s"},
    [MACHINE_L2_READ] = {"l2_read", "GB/s"},
    [MACHINE_LINE_STORES] = {"line_stores", "stores/ns"},
    [MACHINE_DRAM_LATENCY] = {"dram_latency", "ns"},
    [MACHINE_L2_LATENCY] = {"l2_latency", "ns"},
    [MACHINE_L1_LATENCY] = {"l1_latency", "ns"},
    [MACHINE_SHARED_LATENCY] = {"shared_latency", "ns"},
    [MACHINE_DEPENDENT_STEP] = {"dependent_step", "ns"},
    [MACHINE_BARRIER] = {"block_barrier", "ns"},
    [MACHINE_ATOMIC_LATENCY] = {"atomic_latency", "ns"},
    [MACHINE_FENCE] = {"fence", "ns"},
    [MACHINE_SAME_ADDRESS_ATOMIC] = {"same_address_atomic", "ns"},
    [MACHINE_SAME_ADDRESS_INTEGER] = {"same_address_integer", "ns"},
    [MACHINE_ISSUE_RATE] = {"issue_rate", "instructions/ns"},
    [MACHINE_F32_RATE] = {"f32_rate", "GFLOP/s"},
};

static const char *const attributes[MACHINE_ATTRIBUTES] = {
    [MACHINE_MULTIPROCESSORS] = "multiprocessors",
    [MACHINE_THREADS] = "threads_per_multiprocessor",
    [MACHINE_BLOCKS] = "blocks_per_multiprocessor",
    [MACHINE_REGISTERS] = "registers_per_multiprocessor",
    [MACHINE_SHARED_BYTES] = "shared_bytes_per_multiprocessor",
    [MACHINE_RESERVED_BYTES] = "reserved_shared_bytes_per_block",
    [MACHINE_L2_BYTES] = "l2_bytes",
    [MACHINE_CLOCK_MHZ] = "clock_mhz",
};

/* A file while it is read. What an entry gives is NaN or "" until it has been read. */
struct reading {
    const char *path;
    struct machine *machine;
    int number; /* enum machine_number of the entry at hand */
    char unit[32];
    bool how;
};

const char *machine_number_name(enum machine_number number)
{
    return numbers[number].name;
}

const char *machine_number_unit(enum machine_number number)
{
    return numbers[number].unit;
}

const char *machine_attribute_name(enum machine_attribute attribute)
{
    return attributes[attribute];
}

static int number_of(const char *name)
{
    for (int i = 0; i < MACHINE_NUMBERS; i++) {
        if (strcmp(name, numbers[i].name) == 0)
            return i;
    }
    return -1;
}

const char *machine_unit_of(const char *name)
{
    int number = number_of(name);

    return number < 0 ? NULL : numbers[number].unit;
}

static int attribute_of(const char *name)
{
    for (int i = 0; i < MACHINE_ATTRIBUTES; i++) {
        if (strcmp(name, attributes[i]) == 0)
            return i;
    }
    return -1;
}

/* One of an entry's members: value, unit, spread, how. */
static int read_member(void *context, struct json *json, const char *key)
{
    struct reading *r = context;
    char how[512];
    int status;

    if (strcmp(key, "value") == 0)
        return json_read_number(json, &r->machine->value[r->number]);
    if (strcmp(key, "spread") == 0)
        return json_read_number(json, &r->machine->spread[r->number]);
    if (strcmp(key, "unit") == 0)
        return json_read_text(json, r->unit, sizeof(r->unit));
    if (strcmp(key, "what") == 0)
        return json_skip(json);
    if (strcmp(key, "how") != 0)
        return json_complain(json, "%s has no member %s (accepted: value unit spread what how)",
                             numbers[r->number].name, key);
    status = json_read_text(json, how, sizeof(how));
    r->how = how[0] != '\0';
    return status;
}

static int check_entry(const struct reading *r)
{
    const char *name = numbers[r->number].name, *unit = numbers[r->number].unit;
    double value = r->machine->value[r->number], spread = r->machine->spread[r->number];

    if (isnan(value))
        return complain(BAD_USAGE, "%s: %s has no value", r->path, name);
    if (!(value > 0) || isinf(value))
        return complain(BAD_USAGE, "%s: %s is %g; must be above 0", r->path, name, value);
    if (strcmp(r->unit, unit) != 0)
        return complain(BAD_USAGE, "%s: %s is in '%s'; must be in %s", r->path, name, r->unit,
                        unit);
    if (!(spread >= 0) || isinf(spread))
        return complain(BAD_USAGE, "%s: %s has no spread, or one that is negative", r->path, name);
    if (!r->how)
        return complain(BAD_USAGE, "%s: %s does not say how it was measured", r->path, name);
    return 0;
}

static int read_entry(void *context, struct json *json, const char *key)
{
    struct reading *r = context;
    int status;

    r->number = number_of(key);
    r->unit[0] = '\0';
    r->how = false;
    if (r->number < 0)
        return json_complain(json, "unknown number %s", key);
    if (!isnan(r->machine->value[r->number]))
        return json_complain(json, "%s stands there twice", key);
    status = json_read_object(json, read_member, r);
    return status == 0 ? check_entry(r) : status;
}

static int read_attribute(void *context, struct json *json, const char *key)
{
    struct reading *r = context;
    int attribute = attribute_of(key), status;
    double *value;

    if (strcmp(key, "name") == 0)
        return json_read_text(json, r->machine->device, sizeof(r->machine->device));
    if (attribute < 0)
        return json_skip(json);
    value = &r->machine->attribute[attribute];
    status = json_read_number(json, value);
    if (status == 0 && !(*value > 0) && attribute != MACHINE_RESERVED_BYTES)
        return complain(BAD_USAGE, "%s: %s is %g; must be above 0", r->path, key, *value);
    return status;
}

static int read_part(void *context, struct json *json, const char *key)
{
    if (strcmp(key, "device") == 0)
        return json_read_object(json, read_attribute, context);
    if (strcmp(key, "numbers") == 0)
        return json_read_object(json, read_entry, context);
    return json_skip(json); /* when and with what it was measured */
}

static int check_complete(const struct machine *machine, const char *path)
{
    if (!machine->device[0])
        return complain(BAD_USAGE, "%s: the device's name is missing", path);
    for (int i = 0; i < MACHINE_ATTRIBUTES; i++) {
        if (isnan(machine->attribute[i]))
            return complain(BAD_USAGE, "%s: the device's %s is missing", path, attributes[i]);
    }
    for (int i = 0; i < MACHINE_NUMBERS; i++) {
        if (isnan(machine->value[i]))
            return complain(BAD_USAGE, "%s: the number %s is missing", path, numbers[i].name);
    }
    return 0;
}

/* The file's text, to be freed; NULL after one line. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MAX_BYTES + 1) : NULL;
    size_t length = text ? fread(text, 1, MAX_BYTES + 1, file) : 0;
    bool bad = !file || !text || ferror(file);

    if (bad)
        complain(BAD_USAGE, "%s: %s", path, strerror(errno));
    else if (length > MAX_BYTES)
        complain(BAD_USAGE, "%s: a machine file has at most %zu bytes", path, MAX_BYTES);
    if (file)
        fclose(file);
    if (bad || length > MAX_BYTES) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

int machine_read(struct machine *machine, const char *path)
{
    struct reading reading = {.path = path, .machine = machine};
    char *text = read_text(path);
    struct json json = {.path = path, .text = text, .at = text};
    int status;

    if (!text)
        return BAD_USAGE;
    machine->device[0] = '\0';
    for (int i = 0; i < MACHINE_ATTRIBUTES; i++)
        machine->attribute[i] = NAN;
    for (int i = 0; i < MACHINE_NUMBERS; i++)
        machine->value[i] = machine->spread[i] = NAN;
    status = json_read_object(&json, read_part, &reading);
    if (status == 0)
        status = json_end(&json);
    if (status == 0)
        status = check_complete(machine, path);
    free(text);
    return status;
}
