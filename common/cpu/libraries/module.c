/*
 * What each module ends with: where its variables lie. Compiled into every module that
 * ./steps/cuda -cubin makes, because only the module itself can name its sections, and linked
 * behind the rest of it.
 */
#include "cpu/abi.h"

enum { GAP = 256 }; /* behind the last variable, as before each */

/* By the linker. */
#define BOUNDS(NAME)                                                                               \
    extern const char __start_##NAME[] __attribute__((weak, visibility("hidden")));                \
    extern const char __stop_##NAME[] __attribute__((weak, visibility("hidden")));
#define SECTION(NAME)                                                                              \
    BOUNDS(NAME)                                                                                   \
    static char last_of_##NAME[GAP] __attribute__((section(#NAME), used)) = {0};
SECTION(cpu_device)
SECTION(cpu_constant)
SECTION(cpu_managed)
BOUNDS(cpu_variables)
extern char cpu_unplaced __attribute__((weak, visibility("hidden")));

extern struct cpu_module_parts cpu_module_parts; /* by its name the device knows a module */
struct cpu_module_parts cpu_module_parts;

__attribute__((constructor)) static void begin(void)
{
    cpu_module_parts = (struct cpu_module_parts){
        .device = {__start_cpu_device, __stop_cpu_device},
        .constant = {__start_cpu_constant, __stop_cpu_constant},
        .managed = {__start_cpu_managed, __stop_cpu_managed},
        .variables = {__start_cpu_variables, __stop_cpu_variables},
        .unplaced = &cpu_unplaced != 0,
    };
    cpu_module_begin(&cpu_module_parts);
}
