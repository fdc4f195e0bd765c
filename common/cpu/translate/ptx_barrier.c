/*
 * Inline PTX of barrier objects, mbarrier, and of a block's barriers by their numbers. A scope may
 * be that of a block or of a cluster, which are one in a launch with clusters; an arrival releases
 * and a wait acquires.
 */
#define _GNU_SOURCE
#include <string.h>
#include "cpu/translate/ptx_barrier.h"

/* $0, $1 ...: the operands; $=: the first one is set to what follows, unless it is _. */
static const struct {
    const char *name;  /* without what is said of order, scope and space */
    int least, most;   /* operands */
    const char *given; /* what stands for the last one where it may be left out */
    const char *text;
} instructions[] = {
    {"mbarrier.init.b64", 2, 2, NULL, "cpu_object_init($0, $1)"},
    {"mbarrier.inval.b64", 1, 1, NULL, "cpu_object_end_of_life($0)"},
    {"mbarrier.arrive.b64", 2, 3, "1", "$=cpu_object_arrive($1, $2, CPU_ARRIVE, CPU_SCOPE_BLOCK)"},
    {"mbarrier.arrive_drop.b64", 2, 3, "1",
     "$=cpu_object_arrive($1, $2, CPU_ARRIVE_DROP, CPU_SCOPE_BLOCK)"},
    {"mbarrier.arrive.expect_tx.b64", 3, 3, NULL, "$=cpu_ptx_arrive_expecting($1, $2)"},
    {"mbarrier.expect_tx.b64", 2, 2, NULL, "cpu_object_expect($0, $1)"},
    {"mbarrier.complete_tx.b64", 2, 2, NULL, "cpu_object_complete($0, $1)"},
    {"mbarrier.pending_count.b64", 2, 2, NULL, "$=cpu_object_pending($1)"},
    {"mbarrier.test_wait.b64", 3, 3, NULL, "$=cpu_object_wait($1, $2, CPU_SCOPE_BLOCK, CPU_TEST)"},
    {"mbarrier.test_wait.parity.b64", 3, 3, NULL,
     "$=cpu_object_wait_parity($1, ($2) & 1, CPU_SCOPE_BLOCK, CPU_TEST)"},
    {"mbarrier.try_wait.b64", 3, 4, "0", "$=cpu_object_wait($1, $2, CPU_SCOPE_BLOCK, CPU_TRY)"},
    {"mbarrier.try_wait.parity.b64", 3, 4, "0",
     "$=cpu_object_wait_parity($1, ($2) & 1, CPU_SCOPE_BLOCK, CPU_TRY)"},
    {"bar.sync", 1, 2, "0", "cpu_named_barrier($0, $1, true)"},
    {"bar.arrive", 2, 2, NULL, "cpu_named_barrier($0, $1, false)"},
    {"barrier.sync", 1, 2, "0", "cpu_named_barrier($0, $1, true)"},
    {"barrier.arrive", 2, 2, NULL, "cpu_named_barrier($0, $1, false)"},
    {"barrier.sync.aligned", 1, 2, "0", "cpu_named_barrier($0, $1, true)"},
    {"barrier.arrive.aligned", 2, 2, NULL, "cpu_named_barrier($0, $1, false)"},
};
enum { INSTRUCTIONS = sizeof(instructions) / sizeof(instructions[0]) };

bool is_barrier_instruction(const char *name)
{
    return !strncmp(name, "mbarrier.", 9) || !strncmp(name, "bar.", 4) ||
           (!strncmp(name, "barrier.", 8) && strncmp(name, "barrier.cluster.", 16));
}

/* The name without words that say nothing here; *shared: an address is one of shared memory. */
static const char *shortened(const char *name, bool *shared)
{
    static const char *const spaces[] = {"shared", "shared::cta", "shared::cluster"};
    bool relaxed = strstr(name, "mbarrier.expect_tx.") || strstr(name, ".complete_tx.");
    char *result = format_text("%s", ""), *rest = format_text("%s", name), *save = NULL;

    *shared = false;
    for (char *word = strtok_r(rest, ".", &save); word; word = strtok_r(NULL, ".", &save)) {
        bool space = false;

        for (int i = 0; i < 3; i++)
            space |= !strcmp(word, spaces[i]);
        *shared |= space;
        if (!space && strcmp(word, "release") && strcmp(word, "acquire") && strcmp(word, "cta") &&
            strcmp(word, "cluster") && (!relaxed || strcmp(word, "relaxed")))
            result = format_text("%s%s%s", result, *result ? "." : "", word);
    }
    return result;
}

bool put_barrier_instruction(struct text *out, const struct token *at, const char *name,
                             const struct ptx_vector *operand, int operands)
{
    bool shared, space;
    const char *brief = shortened(name, &shared), *text;
    int i = 0;

    while (i < INSTRUCTIONS && strcmp(brief, instructions[i].name))
        i++;
    if (i == INSTRUCTIONS)
        return false;
    if (operands < instructions[i].least || operands > instructions[i].most)
        fail(at, "inline PTX: %s has %d operands", name, instructions[i].least);
    text = instructions[i].text;
    space = !strstr(text, "pending") && !strstr(text, "cpu_named");
    for (; *text; text++) {
        int k = text[1] - '0';

        if (*text != '$') {
            put(out, text, 1);
        } else if (text[1] == '=') {
            if (strcmp(operand[0].value[0], "_"))
                put_format(out, "%s = ", operand[0].value[0]);
        } else if (space && (k == 0 || (k == 1 && strstr(instructions[i].text, "$=")))) {
            put_format(out, "cpu_ptx_object%s(%s)", shared ? "_shared" : "", operand[k].value[0]);
        } else {
            put_format(out, "%s", k < operands ? operand[k].value[0] : instructions[i].given);
        }
        text += *text == '$';
    }
    put_format(out, "; ");
    return true;
}
