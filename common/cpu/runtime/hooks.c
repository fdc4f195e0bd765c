/*
 * The functions that the compiler calls under -fsanitize=thread, in place of that sanitizer's
 * runtime: each load and store of memory that is not a private variable arrives here, before it
 * is done.
 *
 * They are called everywhere in a program's .cu files, its host code included: there they only find
 * what the host must not touch. With no tool on a plain access costs the tests by which device,
 * local and shared memory are known, and a call where none is before it (cpu/assemble/hooks.c); a
 * volatile one is looked at in any case, because a thread may spin on it.
 */
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/in_step.h"
#include "cpu/engine/near.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/hooks.h"
#include "cpu/runtime/queue.h"

static inline void host(uintptr_t address, unsigned bytes, unsigned flags, uintptr_t site)
{
    if (__builtin_expect(memory_is_hidden(address), 0) ||
        (cpu_observers && (memory_is_device(address) || memory_is_program(address))))
        access_by_host(address, bytes, flags, site);
}

/* A kernel's access fails for that on a GPU. */
static inline bool is_misaligned(uintptr_t address, unsigned bytes, unsigned flags)
{
    return !(flags & ACCESS_UNALIGNED) && address & (bytes - 1);
}

__attribute__((noinline)) void hook_look(uintptr_t address, unsigned bytes, unsigned flags,
                                         uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (!t) {
        host(address, bytes, flags, site);
        return;
    }
    if (cpu_observers)
        access_notify(t, address, bytes, flags, site);
    else
        access_judge(t, address, bytes, flags, site);
    if (is_misaligned(address, bytes, flags))
        access_misaligned(t, address, bytes, flags, site);
}

static inline uintptr_t stack_pointer(void)
{
    uintptr_t at;

#if defined(__x86_64__)
    __asm__("mov %%rsp, %0" : "=r"(at));
#elif defined(__aarch64__)
    __asm__("mov %0, sp" : "=r"(at));
#else
    at = (uintptr_t)__builtin_frame_address(0);
#endif
    return at;
}

/* Mostly there is nothing to do: that is found out without a frame, since all else is done by one
 * last call, which is a jump. */
static inline void plain(const void *p, unsigned bytes, unsigned flags, uintptr_t site)
{
    uintptr_t address = (uintptr_t)p;
    const struct near *n = &cpu_near;

    if (__builtin_expect(!is_misaligned(address, bytes, flags), 1) &&
        (address - n->open < n->open_bytes || address - n->shared < n->shared_bytes ||
         address - stack_pointer() < n->local_bytes))
        return;
    hook_look(address, bytes, flags, site);
}

/* No frame of the caller's: what stays on a thread's stack tells states apart for --explore. */
static __attribute__((noinline)) void go_together(struct thread *t, uintptr_t address,
                                                  uintptr_t site)
{
    if (!fiber_holds(t->fiber, address))
        in_step(t, (struct meeting){.site = site});
}

static void volatile_read(const void *address, unsigned bytes, uintptr_t site)
{
    struct thread *t = cpu_thread();
    uint64_t value = 0;

    if (!t) {
        host((uintptr_t)address, bytes, ACCESS_VOLATILE, site);
        if (memory_is_device((uintptr_t)address))
            queue_run(); /* the host may wait for a kernel */
        return;
    }
    if (&cpu_lanes_meet)
        go_together(t, (uintptr_t)address, site);
    access_observe(t, address, bytes, ACCESS_VOLATILE, site);
    memcpy(&value, address, bytes < 8 ? bytes : 8);
    cpu_poll(t, site, cpu_polled(address, value));
}

static void volatile_write(const void *address, unsigned bytes, uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (!t) {
        host((uintptr_t)address, bytes, ACCESS_VOLATILE | ACCESS_WRITE, site);
        return;
    }
    if (&cpu_lanes_meet)
        go_together(t, (uintptr_t)address, site);
    access_observe(t, address, bytes, ACCESS_VOLATILE | ACCESS_WRITE, site);
    cpu_progress();
}

#define HOOK(KIND, N, CALL)                                                                        \
    void __tsan_##KIND##N(void *p)                                                                 \
    {                                                                                              \
        CALL;                                                                                      \
    }
#define HOOKS(N)                                                                                   \
    HOOK(read, N, plain(p, N, 0, HERE))                                                            \
    HOOK(write, N, plain(p, N, ACCESS_WRITE, HERE))                                                \
    HOOK(unaligned_read, N, plain(p, N, ACCESS_UNALIGNED, HERE))                                   \
    HOOK(unaligned_write, N, plain(p, N, ACCESS_UNALIGNED | ACCESS_WRITE, HERE))                   \
    HOOK(volatile_read, N, volatile_read(p, N, HERE))                                              \
    HOOK(volatile_write, N, volatile_write(p, N, HERE))                                            \
    HOOK(unaligned_volatile_read, N, volatile_read(p, N, HERE))                                    \
    HOOK(unaligned_volatile_write, N, volatile_write(p, N, HERE))

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void *p, unsigned long bytes)
{
    plain(p, (unsigned)bytes, ACCESS_UNALIGNED, HERE);
}

void __tsan_write_range(void *p, unsigned long bytes)
{
    plain(p, (unsigned)bytes, ACCESS_UNALIGNED | ACCESS_WRITE, HERE);
}

/* Of these nothing is wanted. */
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

void __tsan_vptr_update(void **p, void *value)
{
    (void)p;
    (void)value;
}

void __tsan_vptr_read(void **p)
{
    (void)p;
}
