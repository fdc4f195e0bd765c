"""
In which order steps are run: on a GPU one after the other, so that nothing disturbs the times; on the CPU device, whose
times tell nothing, two at a time, because kernels whose blocks wait for each other run in one thread.

work tells what to do with a step: described(step), which may wait; opened(runner, description), before the step's
turn; run(runner, description, place), whose result is handed on.
"""
from concurrent.futures import ThreadPoolExecutor

from common.commands.runner.program import Runner

AT_A_TIME = 2


def places(names):
    return [f"step {at} of {len(names)}" for at in range(1, len(names) + 1)]


def one_by_one(runner, work, names):
    """Yields the result of each step. The next one is opened meanwhile: a program with many libraries takes
    a while to say what it has, and to open a GPU."""
    def opened(step):
        description = work.described(step)
        work.opened(runner, description)
        return description

    ahead = ThreadPoolExecutor(1)
    try:
        following = ahead.submit(work.described, names[0])
        for at, place in enumerate(places(names), 1):
            description = following.result()
            following = ahead.submit(opened, names[at]) if at < len(names) else None
            yield work.run(runner, description, place)
    finally:
        runner.stop()
        ahead.shutdown(wait=False, cancel_futures=True)


def side_by_side(directory, screen, work, names):
    """The same in the same order. What the programs of a step write goes to a part of the directory, and then to
    it."""
    runners = [Runner(directory.part(step), screen) for step in names]
    left = [runner.folder for runner in runners]

    def result(runner, step, place):
        return work.run(runner, work.described(step), place)

    pool = ThreadPoolExecutor(AT_A_TIME)
    try:
        for each in [pool.submit(result, *of) for of in zip(runners, names, places(names))]:
            found = each.result()
            directory.take(left.pop(0))
            yield found
    finally:
        for runner in runners:
            runner.stop()
        pool.shutdown(wait=False, cancel_futures=True)
        for part in left:
            directory.take(part)
