/*
 * CUDA's own words: qualifiers are left out or become the compiler's, built-in variables become
 * calls, in device code that does not declare such a name itself, and #pragma unroll becomes the
 * compiler's.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "cpu/translate/cuda_words.h"

static struct source *s;

static struct token *at(int i)
{
    return &s->token[i < 0 ? s->count : i];
}

/* --- qualifiers ------------------------------------------------------------------------------ */

/* May the variable that is declared around i go to a section of its own? One that is const has the
 * compiler's, and the linker keeps one copy of an inline one, which it can only in theirs. */
static bool may_be_placed(int i)
{
    while (i && !is(at(i - 1), ";") && !is(at(i - 1), "{") && !is(at(i - 1), "}") &&
           at(i - 1)->kind != PRAGMA)
        i--;
    for (; i < s->count && !is(at(i), ";") && !is(at(i), "=") && !is(at(i), "[") && !is(at(i), "{");
         i++)
        if (is(at(i), "const") || is(at(i), "constexpr") || is(at(i), "inline") ||
            is(at(i), "template"))
            return false;
    return true;
}

static bool unit_says(const struct unit *unit, const char *word)
{
    for (int i = unit->from; i < unit->to; i++)
        if (is(at(i), word))
            return true;
    return false;
}

static bool translate_qualifier(int i)
{
    static const char *const left_out[] = {"__global__", "__device__", "__host__", "__managed__",
                                           "__grid_constant__"};
    struct token *t = at(i);

    for (size_t k = 0; k < sizeof(left_out) / sizeof(left_out[0]); k++)
        if (is(t, left_out[k])) {
            leave_out(s, i, i + 1);
            return true;
        }
    if (is(t, "__constant__"))
        replace(t, may_be_placed(i) ? "__attribute__((section(\"cpu_constant\")))" : "");
    else if ((is(t, "__launch_bounds__") || is(t, "__maxnreg__") || is(t, "__cluster_dims__")) &&
             is(at(i + 1), "("))
        leave_out(s, i, bracket_end(s, i + 1) + 1);
    else if (is(t, "__noinline__") && !is(at(i - 1), "(") && !is(at(i - 1), ","))
        replace(t, "__attribute__((noinline))");
    else if (is(t, "__align__") && is(at(i + 1), "(") && !t->text) {
        replace(t, "__attribute__((aligned");
        put_after(at(bracket_end(s, i + 1)), "))");
    } else
        return false;
    return true;
}

/*
 * The device's variables stand in a section, by which the device tells them from the host's; the
 * managed ones in another one, because several devices have them together. One that cannot is said
 * in the program: the device then takes any variable for its own.
 */
static void place_variables(const struct units *u)
{
    bool all = true;

    for (int k = 0; k < u->count; k++) {
        const struct unit *unit = &u->at[k];
        bool is_function = unit->kind == FUNCTION;

        for (int i = unit->from; i < unit->to; i++) {
            if (unit->open >= 0 && i > unit->open && is(at(i), "static") && at(i)->device)
                all = false; /* of a device function */
            if (at(i)->text || (!is(at(i), "__device__") && !is(at(i), "__managed__")))
                continue;
            if (is_function) { /* or a variable that a constructor sets */
                if (unit->open < 0 && unit->arguments >= 0 &&
                    at(unit->arguments + 1)->kind != WORD && !is(at(unit->arguments + 1), ")"))
                    all = false;
                continue;
            }
            if (unit->kind != OTHER)
                continue;
            if (unit->in_class || !may_be_placed(i))
                all = false;
            else if (unit_says(unit, "__managed__"))
                replace(at(i), "__attribute__((section(\"cpu_managed\")))");
            else if (!unit_says(unit, "__constant__")) /* which has its section already */
                replace(at(i), "__attribute__((section(\"cpu_device\")))");
            break;
        }
    }
    if (!all)
        put_after(at(s->count - 1), " extern \"C\" { __attribute__((weak)) char cpu_unplaced; }");
}

/* __forceinline__: with the word inline, unless the declaration has that already. */
static void translate_forceinline(int i)
{
    bool has_inline = false;

    for (int k = i - 1;
         k >= 0 && !is(at(k), ";") && !is(at(k), "}") && !is(at(k), "{") && at(k)->kind != PRAGMA;
         k--)
        has_inline |= is(at(k), "inline") || is(at(k), "__inline__") || is(at(k), "__inline") ||
                      is(at(k), "__forceinline__");
    for (int k = i + 1; k < s->count && (at(k)->kind == WORD || is(at(k), "*") || is(at(k), "&"));
         k++)
        has_inline |= is(at(k), "inline") || is(at(k), "__inline__") || is(at(k), "__inline");
    replace(at(i), has_inline ? "__attribute__((always_inline))"
                              : "inline __attribute__((always_inline))");
}

/* --- built-in variables ---------------------------------------------------------------------- */

/* Is the word at i a name that is declared there? */
static bool declares(int i)
{
    static const char *const keywords[] = {"return", "case", "else",  "do",  "sizeof", "and",
                                           "or",     "not",  "throw", "new", "delete", "goto"};
    const struct token *before = at(i - 1), *behind = at(i + 1);

    if (is(before, "&") && (at(i - 2)->kind == WORD || is(at(i - 2), ">")))
        return is(behind, ",") || is(behind, ")") || is(behind, "=");
    if (before->kind != WORD)
        return false;
    for (size_t k = 0; k < sizeof(keywords) / sizeof(keywords[0]); k++)
        if (is(before, keywords[k]))
            return false;
    return is(behind, "(") || is(behind, "=") || is(behind, ";") || is(behind, ",") ||
           is(behind, ")") || is(behind, "{") || is(behind, "[");
}

static bool declared_around(const struct units *u, int i, const char *name)
{
    const struct unit *f = function_around(u, i);

    for (int k = f ? f->from : i; f && k < f->to; k++)
        if (is(at(k), name) && declares(k))
            return true;
    return false;
}

static void translate_variable(const struct units *u, int i)
{
    static const char *const variables[][2] = {{"threadIdx", "cpu_threadIdx()"},
                                               {"blockIdx", "cpu_blockIdx()"},
                                               {"blockDim", "cpu_blockDim()"},
                                               {"gridDim", "cpu_gridDim()"}};

    if (is(at(i - 1), ".") || is(at(i - 1), "->"))
        return;
    if (!function_around(u, i) && declares(i)) /* a member, as cudaLaunchConfig_t has */
        return;
    for (int k = 0; k < 4; k++)
        if (is(at(i), variables[k][0]) && !declared_around(u, i, variables[k][0]))
            replace(at(i), variables[k][1]);
}

/* --- atomics --------------------------------------------------------------------------------- */

static bool is_one_of(const struct token *t, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is(t, words[i]))
            return true;
    return false;
}

#define IS_ONE_OF(t, words) is_one_of(t, words, sizeof(words) / sizeof((words)[0]))

static const char *const heads[] = {"if", "for", "while", "switch"};

/* Does a statement begin at i: behind another one, a brace, else, do, a label, or what an if, for,
 * while or switch has in brackets? */
static bool begins_statement(int i)
{
    static const char *const before[] = {";", "{", "}", "else", "do", ":"};
    int depth = 0;

    if (IS_ONE_OF(at(i - 1), before))
        return true;
    if (at(i - 1)->kind == PRAGMA)
        return true;
    for (int k = i - 1; k > 0 && is(at(i - 1), ")"); k--) {
        depth += is(at(k), ")");
        depth -= is(at(k), "(");
        if (depth == 0)
            return IS_ONE_OF(at(k - 1), heads);
    }
    return false;
}

/* An atomic for which the GPU has an instruction without an answer: it has none for exchanges. */
static bool may_be_quiet(const struct token *t)
{
    static const char *const names[] = {"atomicAdd", "atomicMax", "atomicMin", "atomicAnd",
                                        "atomicOr",  "atomicXor", "atomicInc", "atomicDec"};
    static const char *const scopes[] = {"", "_block", "_system"};
    char name[24];

    for (size_t n = 0; n < 3 * sizeof(names) / sizeof(names[0]); n++) {
        snprintf(name, sizeof(name), "%s%s", names[n / 3], scopes[n % 3]);
        if (is(t, name))
            return true;
    }
    return false;
}

/* atomicAdd(...); as a statement: nobody takes the old value. */
static void translate_atomic(int i)
{
    if (is(at(i + 1), "(") && is(at(bracket_end(s, i + 1) + 1), ";") && begins_statement(i) &&
        may_be_quiet(at(i)))
        put_before(at(i), "cpu_atomic_takes_nothing(), ");
}

/* Where the operand begins of the . or -> at i: names, what they have in brackets, and template
 * arguments; 0: it is of another form. */
static int operand_begin(int i)
{
    static const char *const joints[] = {"::", ".", "->"}, *const stops[] = {"else", "do",
                                                                             "return"};
    int templates = 0;

    for (int k = i - 1; k > 0; k--) {
        if (is(at(k), ")") || is(at(k), "]")) {
            int begin = bracket_end(s, k);

            if (IS_ONE_OF(at(begin - 1), heads))
                return k + 1;
            k = begin;
        } else if (is(at(k), ">") || is(at(k), "<")) {
            templates += is(at(k), ">") ? 1 : -1;
        } else if (IS_ONE_OF(at(k), stops) ||
                   (at(k)->kind != WORD && at(k)->kind != NUMBER && !IS_ONE_OF(at(k), joints) &&
                    !(templates > 0 && is(at(k), ",")))) {
            return templates == 0 ? k + 1 : 0;
        }
    }
    return 0;
}

/* counter.fetch_add(...); as a statement: the same of cuda::atomic. */
static void translate_fetch(int i)
{
    int begin;

    if (!(is(at(i - 1), ".") || is(at(i - 1), "->")) || !is(at(i + 1), "(") ||
        !is(at(bracket_end(s, i + 1) + 1), ";"))
        return;
    begin = operand_begin(i - 1);
    if (begin && begins_statement(begin))
        put_before(at(begin), "cpu_atomic_takes_nothing(), ");
}

/* Has the program a class of its own with a fetch_add? That may need the value. */
static bool defines_fetch(void)
{
    for (int i = 1; i < s->count; i++)
        if (is(at(i), "fetch_add") && !at(i)->ours && !is(at(i - 1), ".") && !is(at(i - 1), "->"))
            return true;
    return false;
}

/* __builtin_memcpy(...), say, becomes what heap_functions.h makes of memcpy: that is observed. */
static bool translate_builtin(struct token *t)
{
    static const char *const calls[][2] = {{"__builtin_memcpy", "cpu_copy"},
                                           {"__builtin_memmove", "cpu_move"},
                                           {"__builtin_memset", "cpu_fill"}};

    for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++)
        if (!t->ours && is(t, calls[k][0])) {
            replace(t, calls[k][1]);
            return true;
        }
    return false;
}

/* --- pragmas --------------------------------------------------------------------------------- */

/* `#pragma unroll`, `#pragma unroll N` or `(N)`: all as often as there is no number. */
static void translate_pragma(struct token *t)
{
    const char *p = t->at + 1, *end = t->at + t->length;

    while (p < end && isspace((unsigned char)*p))
        p++;
    if (strncmp(p, "pragma", 6))
        return;
    for (p += 6; p < end && isspace((unsigned char)*p); p++)
        ;
    if (strncmp(p, "unroll", 6) || isalnum((unsigned char)p[6]))
        return;
    for (p += 6; p < end && isspace((unsigned char)*p); p++)
        ;
    while (end > p && isspace((unsigned char)end[-1]))
        end--;
    replace(t, format_text("#pragma GCC unroll %.*s", p == end ? 4 : (int)(end - p),
                           p == end ? "1024" : p));
}

void translate_words(struct source *source, const struct units *u)
{
    bool fetches;

    s = source;
    fetches = !defines_fetch();
    place_variables(u);
    for (int i = 0; i < s->count; i++) {
        if (at(i)->kind == PRAGMA)
            translate_pragma(at(i));
        else if (at(i)->kind != WORD || at(i)->text)
            continue;
        else if (is(at(i), "__forceinline__"))
            translate_forceinline(i);
        else if (!translate_qualifier(i) && at(i)->device && !translate_builtin(&s->token[i])) {
            translate_variable(u, i);
            translate_atomic(i);
            if (fetches && !at(i)->ours && is(at(i), "fetch_add"))
                translate_fetch(i);
        }
    }
}
