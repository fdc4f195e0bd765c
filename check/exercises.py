"""
What check/exercises and check/cases/practice share: the exercises of ./steps/practice, each a function
of a step that its page shows, built with another body and judged as a student's is.
"""
import os

from common.commands.drive.building import build
from common.commands.drive.counters import base_name
from common.commands.drive.support import SOURCE, rows_of, step, variants
from common.commands.practice import judge, report, shelf, source, touched


# Without these a program is right, and only its times are other ones.
ONLY_TIMES = {("limit-launch", "hold"), ("layernorm-ahead", "keep_parameters")}

# A body of reduce2's sum_sequential that is right, and reads across the lanes.
SLICES = """\
    extern __shared__ element s[];
    unsigned t = threadIdx.x;
    size_t each = (n + gridDim.x * blockDim.x - 1) / (gridDim.x * blockDim.x);
    size_t first = ((size_t)blockIdx.x * blockDim.x + t) * each;
    element sum = 0;

    for (size_t i = first; i < first + each && i < n; i++)
        sum += x[i];
    s[t] = sum;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        partial[blockIdx.x] = s[0];"""

ONE_EXERCISE = {  # family: why it has no second one
    "overlap": "one kernel; what its step shows is what the host puts into streams",
    "launchgraph": "one kernel; what its step shows is how the host launches it",
}


def text_of(name):
    with open(os.path.join(SOURCE, "steps", name, name + ".cu"), encoding="utf-8") as file:
        return file.read()


def never_right(name):
    """The kernels that only variants launch which are wrong on purpose, by the CPU device's record."""
    rows = [row for row in rows_of(os.path.join(SOURCE, "plots", "devices", "cpu-device", "counters.csv"))
            if row["step"] == name]
    told = variants(name)
    right = {base_name(row["kernel"]) for row in rows
             if "wrong_on_purpose" not in told.get(row["variant"], {"flags": ()})["flags"]}
    return {base_name(row["kernel"]) for row in rows} - right


def exercises(name):
    """The functions of a step that can be taken out and that its page shows, the chosen one first; not
    what is wrong on purpose, where no result can tell."""
    text = text_of(name)
    found = source.functions(text)
    if not found:
        return []
    first = source.chosen(SOURCE, name, text)
    return [first] + [found[each] for each in dict.fromkeys(source.shown(SOURCE, name))
                      if each in found and each != first.name and each not in never_right(name)
                      and (name, each) not in ONLY_TIMES]


def with_body(name, function, body):
    """The step's text with these lines in place of a function's."""
    lines = text_of(name).split("\n")
    return "\n".join([*lines[:function.open + 1], *body, *lines[function.close:]])


def empty(name, function):
    """The step's text as ./steps/practice gives it out."""
    return source.cut(text_of(name), function, shelf.steps(SOURCE)[name][0], name)[0]


def make(scratch, name, text, label, types=None):
    """(how it went, the program), with the step's element types or with these."""
    path = os.path.join(scratch, label + ".cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    program = os.path.join(scratch, label)
    return build(path, program, types or shelf.steps(SOURCE)[name][1]), program


def judged(program, name, text=None, taken=None, enough=1):
    """(whether all was well, what was said, the result) of a program beside a step; text: its source, of which only
    the variants count that it touches."""
    variants = touched.variants(text, text_of(name), taken) if text else ()
    file = (os.path.basename(program) if text else name) + ".cu"
    one = judge.Judge(program, step(name), file, variants, enough)
    result = one.result()
    said = list(report.variants(result))
    if result["mistake"]:
        said += [*report.mistake(result["mistake"], one.source, text or text_of(name)),
                 *report.launch(result["launch"], program)]
    else:
        found, words = one.counters()
        said += report.counted(found, name, words)
        result["accesses"] = one.accesses()
    return not result["mistake"], "\n".join(said), result
