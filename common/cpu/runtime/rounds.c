/*
 * A round of a loop ends, or a condition is known: the translator has kernels call this where both
 * are counted (translate/rounds.c). Those calls keep what the compiler says that a call keeps, and
 * the stack may lie anywhere.
 */
#include "cpu/abi.h"
#include "cpu/runtime/access.h"

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl cpu_round_ends\n"
        ".type cpu_round_ends, @function\n"
        "cpu_round_ends:\n"
        "\tpushq %rbp\n"
        "\tmovq %rsp, %rbp\n"
        "\tandq $-16, %rsp\n"
        "\tmovq 8(%rbp), %rdi\n"
        "\tcall access_round\n"
        "\tleave\n"
        "\tret\n"
        ".size cpu_round_ends, .-cpu_round_ends\n"
        ".globl cpu_branch\n"
        ".type cpu_branch, @function\n"
        "cpu_branch:\n"
        "\tpushq %rbp\n"
        "\tmovq %rsp, %rbp\n"
        "\tandq $-16, %rsp\n"
        "\tmovq 8(%rbp), %rdi\n"
        "\tmovl %eax, %esi\n"
        "\tcall access_branch\n"
        "\tleave\n"
        "\tret\n"
        ".size cpu_branch, .-cpu_branch\n");
#else
void cpu_round_ends(void)
{
    access_round(HERE);
}

void cpu_branch(unsigned taken)
{
    access_branch(HERE, taken);
}
#endif
