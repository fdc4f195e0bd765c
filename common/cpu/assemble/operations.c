/*
 * Operations of single precision in x86-64's assembly, as GCC and Clang write it (AT&T's form).
 *
 * What a GPU has no instruction for is a sequence of these: a division, a root, the functions of
 * the C library. They stand here as nvcc 13 compiles them for compute capability 9.0, on the way
 * that usual arguments take: what a very large or small argument takes beyond is left out.
 */
#include <string.h>
#include "cpu/assemble/operations.h"

struct entry {
    const char *name;
    struct operations what;
};

/* After the v of the forms with three operands. */
static const struct entry instructions[] = {
    {"addss", {{0, 1, 0, 0}}}, {"subss", {{0, 1, 0, 0}}},  {"mulss", {{0, 0, 1, 0}}},
    {"divss", {{5, 0, 0, 0}}}, {"sqrtss", {{2, 0, 2, 0}}},
};

/* Where the last number is 1, usual arguments take different ways: the number is their mean. */
static const struct entry functions[] = {
    {"expf", {{4, 1, 1, 0}}},         {"exp10f", {{4, 1, 1, 0}}},
    {"logf", {{11, 1, 1, 0}}},        {"log2f", {{11, 2, 2, 0}}},
    {"log10f", {{11, 1, 2, 0}}},      {"sinf", {{8, 0, 2, 1}}},
    {"cosf", {{8, 0, 2, 1}}},         {"sincosf", {{11, 0, 2, 0}}},
    {"sinpif", {{9, 1, 1, 1}}},       {"cospif", {{9, 1, 1, 1}}},
    {"tanhf", {{5, 1, 2, 1}}},        {"__expf", {{0, 0, 1, 0}}},
    {"__exp10f", {{0, 0, 1, 0}}},     {"__logf", {{0, 0, 1, 0}}},
    {"__log10f", {{0, 0, 1, 0}}},     {"__sinf", {{0, 0, 1, 0}}},
    {"__cosf", {{0, 0, 1, 0}}},       {"__tanf", {{0, 0, 2, 0}}},
    {"__powf", {{0, 0, 1, 0}}},       {"__fdividef", {{0, 0, 1, 0}}},
    {"cpu_add_f32", {{0, 1, 0, 0}}},  {"cpu_mul_f32", {{0, 0, 1, 0}}},
    {"cpu_fma_f32", {{1, 0, 0, 0}}},  {"cpu_div_f32", {{5, 1, 0, 1}}},
    {"cpu_sqrt_f32", {{4, 2, 2, 1}}}, {"cpu_exp2_approx", {{0, 0, 0, 0}}},
};

/* Those whose operations are not known. */
static const char unknown[] =
    "powf tanf asinf acosf atanf atan2f sinhf coshf asinhf acoshf atanhf expm1f log1pf "
    "cbrtf rcbrtf hypotf rhypotf norm3df rnorm3df norm4df rnorm4df fmodf remainderf erff "
    "erfcf erfcxf erfinvf erfcinvf normcdff normcdfinvf lgammaf tgammaf j0f j1f jnf y0f "
    "y1f ynf cyl_bessel_i0f cyl_bessel_i1f ";

/* A word of the line, after blanks, and up to one of these; its length. */
static size_t word(const char **at, const char *ends)
{
    *at += strspn(*at, " \t");
    return strcspn(*at, ends);
}

static bool is_word(const char *name, const char *at, size_t length)
{
    return strlen(name) == length && !memcmp(name, at, length);
}

static struct operations find(const struct entry *list, size_t count, const char *name,
                              size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(list[i].name, name, length))
            return list[i].what;
    return (struct operations){{0}};
}

static struct operations of_function(const char *name, size_t length)
{
    for (const char *p = unknown; *p; p += strcspn(p, " ") + 1)
        if (strcspn(p, " ") == length && !memcmp(p, name, length))
            return (struct operations){{0, 0, 0, 1}};
    return find(functions, sizeof(functions) / sizeof(*functions), name, length);
}

/* vfmadd231ss and its like: any order of operands, any signs. */
static bool is_multiply_add(const char *name, size_t length)
{
    static const char *const starts[] = {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub"};

    if (length < 2 || memcmp(name + length - 2, "ss", 2))
        return false;
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
        if (length > strlen(starts[i]) && !memcmp(name, starts[i], strlen(starts[i])))
            return true;
    return false;
}

/* What a GPU has no instruction for: so many as nvcc 13 makes of it, on the way of usual
 * arguments. */
static unsigned of_sequence(const char *name, size_t length)
{
    static const struct {
        const char *name;
        unsigned instructions;
    } sequences[] = {{"div", 17},   {"idiv", 17}, {"divl", 17},  {"idivl", 17}, {"divq", 24},
                     {"idivq", 24}, {"imulq", 3}, {"divss", 10}, {"sqrtss", 10}};

    for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++)
        if (is_word(sequences[i].name, name, length))
            return sequences[i].instructions;
    return 1;
}

/* A call of one of abi.h's functions of where a thread is, along an axis. */
static bool is_place(const char *line)
{
    static const char *const names[] = {"cpu_thread_index", "cpu_block_index", "cpu_block_dim",
                                        "cpu_grid_dim"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strstr(line, names[i]))
            return true;
    return false;
}

/* xorl %edi, %edi: how a compiler moves a zero. */
static bool is_zero(const char *name, size_t length)
{
    const char *first = name + length, *second;

    if (!is_word("xor", name, length) && !is_word("xorl", name, length))
        return false;
    first += strspn(first, " \t");
    second = strchr(first, ',');
    if (!second || *first != '%')
        return false;
    length = (size_t)(second - first);
    second += 1 + strspn(second + 1, " \t");
    return !strncmp(first, second, length) && !second[length + strspn(second + length, " \t\n")];
}

/*
 * How many instructions of a GPU the line stands for, by a rule: one for what computes, compares or
 * jumps, and for a division, a root or the lower half of a product of 64 bits what nvcc makes of
 * it; two for an access to memory, of which one makes the address, so that what else makes it, for
 * the hook's argument, is none; two for a thread's or block's number and for the size of a block or
 * grid, which lie elsewhere and must get into a register; none for what moves values, or a zero
 * that is no float, between few registers and a stack.
 */
static unsigned instructions_of(const char *name, size_t length, const char *line)
{
    static const char *const none[] = {"mov",   "push", "pop",  "nop",  "ret",  "leave",
                                       "endbr", "cltq", "cqto", "cltd", "cwtl", "ud2"};
    const char *hook = strstr(line, "__tsan_");

    if (*name == '.' || *name == '#' || strstr(line, "\tcpu_meet")) /* the translator's own */
        return 0;
    if (is_word("call", name, length) || is_word("callq", name, length))
        return !hook ? 1 + is_place(line) : strstr(hook, "read") || strstr(hook, "write") ? 2 : 0;
    length -= *name == 'v';
    name += *name == 'v';
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        if (!strncmp(name, none[i], strlen(none[i])))
            return 0;
    if (is_zero(name, length))
        return 0;
    return strncmp(name, "lea", 3) ? of_sequence(name, length) : !strstr(line, ", %rdi");
}

static struct operations arithmetic_of(const char *line)
{
    const char *name = line;
    size_t length = word(&name, " \t\n;#");

    if (name == line || !length) /* a label, or nothing */
        return (struct operations){{0}};
    if (is_multiply_add(name, length))
        return (struct operations){{1, 0, 0, 0}};
    if (is_word("call", name, length) || is_word("callq", name, length)) {
        name += length;
        length = word(&name, "@ \t\n;#");
        return of_function(name, length);
    }
    name += *name == 'v';
    length = strcspn(name, " \t\n;#");
    return find(instructions, sizeof(instructions) / sizeof(*instructions), name, length);
}

bool marks_return(const char *line)
{
    return strstr(line, "\tcpu_at_return") != NULL;
}

struct operations operations_of(const char *line)
{
    struct operations o = arithmetic_of(line);
    const char *name = line;
    size_t length = word(&name, " \t\n;#");

    if (name != line && length && !marks_return(line))
        o.n[INSTRUCTIONS] = instructions_of(name, length, line);
    return o;
}

/* addss, andps and the like set no flags; comparing with comis does. */
static bool is_of_vectors(const char *name, size_t length)
{
    static const char *const ends[] = {"ss", "sd", "ps", "pd"};

    if (length < 4 || strstr(name, "comis") == name || strstr(name, "comis") == name + 1 ||
        strstr(name, "comis") == name + 2)
        return false;
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        if (!memcmp(name + length - 2, ends[i], 2))
            return true;
    return false;
}

enum flags flags_of(const char *line)
{
    /* A shift by 0 sets no flags, and inc and dec leave one. */
    static const char *const needing[] = {"j",   "set", "cmov", "adc",  "sbb",
                                          "rcl", "rcr", "lahf", "pushf"};
    static const char *const setting[] = {"add",   "sub",     "cmp",    "test", "and",
                                          "or",    "xor",     "neg",    "imul", "ucomis",
                                          "comis", "vucomis", "vcomis", "call"};
    const char *name = line;
    size_t length = word(&name, " \t\n;#");

    if (name == line || !length || is_word("jmp", name, length))
        return FLAGS_KEPT;
    if (is_of_vectors(name, length))
        return FLAGS_KEPT;
    for (size_t i = 0; i < sizeof(needing) / sizeof(*needing); i++)
        if (!strncmp(name, needing[i], strlen(needing[i])))
            return FLAGS_NEEDED;
    for (size_t i = 0; i < sizeof(setting) / sizeof(*setting); i++)
        if (!strncmp(name, setting[i], strlen(setting[i])))
            return FLAGS_DEAD;
    return FLAGS_KEPT;
}

/* Labels to which code jumps: functions, GCC's .L12 and Clang's .LBB3_4. Others are there for the
 * debug information. */
static bool is_target(const char *label)
{
    if (strncmp(label, ".L", 2))
        return true;
    if (!strncmp(label, ".LBB", 4) && strchr(label, '_'))
        return true;
    return label[2] >= '0' && label[2] <= '9';
}

enum end ends_run(const char *line)
{
    const char *name = line;
    size_t length = word(&name, " \t\n;#");

    if (name == line)
        return length && line[length - 1] == ':' && is_target(line) ? END_BEFORE : END_NOT;
    return *name == 'j' || !strncmp(name, "ret", 3) || !strncmp(name, "ud2", 3) ? END_BEHIND
                                                                                : END_NOT;
}
