"""
Commands for gdb, which loads this file: the threads, blocks and kernels of the CPU device, by the names of cuda-gdb.

A thread of a GPU is a fiber here: a stack of its own, on which one of the device's workers runs at a time. One that
waits is parked: its registers lie on its stack (engine/fiber.c). To look at it they are put in the place of the
processor's, and put back before anything runs on.
"""
import re

import gdb

WARP = 32
# Where a parked thread's registers are, in words from its stack pointer; the size of that part of its stack.
PARKED = {"i386:x86-64": ({"r15": 0, "r14": 1, "r13": 2, "r12": 3, "rbx": 4, "rbp": 5, "pc": 6}, 7, "rsp"),
          "aarch64": ({**{f"x{19 + i}": i for i in range(12)}, "pc": 11}, 20, "sp")}
WAITS = {"RUNNING": "ready", "AT_BARRIER": "at a barrier", "AT_WARP": "at a warp operation",
         "AT_GRID": "at a grid barrier", "AT_OBJECT": "at a barrier object", "AT_CONVERGENCE": "at a warp operation",
         "SPINNING": "spins", "ENDED": "ended"}
MEETS = ["cpu_barrier", "cpu_barrier_count", "cpu_barrier_and", "cpu_barrier_or", "cpu_grid_barrier", "cpu_syncwarp",
         "cpu_shuffle", "cpu_vote", "cpu_object_wait"]
RUNS_ON = ["continue", "step", "next", "finish", "until", "advance", "stepi", "nexti", "run", "start", "kill", "detach",
           "quit", "jump", "signal", "call"]


def fail(text):
    raise gdb.GdbError(text)


def dims(value):
    return tuple(int(value[name]) for name in "xyz")


def shown(index):
    return "({},{},{})".format(*index)


def worker():
    """The worker that the selected thread of the system is; fails where no kernel runs on it."""
    try:
        found = gdb.parse_and_eval("cpu_worker")
    except gdb.error:
        fail("no CPU device in this program, or it does not run yet")
    if int(found) == 0 or int(found["block"]) == 0 or int(found["launch"]) == 0:
        fail("no kernel runs here")
    return found


def blocks():
    """Those in flight at this worker."""
    own, running = worker(), True
    block = own["blocks"]
    while int(block):
        running &= int(block) != int(own["block"])
        yield block
        block = block["next"]
    if running:
        yield own["block"]


def thread_at(block, number):
    return block["thread"][number]


def is_ready(thread):
    """Whether it may go on, or has not begun."""
    number = int(thread["id"])
    return int(thread["block"]["ready"][number // 64]) >> number % 64 & 1


def state_of(thread):
    if int(thread["fiber"]) == 0 and str(thread["wait"]) != "ENDED":
        return "has not begun"
    if is_ready(thread):
        return WAITS["RUNNING"]
    return WAITS.get(str(thread["wait"]), str(thread["wait"]))


def is_source(frame):
    """Whether a frame is the program's own code, and not the device's or a header's."""
    table = frame.find_sal().symtab
    return table is not None and not re.search(r"/common/cpu/|/common/harness/|/usr/", table.fullname()) and \
        re.search(r"\.(cu|cuh|h|cpp)$", table.filename) is not None


def source_frame():
    """The innermost frame of the program's own code; None."""
    frame = gdb.newest_frame()
    while frame and not is_source(frame):
        frame = frame.older()
    return frame


def put(registers):
    """Sets the processor's registers: those of the innermost frame, because those of another lie on the stack."""
    for name, value in registers.items():
        gdb.newest_frame().select()
        gdb.execute(f"set ${name} = {value}", to_string=True)
    gdb.newest_frame().select()


class Focus:
    """The thread that is looked at: the one that runs, or a parked one."""

    def __init__(self):
        self.parked, self.saved = None, None

    def restore(self):
        """The registers of what really runs."""
        if self.saved is not None:
            saved, self.saved, self.parked = self.saved, None, None
            put(saved)

    def thread(self):
        return self.parked if self.parked is not None else worker()["thread"].dereference()

    def look(self, thread):
        """Puts a parked thread's registers in place; fails where it has none."""
        self.restore()
        if int(thread.address) == int(worker()["thread"]):
            return
        if int(thread["fiber"]) == 0:
            fail(f"thread {int(thread['id'])} {'has ended' if str(thread['wait']) == 'ENDED' else 'has not begun'}")
        where = gdb.selected_frame().architecture().name()
        if where not in PARKED:
            fail(f"parked threads can be looked at on x86-64 and arm64, and this is {where}")
        places, words, pointer = PARKED[where]
        top = int(thread["fiber"]["sp"].cast(gdb.lookup_type("unsigned long")))
        memory = gdb.Value(top).cast(gdb.lookup_type("unsigned long").pointer())
        gdb.newest_frame().select()
        kept = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in [*places, pointer]}
        self.saved, self.parked = kept, thread
        put({**{name: int(memory[place]) for name, place in places.items()}, pointer: top + 8 * words})

    def frame(self):
        """Selects the frame of the program's own code."""
        found = source_frame()
        if found:
            found.select()
        return found


focus = Focus()


def place():
    """Where the selected frame stands."""
    sal = gdb.selected_frame().find_sal()
    return f"{sal.symtab.filename.rpartition('/')[2]}:{sal.line}" if sal.symtab else "?"


def variables(thread):
    """$threadIdx and the others, for expressions."""
    block = thread["block"]
    for name, value in (("threadIdx", thread["index"]), ("blockIdx", block["index"]),
                        ("blockDim", block["launch"]["dim"]), ("gridDim", block["launch"]["grid"])):
        gdb.set_convenience_variable(name, value)


def told(thread):
    """[kernel sum<<<(2,1,1), (64,1,1)>>>, block (1,0,0), thread (33,0,0), warp 1, lane 1]"""
    block = thread["block"]
    launch, number = block["launch"], int(thread["id"])
    return f"[kernel {launch['name'].string()}<<<{shown(dims(launch['grid']))}, {shown(dims(launch['dim']))}>>>, " \
        f"block {shown(dims(block['index']))}, thread {shown(dims(thread['index']))}, warp {number // WARP}, " \
        f"lane {number % WARP}]"


def number_in(text, size):
    """The number of an index in x, or x,y or (x,y,z), of a space of this size; fails where it is outside."""
    found = re.fullmatch(r"\(?(\d+)(?:,(\d+))?(?:,(\d+))?\)?", text)
    index = [int(part or 0) for part in found.groups()] if found else [0, 0, 0]
    flat = found and found[2] is None
    total = size[0] * size[1] * size[2]
    number = index[0] if flat else index[0] + size[0] * (index[1] + size[1] * index[2])
    if not found or number >= total or not flat and any(one >= most for one, most in zip(index, size)):
        fail(f"{text}: must be a number from 0 to {total - 1}, or an index below {shown(size)}")
    return number


def asked_for(words):
    """{"block": text, "thread": text, ...} of: block 1 thread 33; lane and warp count in the block."""
    if len(words) % 2 or not all(word in ("block", "thread", "warp", "lane") for word in words[::2]):
        fail("expected block B, thread T, warp W, lane L, as in: cuda block 1 thread 33")
    return dict(zip(words[::2], words[1::2]))


def chosen(words):
    """The thread that the words name, beside the focus."""
    asked, now = asked_for(words), focus.thread()
    block, number = now["block"].dereference(), int(now["id"])
    launch = block["launch"]
    if "block" in asked:
        wanted = number_in(asked["block"], dims(launch["grid"]))
        found = [each for each in blocks() if int(each["number"]) == wanted]
        if not found:
            fail(f"block {asked['block']} is not in flight: see info cuda blocks")
        block, number = found[0].dereference(), 0
    threads = int(block["threads"])
    if "thread" in asked:
        number = number_in(asked["thread"], dims(launch["dim"]))
    if "warp" in asked or "lane" in asked:
        warp, lane = (int(asked.get(name, old)) if str(asked.get(name, "0")).isdigit() else fail(f"{name}: a number")
                      for name, old in (("warp", number // WARP),
                                        ("lane", number % WARP if "warp" not in asked else 0)))
        number = warp * WARP + lane
        if lane >= WARP or number >= threads:
            fail(f"warp {warp}, lane {lane}: the block has {threads} threads")
    return thread_at(block, number)


def show_focus():
    thread = focus.thread()
    variables(thread)
    print(told(thread))
    if focus.parked is not None:
        print(f"it waits: {state_of(thread)}; what runs on is thread {shown(dims(worker()['thread']['index']))}")
    if focus.frame():
        gdb.execute("frame")


class Cuda(gdb.Command):
    """The focus: cuda shows it, cuda block 1 thread 33 moves it. See help cuda, and docs/debugger.md."""

    def __init__(self):
        super().__init__("cuda", gdb.COMMAND_RUNNING)

    def invoke(self, text, _):
        words = text.split()
        actions = {"break": self.breakpoint, "next": self.next, "continue": self.go_on, "print": self.print_lanes,
                   "shared": self.shared}
        if words and words[0] in actions:
            return actions[words[0]](text[len(words[0]):].strip() if words[0] == "print" else words[1:])
        if words:
            focus.look(chosen(words))
        return show_focus()

    def breakpoint(self, words):
        """cuda break WHERE [block B] [thread T]"""
        if not words:
            fail("cuda break WHERE [block B] [thread T], as in: cuda break sum.cu:31 block 1 thread 33")
        At(words[0], asked_for(words[1:]))

    def go_on(self, _):
        """cuda continue: until the thread in focus runs again."""
        thread = focus.thread()
        if focus.parked is None:
            return gdb.execute("continue")
        focus.frame()
        pc = gdb.selected_frame().pc()
        block, number = int(thread["block"]["number"]), int(thread["id"])
        focus.restore()
        stop = Resumed(f"*{pc}", block, number)
        try:
            gdb.execute("continue")
        finally:
            if stop.is_valid():
                stop.delete()
        return None

    def next(self, _):
        """cuda next: the warp in focus runs to its next barrier or warp operation, or to its end."""
        thread = focus.thread()
        focus.restore()
        meets = [Meets(name, thread) for name in [*MEETS, "end_thread"] if gdb.lookup_static_symbols(name) or
                 gdb.lookup_global_symbol(name)]
        try:
            gdb.execute("continue", to_string=False)
        finally:
            for each in meets:
                if each.is_valid():
                    each.delete()
        if any(each.met for each in meets):
            info_lanes()
        else:
            print("the warp did not get there: something else stopped the program, or it has ended")

    def print_lanes(self, text):
        """cuda print EXPRESSION: its value in each lane of the warp in focus."""
        if not text:
            fail("cuda print EXPRESSION")
        now = focus.thread()
        block, first, parked = now["block"].dereference(), int(now["id"]) // WARP * WARP, focus.parked
        for number in range(first, min(first + WARP, int(block["threads"]))):
            thread = thread_at(block, number)
            try:
                focus.look(thread)
                variables(thread)
                value = gdb.parse_and_eval(text).format_string() if focus.frame() else "?"
                line = f"{place()}  {value}"
            except gdb.GdbError as error:
                line = str(error).partition(" ")[2].partition(" ")[2]
            except gdb.error as error:
                line = str(error)
            print(f"lane {number - first:>2}  thread {shown(dims(thread['index']))}  {line}")
        focus.restore()
        if parked is not None:
            focus.look(parked)
        focus.frame()

    def shared(self, words):
        """cuda shared [NAME]: the shared memory of the block in focus."""
        block, wanted = focus.thread()["block"].dereference(), words[0] if words else None
        parts = [(block["dynamic"], 0, int(block["launch"]["dynamic_shared"]))]
        parts += [(slot["variable"], int(slot["offset"]), int(slot["bytes"]))
                  for slot in (block["static_slot"][i] for i in range(int(block["statics"])))]
        some = False
        for variable, offset, size in parts:
            name = variable["name"].string() if int(variable) else "(dynamic)"
            if size and wanted in (None, name):
                some = True
                print_shared(name, variable, block["shared"] + offset, size)
        if not some:
            fail(f"no shared memory {wanted or ''} in this block, or no thread has come to it yet".replace("  ", " "))


def print_shared(name, variable, address, size):
    """Its elements in rows of eight, as the type that a variable of this name has in the frame, else as floats or
    integers of its size."""
    element = int(variable["element"]) if int(variable) else 4
    kind = {1: "unsigned char", 2: "short", 4: "float", 8: "double"}.get(element, "float")
    try:
        kind = gdb.parse_and_eval(name).type.strip_typedefs()
        while kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_REF):
            kind = kind.target().strip_typedefs()
    except gdb.error:
        kind = gdb.lookup_type(kind)
    count, values = size // kind.sizeof, address.cast(kind.unqualified().pointer())
    print(f"{name}: {size} bytes, {count} of {kind}")
    for first in range(0, count, 8):
        print(f"{first:>6}: " + " ".join(values[i].format_string() for i in range(first, min(first + 8, count))))


class At(gdb.Breakpoint):
    """A breakpoint for one block or thread."""

    def __init__(self, where, asked):
        super().__init__(where)
        self.asked = asked

    def stop(self):
        try:
            thread = worker()["thread"]
            block = thread["block"]
            sizes = {"block": dims(block["launch"]["grid"]), "thread": dims(block["launch"]["dim"])}
            own = {"block": int(block["number"]), "thread": int(thread["id"]), "warp": int(thread["id"]) // WARP,
                   "lane": int(thread["id"]) % WARP}
            return all((number_in(text, sizes[what]) if what in sizes else int(text)) == own[what]
                       for what, text in self.asked.items())
        except gdb.GdbError:
            return False


class Resumed(gdb.Breakpoint):
    """Where a parked thread runs on."""

    def __init__(self, where, block, number):
        super().__init__(where, internal=True)
        self.block, self.wanted, self.silent = block, number, True

    def stop(self):
        thread = worker()["thread"]
        return int(thread["block"]["number"]) == self.block and int(thread["id"]) == self.wanted


class Meets(gdb.Breakpoint):
    """Where lanes of a warp meet, or end: the last of them."""

    def __init__(self, where, thread):
        super().__init__(where, internal=True)
        self.block, self.warp, self.met = int(thread["block"]["number"]), int(thread["id"]) // WARP, False
        self.silent = True

    def stop(self):
        now = worker()["thread"]
        block = now["block"].dereference()
        if int(block["number"]) != self.block or int(now["id"]) // WARP != self.warp:
            return False
        first = self.warp * WARP
        others = [thread_at(block, number) for number in range(first, min(first + WARP, int(block["threads"])))
                  if number != int(now["id"])]
        self.met = not any(map(is_ready, others))
        return self.met


class Found(gdb.Breakpoint):
    """Where --check adds a finding."""

    def __init__(self):
        super().__init__("finding_add", internal=True)
        self.silent, self.told = True, set()

    def stop(self):
        finding = gdb.parse_and_eval("*f")
        kind = str(finding["kind"]).replace("FOUND_", "").replace("_", " ").lower()
        parties = [finding["party"][i] for i in range(int(finding["parties"]))]
        same = (kind, *(int(each["site"]) for each in parties))
        if same in self.told:
            return False
        self.told.add(same)
        print(f"--check has found: {kind}, at address {hex(int(finding['address']))}")
        for each in parties:
            sal = gdb.find_pc_line(max(int(each["site"]) - 1, 0))
            line = f"line {sal.line}, " if sal.symtab else ""
            print(f"    {line}thread {int(each['thread'])} of block {int(each['block'])}")
        return True


# --- info cuda

def info_kernels():
    launch = worker()["launch"]
    print(f"{launch['name'].string()}<<<{shown(dims(launch['grid']))}, {shown(dims(launch['dim']))}>>>, "
          f"{int(launch['dynamic_shared'])} bytes of dynamic shared memory")


def info_blocks():
    now = int(focus.thread()["block"])
    for block in sorted(blocks(), key=lambda each: int(each["number"])):
        threads = [thread_at(block.dereference(), number) for number in range(int(block["threads"]))]
        print(f"{'*' if int(block) == now else ' '} block {shown(dims(block['index']))}  "
              f"{summary(map(state_of, threads))}")


def summary(states):
    counts = {}
    for state in states:
        counts[state] = counts.get(state, 0) + 1
    return ", ".join(f"{count} {state}" for state, count in counts.items())


def where_is(thread):
    """The state of a thread, with the line at which it waits."""
    if int(thread.address) == int(worker()["thread"]) and focus.parked is None:
        frame = source_frame()
        sal = frame.find_sal() if frame else None
        return f"runs, line {sal.line}" if sal else "runs"
    line = int(thread["line"])
    state = state_of(thread)
    return f"{state}, line {line}" if line and state.startswith("at ") else state


def info_threads(first=0, last=None):
    """Neighbours in the same state in one row."""
    block = focus.thread()["block"].dereference()
    rows = []
    for number in range(first, int(block["threads"]) if last is None else min(last, int(block["threads"]))):
        state = where_is(thread_at(block, number))
        if rows and rows[-1][2] == state:
            rows[-1][1] = number
        else:
            rows.append([number, number, state])
    for begin, end, state in rows:
        print(f"threads {begin:>4} to {end:>4}  {state}")


def info_lanes():
    first = int(focus.thread()["id"]) // WARP * WARP
    print(f"warp {first // WARP} of block {shown(dims(focus.thread()['block']['index']))}")
    info_threads(first, first + WARP)


INFO = {"kernels": info_kernels, "blocks": info_blocks, "threads": info_threads, "lanes": info_lanes,
        "warp": info_lanes}


class InfoCuda(gdb.Command):
    """What runs on the CPU device: info cuda kernels, blocks, threads or lanes."""

    def __init__(self):
        super().__init__("info cuda", gdb.COMMAND_STATUS)

    def invoke(self, text, _):
        if text.strip() not in INFO:
            fail(f"info cuda {text.strip()}: must be one of {' '.join(INFO)}".replace("cuda :", "cuda:"))
        INFO[text.strip()]()


def stopped(event):
    """At each stop in a kernel: whose it is, and the program's own frame."""
    focus.saved = focus.parked = None
    try:
        thread = focus.thread()
    except gdb.GdbError:
        return
    variables(thread)
    print(told(thread))
    found = source_frame()
    silent = isinstance(event, gdb.BreakpointEvent) and all(each.silent for each in event.breakpoints)
    if found and (silent or found != gdb.newest_frame()):
        found.select()
        gdb.execute("frame")


def begin():
    """Settings and commands. Target-non-stop is off because gdb would let the system's threads run on one by one, and
    fail where the program ends before it has come to the last of them (gdb 13: Couldn't get registers)."""
    for line in ("maint set target-non-stop off",
                 "set pagination off", "set confirm off", "set breakpoint pending on", "set debuginfod enabled off",
                 "set print thread-events off", "skip -gfi */common/cpu/*/*", "skip -gfi */common/cpu/*",
                 "handle SIGSEGV nostop noprint pass"):
        try:
            gdb.execute(line, to_string=True)
        except gdb.error:
            pass  # an older gdb has not all of them
    for name in RUNS_ON:
        gdb.execute(f"define hook-{name}\npython focus.restore()\nend", to_string=True)
    Cuda()
    InfoCuda()
    gdb.events.stop.connect(stopped)
    Found()  # it has a place in each program of the CPU device


begin()
