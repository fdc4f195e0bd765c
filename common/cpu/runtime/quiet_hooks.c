/*
 * The hooks of a program that no tool looks at: see cpu/translate/plain.c and cpu/assemble/hooks.c.
 * They change no register but %rcx, because the compiler counts on that. Only what engine/near.h
 * does not know comes here: an access to a variable of the device's, or one that must not be done.
 */
#include "cpu/abi.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/near.h"
#include "cpu/engine/observer.h"
#include "cpu/engine/schedule.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/hooks.h"

#if defined(__x86_64__)

void cpu_quiet_hook(uintptr_t address, unsigned bytes, uintptr_t site, unsigned flags);

void cpu_quiet_hook(uintptr_t address, unsigned bytes, uintptr_t site, unsigned flags)
{
    if ((!cpu_worker || !cpu_worker->block) && !cpu_observers)
        cpu_near.open = memory_of_host(&cpu_near.open_bytes);
    hook_look(address, bytes, flags, site);
}

/*
 * The vector registers as the kernels use them. With AVX their upper halves are mostly all zero,
 * which the processor knows; it must go on knowing it, because instructions without AVX, in this
 * library, take long where it does not. So only upper halves that are not are loaded again.
 */
#ifdef KERNELS_HAVE_AVX
#define SAVE(I) "vmovaps %ymm" #I ", 32*" #I "(%rsp)\n"
#define LOAD(I) "vmovaps 32*" #I "(%rsp), %xmm" #I "\n"
#define LOAD_WHOLE(I) "vmovaps 32*" #I "(%rsp), %ymm" #I "\n"
#define ANY_UPPER(I) "orq 32*" #I "+16(%rsp), %rax\norq 32*" #I "+24(%rsp), %rax\n"
#define CLEAR "vzeroupper\n"
#define LOAD_ALL                                                                                   \
    "xorl %eax, %eax\n" ALL(ANY_UPPER) "testq %rax, %rax\njnz 1f\n" ALL(LOAD) "jmp 2f\n1:\n" ALL(  \
        LOAD_WHOLE) "2:\n"
#else
#define SAVE(I) "movaps %xmm" #I ", 32*" #I "(%rsp)\n"
#define LOAD(I) "movaps 32*" #I "(%rsp), %xmm" #I "\n"
#define CLEAR
#define LOAD_ALL ALL(LOAD)
#endif
#define ALL(DO)                                                                                    \
    DO(0)                                                                                          \
    DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)

/* %ecx: bytes, and 256 for a write. The stack may lie at any multiple of 8. */
__asm__(".text\n"
        "quiet_hook:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "pushq %rax\n"
        "pushq %rdx\n"
        "pushq %rsi\n"
        "pushq %rdi\n"
        "pushq %r8\n"
        "pushq %r9\n"
        "pushq %r10\n"
        "pushq %r11\n"
        "subq $32*16, %rsp\n"
        "andq $-32, %rsp\n" ALL(SAVE) CLEAR "movzbl %cl, %esi\n"
                                            "movq 8(%rbp), %rdx\n" /* where the call came from */
                                            "shrl $8, %ecx\n"
                                            "call cpu_quiet_hook\n" LOAD_ALL
                                            "leaq -64(%rbp), %rsp\n"
                                            "popq %r11\n"
                                            "popq %r10\n"
                                            "popq %r9\n"
                                            "popq %r8\n"
                                            "popq %rdi\n"
                                            "popq %rsi\n"
                                            "popq %rdx\n"
                                            "popq %rax\n"
                                            "popq %rbp\n"
                                            ".cfi_def_cfa %rsp, 8\n"
                                            "ret\n"
                                            ".cfi_endproc\n");

_Static_assert(ACCESS_WRITE == 1, "what is shifted out above");

#define ENTRY(NAME, BYTES, WRITE)                                                                  \
    __asm__(".globl cpu_quiet_" #NAME #BYTES "\ncpu_quiet_" #NAME #BYTES ":\n"                     \
            "movl $" #BYTES "+256*" #WRITE ", %ecx\njmp quiet_hook\n");
#define ENTRIES(BYTES) ENTRY(read, BYTES, 0) ENTRY(write, BYTES, 1)
ENTRIES(1)
ENTRIES(2)
ENTRIES(4)
ENTRIES(8)
ENTRIES(16)

#endif
