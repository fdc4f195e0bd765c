"""
What nvcc makes of a .cu file: its memory instructions, by kernel and source line. No GPU is needed:
nvcc compiles, nvdisasm shows the machine code with its source lines. The CPU device's counters read
the table that `table` writes (common/cpu/tools/counters/nvcc.c), and count as nvcc's code would:

    KERNEL|FILE|LINE|KIND|WIDTHS|WHERE|TOGETHER

KIND is global load, global store, shared load or shared store, WIDTHS the bytes of a lane that its
instructions there have, as 4,16. WHERE is `outside` if they stand outside of a loop that goes on at
that line: nvcc keeps in a register what the source reads or writes each time. TOGETHER is how many
instructions of the line a round of the innermost loop has, the most if there are several: nvcc unrolls.

Rows whose WHERE is `code` say what a warp executes for each TOGETHER requests of that line, or once, without a line; a
kernel in which that cannot be said has none. Their WIDTHS are INSTRUCTIONS,CYCLES,UNITS,WAITS,LOCAL: how many; how many
cycles they take one after the other, by the stall counts that the assembler wrote into them; the cycles that each of
the UNITS below is busy with them, and how many even registers they read, and odd ones; how often they wait for local
memory; and the cycles that L1 is busy with that. Two numbers more stand behind: the line where the head of the loop
ends, and how many rounds of the source one of the machine code has, or 0 and 0; they are for kernels that count the
rounds of their loops (translate/rounds.c). The KIND of a loop without a request is `round`; that of what stands under
an if whose condition ends at that line is `taken`, and that of what stands under its else `passed`.

`local load` and `local store` rows say that the kernel has arrays, or registers that did not fit, in local memory.
Where WHERE is `registers`, WIDTHS is how many a thread has.
"""
import collections
import os
import re
import shutil
import subprocess
import tempfile

from common.commands.cudacpu import loops as written

SECTION = re.compile(r"\.text\.(\S+):$")
LINE = re.compile(r'\s*//## File "([^"]*)", line (\d+)(.*)')
LABEL = re.compile(r"(\.L_\S+):$")
INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(@!?\w+\s+)?([A-Z][A-Z0-9_.]*)\s*(.*?);")
UPPER_HALF = re.compile(r"\s*/\* 0x([0-9a-f]{16}) \*/$")  # of an instruction's 16 bytes, on a line of its own
STALL = 41  # bits 41 to 44 of it: the cycles until the next instruction of the warp may follow
SLOW_PATH = re.compile(r"\$__internal_\d+_\$\S*slowpath:$")  # of a division or a root: called for few numbers
REGISTERS = re.compile(r"Compiling entry function '([^']*)'.*?Used (\d+) registers", re.DOTALL)  # of ptxas
LARGE_ANGLE = "105615"  # from which on sinf, cosf and tanf have a second way
# Instructions, as Nsight Compute describes its pipes, and the cycles that a quarter's unit takes for one of a warp: 32
# lanes by a quarter of the results per clock cycle that CUDA's guide has for compute capability 9.0.
UNITS = [
    (2, {"BMSK", "FMNMX", "FSEL", "FSETP", "FSET", "I2FP", "IABS", "IADD3", "IMNMX", "ISETP", "LEA", "LOP3", "MOV",
         "P2R", "PLOP3", "PRMT", "R2P", "SEL", "SGXT", "SHF", "VABSDIFF", "VIADD", "VIMNMX"}),  # arithmetic and logic
    (2, {"IMAD"}),  # multiplies of integers
    (2, {"DADD", "DFMA", "DMUL", "DSETP"}),  # doubles
    (8, {"BREV", "F2F", "F2I", "FLO", "FRND", "I2F", "MUFU", "POPC"})]  # special functions and conversions
# Of IMAD, twice as long: a trial shows it of HI (estimate-8.txt), and WIDE is taken to be as long.
WHOLE_PRODUCTS = {"HI", "WIDE"}
DOUBLES = {"DADD", "DFMA", "DMUL", "DSETP"}  # each of their operands is in two registers
ANSWERS_SECOND = {"ATOM", "ATOMG", "ATOMS", "MATCH", "SHFL"}  # a predicate stands before the register that is written
NEVER = "@!PT"  # the predicate of an instruction that is there for its place alone
COPIES, MOST_OF = (16, 8, 4, 2), 0.8  # as nvcc unrolls; what is done once a round, as a jump back, is the rest
ADDS = {"IADD3", "UIADD3", "VIADD"}
KINDS = {"LDG": ["global load"], "STG": ["global store"], "LDS": ["shared load"],
         "STS": ["shared store"], "LDL": ["local load"], "STL": ["local store"],
         "LDGSTS": ["global load"],
         "LD": ["global load", "shared load"], "ST": ["global store", "shared store"]}
WIDTHS = {"8": 1, "16": 2, "64": 8, "128": 16}


class Instruction:
    def __init__(self, address, line, predicate, opcode, operands):
        self.address, self.line, self.predicate, self.operands = address, line, predicate, operands
        self.name, *self.suffixes = opcode.split(".")
        self.stall = 1

    def width(self):
        """Bytes of a lane."""
        for suffix in self.suffixes:
            if suffix.lstrip("US") in WIDTHS and suffix.strip("US") == suffix.lstrip("US"):
                return WIDTHS[suffix.lstrip("US")]
        return 4


def tools():
    """(nvcc, nvdisasm); None where one is missing."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    beside = os.path.dirname(os.path.realpath(nvcc)) if nvcc else ""
    nvdisasm = shutil.which("nvdisasm") or shutil.which("nvdisasm", path=beside)
    return (nvcc, nvdisasm) if nvcc and nvdisasm else None


def is_toolkit(path):
    return "/targets/" in path or "/cuda" in os.path.dirname(path) and "/include" in path


def instructions(text):
    """{mangled kernel: ([Instruction], {label: address})} of a disassembly. An instruction's line is
    the innermost that is not of the toolkit's headers: (file without folders, line), or None."""
    found, code, labels, line, waiting, last = {}, None, None, None, False, None
    pending = []
    for each in text.splitlines():
        match = SECTION.match(each)
        if match:
            code, labels = found.setdefault(match[1], ([], {}))
            line, waiting = None, False
            continue
        if code is None:
            continue
        match = LINE.match(each)
        if match:
            if not waiting:
                line = None
            if line is None and not is_toolkit(match[1]):
                line = (os.path.basename(match[1]), int(match[2]))
            waiting = "inlined at" in match[3]
            continue
        if SLOW_PATH.match(each):
            code = None
            continue
        match = UPPER_HALF.match(each)
        if match and code and last is code[-1]:
            last.stall = max(int(match[1], 16) >> STALL & 15, 1)
            continue
        match = LABEL.match(each.strip())
        if match:
            pending.append(match[1])
            continue
        match = INSTRUCTION.match(each)
        if match:
            address = int(match[1], 16)
            for label in pending:
                labels[label] = address
            pending = []
            last = None
            predicate = (match[2] or "").strip()
            if predicate != NEVER:
                last = Instruction(address, line, predicate, match[3], match[4])
                code.append(last)
    return {name: (without_split_warps(without_large_angles(code, labels), labels), labels)
            for name, (code, labels) in found.items()}


def without_large_angles(code, labels):
    """The instructions but for the second way of sinf, cosf and tanf, over which other angles branch."""
    kept, large, end = [], None, 0
    for each in code:
        if each.address < end:
            continue
        kept.append(each)
        if each.name == "FSETP" and "GE" in each.suffixes and LARGE_ANGLE in each.operands:
            large = "@!" + each.operands.partition(",")[0]
        elif each.name == "BRA" and each.predicate == large:
            end = labels.get(target_of(each), 0)
        elif large and large[2:] in [word.strip() for word in each.operands.split(",")[:2]]:
            large = None  # sinf and cosf of one angle ask once
    return kept


def without_split_warps(code, labels):
    """The instructions but for those by which the lanes of a warp meet that have gone different ways: BRA.DIV jumps
    there before what they do together, as shuffles, and they end with a jump back."""
    ways = []
    for each in code:
        first = labels.get(target_of(each)) if each.name == "BRA" and "DIV" in each.suffixes else None
        last = next((other.address for other in code if first and other.address >= first and not other.predicate and
                     other.name == "BRA" and not other.suffixes), None)
        if last:
            ways.append((first, last))
    return [each for each in code if not any(first <= each.address <= last for first, last in ways)]


def target_of(branch):
    """The label, None where it is no branch to one."""
    target = re.search(r"`\((\.L_[^)]*)\)", branch.operands)
    return target and target[1]


def loops(code, labels):
    """[(first address, last address)] of what a backward branch repeats."""
    found = []
    for each in code:
        first = labels.get(target_of(each)) if each.name == "BRA" else None
        if first is not None and first < each.address:
            found.append((first, each.address))
    return found


def innermost(around):
    """Of loops that stand in one another; None where there is none."""
    return min(around, key=lambda loop: loop[1] - loop[0], default=None)


def most_of(rounds):
    """rounds: {loop: instructions}, None for what stands in no loop and counts where there is no loop."""
    return max((count for loop, count in rounds.items() if loop), default=rounds.get(None, 0))


def rows(code, labels):
    """[(file, line, kind, widths, where, together)] of one kernel."""
    memory, around, rounds = {}, {}, {}
    repeated = loops(code, labels)
    for each in code:
        if each.line is None:
            continue
        inside = {loop for loop in repeated if loop[0] <= each.address <= loop[1]}
        around.setdefault(each.line, set()).update(inside)
        for kind in KINDS.get(each.name, []):
            widths, seen = memory.setdefault((*each.line, kind), (set(), set()))
            widths.add(each.width())
            seen.update(inside)
            smallest = innermost(inside)
            of_rounds = rounds.setdefault((*each.line, kind), {})
            of_rounds[smallest] = of_rounds.get(smallest, 0) + 1
    return [(file, line, kind, sorted(widths),
             "outside" if around[file, line] - seen else "inside", most_of(rounds[file, line, kind]))
            for (file, line, kind), (widths, seen) in sorted(memory.items())]


def local_waits(code):
    """How often instructions one after the other wait for local memory: for loads that are in flight together, once."""
    waits, loaded = 0, set()
    for each in code:
        registers = [int(number) for number in re.findall(r"\bR(\d+)\b", each.operands)]
        if loaded.intersection(registers[1:] if each.name == "LDL" else registers):
            loaded = set()
        if each.name == "LDL" and registers:
            waits += not loaded
            loaded.update(range(registers[0], registers[0] + max(each.width() // 4, 1)))
    return waits


def sources(each):
    """[(register, how many of it on, whether it is kept for the next instruction)] that an instruction reads, None for
    what is no register, operand by operand."""
    operands = [word.strip() for word in each.operands.split(",")]
    written = 1 if each.name in ANSWERS_SECOND and operands[0].startswith("P") else 0
    found = []
    for at, word in enumerate(operands):
        match = re.search(r"\bR(\d+)((?:\.\w+)*)", word)
        if not match or at == written and re.match(r"R\d", word):
            found.append(None)
            continue
        wide = ".64" in match[2] or each.name in DOUBLES or "WIDE" in each.suffixes and at == len(operands) - 1
        count = 2 if wide else max(each.width() // 4, 1) if each.name.startswith("ST") and "[" not in word else 1
        found.append((int(match[1]), count, ".reuse" in match[2]))
    return found


def reads_of_banks(code):
    """
    (of even registers, of odd ones) that the instructions read: a quarter reads one of each per cycle. A register that
    an instruction has twice is read once, and one that the instruction before has kept at the same place not at all.
    The trial estimate-8.txt shows it.
    """
    reads, kept = [0, 0], {}
    for each in code:
        now = sources(each)
        registers = {register + k for at, source in enumerate(now) if source and kept.get(at) != source[0]
                     for register, count, _ in [source] for k in range(count)}
        for register in registers:
            reads[register % 2] += 1
        kept = {at: source[0] for at, source in enumerate(now) if source and source[2]}
    return reads


def work_of(code):
    """Of a row that says what is executed: instructions, cycles, those of the units, and local memory."""
    code = [each for each in code if each.name != "NOP"]
    units = [cycles * sum((1 + bool(WHOLE_PRODUCTS.intersection(each.suffixes))) if each.name == "IMAD" else 1
                          for each in code if each.name in names) for cycles, names in UNITS]
    units += reads_of_banks(code)
    local = sum(max(each.width() // 4, 1) for each in code if each.name in ("LDL", "STL"))  # 128 bytes in each cycle
    return ",".join(map(str, [len(code), sum(each.stall for each in code), *units, local_waits(code), local]))


def copies(code):
    """How often nvcc has the loop's body, one after the other, where the code says: nearly all of its instructions
    are there so many times, for one line and name."""
    count = collections.Counter((each.line, each.name) for each in code)
    return next((most for most in COPIES
                 if sum(number for number in count.values() if number % most == 0) >= MOST_OF * len(code)), 1)


def unrolled(code, file, loop):
    """How many of the source's rounds one of the machine code's has: by how much more it changes what the loop
    counts, or by how often its body is there."""
    steps = []
    for each in code:
        words = [word.strip() for word in each.operands.split(",")]
        if each.name in ADDS and each.line == (file, loop.line) and words[0] in words[1:]:
            steps += [abs(int(word, 16)) for word in words[1:] if re.fullmatch(r"-?0x[0-9a-f]+", word)]
    return min((step // loop.step for step in steps if loop.step and step and step % loop.step == 0), default=0) or \
        copies(code)


def round_of(code, heads):
    """(file, line, how many of them) of a round of a loop of this code, by the loops of the source, {file: [Loop]};
    None where it is none of these. Where several are in it, as nvcc leaves no loop of an inner one, it is the one whose
    head the jump back has, or else the first."""
    found = sorted(((file, loop) for file, line in {each.line for each in code if each.line}
                    for loop in heads.get(file, []) if loop.line == line),
                   key=lambda pair: ((pair[0], pair[1].line) != code[-1].line, pair[0], pair[1].line))
    return (found[0][0], found[0][1].line, unrolled(code, *found[0])) if found else None


def requests_of(code):
    """{(file, line, kind): how many instructions} of what a loop reads and writes."""
    count = {}
    for each in code:
        for kind in KINDS.get(each.name, [])[:1]:
            if each.line and not kind.startswith("local"):
                count[(*each.line, kind)] = count.get((*each.line, kind), 0) + 1
    return count


def statements_of(code, branches):
    """{(file, Branch): the addresses of those instructions that its statement has}, the smallest branch first. It ends
    before the code does, which is of one loop: a branch around the loop decides nothing in it."""
    found = {}
    for file, of_file in branches.items():
        for branch in sorted(of_file, key=lambda branch: (branch.last - branch.first, -branch.line)):
            own = {each.address for each in code
                   if each.line and each.line[0] == file and branch.first <= each.line[1] <= branch.last}
            if own and code[-1].address not in own:
                found[file, branch] = own
    return found


def jumps_over(code, labels, branches):
    """{(file, Branch): [(first, last address)]} of what the jumps of this code pass over, where that is nearly all that
    there is of the branch: a slow path of a function that it calls is not."""
    statements, over = statements_of(code, branches), {}
    for each in code:
        end = labels.get(target_of(each), 0) if each.name == "BRA" else 0
        between = {other.address for other in code if each.address < other.address < end}
        found = next((branch for branch, own in statements.items()
                      if between and len(own & between) >= MOST_OF * len(between)), None)
        if found:
            over.setdefault(found, []).append((min(between), max(between)))
    return {found: jumps for found, jumps in over.items()
            if sum(any(first <= address <= last for first, last in jumps) for address in statements[found]) >=
            MOST_OF * len(statements[found])}


def apart(code, labels, branches):
    """(what is executed with the code around it, {(file, Branch): ([Instruction], in how many places)}), of the code of
    one loop."""
    over, left, found = jumps_over(code, labels, branches), [], {}
    for each in code:
        inside = [(last - first, first, branch) for branch, jumps in over.items() for first, last in jumps
                  if first <= each.address <= last]
        if inside:
            branch = min(inside)[2]
            own, places = found.setdefault(branch, ([], set()))
            own.append(each)
            places.add(max(jump for jump in inside if jump[2] == branch))
        else:
            left.append(each)
    return left, {branch: (own, len(places)) for branch, (own, places) in found.items()}


def source_loop(line, heads):
    """(file, Loop) of the innermost loop of the source whose body has this (file, line) alone; None."""
    file, number = line or ("", 0)
    inside = [loop for loop in heads.get(file, []) if loop.first <= number <= loop.last]
    return (file, min(inside, key=lambda loop: loop.last - loop.first)) if inside else None


def without_rest(own, heads):
    """Takes out of the code around a loop, {loop: [Instruction]}, rounds of the same loop of the source: nvcc unrolls
    it and has some once more, one by one, for what is left over. Each round counts already where it is a loop. How many
    they are is told by their requests; what stands before them is done once, as the addresses that they begin with."""
    made_of = {}
    for loop, code in own.items():
        of_code = [found for found in (source_loop(each.line, heads) for each in code) if loop and found]
        if of_code:
            made_of[loop] = max(set(of_code), key=lambda found: (of_code.count(found), found[1].line))
    for loop, found in made_of.items():
        outer = [other for other in own if other and other != loop and other[0] <= loop[0] and loop[1] <= other[1]]
        around = innermost(outer)
        copies = [each for each in own[around] if source_loop(each.line, heads) == found]
        of_loop = sum(requests_of(own[loop]).values())
        if of_loop and made_of.get(around) != found:
            count = sum(requests_of(copies).values()) * len(own[loop]) // of_loop
            rest = {each.address for each in copies[max(len(copies) - count, 0):]} if count else set()
            own[around] = [each for each in own[around] if each.address not in rest]


def executed(code, labels, heads=None, branches=None):
    """
    How often the kernel's instructions are executed, as rows (file, line, kind, work, per, round's line, rounds): a
    warp executes this work for each so many requests of a kind at the line, or for each so many rounds of a loop, or
    so many times that a branch's statement is executed; the first row is of what stands in none, and has no line: once.
    heads and branches: the loops and branches of the source, {file: [Loop]}, whose rounds are counted; of no loop the
    last two are 0. None where a loop has no request and is not in heads.
    """
    repeated, own, of_branches = loops(code, labels), {None: []}, {}
    for each in code:
        around = [loop for loop in repeated if loop[0] <= each.address <= loop[1]]
        own.setdefault(innermost(around), []).append(each)
    without_rest(own, heads or {})
    for loop, of_loop in own.items():
        own[loop], of_branches[loop] = apart(of_loop, labels, branches or {})
    found, taken = [("", 0, "", work_of(own[None]), 0, 0, 0)], set()
    requests = {loop: requests_of(of_loop) for loop, of_loop in own.items()}
    inner = {loop: sum(loop[0] <= other[0] and other[1] <= loop[1] for other in own if other) for loop in own if loop}
    for loop in [*sorted(inner, key=lambda loop: (inner[loop], -len(own[loop]))), None]:
        file, line, rounds = round_of(own[loop], heads or {}) or (None, 0, 0) if loop else (None, 0, 0)
        if loop and not requests[loop] and not line:
            return None
        left = {place: count for place, count in (requests[loop] or {(file, line, "round"): rounds}).items()
                if place not in taken} if loop else {}
        taken |= set(left)
        if left:  # else it is what an unrolled loop leaves over
            place = max(left, key=lambda place: (left[place], place))
            found.append((*place, work_of(own[loop]), left[place], line, rounds))
        for (file, branch), (statement, places) in sorted(of_branches[loop].items()):
            place = (file, branch.line, "taken" if branch.taken else "passed")
            if place not in taken:
                found.append((*place, work_of(statement), places, 0, 0))
            taken.add(place)
    return found


def demangled(names):
    """{mangled: as the CPU device names the kernel, with a template's arguments}"""
    if not names or not shutil.which("c++filt"):
        return {}
    done = subprocess.run(["c++filt", "-p", *names], capture_output=True, text=True, check=False)
    return dict(zip(names, (kernel_name(line) for line in done.stdout.splitlines())))


def kernel_name(text):
    """f<int, 4> of 'void (anonymous namespace)::f<int, 4>', however it is written."""
    text = text.replace("(anonymous namespace)", "")
    text = re.sub(r"\([^()]*\)$", "", text).replace("(int)", "").replace("(unsigned int)", "")
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "<") - (letter == ">")
        if depth == 0 and letter in " :":
            start = at + 1
    return text[start:]


def compile_kernels(nvcc, source, flags, cubin, arch):
    """{mangled kernel: registers of a thread}; None where nvcc cannot compile the file by itself."""
    done = subprocess.run([nvcc, "-cubin", "-x", "cu", "-O3", "-lineinfo", "-arch=" + arch, "-Xptxas=-v", *flags,
                           "-o", cubin, source], capture_output=True, text=True, check=False)
    return {name: int(count) for name, count in REGISTERS.findall(done.stderr)} if done.returncode == 0 else None


def disassemble(source, flags, scratch, arch):
    """(nvdisasm's text, the registers); None where nvcc cannot compile the file by itself."""
    nvcc, nvdisasm = tools()
    cubin = os.path.join(scratch, "code.cubin")
    registers = compile_kernels(nvcc, source, flags, cubin, arch)
    if registers is None:
        return None
    done = subprocess.run([nvdisasm, "-gi", "-hex", "-c", cubin], capture_output=True, text=True, check=False)
    return (done.stdout, registers) if done.returncode == 0 else None


def flags_of(asked):
    """Those of a Command's flags that change what nvcc makes of the source."""
    kept, words = ["-std=" + asked.standard.replace("gnu", "c")], iter(asked.flags)
    for word in words:
        if word in ("-isystem", "-include"):
            kept += [word, next(words, "")]
        elif word.startswith(("-I", "-D", "-U")):
            kept.append(word)
    return kept


def written_in(text, what):
    """{file: [Loop]} of the files that nvdisasm's text names, or the same of branches, as WHAT finds them in a text."""
    found = {}
    for path in sorted({match[1] for match in map(LINE.match, text.splitlines()) if match}):
        if not is_toolkit(path) and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                found.setdefault(os.path.basename(path), []).extend(what(file.read()))
    return found


def counts_rounds(asked):
    """Whether the rounds of loops are to be counted: for an estimate by nvcc's code."""
    return asked.estimate is not None and bool(os.environ.get("CPU_DEVICE_NVCC", tools()))


def for_counters(asked, path):
    """What to add to the environment of a Command's program, {} where nvcc or nvdisasm is missing; who
    has set it already, empty even, keeps it."""
    sources = [file for file, kind in asked.files if kind == "cu"]
    if (asked.counters or asked.estimate is not None) and "CPU_DEVICE_NVCC" not in os.environ and \
            table(sources, flags_of(asked), path, counts_rounds(asked)):
        return {"CPU_DEVICE_NVCC": path}
    return {}


def table(sources, flags, path, rounds=False, arch="sm_90"):
    """Writes the table of .cu files, which nvcc compiles with these flags (-I, -D and the like). rounds: their kernels
    count them. True: it holds them all; False: a tool is missing or did not compile, and nothing is written."""
    lines = []
    if not tools():
        return False
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            found = disassemble(source, flags, scratch, arch)
            if found is None:
                return False
            kernels, registers = instructions(found[0]), found[1]
            names = demangled(list(kernels))
            heads, branches = (written_in(found[0], what) if rounds else None
                               for what in (written.loops_of, written.branches_of))
            for mangled, (code, labels) in kernels.items():
                name = names.get(mangled, mangled)
                lines.append(f"{name}||||||")
                lines += ["|".join([name, file, str(line), kind, ",".join(map(str, widths)), where,
                                    str(together)])
                          for file, line, kind, widths, where, together in rows(code, labels)]
                lines += ["|".join([name, file, str(line), kind, work, "code", *map(str, numbers)])
                          for file, line, kind, work, *numbers in executed(code, labels, heads, branches) or []]
                lines += [f"{name}||0||{registers[mangled]}|registers|0"] if mangled in registers else []
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))
    return True
