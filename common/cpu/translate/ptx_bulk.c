/*
 * Inline PTX of copies in bulk: cp.async.bulk between global and shared memory, or to that of
 * another block of the cluster, and cp.async.bulk.tensor of boxes of 1 to 5 dimensions. What caches
 * are told has no effect.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/ptx_bulk.h"

/* $0, $1 ...: the operands; $t, $c: of a tensor's operand the map, and its coordinates; $m: the
 * mask of blocks, or 0. */
static const struct {
    const char *name; /* without what is said of caches, of the block, and of the mode `tile` */
    int operands;
    const char *text;
} instructions[] = {
    {"cp.async.bulk.shared.global.mbarrier::complete_tx::bytes", 4,
     "cpu_ptx_bulk_load($0, $1, $2, $3, $m)"},
    {"cp.async.bulk.shared.shared.mbarrier::complete_tx::bytes", 4,
     "cpu_ptx_bulk_send($0, $1, $2, $3)"},
    {"cp.async.bulk.global.shared.bulk_group", 3, "cpu_ptx_bulk_store($0, $1, $2)"},
    {"cp.async.bulk.tensor.shared.global.mbarrier::complete_tx::bytes", 3,
     "cpu_ptx_tensor_load($0, $t, $2, $m, $c)"},
    {"cp.async.bulk.tensor.global.shared.bulk_group", 2, "cpu_ptx_tensor_store($t, $1, $c)"},
    {"cp.async.bulk.prefetch.L2.global", 2, "(void)0"},
    {"cp.async.bulk.prefetch.tensor.L2.global", 1, "(void)0"},
    {"cp.async.bulk.wait_group", 1, "cpu_bulk_wait($0, false)"},
    {"cp.async.bulk.wait_group.read", 1, "cpu_bulk_wait($0, true)"},
};
enum { INSTRUCTIONS = sizeof(instructions) / sizeof(instructions[0]) };

bool is_bulk_instruction(const char *name)
{
    return !strncmp(name, "cp.async.bulk.", 14);
}

struct form {
    int dimensions; /* of a tensor; 0: it is none */
    bool hint, multicast;
};

static const char *shortened(const char *name, struct form *form)
{
    char *result = format_text("%s", ""), *rest = format_text("%s", name), *save = NULL;

    *form = (struct form){0};
    for (char *word = strtok_r(rest, ".", &save); word; word = strtok_r(NULL, ".", &save)) {
        if (!strcmp(word, "L2::cache_hint"))
            form->hint = true;
        else if (!strcmp(word, "multicast::cluster"))
            form->multicast = true;
        else if (strlen(word) == 2 && *word >= '1' && *word <= '5' && word[1] == 'd')
            form->dimensions = *word - '0';
        else if (strcmp(word, "tile"))
            result = format_text("%s%s%.*s", result, *result ? "." : "",
                                 strcmp(word, "shared::cta") && strcmp(word, "shared::cluster")
                                     ? (int)strlen(word)
                                     : 6,
                                 word);
    }
    return result;
}

/* The map's operand has its coordinates behind it. */
static const struct ptx_vector *tensor_of(const struct ptx_vector *operand, int operands)
{
    for (int i = 0; i < operands; i++)
        if (operand[i].count > 1)
            return &operand[i];
    return NULL;
}

bool put_bulk_instruction(struct text *out, const struct token *at, const char *name,
                          const struct ptx_vector *operand, int operands)
{
    struct form form;
    const char *brief = shortened(name, &form);
    const struct ptx_vector *tensor = tensor_of(operand, operands);
    int i = 0, wanted;

    while (i < INSTRUCTIONS && strcmp(brief, instructions[i].name))
        i++;
    if (i == INSTRUCTIONS || (form.multicast && !strstr(instructions[i].text, "$m")) ||
        !strstr(name, ".tensor.") != !form.dimensions)
        return false;
    wanted = instructions[i].operands + form.hint + form.multicast;
    if (operands != wanted)
        fail(at, "inline PTX: %s has %d operands", name, wanted);
    if (form.dimensions && (!tensor || tensor->count != form.dimensions + 1))
        fail(at, "inline PTX: %s has [map, {coordinates}], %d of these", name, form.dimensions);
    for (const char *text = instructions[i].text; *text; text++) {
        if (*text != '$') {
            put(out, text, 1);
        } else if (*++text == 't') {
            put_format(out, "%s", tensor->value[0]);
        } else if (*text == 'm') {
            put_format(out, form.multicast ? "cpu_ptx_to_blocks(%s)" : "0",
                       operand[instructions[i].operands % operands].value[0]);
        } else if (*text == 'c') {
            for (int k = 1; k <= form.dimensions; k++)
                put_format(out, "%s(int)(%s)", k > 1 ? ", " : "", tensor->value[k]);
        } else {
            put_format(out, "%s", operand[*text - '0'].value[0]);
        }
    }
    put_format(out, "; ");
    return true;
}
