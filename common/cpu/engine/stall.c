/*
 * Threads that only poll: do they wait for ever? A loop of a hundred atomics that change nothing
 * looks like a wait, but it counts, in a register or on its stack. As long as no memory changes,
 * what a thread does follows from these alone: so one that comes back to a state in which it was
 * goes around for ever, and one that does not may yet come out.
 *
 * The state is remembered at turns 1, 2, 4, 8 ..., so that a loop of any length is found (Brent,
 * 1980), and compared in the turns between. One thread that is not back is enough to go on.
 */
#include "cpu/engine/fiber.h"
#include "cpu/engine/stall.h"

/* Whether it is known to loop. */
static bool look(struct thread *t, uint64_t progress, bool remember)
{
    uint64_t now;

    if (t->held_since != progress) {
        t->held_since = progress;
        t->held = 0;
        t->loops = false;
    }
    if (t->loops)
        return true;
    now = fiber_state(t->fiber);
    if (now && now == t->held)
        t->loops = true;
    else if (remember)
        t->held = now;
    return t->loops;
}

bool stall_loops(struct block *blocks, uint64_t progress, uint64_t turn)
{
    bool remember = !(turn & (turn - 1)), all = true;

    for (struct block *b = blocks; b; b = b->next)
        for (unsigned i = 0; i < WORDS; i++)
            for (uint64_t rest = b->spinning[i]; rest; rest &= rest - 1)
                if (!look(&b->thread[i * 64 + (unsigned)__builtin_ctzll(rest)], progress,
                          remember)) {
                    all = false;
                    if (!remember)
                        return false;
                }
    return all;
}
