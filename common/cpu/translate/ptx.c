/*
 * Inline PTX: the instructions that programs of books put into asm, which become C++ in place:
 *
 *   asm("add.s32 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
 *   do { unsigned cpu_0 = 0, cpu_1 = (unsigned)(a), cpu_2 = ...; cpu_0 = cpu_1 + cpu_2; c = ... }
 * while (0);
 *
 * Operands are unsigned where PTX has bits, so that sums and products wrap. Registers that the text
 * declares become variables, @p an if, and a label one of C++, local to the statement. Instructions
 * of the tensor cores are in ptx_warp.c, barrier objects in ptx_barrier.c, copies in bulk in
 * ptx_bulk.c. Any
 * other instruction, register or operand is refused by name: in the student's files here, in a
 * library's header where a kernel comes to it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/files.h"
#include "cpu/translate/ptx.h"
#include "cpu/translate/ptx_barrier.h"
#include "cpu/translate/ptx_bulk.h"
#include "cpu/translate/ptx_warp.h"

enum { MOST_OPERANDS = 160, MOST_PARTS = 8, MOST_REGISTERS = 16, MOST_LABELS = 8 };

struct operand {
    char kind;   /* of its constraint: h, r, l, f, d, n */
    bool output; /* written */
    bool both;   /* and read */
    bool held;   /* written later, in its place: a sum of wgmma */
    const char *expression;
};

struct statement {
    const struct token *at; /* for what is refused */
    struct operand operand[MOST_OPERANDS];
    int operands;
    const char *registers[MOST_REGISTERS]; /* that the text declares */
    int declared;
    const char *label[MOST_LABELS]; /* as C++ */
    int labels;
    const char *target[MOST_LABELS]; /* of bra */
    int targets;
    const char *unknown; /* what is refused, in a library's header; NULL: nothing */
    struct text out;
};

static struct source *s;

static const struct token *at(int i)
{
    return &s->token[i];
}

/* Returns for a library's header, whose other code may not need it. */
static void refuse(struct statement *st, const char *what, const char *name)
{
    if (!file_at(st->at->file)->library)
        fail(st->at, what, name);
    st->unknown = name;
}

/* --- what stands in the brackets -------------------------------------------------------------- */

/* The literal's characters, with its escapes resolved. */
static void add_literal(struct text *to, const struct token *t)
{
    const char *p = memchr(t->at, '"', t->length), *end = t->at + t->length - 1;

    if (!p || memchr(t->at, '(', (size_t)(p - t->at)))
        fail(t, "inline PTX that is no plain string");
    for (p++; p < end; p++) {
        char c = *p;

        if (c == '\\' && p + 1 < end)
            c = *++p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
        put(to, &c, 1);
    }
}

static const char *type_of(char kind)
{
    return kind == 'h'   ? "unsigned short"
           : kind == 'r' ? "unsigned"
           : kind == 'l' ? "unsigned long long"
           : kind == 'f' ? "float"
           : kind == 'd' ? "double"
                         : "int";
}

/* The list of operands behind the : at i, up to the next : or the end. */
static int read_operands(struct statement *st, int i, int end, bool output)
{
    while (i < end && !is(at(i), ":") && !is(at(i), "::")) {
        struct operand *o = &st->operand[st->operands];
        const char *word = at(i)->at + 1;
        int close;

        if (at(i)->kind != STRING || !is(at(i + 1), "(") || st->operands == MOST_OPERANDS)
            fail(at(i), "inline PTX with an operand that the CPU device does not have");
        *o = (struct operand){.output = output, .both = *word == '+'};
        o->kind = *word == '=' || *word == '+' ? word[1] : *word;
        if (!strchr("hrlfdn", o->kind))
            fail(at(i), "inline PTX with the constraint %.*s", (int)at(i)->length, at(i)->at);
        close = bracket_end(s, i + 1);
        o->expression = flat_text(s, i + 2, close, true);
        st->operands++;
        i = close + 1;
        i += is(at(i), ",");
    }
    return i;
}

/* --- operands of an instruction --------------------------------------------------------------- */

static const struct {
    const char *name, *text;
} special[] = {
    {"%laneid", "cpu_laneid()"},
    {"%warpid", "cpu_warpid()"},
    {"%lanemask_eq", "(1u << cpu_laneid())"},
    {"%lanemask_lt", "((1u << cpu_laneid()) - 1)"},
    {"%lanemask_le", "((2u << cpu_laneid()) - 1)"},
    {"%lanemask_gt", "~((2u << cpu_laneid()) - 1)"},
    {"%lanemask_ge", "~((1u << cpu_laneid()) - 1)"},
    {"%tid.x", "cpu_threadIdx().x"},
    {"%tid.y", "cpu_threadIdx().y"},
    {"%tid.z", "cpu_threadIdx().z"},
    {"%ctaid.x", "cpu_blockIdx().x"},
    {"%ctaid.y", "cpu_blockIdx().y"},
    {"%ctaid.z", "cpu_blockIdx().z"},
    {"%ntid.x", "cpu_blockDim().x"},
    {"%ntid.y", "cpu_blockDim().y"},
    {"%ntid.z", "cpu_blockDim().z"},
    {"%nctaid.x", "cpu_gridDim().x"},
    {"%nctaid.y", "cpu_gridDim().y"},
    {"%nctaid.z", "cpu_gridDim().z"},
    {"%cluster_ctarank", "cpu_cluster_rank()"},
    {"%cluster_nctarank", "__clusterSizeInBlocks()"},
    {"%is_explicit_cluster", "cpu_cluster_explicit()"},
    {"%cluster_ctaid.x", "__clusterRelativeBlockIdx().x"},
    {"%cluster_ctaid.y", "__clusterRelativeBlockIdx().y"},
    {"%cluster_ctaid.z", "__clusterRelativeBlockIdx().z"},
    {"%cluster_nctaid.x", "__clusterDim().x"},
    {"%cluster_nctaid.y", "__clusterDim().y"},
    {"%cluster_nctaid.z", "__clusterDim().z"},
    {"%clusterid.x", "__clusterIdx().x"},
    {"%clusterid.y", "__clusterIdx().y"},
    {"%clusterid.z", "__clusterIdx().z"},
    {"%nclusterid.x", "__clusterGridDimInClusters().x"},
    {"%nclusterid.y", "__clusterGridDimInClusters().y"},
    {"%nclusterid.z", "__clusterGridDimInClusters().z"},
    {"%globaltimer", "(unsigned long long)cpu_clock()"},
    {"%clock64", "(unsigned long long)cpu_clock()"},
    {"%clock", "(unsigned)cpu_clock()"},
};

static bool is_number(const char *p)
{
    p += *p == '-';
    if (!isdigit((unsigned char)*p))
        return false;
    if (*p == '0' && strchr("fFdD", p[1]) && p[1])
        return false; /* bits of a float */
    for (; *p; p++)
        if (!isxdigit((unsigned char)*p) && !strchr("xXuU.", *p))
            return false;
    return true;
}

static const char *value_of(struct statement *st, const char *word);

/* What [%3] or [%3 + 16] says. */
static const char *address_of(struct statement *st, const char *word)
{
    int length = (int)strlen(word) - 1, base = (int)strcspn(word + 1, "+] \t");
    const char *behind = word + 1 + base + strspn(word + 1 + base, " \t");
    const char *offset = behind + 1 + strspn(behind + 1, " \t");
    const char *of = value_of(st, format_text("%.*s", base, word + 1));

    if (behind == word + length)
        return of;
    offset = format_text("%.*s", (int)strcspn(offset, " \t]"), offset);
    if (*behind != '+' || !is_number(offset))
        refuse(st, "the CPU device has no %s in inline PTX", word);
    return format_text("(%s + %s)", of, offset);
}

/* %3, a number or a register, special or declared, as C++. */
static const char *value_of(struct statement *st, const char *word)
{
    char *end;
    long number;

    if (*word == '[' && word[strlen(word) - 1] == ']')
        return address_of(st, word);
    if (!strcmp(word, "_")) /* nobody takes it: see ptx_barrier.c */
        return word;
    if (*word == '%' && isdigit((unsigned char)word[1])) {
        number = strtol(word + 1, &end, 10);
        if (!*end && number < st->operands)
            return format_text("cpu_%ld", number);
    }
    for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
        if (!strcmp(word, special[i].name))
            return special[i].text;
    if (is_number(word))
        return word;
    for (int i = 0; i < st->declared; i++)
        if (!strcmp(word, st->registers[i]))
            return format_text("cpu_register_%s", word + (*word == '%'));
    refuse(st, "the CPU device has no %s in inline PTX", word);
    return "0";
}

/* `.reg .u32 lo, hi`: the words behind the first one. */
static void put_registers(struct statement *st, char *save)
{
    static const char *const types[][2] = {{".pred", "bool"},  {".f32", "float"},
                                           {".f64", "double"}, {"16", "unsigned short"},
                                           {"32", "unsigned"}, {"64", "unsigned long long"}};
    const char *type = strtok_r(NULL, " \t\n", &save), *cpp = NULL;

    for (size_t i = 0; type && !cpp && i < sizeof(types) / sizeof(types[0]); i++)
        if (!strcmp(type, types[i][0]) || (strlen(type) == 4 && !strcmp(type + 2, types[i][0])))
            cpp = types[i][1];
    if (!cpp)
        refuse(st, "the CPU device has no registers %s in inline PTX", type ? type : ".reg");
    for (char *word; cpp && (word = strtok_r(NULL, ", \t\n", &save));) {
        if (st->declared == MOST_REGISTERS)
            fail(st->at, "inline PTX with more than %d registers", MOST_REGISTERS);
        st->registers[st->declared++] = word;
        put_format(&st->out, "%s cpu_register_%s = 0; ", cpp, word + (*word == '%'));
    }
}

/* A number, or an operand that is one ("n"), where the source says which; else NULL. */
static const char *number_of(const struct statement *st, const char *word)
{
    const char *number = word;

    if (*word == '%' && isdigit((unsigned char)word[1]) && atoi(word + 1) < st->operands)
        number = st->operand[atoi(word + 1)].expression;
    return is_number(number) ? number : NULL;
}

/* --- instructions ----------------------------------------------------------------------------- */

/* $1, $2, $3: the sources; $s, $S, $w: the signed type, the unsigned one, and the one of 64 bits.
 * */
static const struct {
    const char *name;  /* without its type */
    const char *types; /* with spaces around each */
    const char *text;
} instructions[] = {
    {"mov", " b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 pred ", "$1"},
    {"add", " u16 s16 u32 s32 u64 s64 f32 f64 ", "$1 + $2"},
    {"add.rn", " f32 f64 ", "$1 + $2"},
    {"sub", " u16 s16 u32 s32 u64 s64 f32 f64 ", "$1 - $2"},
    {"sub.rn", " f32 f64 ", "$1 - $2"},
    {"mul.lo", " u32 s32 u64 s64 ", "$1 * $2"},
    {"mul", " f32 f64 ", "$1 * $2"},
    {"mul.rn", " f32 f64 ", "$1 * $2"},
    {"mul.wide", " u32 ", "(unsigned long long)(unsigned)($1) * (unsigned)($2)"},
    {"mul.wide", " s32 ", "(unsigned long long)((long long)(int)($1) * (int)($2))"},
    {"mul.hi", " u32 ", "(unsigned)((unsigned long long)(unsigned)($1) * (unsigned)($2) >> 32)"},
    {"mul.hi", " s32 ", "(unsigned)((long long)(int)($1) * (int)($2) >> 32)"},
    {"mul.hi", " u64 ",
     "(unsigned long long)((unsigned __int128)(unsigned long long)($1) * (unsigned long long)($2) "
     ">> 64)"},
    {"mul.hi", " s64 ", "(unsigned long long)((__int128)(long long)($1) * (long long)($2) >> 64)"},
    {"mad.lo", " u32 s32 u64 s64 ", "$1 * $2 + $3"},
    {"mad.wide", " u32 ", "(unsigned long long)(unsigned)($1) * (unsigned)($2) + $3"},
    {"mad.wide", " s32 ", "(unsigned long long)((long long)(int)($1) * (int)($2)) + $3"},
    {"fma.rn", " f32 ", "__builtin_fmaf($1, $2, $3)"},
    {"fma.rn", " f64 ", "__builtin_fma($1, $2, $3)"},
    {"div.rn", " f32 f64 ", "$1 / $2"},
    {"sqrt.rn", " f32 ", "__builtin_sqrtf($1)"},
    {"and", " b16 b32 b64 ", "$1 & $2"},
    {"or", " b16 b32 b64 ", "$1 | $2"},
    {"xor", " b16 b32 b64 ", "$1 ^ $2"},
    {"not", " b16 b32 b64 ", "~($1)"},
    {"shl", " b32 ", "($2 > 31u ? 0u : $1 << $2)"},
    {"shl", " b64 ", "($2 > 63u ? 0ull : $1 << $2)"},
    {"shr", " u32 b32 ", "($2 > 31u ? 0u : $1 >> $2)"},
    {"shr", " u64 b64 ", "($2 > 63u ? 0ull : $1 >> $2)"},
    {"shr", " s32 ", "(unsigned)((int)($1) >> ($2 > 31u ? 31u : $2))"},
    {"shr", " s64 ", "(unsigned long long)((long long)($1) >> ($2 > 63u ? 63u : $2))"},
    {"min", " u32 u64 ", "($1 < $2 ? $1 : $2)"},
    {"max", " u32 u64 ", "($1 > $2 ? $1 : $2)"},
    {"min", " s32 ", "(unsigned)((int)($1) < (int)($2) ? (int)($1) : (int)($2))"},
    {"max", " s32 ", "(unsigned)((int)($1) > (int)($2) ? (int)($1) : (int)($2))"},
    {"min", " f32 ", "__builtin_fminf($1, $2)"},
    {"max", " f32 ", "__builtin_fmaxf($1, $2)"},
    {"neg", " s32 s64 ", "0 - $1"},
    {"neg", " f32 f64 ", "-$1"},
    {"abs", " s32 ", "(unsigned)((int)($1) < 0 ? 0 - $1 : $1)"},
    {"abs", " f32 ", "__builtin_fabsf($1)"},
    {"popc", " b32 ", "(unsigned)__builtin_popcount($1)"},
    {"popc", " b64 ", "(unsigned)__builtin_popcountll($1)"},
    {"clz", " b32 ", "($1 ? (unsigned)__builtin_clz($1) : 32u)"},
    {"clz", " b64 ", "($1 ? (unsigned)__builtin_clzll($1) : 64u)"},
    {"bfind", " u32 ", "($1 ? 31u - (unsigned)__builtin_clz($1) : 0xffffffffu)"},
    {"bfind", " u64 ", "($1 ? 63u - (unsigned)__builtin_clzll($1) : 0xffffffffu)"},
    {"brev", " b32 ", "__brev($1)"},
    {"brev", " b64 ", "__brevll($1)"},
    {"bfe", " u32 ", "cpu_ptx_bfe($1, $2, $3)"},
    {"bfe", " u64 ", "cpu_ptx_bfe64($1, $2, $3)"},
    {"bfi", " b32 ", "cpu_ptx_bfi($1, $2, $3, $4)"},
    {"prmt", " b32 ", "__byte_perm($1, $2, $3)"},
    {"vabsdiff4.u32.u32.u32", " add ", "__vsadu4($1, $2) + $3"},
    {"vabsdiff4.s32.s32.s32", " add ", "__vsads4($1, $2) + $3"},
    {"selp", " b32 u32 s32 b64 u64 s64 f32 f64 ", "($3 ? $1 : $2)"},
    {"vote.ballot.sync", " b32 ", "__ballot_sync($2, $1)"},
    {"vote.any.sync", " pred ", "__any_sync($2, $1)"},
    {"vote.all.sync", " pred ", "__all_sync($2, $1)"},
    {"ex2.approx.ftz", " f32 ", "cpu_exp2_approx($1)"},
    {"cvt.rna.tf32", " f32 ", "cpu_to_tf32($1)"},
    {"cvt.u32", " u64 ", "(unsigned)($1)"},
    {"cvta.to.shared", " u64 ", "__cvta_generic_to_shared((const void *)($1))"},
    {"mapa.shared::cluster", " u32 ", "cpu_ptx_map((unsigned)($1), $2)"},
    {"mapa", " u64 ", "cpu_ptx_map((unsigned long long)($1), $2)"},
    {"getctarank.shared::cluster", " u32 ", "cpu_ptx_rank((unsigned)($1))"},
    {"getctarank", " u64 ", "cpu_ptx_rank((unsigned long long)($1))"},
    {"cvta.shared::cluster", " u64 ", "cpu_ptx_generic((unsigned)($1))"},
};

/* setp.COMPARISON.TYPE p, a, b. */
static const char *const comparisons[][2] = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="},
                                             {"gt", ">"},  {"ge", ">="}, {"lo", "<"}, {"ls", "<="},
                                             {"hi", ">"},  {"hs", ">="}};

/* Those that give no value. */
static const struct {
    const char *name, *text;
} actions[] = {
    {"fence.acq_rel.cluster", "__threadfence_cluster()"},
    {"fence.sc.cluster", "__threadfence_cluster()"},
    {"membar.gl", "__threadfence()"},
    {"membar.cta", "__threadfence_block()"},
    {"membar.sys", "__threadfence_system()"},
    {"cp.async.commit_group", "cpu_copy_commit()"},
    {"cp.async.wait_group", "cpu_copy_wait($0)"},
    {"cp.async.wait_all", "(cpu_copy_commit(), cpu_copy_wait(0))"},
    {"wgmma.fence.sync.aligned", "cpu_group_fence()"},
    {"wgmma.commit_group.sync.aligned", "cpu_group_commit()"},
    {"wgmma.wait_group.sync.aligned", "cpu_group_wait($0)"},
    {"fence.proxy.async", "cpu_proxy_fence()"},
    {"fence.proxy.async.shared::cta", "cpu_proxy_fence()"},
    {"fence.proxy.async.shared::cluster", "cpu_proxy_fence()"},
    {"fence.mbarrier_init.release.cluster", "(void)0"}, /* an object is there once it is written */
    {"barrier.cluster.arrive", "cpu_cluster_arrive(true)"},
    {"barrier.cluster.arrive.aligned", "cpu_cluster_arrive(true)"},
    {"barrier.cluster.arrive.release", "cpu_cluster_arrive(true)"},
    {"barrier.cluster.arrive.release.aligned", "cpu_cluster_arrive(true)"},
    {"barrier.cluster.arrive.relaxed", "cpu_cluster_arrive(false)"},
    {"barrier.cluster.arrive.relaxed.aligned", "cpu_cluster_arrive(false)"},
    {"barrier.cluster.wait", "cpu_cluster_wait()"},
    {"barrier.cluster.wait.aligned", "cpu_cluster_wait()"},
    {"barrier.cluster.wait.acquire", "cpu_cluster_wait()"},
    {"barrier.cluster.wait.acquire.aligned", "cpu_cluster_wait()"},
    {"setmaxnreg.inc.sync.aligned.u32", "cpu_ptx_registers($0)"},
    {"setmaxnreg.dec.sync.aligned.u32", "cpu_ptx_registers($0)"},
    {"cp.async.bulk.commit_group", "cpu_bulk_commit()"},
    {"fence.proxy.async.global", "cpu_proxy_fence()"},
    {"prefetch.tensormap", "(void)($0)"},
    {"prefetch.param.tensormap", "(void)($0)"},
    {"griddepcontrol.wait", "(void)0"}, /* a launch begins when the one before has ended */
    {"griddepcontrol.launch_dependents", "(void)0"},
};

/* Asynchronous copies: their names, which may go on with .L2::128B and the like, and the bytes that
 * they may have. */
static const struct {
    const char *name, *sizes;
} copies[] = {
    {"cp.async.ca.shared.global", " 4 8 16 "},
    {"cp.async.ca.shared::cta.global", " 4 8 16 "},
    {"cp.async.cg.shared.global", " 16 "},
    {"cp.async.cg.shared::cta.global", " 16 "},
};

/* The text with the instruction's operands in it. */
static void put_filled(struct statement *st, const char *text, const char **part, int parts)
{
    for (; *text; text++) {
        int k = text[1] - '0';

        if (*text != '$') {
            put(&st->out, text, 1);
            continue;
        }
        if (k >= parts)
            fail(st->at, "inline PTX: an instruction without its operand %d", k);
        put_format(&st->out, "%s", value_of(st, part[k]));
        text++;
    }
    put(&st->out, ";", 1);
    put(&st->out, " ", 1);
}

static bool put_comparison(struct statement *st, const char *name, const char **part, int parts)
{
    const char *type = strrchr(name, '.'), *sign = NULL;
    bool is_signed = type && (!strcmp(type, ".s32") || !strcmp(type, ".s64"));

    for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
        if (!strncmp(name + 5, comparisons[i][0], 2) && name + 7 == type)
            sign = comparisons[i][1];
    if (strncmp(name, "setp.", 5) || !sign || parts != 3)
        return false;
    put_format(&st->out,
               is_signed ? "%s = cpu_ptx_signed(%s) %s cpu_ptx_signed(%s); " : "%s = %s %s %s; ",
               value_of(st, part[0]), value_of(st, part[1]), sign, value_of(st, part[2]));
    return true;
}

/* shfl.sync.up.b32 d, a, b, c, mask, or with d|p. */
static bool put_shuffle(struct statement *st, const char *name, const char **part, int parts)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};

    for (int i = 0; i < 4; i++) {
        const char *bar = parts == 5 ? strchr(part[0], '|') : NULL;

        if (parts != 5 || strcmp(name, format_text("shfl.sync.%s.b32", modes[i])))
            continue;
        if (bar)
            part[0] = format_text("%.*s", (int)(bar - part[0]), part[0]);
        put_format(&st->out, "cpu_ptx_shuffle_%s(%s, %s, %s, %s, %s, %s); ", modes[i],
                   value_of(st, part[0]), bar ? value_of(st, bar + 1) : "cpu_ptx_nowhere()",
                   value_of(st, part[1]), value_of(st, part[2]), value_of(st, part[3]),
                   value_of(st, part[4]));
        return true;
    }
    return false;
}

/* mov.b64 {lo, hi}, a and mov.b64 d, {lo, hi}, whose braces are gone. */
static bool put_halves(struct statement *st, const char *name, const char **part, int parts,
                       bool to_halves)
{
    if (strcmp(name, "mov.b64") || parts != 3)
        return false;
    put_format(&st->out, to_halves ? "cpu_ptx_split(%s, %s, %s); " : "cpu_ptx_join(%s, %s, %s); ",
               value_of(st, part[0]), value_of(st, part[1]), value_of(st, part[2]));
    return true;
}

/* The type of C++ that a type of PTX, with its dot, is; NULL: there is none. */
static const char *cpp_type(const char *type)
{
    static const char *const types[][2] = {
        {"8", "char"}, {"16", "short"}, {"32", "int"}, {"64", "long long"}};

    for (size_t i = 0; type && i < sizeof(types) / sizeof(types[0]); i++)
        if (strlen(type) > 2 && !strcmp(type + 2, types[i][0]))
            return type[1] == 's'          ? format_text("signed %s", types[i][1])
                   : type[1] != 'f'        ? format_text("unsigned %s", types[i][1])
                   : !strcmp(type, ".f32") ? "float"
                                           : "double";
    return NULL;
}

/* ld.global.ca.v4.u32 {a, b, c, d}, [e], st.shared::cluster.f32 [a], b: whatever the cache is
 * told. */
static bool put_access(struct statement *st, const char *name, const char **part, int parts)
{
    const char *cpp = cpp_type(strrchr(name, '.'));
    bool load = !strncmp(name, "ld.", 3), store = !strncmp(name, "st.", 3);
    bool shared = !strncmp(name + 3, "shared.", 7) || !strncmp(name + 3, "shared::", 8);

    if (!cpp || (!load && !store) || parts < 2 || (!shared && strncmp(name + 3, "global.", 7)))
        return false;
    put_format(&st->out, "cpu_ptx_%s<%s>(%s(%s)", load ? "load" : "store", cpp,
               shared ? "cpu_ptx_generic" : "", value_of(st, part[load ? parts - 1 : 0]));
    for (int i = load ? 0 : 1; i < (load ? parts - 1 : parts); i++)
        put_format(&st->out, ", %s", value_of(st, part[i]));
    put_format(&st->out, "); ");
    return true;
}

/* Which of the words it is; -1: none. */
static int index_of(const char *word, const char *const *words, int count)
{
    while (count-- > 0 && strcmp(word, words[count]))
        ;
    return count;
}

#define INDEX_OF(word, words) index_of(word, words, (int)(sizeof(words) / sizeof(words[0])))

/* ld.acquire.gpu.global.u32 d, [a] and st.release.sys.u8 [a], b; relaxed, and volatile, too. */
static bool put_ordered(struct statement *st, const char *name, const char **part, int parts)
{
    static const char *const orders[] = {"relaxed", "volatile", "acquire", "release"};
    static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
    static const char *const names[] = {"CPU_SCOPE_BLOCK", "CPU_SCOPE_DEVICE", "CPU_SCOPE_DEVICE",
                                        "CPU_SCOPE_SYSTEM"};
    static const char *const shared[] = {"shared", "shared::cta"};
    const char *type = strrchr(name, '.'), *cpp = cpp_type(type), *scope = names[3], *order = "";
    const char *generic = "";
    bool load = !strncmp(name, "ld.", 3);
    char *save = NULL, *rest = format_text("%.*s", type ? (int)(type - name) : 0, name);

    if (!cpp || parts != 2 || (!load && strncmp(name, "st.", 3)))
        return false;
    strtok_r(rest, ".", &save);
    for (char *word; (word = strtok_r(NULL, ".", &save));) {
        if (!*order && INDEX_OF(word, orders) >= 0)
            order = word;
        else if (INDEX_OF(word, scopes) >= 0)
            scope = names[INDEX_OF(word, scopes)];
        else if (INDEX_OF(word, shared) >= 0)
            generic = "cpu_ptx_generic";
        else if (strcmp(word, "global"))
            return false;
    }
    if (!*order || !strcmp(order, load ? "release" : "acquire"))
        return false;
    if (load)
        put_format(&st->out, "cpu_ptx_ordered_load<%s>(%s(%s), %s, %d, %s); ", cpp, generic,
                   value_of(st, part[1]), value_of(st, part[0]), !strcmp(order, "acquire"), scope);
    else
        put_format(&st->out, "cpu_ptx_ordered_store<%s>(%s(%s), %s, %d, %s); ", cpp, generic,
                   value_of(st, part[0]), value_of(st, part[1]), !strcmp(order, "release"), scope);
    return true;
}

/* atom.acq_rel.cluster.shared::cluster.add.u32 d, [a], b and red.shared::cluster.add.u32 [a], b. */
static bool put_atomic(struct statement *st, const char *name, const char **part, int parts)
{
    static const char *const words[] = {"relaxed", "cta", "cluster", "gpu", "sys"};
    static const char *const operations[] = {"add", "min",  "max", "and", "or",
                                             "xor", "exch", "inc", "dec", "cas"};
    const char *type = strrchr(name, '.'), *cpp = cpp_type(type), *operation = NULL;
    bool gives = !strncmp(name, "atom.", 5), shared = false, known = true, global = false;
    char *save = NULL, *rest = format_text("%.*s", type ? (int)(type - name) : 0, name);

    if (!gives && strncmp(name, "red.", 4))
        return false;
    strtok_r(rest, ".", &save);
    for (char *word; (word = strtok_r(NULL, ".", &save));) {
        bool found = INDEX_OF(word, words) >= 0;

        if (INDEX_OF(word, operations) >= 0)
            operation = word;
        global |= !strcmp(word, "global");
        shared |= !strncmp(word, "shared", 6);
        known &= found || operation || global || shared;
    }
    if (!cpp || !operation || !known || shared == global ||
        parts != 2 + gives + !strcmp(operation, "cas"))
        return false;
    put_format(&st->out, "%s%scpu_ptx_atomic_%s<%s>(%s(%s)", gives ? value_of(st, part[0]) : "",
               gives ? format_text(" = cpu_value<__typeof__(%s)>(cpu_bits(", value_of(st, part[0]))
                     : "(void)",
               operation, cpp, shared ? "cpu_ptx_generic" : "", value_of(st, part[gives]));
    for (int i = gives + 1; i < parts; i++)
        put_format(&st->out, ", %s", value_of(st, part[i]));
    put_format(&st->out, gives ? "))); " : "); ");
    return true;
}

/* st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [a], {b, c}, [object]. */
static bool put_store_async(struct statement *st, const char *name, const char **part, int parts)
{
    static const char stem[] = "st.async.shared::cluster.mbarrier::complete_tx::bytes",
                      weak[] = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes";
    const char *cpp = cpp_type(strrchr(name, '.')), *rest;

    rest = !strncmp(name, stem, sizeof(stem) - 1)   ? name + sizeof(stem) - 1
           : !strncmp(name, weak, sizeof(weak) - 1) ? name + sizeof(weak) - 1
                                                    : NULL;
    if (!rest || !cpp || parts < 3 || parts > 6 || !strstr("32 64", rest + strlen(rest) - 2) ||
        parts - 2 != (!strncmp(rest, ".v2.", 4)   ? 2
                      : !strncmp(rest, ".v4.", 4) ? 4
                                                  : 1))
        return false;
    put_format(&st->out, "cpu_ptx_store_async<%s>(%s, %s", cpp, value_of(st, part[0]),
               value_of(st, part[parts - 1]));
    for (int i = 1; i < parts - 1; i++)
        put_format(&st->out, ", %s", value_of(st, part[i]));
    put_format(&st->out, "); ");
    return true;
}

/* A name of PTX as one of C++. */
static const char *label_of(const char *name, size_t length)
{
    char *label = format_text("cpu_label_%.*s", (int)length, name);

    for (char *p = label; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return label;
}

/* bra LABEL. */
static bool put_branch(struct statement *st, const char *name, const char **part, int parts)
{
    if ((strcmp(name, "bra") && strcmp(name, "bra.uni")) || parts != 1)
        return false;
    if (st->targets == MOST_LABELS)
        fail(st->at, "inline PTX with more than %d branches", MOST_LABELS);
    st->target[st->targets++] = label_of(part[0], strlen(part[0]));
    put_format(&st->out, "goto %s; ", st->target[st->targets - 1]);
    return true;
}

/* elect.sync d|p, mask: the first of its lanes. */
static bool put_election(struct statement *st, const char *name, const char **part, int parts)
{
    const char *bar = parts == 2 ? strchr(part[0], '|') : NULL, *lane;

    if (strcmp(name, "elect.sync") || !bar)
        return false;
    lane = value_of(st, format_text("%.*s", (int)(bar - part[0]), part[0]));
    put_format(&st->out,
               "{ unsigned cpu_elected = cpu_ptx_elect(%s); %s = cpu_elected == "
               "cpu_laneid(); ",
               value_of(st, part[1]), value_of(st, bar + 1));
    if (strcmp(lane, "_"))
        put_format(&st->out, "%s = cpu_elected; ", lane);
    put_format(&st->out, "} ");
    return true;
}

static bool put_action(struct statement *st, const char *name, const char **part, int parts)
{
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        if (!strcmp(name, actions[i].name)) {
            put_filled(st, actions[i].text, part, parts);
            return true;
        }
    return false;
}

/* --- instructions with addresses and vectors -------------------------------------------------- */

/* The next operand at *text, which is moved behind it: up to a comma or space outside of brackets.
 * NULL: there is none. */
static char *next_operand(char **text)
{
    char *begin = *text + strspn(*text, ", \t\n"), *p = begin;
    int depth = 0;

    for (; *p && (depth || !strchr(", \t\n", *p)); p++)
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    *text = p + (*p != '\0');
    *p = '\0';
    return *begin ? begin : NULL;
}

static int split_operands(const struct statement *st, const char *name, char *text,
                          char *part[MOST_PARTS])
{
    int parts = 0;

    for (char *word; (word = next_operand(&text));) {
        if (parts == MOST_PARTS)
            fail(st->at, "inline PTX: %s has too many operands", name);
        part[parts++] = word;
    }
    return parts;
}

static bool put_copy(struct statement *st, const char *name, const char *text)
{
    char *part[MOST_PARTS];
    const char *bytes, *size;
    size_t i = 0, length = 0;
    int parts;

    for (; i < sizeof(copies) / sizeof(copies[0]); i++) {
        length = strlen(copies[i].name);
        if (!strncmp(name, copies[i].name, length) &&
            (!name[length] || !strncmp(name + length, ".L2::", 5)) && !strstr(name, "hint"))
            break;
    }
    if (i == sizeof(copies) / sizeof(copies[0]))
        return false;
    parts = split_operands(st, name, format_text("%s", text), part);
    if (parts < 3 || parts > 4)
        fail(st->at, "inline PTX: %s has 3 or 4 operands", name);
    bytes = value_of(st, part[2]);
    size = number_of(st, part[2]);
    if (size && !strstr(copies[i].sizes, format_text(" %s ", size)))
        fail(st->at, "inline PTX: %s copies%sbytes, and not %s", name, copies[i].sizes, size);
    put_format(&st->out, "cpu_ptx_copy(%s, (const void *)(%s), %s, %s); ", value_of(st, part[0]),
               value_of(st, part[1]), bytes, parts == 4 ? value_of(st, part[3]) : bytes);
    return true;
}

/* {%0, %1}, [%0, {%1, %2}], or one alone. */
static struct ptx_vector vector_of(struct statement *st, const char *name, char *text)
{
    static const char around[] = "[]{}, \t\n";
    struct ptx_vector v = {.count = 0};
    char *save = NULL;

    if (!strchr(text, '{')) {
        v.value[v.count++] = value_of(st, text);
        return v;
    }
    for (char *word = strtok_r(text, around, &save); word; word = strtok_r(NULL, around, &save)) {
        if (v.count == MOST_IN_VECTOR)
            fail(st->at, "inline PTX: %s has more than %d registers", name, MOST_IN_VECTOR);
        v.value[v.count++] = value_of(st, word);
    }
    return v;
}

/* Of a whole warp: mma, ldmatrix, wgmma and the like; and of barrier objects. */
static bool put_elsewhere(struct statement *st, const char *name, const char *text)
{
    struct ptx_vector operand[MOST_PARTS];
    char *part[MOST_PARTS];
    bool barrier = is_barrier_instruction(name), bulk = is_bulk_instruction(name);
    int parts;

    if (!barrier && !bulk && !is_warp_instruction(name))
        return false;
    parts = split_operands(st, name, format_text("%s", text), part);
    for (int i = 0; i < parts; i++)
        operand[i] = vector_of(st, name, part[i]);
    return (barrier ? put_barrier_instruction
            : bulk  ? put_bulk_instruction
                    : put_warp_instruction)(&st->out, st->at, name, operand, parts);
}

/* `LABEL:`; returns what is behind, or NULL: it is none. */
static char *put_label(struct statement *st, char *text)
{
    size_t length = strcspn(text, " \t\n:");

    if (!length || text[length] != ':' || text[length + 1] == ':')
        return NULL;
    if (st->labels == MOST_LABELS)
        fail(st->at, "inline PTX with more than %d labels", MOST_LABELS);
    st->label[st->labels++] = label_of(text, length);
    put_format(&st->out, "%s:; ", st->label[st->labels - 1]);
    return text + length + 1;
}

/* What stands before an instruction: braces, labels, and @p or @!p. Returns what is behind. */
static char *put_guard(struct statement *st, char *text)
{
    char *end;

    for (text += strspn(text, " \t\n"); *text; text += strspn(text, " \t\n")) {
        if (strchr("{}", *text))
            put(&st->out, text++, 1);
        else if ((end = put_label(st, text)))
            text = end;
        else
            break;
    }
    if (*text != '@')
        return text;
    end = text + strcspn(text, " \t\n");
    put_format(&st->out, "if (%s%s) ", text[1] == '!' ? "!" : "",
               value_of(st, format_text("%.*s", (int)(end - text - 1 - (text[1] == '!')),
                                        text + 1 + (text[1] == '!'))));
    return end;
}

#define UNKNOWN "the CPU device has no inline PTX of this kind (%s)"

/* One instruction, without its semicolon. */
static void put_instruction(struct statement *st, char *text)
{
    const char *part[MOST_PARTS];
    char *save = NULL, *name, *type;
    bool to_halves;
    int parts = 0;

    name = strtok_r(put_guard(st, text), " \t\n", &save);
    if (!name)
        return;
    if (!strcmp(name, ".reg")) {
        put_registers(st, save);
        return;
    }
    if (save && (put_copy(st, name, save) || put_elsewhere(st, name, save)))
        return;
    to_halves = save && save[strspn(save, " \t\n")] == '{';
    for (char *word; (word = strtok_r(NULL, ",{} \t\n", &save));) {
        if (parts == MOST_PARTS) {
            refuse(st, UNKNOWN, name);
            return;
        }
        part[parts++] = word;
    }
    if (put_branch(st, name, part, parts) || put_election(st, name, part, parts) ||
        put_action(st, name, part, parts) || put_access(st, name, part, parts) ||
        put_ordered(st, name, part, parts) || put_atomic(st, name, part, parts) ||
        put_store_async(st, name, part, parts) || put_comparison(st, name, part, parts) ||
        put_shuffle(st, name, part, parts) || put_halves(st, name, part, parts, to_halves))
        return;
    type = strrchr(name, '.');
    for (size_t i = 0; type && parts && i < sizeof(instructions) / sizeof(instructions[0]); i++) {
        size_t length = strlen(instructions[i].name);

        if ((size_t)(type - name) != length || strncmp(name, instructions[i].name, length) ||
            !strstr(instructions[i].types, format_text(" %s ", type + 1)))
            continue;
        put_format(&st->out, "%s = ", value_of(st, part[0]));
        put_filled(st, instructions[i].text, part, parts);
        return;
    }
    refuse(st, UNKNOWN, name);
}

/* --- the statement ---------------------------------------------------------------------------- */

static void put_declarations(struct statement *st)
{
    for (int i = 0; i < st->operands; i++) {
        const struct operand *o = &st->operand[i];
        const char *type = type_of(o->kind);

        if (o->held)
            put_format(&st->out, "auto &cpu_%d = (%s); ", i, o->expression);
        else if (o->output && !o->both)
            put_format(&st->out, "%s cpu_%d = 0; ", type, i);
        else
            put_format(&st->out, "%s cpu_%d = (%s)(%s); ", type, i, type, o->expression);
    }
}

static void put_results(struct statement *st)
{
    for (int i = 0; i < st->operands; i++)
        if (st->operand[i].output && !st->operand[i].held)
            put_format(&st->out, "(%s) = (__typeof__(%s))cpu_%d; ", st->operand[i].expression,
                       st->operand[i].expression, i);
}

static void without_comments(char *text)
{
    for (char *p = text; (p = strstr(p, "//"));)
        while (*p && *p != '\n')
            *p++ = ' ';
    for (char *p = text; (p = strstr(p, "%%"));) /* one % in PTX */
        memmove(p, p + 1, strlen(p));
}

/* The sums of wgmma are written after the statement: its own text takes their addresses. */
static void hold_sums(struct statement *st, const char *text)
{
    const char *name = strstr(text, "wgmma.mma_async"), *end;

    if (!name || !(text = strchr(name, '{')) || !(end = strchr(text, '}')))
        return;
    for (; text < end; text++) {
        int i = *text == '%' && isdigit((unsigned char)text[1]) ? atoi(text + 1) : st->operands;

        if (i >= st->operands)
            continue;
        if (!st->operand[i].both || st->operand[i].kind != 'f')
            fail(st->at, "inline PTX: wgmma with a sum that is no +f");
        st->operand[i].held = true;
    }
}

/* Its labels, if all that are gone to are there. */
static void put_labels(struct statement *st, struct text *to)
{
    for (int i = 0; i < st->targets; i++) {
        int k = 0;

        while (k < st->labels && strcmp(st->target[i], st->label[k]))
            k++;
        if (k == st->labels)
            refuse(st, "inline PTX without the label of a bra (%s)", st->target[i] + 10);
    }
    for (int i = 0; i < st->labels; i++)
        put_format(to, "__label__ %s; ", st->label[i]);
}

/* The statement whose word is at i. */
static void translate_statement(int i)
{
    struct statement st = {.at = at(i)};
    struct text code = {0}, all = {0};
    int open = i + 1, end, k;
    char *save = NULL;

    while (is(at(open), "volatile") || is(at(open), "__volatile__"))
        open++;
    if (!is(at(open), "("))
        fail(at(i), "inline PTX without (");
    end = bracket_end(s, open);
    put(&code, "", 0);
    for (k = open + 1; k < end && at(k)->kind == STRING; k++)
        add_literal(&code, at(k));
    for (int list = 0; k < end && list < 2; list++) {
        bool two = is(at(k), "::"); /* no outputs */

        list += two;
        k = read_operands(&st, k + 1, end, list == 0);
    }
    without_comments(code.at);
    hold_sums(&st, code.at);
    put_declarations(&st);
    for (char *one = strtok_r(code.at, ";", &save); one; one = strtok_r(NULL, ";", &save))
        put_instruction(&st, one);
    put_results(&st);
    put_format(&all, "do { ");
    put_labels(&st, &all);
    put_format(&all, "%s} while (0)", st.out.at ? st.out.at : "");
    if (st.unknown) {
        all.length = 0;
        put_format(&all, "cpu_ptx_unknown(\"%s\")", st.unknown);
    }
    leave_out(s, i, end + 1);
    replace(&s->token[i], all.at);
}

void translate_ptx(struct source *source)
{
    s = source;
    for (int i = 0; i < s->count; i++)
        if (at(i)->device && !at(i)->ours && at(i)->kind == WORD &&
            (is(at(i), "asm") || is(at(i), "__asm__") || is(at(i), "__asm")))
            translate_statement(i);
}
