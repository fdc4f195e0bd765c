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

/* A run must not go on where other code may join or leave it; labels of the debug information are in
 * the middle of one. */
static void test_ends(void **state)
{
    static const char *const ends[] = {".L12:\n",      ".LBB3_4:\n", "_Z3sumPf:\n", "\tjne\t.L12\n",
                                       "\tjmp\t.L3\n", "\tret\n",    "\tretq\n",    "\tud2\n"};
    static const char *const others[] = {".LVL12:\n",
                                         ".LBB12:\n",
                                         ".LBE12:\n",
                                         ".LFB3:\n",
                                         ".Ltmp4:\n",
                                         "\tcall\tf\n",
                                         "\tvaddss\t%xmm0, %xmm1, "
                                         "%xmm2\n",
                                         "\t.loc 1 2 3\n",
                                         "\n",
                                         ""};

    (void)state;
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        if (!ends_run(ends[i]))
            fail_msg("'%s' ends no run", ends[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (ends_run(others[i]))
            fail_msg("'%s' ends a run", others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_other_instructions),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
