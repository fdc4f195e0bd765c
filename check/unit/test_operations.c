/* What the assembler's stand-in takes the lines of a kernel's assembly for (cpu/assemble). */
#include "unit.h"

#include "cpu/assemble/operations.h"

static void expect_line(const char *line, unsigned fma, unsigned add, unsigned mul,
                        unsigned guessed)
{
    struct operations found = operations_of(line);

    if (found.n[FMA] != fma || found.n[ADD] != add || found.n[MUL] != mul ||
        found.n[GUESSED] != guessed)
        fail_msg("'%s' is taken for %u, %u, %u, %u", line, found.n[FMA], found.n[ADD], found.n[MUL],
                 found.n[GUESSED]);
}

static void test_instructions(void **state)
{
    (void)state;
    expect_line("\tvfmadd231ss\t(%rbx,%rax,4), %xmm1, %xmm0\n", 1, 0, 0, 0);
    expect_line("\tvfnmadd132ss %xmm0, %xmm1, %xmm2\n", 1, 0, 0, 0);
    expect_line("\tvfmsub213ss\t%xmm0, %xmm1, %xmm2\n", 1, 0, 0, 0);
    expect_line("\tvfnmsub213ss\t%xmm0, %xmm1, %xmm2\n", 1, 0, 0, 0);
    expect_line("\tvaddss\t%xmm0, %xmm1, %xmm2\n", 0, 1, 0, 0);
    expect_line("\taddss\t(%rax), %xmm2\n", 0, 1, 0, 0);
    expect_line("\tvsubss\t%xmm0, %xmm1, %xmm2\n", 0, 1, 0, 0);
    expect_line("\tsubss\t%xmm0, %xmm1\n", 0, 1, 0, 0);
    expect_line("\tvmulss\t%xmm0, %xmm1, %xmm2\n", 0, 0, 1, 0);
    expect_line("    mulss %xmm0, %xmm1", 0, 0, 1, 0);
    expect_line("\tvdivss\t%xmm0, %xmm1, %xmm2\n", 5, 0, 0, 0);
    expect_line("\tvsqrtss\t%xmm0, %xmm1, %xmm2\n", 2, 0, 2, 0);
}

static void test_other_instructions(void **state)
{
    (void)state;
    expect_line("\tvfmadd231sd\t%xmm0, %xmm1, %xmm2\n", 0, 0, 0, 0);
    expect_line("\tvaddsd\t%xmm0, %xmm1, %xmm2\n", 0, 0, 0, 0);
    expect_line("\tvcomiss\t%xmm0, %xmm1\n", 0, 0, 0, 0);
    expect_line("\tvcvtss2sd\t%xmm0, %xmm0, %xmm0\n", 0, 0, 0, 0);
    expect_line("\tvminss\t%xmm0, %xmm1, %xmm2\n", 0, 0, 0, 0);
    expect_line("\tvmovss\t(%rax), %xmm1\n", 0, 0, 0, 0);
    expect_line("\taddq\t$1, %rax\n", 0, 0, 0, 0);
    expect_line("\t.string\t\"addss\"\n", 0, 0, 0, 0);
    expect_line("addss:\n", 0, 0, 0, 0);
    expect_line("\n", 0, 0, 0, 0);
    expect_line("", 0, 0, 0, 0);
    expect_line("\t# addss\n", 0, 0, 0, 0);
}

static void test_functions(void **state)
{
    (void)state;
    expect_line("\tcall\texpf@PLT\n", 4, 1, 1, 0);
    expect_line("\tcallq\texpf\n", 4, 1, 1, 0);
    expect_line("\tcall\tsinf\n", 8, 0, 2, 1);
    expect_line("\tcall\tpowf@PLT\n", 0, 0, 0, 1);
    expect_line("\tcall\tcpu_fma_f32\n", 1, 0, 0, 0);
    expect_line("\tcall\texp\n", 0, 0, 0, 0);
    expect_line("\tcall\texpfs\n", 0, 0, 0, 0);
    expect_line("\tcall\t*%rax\n", 0, 0, 0, 0);
    expect_line("\tcall\t__tsan_read4\n", 0, 0, 0, 0);
}

/* A run must not go on where other code may join or leave it; labels of the debug information are
 * in the middle of one. */
static void test_ends(void **state)
{
    static const char *const before[] = {".L12:\n", ".LBB3_4:\n", "_Z3sumPf:\n"};
    static const char *const behind[] = {"\tjne\t.L12\n", "\tjmp\t.L3\n", "\tret\n", "\tretq\n",
                                         "\tud2\n"};
    static const char *const others[] = {".LVL12:\n",
                                         ".LBB12:\n",
                                         ".LBE12:\n",
                                         ".LFB3:\n",
                                         ".Ltmp4:\n",
                                         "\tcall\tf\n",
                                         "\tvaddss\t%xmm0, %xmm1, %xmm2\n",
                                         "\t.loc 1 2 3\n",
                                         "\n",
                                         ""};

    (void)state;
    for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
        if (ends_run(before[i]) != END_BEFORE)
            fail_msg("'%s' begins no run", before[i]);
    for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++)
        if (ends_run(behind[i]) != END_BEHIND)
            fail_msg("'%s' ends no run", behind[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (ends_run(others[i]) != END_NOT)
            fail_msg("'%s' ends a run", others[i]);
}

/* What is put in may change the flags only where nobody needs those that stood before. */
static void test_flags(void **state)
{
    static const struct {
        const char *line;
        enum flags flags;
    } lines[] = {
        {"\tjne\t.L12\n", FLAGS_NEEDED},
        {"\tsetb\t%al\n", FLAGS_NEEDED},
        {"\tcmovbe\t%eax, %ebx\n", FLAGS_NEEDED},
        {"\tadcq\t$0, %rax\n", FLAGS_NEEDED},
        {"\tsbbl\t%eax, %eax\n", FLAGS_NEEDED},
        {"\taddq\t$1, %rax\n", FLAGS_DEAD},
        {"\tcmpl\t%eax, %ebx\n", FLAGS_DEAD},
        {"\tvucomiss\t%xmm0, %xmm1\n", FLAGS_DEAD},
        {"\tcomisd\t%xmm0, %xmm1\n", FLAGS_DEAD},
        {"\tcall\tf\n", FLAGS_DEAD},
        {"\tvaddss\t%xmm0, %xmm1, %xmm2\n", FLAGS_KEPT},
        {"\taddss\t%xmm0, %xmm1\n", FLAGS_KEPT},
        {"\tandps\t%xmm0, %xmm1\n", FLAGS_KEPT},
        {"\tsubsd\t%xmm0, %xmm1\n", FLAGS_KEPT},
        {"\tmovl\t%eax, %ebx\n", FLAGS_KEPT},
        {"\tleaq\t8(%rax), %rax\n", FLAGS_KEPT},
        {"\tincl\t%eax\n", FLAGS_KEPT},
        {"\tshll\t%cl, %eax\n", FLAGS_KEPT},
        {"\tjmp\t.L3\n", FLAGS_KEPT},
        {".L12:\n", FLAGS_KEPT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        if (flags_of(lines[i].line) != lines[i].flags)
            fail_msg("'%s': the flags are %d", lines[i].line, flags_of(lines[i].line));
}

static void expect_instructions(const char *line, unsigned wanted)
{
    if (operations_of(line).n[INSTRUCTIONS] != wanted)
        fail_msg("'%s' is %u instructions", line, operations_of(line).n[INSTRUCTIONS]);
}

static void test_rule_of_instructions(void **state)
{
    (void)state;
    expect_instructions("\taddq\t$1, %rax\n", 1);
    expect_instructions("\tcall\tcpu_meet@PLT\n", 0); /* the translator's own */
    expect_instructions("\tvaddss\t%xmm0, %xmm1, %xmm2\n", 1);
    expect_instructions("\tjne\t.L12\n", 1);
    expect_instructions("\tdivl\t%ecx\n", 17);
    expect_instructions("\tidivq\t%rcx\n", 24);
    expect_instructions("\tvdivss\t%xmm0, %xmm1, %xmm2\n", 10);
    expect_instructions("\timulq\t%rax, %rbx\n", 3);
    expect_instructions("\timull\t%eax, %ebx\n", 1);
    expect_instructions("\txorl\t%edi, %edi\n", 0);
    expect_instructions("\txorl %edi, %edi", 0);
    expect_instructions("\txorl\t%eax, %ebx\n", 1);
    expect_instructions("\txorl\t%eax, %eaxx\n", 1);
    expect_instructions("\txorl\t$5, %eax\n", 1);
    expect_instructions("\tcall\tcpu_thread_index@PLT\n", 2);
    expect_instructions("\tcall\tcpu_grid_dim\n", 2);
    expect_instructions("\tcall\t__tsan_read4\n", 2);
    expect_instructions("\tcall\t__tsan_func_exit\n", 0);
    expect_instructions("\tcall\tcpu_barrier\n", 1);
    expect_instructions("\tcall\tcpu_at_return@PLT\n", 0);
    expect_instructions("\tmovq\t%rax, %rbx\n", 0);
    expect_instructions("\tvmovss\t(%rax), %xmm1\n", 0);
    expect_instructions("\tpushq\t%rbx\n", 0);
    expect_instructions("\tleaq\t(%rax,%rbx,4), %rdi\n", 0);
    expect_instructions("\tleaq\t(%rax,%rbx,4), %rcx\n", 1);
    expect_instructions("\tret\n", 0);
    expect_instructions("\t.loc 1 2 3\n", 0);
    expect_instructions(".L12:\n", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions), cmocka_unit_test(test_other_instructions),
        cmocka_unit_test(test_functions),    cmocka_unit_test(test_ends),
        cmocka_unit_test(test_flags),        cmocka_unit_test(test_rule_of_instructions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
