"""
--record-steps: that the file says exactly what small kernels did, in order; that a mistake stands at the step where it
arose; what is refused; and that what is planted is seen: the same kernel with another stride, and each of its steps
changed.
"""
import copy
import glob
import json
import os
import re
import tempfile

from common.commands.drive.building import build
from common.commands.drive.support import BUILD, SOURCE, case, leave, parallel, run, step, steps, unrecorded
from common.commands.watched.__main__ import offsets
from docs.page_writer import exercises
from plots.makers.cpu import recordings

CUDA_CPU = os.path.join(BUILD, "common", "commands", "cuda-cpu")
PROGRAM = os.path.join(SOURCE, "check", "recorded", "recorded.cu")
ALL = 0xffffffff


def lines_of(text):
    """{what a line begins with: its number} of the program's source."""
    return {line.strip(): number for number, line in enumerate(text.splitlines(), 1)}


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def told(recording):
    """The steps in words that can be compared: (kind, warp, lanes, line, {lane: offset}, {lane: what was read or
    brought}, {lane: what was written or got})."""
    found = []
    for each in recording["steps"]:
        lanes = [lane for lane in range(32) if each.get("m", 0) >> lane & 1]
        at = each.get("o") or [each["f"] + each["d"] * (lane - lanes[0]) for lane in lanes] if "n" in each and \
            each["k"] != "warp" else []
        values = [each.get(key, []) for key in ("v", "r")]
        values = [dict(zip(lanes, part * len(lanes) if len(part) == 1 else part)) for part in values]
        line = recording["places"][each["p"]][1] if "p" in each else 0
        found.append((each["k"], each.get("w", -1), each.get("m", 0), line, dict(zip(lanes, at)), *values))
    return found


def all_lanes(function):
    return {lane: function(lane) for lane in range(32)}


def expected(stride, line):
    """What exchange does, worked out by hand: warp after warp up to the barrier, then again."""
    odd = sum(1 << lane for lane in range(1, 32, 2))
    shared = {stride * t % 64: t for t in range(64)}
    steps = []
    for warp in (0, 1):
        first = 32 * warp
        steps.append(("load", warp, ALL, line["s[STRIDE * t % 64] = x[t];"], all_lanes(lambda i, f=first: 4 * (f + i)),
                      all_lanes(lambda i, f=first: f + i), {}))
        steps.append(("store", warp, ALL, line["s[STRIDE * t % 64] = x[t];"],
                      all_lanes(lambda i, f=first: 4 * (stride * (f + i) % 64)), None,
                      all_lanes(lambda i, f=first: f + i)))
        steps.append(("wait", warp, ALL, line["__syncthreads();"], {}, {}, {}))
    steps.append(("pass", -1, 0, 0, {}, {}, {}))
    memory = 0
    for warp in (0, 1):
        first = 32 * warp
        y = [shared[first + i] + (64 + first + i if i % 2 else 0) for i in range(32)]
        steps.append(("load", warp, ALL, line["y = s[t];"], all_lanes(lambda i, f=first: 4 * (f + i)),
                      all_lanes(lambda i, f=first: shared[f + i]), {}))
        steps.append(("load", warp, odd, line["y += x[64 + t];"],
                      {i: 4 * (64 + first + i) for i in range(1, 32, 2)},
                      {i: 64 + first + i for i in range(1, 32, 2)}, {}))
        down = [*y[1:], y[31]]
        steps.append(("warp", warp, ALL, line["y = __shfl_down_sync(~0u, y, 1);"], {}, dict(enumerate(y)),
                      dict(enumerate(down))))
        if not warp:
            steps.append(("end", warp, ALL & ~7, 0, {}, {}, {}))
            before = []
            for lane in range(3):
                before.append(memory)
                memory += down[lane]
            steps.append(("atomic", warp, 7, line["atomicAdd(&out[0], y);"], {i: 0 for i in range(3)}, None, None))
            steps.append(("end", warp, 7, 0, {}, {}, {}))
            total = memory
    steps.append(("end", 1, ALL, 0, {}, {}, {}))
    return steps, total


def difference(found, wanted):
    """The first step that is not as it must be, or ""; None in what is wanted: anything."""
    for at, (one, other) in enumerate(zip(found, wanted)):
        if any(want is not None and have != want for have, want in zip(one, other)):
            return f"step {at}: {one} instead of {other}"
    return "" if len(found) == len(wanted) else f"{len(found)} steps instead of {len(wanted)}"


def changed(steps):
    """Each step with another line, other lanes or values, and all but the one: (what, steps)."""
    for at, one in enumerate(steps):
        for field in range(7):
            if isinstance(one[field], dict) and not one[field]:
                continue
            new = copy.deepcopy(steps)
            value = one[field]
            value = {lane: each + 4 for lane, each in value.items()} if isinstance(value, dict) else \
                value + "s" if isinstance(value, str) else (value or 0) ^ 1
            new[at] = (*one[:field], value, *one[field + 1:])
            yield f"step {at}, field {field}", new
        yield f"without step {at}", steps[:at] + steps[at + 1:]


class Recorder:
    def __init__(self, folder):
        self.folder = folder

    def build(self, stride):
        program = os.path.join(self.folder, f"recorded{stride}")
        return run(CUDA_CPU, f"-DSTRIDE={stride}", PROGRAM, "-o", program), program

    def record(self, program, what, check=False, **more):
        path = os.path.join(self.folder, f"{os.path.basename(program)}-{what}.json")
        env = {"CPU_DEVICE_RECORD": path, **({"CPU_DEVICE_TOOLS": "check"} if check else {}), **more}
        return run(program, what, env=env), path


def exchange_cases(recorder, programs, line):
    found = {}
    for stride, program in programs.items():
        done, path = recorder.record(program, "exchange")
        found[stride] = told(read(path)) if done.status == 0 else []
        wanted, total = expected(stride, line)
        said = difference(found[stride], wanted)
        case(done.status == 0 and not said, f"a kernel with stride {stride} is recorded as it ran", said or done)
        atomic = next((each for each in found[stride] if each[0] == "atomic"), None)
        order = sorted(atomic[5].values()) if atomic else []
        case(order[:1] == [0] and max(atomic[6].values()) == total and len(set(order)) == 3,
             f"stride {stride}: each lane's atomic finds what the one before it left", atomic)
    wanted, _ = expected(33, line)
    case(difference(found[1], wanted) != "", "the same kernel with another stride is another recording")
    unseen = [what for what, steps in changed(found[33]) if not difference(steps, wanted) and
              not any(kind in what for kind in unchecked(found[33]))]
    case(not unseen, "whatever is changed in a step is seen", unseen)


def cluster_cases(recorder, program, line):
    """What blocks of a cluster do to each other's shared memory, and their barrier."""
    done, path = recorder.record(program, "cluster")
    recording = read(path) if done.status == 0 else {"steps": [], "places": []}
    wanted = []
    for block in (0, 1):
        first = 32 * block
        wanted += [("load", block, line["other[t + 1] = x[i];"], 1, all_lanes(lambda i, f=first: f + i)),
                   ("store", block, line["other[t + 1] = x[i];"], f"shared:{1 - block}",
                    all_lanes(lambda i, f=first: f + i)),
                   ("load", block, line["out[i] = s[t + 1];"], "shared", all_lanes(lambda i, f=first: 32 - f + i))]
    found = [(each["k"], each["b"], full[3], each["a"], full[6] or full[5])
             for each, full in zip(recording["steps"], told(recording)) if each["k"] in ("load", "store")]
    case([each for each in wanted if each not in found] == [] and len(found) == 8,
         "an access to another block's shared memory is told as such, and finds what was written", f"{done}\n{found}")
    case(all(("c" in each) == (each["a"] in (0, 1, "shared")) for each in recording["steps"] if "a" in each),
         "it has no number of wavefronts, which is not known")
    kinds = [(each["k"], each["b"]) for each in recording["steps"]]
    passes = [at for at, each in enumerate(kinds) if each[0] == "together"]
    case([kinds[at][1] for at in passes] == [0, 1, 0, 1] and ("cluster", kinds[0][1]) in kinds[:passes[0]],
         "the barrier of a cluster is told for each of its blocks", kinds)
    stores = [at for at, each in enumerate(kinds) if each[0] == "store"]
    case(len(passes) == 4 and passes[1] < stores[0] and stores[1] < passes[2],
         "what is written between two of its barriers stands between them", kinds)


def unchecked(steps):
    """The fields that expected() leaves open."""
    return [f"step {at}, field {field}" for at, each in enumerate(steps) for field in (5, 6)
            if each[0] == "atomic" or (each[0] == "store" and field == 5)]


def finding_cases(recorder, program, line):
    done, path = recorder.record(program, "race", check=True)
    recording = read(path)
    races = [each for each in recording["findings"] if "--check: race" in each["text"]]
    steps = told(recording)
    case(done.status == 1 and races and steps[races[0]["step"]][:4] ==
         ("store", 1, ALL, line["s[t] = x[t];"]), "a race stands at the step that makes it one",
         f"{done}\n{races}")
    unwritten = [each for each in recording["findings"] if "init" in each["text"]]
    case(len(unwritten) == 1 and steps[unwritten[0]["step"]][:4] ==
         ("load", 0, ALL, line["out[t] = s[t ^ 32]; /* no barrier between */"]),
         "a read of what nobody wrote stands at that read", recording["findings"])
    done, path = recorder.record(program, "outside", check=True)
    refused = [each for each in told(read(path)) if each[0] == "refused"]
    case(done.status == 1 and len(refused) == 1 and refused[0][2] == ALL & ~1 and refused[0][4][1] == 512,
         "an access that is not done is told as refused, lane by lane", f"{done}\n{refused}")
    done, path = recorder.record(program, "deadlock")
    last = read(path)["steps"][-1] if os.path.exists(path) else {}
    case("failed" in done.out and read(path)["launches"][0]["failed"] and last, "a deadlock is recorded", done)


# Of check/compared: (program, options, variant): the kernel and the line of the step that the recording must name, and
# the byte of the wrong element in its array; None: no step wrote it.
WRONG_SCAN, WRONG_PARTS = ("-n", "100", "-r", "1"), ("-n", "20x30", "--devices", "2", "-r", "1", "--record-part")
WRONG = {
    ("scan", WRONG_SCAN, "right"): (),
    ("scan", WRONG_SCAN, "middle"): ("add", "y[i] += more;", 4 * 50),
    ("scan", WRONG_SCAN, "last"): ("add", "y[i] += more;", 4 * 99),
    ("scan", WRONG_SCAN, "missing"): ("set", "*(unsigned *)&y[i] = bits;", 4 * 99),
    ("scan", WRONG_SCAN, "behind"): ("set", "*(unsigned *)&y[i] = bits;", 4 * 100),
    ("scan", WRONG_SCAN, "damaged"): ("swap", "x[i] = x[k];", 4 * 5),
    ("scan", (*WRONG_SCAN[:-1], "2"), "second-run"): ("add", "y[i] += more;", 4 * 9),
    ("scan", (*WRONG_SCAN[:-1], "2"), "kept"): (None, None, 0),
    ("alltoall", WRONG_PARTS, "missing"): (None, None, 4 * 11),
    # out[29][19], of the other device: its rows begin at 16
    ("alltoall", WRONG_PARTS, "last"): ("set", "*(unsigned *)&out[i] = bits;", 4 * (13 * 20 + 19)),
}


def wrong_told(recording, folder):
    """What a recording says of its wrong element, as WRONG has it."""
    if "wrong" not in recording:
        return ()
    each = recording["wrong"][0]
    if each["step"] < 0:
        return (None, None, each["o"])
    step = recording["steps"][each["step"]]
    if "p" not in step:
        return step
    file, line = recording["places"][step["p"]]
    with open(os.path.join(folder, file), encoding="utf-8") as source:
        text = source.read().splitlines()[line - 1].strip()
    there = step["a"] == each["a"] and each["lane"] == 0 and step.get("f") == each["o"]
    return (recording["launches"][step["l"]]["kernel"], text, each["o"]) if there else each


def wrong_cases(folder):
    """A wrong element leads to the step that wrote what stands there."""
    compared, programs = os.path.join(SOURCE, "check", "compared"), {}
    for name in sorted({key[0] for key in WRONG}):
        programs[name] = os.path.join(folder, "wrong-" + name)
        done = build(os.path.join(compared, name + ".cu"), programs[name], types=["f32"])
        if not case(done.status == 0, f"compared/{name}.cu is built", done):
            return
    for (name, words, variant), wanted in WRONG.items():
        path = os.path.join(folder, f"{name}-{variant}.json")
        done = run(programs[name], *words, "-w", 0, "-q", "-v", variant, "--record-steps", path)
        found = wrong_told(read(path), compared) if done.status in (0, 1) else done
        case(found == wanted, f"{name} {variant}: the recording names who wrote the wrong element", found)
    said = run(os.path.join(SOURCE, "steps", "watch"), os.path.join(folder, "scan-last.json"), "--findings").out
    case("y[99], a wrong result" in said, "steps/watch --findings names it", said)
    said = run(os.path.join(SOURCE, "steps", "watch"), os.path.join(folder, "scan-kept.json"), "--findings").out
    case("no step here wrote what stands there" in said, "and says where no step wrote it", said)
    told = read(os.path.join(folder, "scan-last.json"))
    for key in ("o", "step", "lane", "a"):
        spoilt = copy.deepcopy(told)
        spoilt["wrong"][0][key] -= 2  # one before is the load of the same element
        case(wrong_told(spoilt, compared) != WRONG["scan", WRONG_SCAN, "last"], f"another {key} would be seen")
    last = recordings.shortened(told, 20, 1 << 20)["wrong"][0]
    case(last["step"] == -1 and last["l"] < len(told["launches"]), "a recording that is cut before it has no such step",
         last)


def bound_cases(recorder, program, line):
    done, path = recorder.record(program, "rounds")
    recording = read(path)
    case(done.status == 0 and recording["cut"] and len(recording["steps"]) == 4000 and "only the first" in done.err,
         "of a long launch the first 4000 steps are kept, and it is said", done)
    done, path = recorder.record(program, "large")
    case(done.status == 2 and "5 blocks of 64 threads" in done.err and done.err.count("\n") == 1 and
         not os.path.exists(path), "a larger launch is refused by name, and nothing is written", done)
    done, path = recorder.record(program, "large", CPU_DEVICE_RECORD_PART="1")
    case(done.status == 0 and {each["b"] for each in read(path)["steps"]} == {0, 1, 2, 3},
         "--record-part records the first 4 blocks of it", done)
    done, path = recorder.record(program, "apart")
    steps = [each for each in told(read(path)) if each[0] != "end"]
    lines = [line["int y = x[t + i];"], line["sum += x[64 + i];"]] * 3 + [line["out[t] = sum;"]]
    case([each[3] for each in steps] == lines and steps[-1][2] == ALL and bin(steps[2][2]).count("1") == 21,
         "lanes that went different ways are together again behind them", [each[:4] for each in steps])


def refusal_cases(folder):
    path = os.path.join(folder, "no.json")
    refused = [("-n", "2^12", "-v", "sequential", "--record-steps", path), ("--record-steps", path, "--counters"),
               ("--record-part",), ("-n", "64", "-b", "1", "-t", "32", "--record-steps", "/no/such/no.json")]
    for done in parallel(lambda words: run(step("reduce2"), *words), refused):
        case(done.status == 2 and done.err.count("\n") == 1 and not os.path.exists(path),
             f"refused: {' '.join(done.command[1:3])}", done)
    words = ("-n", "256", "-b", "2", "-t", "64", "-v", "sequential", "--record-steps", path)
    done = run(step("reduce2"), *words)
    case(done.status == 0 and read(path)["launches"][0]["label"] == "sequential", "a step records its variant", done)


def page_cases():
    """The recordings that the pages play are what the steps do now."""
    names = [name for name in steps() if name not in recordings.WITHOUT]
    lacking = [name for name in names if name not in recordings.LAUNCHES]
    case(not lacking, "each step has a launch in plots/makers/cpu/recordings.py", lacking)
    names = [name for name in names if name not in lacking]
    folder, old = os.path.join(SOURCE, "plots", "devices", "cpu-device", "recordings"), []
    for name, text in zip(names, parallel(recordings.made, names)):
        path = os.path.join(folder, name + ".json")
        if not os.path.exists(path):
            unrecorded(f"{name} can be watched", "plots/record cpu --recordings")
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != text:
                old.append(name)
    case(not old, "the pages' recordings are what the steps do: plots/record cpu --recordings", old)


# --- exercises that ask "at which step ...?": what their answers must say, worked out from the recording -------------

def first_race(told):
    """The step of the first finding, and the last one before it at which another lane wrote one of its words."""
    at = min(each["step"] for each in told["findings"])
    words = set(offsets(told["steps"][at]))
    before = max(old for old, step in enumerate(told["steps"][:at]) if step["k"] == "store" and step["a"] == "shared"
                 and step["b"] == told["steps"][at]["b"] and words & set(offsets(step)) and step["m"] & 0xffff0000)
    return [f"At step {at + 1} ", f"At step {before + 1} "]


def costliest_atomic(told):
    cost, at = max((step["c"], -at) for at, step in enumerate(told["steps"]) if step["k"] == "atomic" and
                   step["a"] == "shared")
    return [f"At step {1 - at}: {cost} wavefronts"]


def first_conflict(told):
    """Of the first variant; the second one has none."""
    found = {each["label"]: [(at, step) for at, step in enumerate(told["steps"], 1) if step["l"] == launch and
                             "i" in step] for launch, each in enumerate(told["launches"])}
    at, step = found["conflicts"][0]
    return [f"At step {at}: {bin(step['m']).count('1')} lanes", f"in {step['c']} wavefronts",
            "`padded` has none at any step" if not found["padded"] else "?"]


ASKED = {"reduce4-4": first_race, "histogram-shared-4": costliest_atomic, "transpose-tiled-4": first_conflict}


def later(told):
    """The same recording with a step before all others: each answer is another one."""
    told["steps"].insert(0, {"k": "end", "l": 0, "b": 0, "w": 0, "m": 1})
    for each in told["findings"]:
        each["step"] += 1
    return told


def asked_cases():
    found = {}
    for path in glob.glob(os.path.join(SOURCE, "docs", "*.md")):
        with open(path, encoding="utf-8") as file:
            found.update({f"{os.path.basename(path)[:-3]}-{each.number}": " ".join(each.answer.split())
                          for each in exercises.of(file.read())
                          if re.search(r"at which step\b", exercises.question(each), re.IGNORECASE)})
    case(sorted(found) == sorted(ASKED), "each exercise that asks for a step has its answer worked out here", found)
    for name in sorted(set(found) & set(ASKED)):
        recording = read(os.path.join(SOURCE, "plots", "devices", "cpu-device", "recordings",
                                      name.rpartition("-")[0] + ".json"))
        wanted = ASKED[name](recording)
        case(all(each in found[name] for each in wanted), f"{name}: the answer names the step of the recording",
             f"{wanted}\n{found[name][:400]}")
        case(not all(each in found[name] for each in ASKED[name](later(recording))),
             f"{name}: and of another recording it would be wrong")


def main():
    with open(PROGRAM, encoding="utf-8") as file:
        line = lines_of(file.read())
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(folder)
        built = dict(zip((1, 33), parallel(recorder.build, (1, 33))))
        programs = {stride: program for stride, (_, program) in built.items()}
        if not all([case(done.status == 0, f"the program with stride {stride} compiles", done)
                    for stride, (done, _) in built.items()]):
            leave()
        exchange_cases(recorder, programs, line)
        finding_cases(recorder, programs[1], line)
        cluster_cases(recorder, programs[1], line)
        bound_cases(recorder, programs[1], line)
        refusal_cases(folder)
        wrong_cases(folder)
    page_cases()
    asked_cases()
    leave()


main()
