"""
The test suites of two verifiers, Faial and GPUVerify: kernels that no main launches. Both say of a kernel that it is
right for all values of its parameters and all contents of its arrays, or not for some. A main is made here that
launches each with a few of them: arrays that do not overlap, of zeros or of small numbers.
"""
import os
import re

from plots.makers.checked.corpus import Program, need, sources
from plots.makers.mutation.text import blank, matching, squeeze

# Words of the verifiers that say what holds; a compiler needs none of them.
SAID = ("requires ensures invariant global_invariant assert global_assert assume axiom read_implies write_implies "
        "requires_fresh_array reads_from writes_to uniform_int uniform_bool distinct_int non_temporal_loads_begin "
        "no_read no_write barrier_invariant barrier_invariant_1 barrier_invariant_2 function_wide_invariant "
        "function_wide_candidate_invariant candidate_invariant candidate_ensures candidate_requires").split()

HEAD = """\
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <sys/types.h>
#include <cuda_runtime.h>
"""

# What stands behind the kernels. FILL 0: zeros; 1: word i is i % 8. The pointer is into the middle of its array, and
# the same word of two arrays is never one. A word of a struct, and of an array of pointers, is such a pointer.
MAIN = """
static long long value_of[32];
static int fill;

static void *array_of(int pointers)
{
    const size_t words = 1 << 20;
    size_t *to, *from = (size_t *)calloc(words, sizeof(size_t));

    cudaMalloc(&to, words * sizeof(size_t));
    for (size_t i = 0; i < 2 * words; i++)
        if (fill)
            ((unsigned *)from)[i] = i % 8;
    if (pointers) {
        void *one = array_of(0);

        for (size_t i = 0; i < words; i++)
            from[i] = (size_t)one;
    }
    cudaMemcpy(to, from, words * sizeof(size_t), cudaMemcpyHostToDevice);
    free(from);
    return to + words / 4;
}

template <class T, class = void> struct argument { // a struct
    static T make(int)
    {
        alignas(16) char bytes[sizeof(T) + 16];

        for (size_t i = 0; i < sizeof(T); i += sizeof(void *)) {
            void *one = array_of(0);

            memcpy(bytes + i, &one, sizeof(one));
        }
        return *(T *)bytes;
    }
};
template <class T> struct argument<T *> {
    static T *make(int at)
    {
        if (std::is_function<T>::value)
            return (T *)value_of[at];
        return (T *)array_of(std::is_pointer<T>::value);
    }
};
template <class T>
struct argument<T, typename std::enable_if<std::is_arithmetic<T>::value || std::is_enum<T>::value>::type> {
    static T make(int at)
    {
        return (T)value_of[at];
    }
};

template <int...> struct numbers {};
template <int n, int... rest> struct up_to : up_to<n - 1, n - 1, rest...> {};
template <int... all> struct up_to<0, all...> {
    typedef numbers<all...> type;
};

template <class... T, int... at>
static void start(void (*kernel)(T...), dim3 grid, dim3 block, numbers<at...>)
{
    kernel<<<grid, block, 16384>>>(argument<T>::make(at)...);
}

template <class... T> static void launch(void (*kernel)(T...), dim3 grid, dim3 block)
{
    start(kernel, grid, block, typename up_to<sizeof...(T)>::type());
    if (cudaDeviceSynchronize() != cudaSuccess)
        fprintf(stderr, "a launch failed\\n");
}

int main(int argc, char **argv)
{
    long long value = argc > 1 ? atoll(argv[1]) : 0;

    fill = argc > 2 ? atoi(argv[2]) : 0;
"""


def kernels_of(text):
    """[(name, how it is named as a function, [parameter])] of the kernels in a text."""
    code = blank(text)
    for match in re.finditer(r"\b__global__\b", code):
        opening = re.compile(r"(\w+)\s*\(").search(code, match.end())
        while opening and opening.group(1) in ("__launch_bounds__", "__attribute__"):
            opening = re.compile(r"(\w+)\s*\(").search(code, matching(code, opening.end() - 1))
        end = matching(code, opening.end() - 1)
        if not code[end + 1:].lstrip().startswith("{"):
            continue
        inside = squeeze(code[opening.end():end])
        template = re.search(r"template\s*<([^<>]*)>\s*(?:static\s+)?$", code[:match.start()])
        name = opening.group(1)
        types = f"<{', '.join('int' for _ in template.group(1).split(','))}>" if template else ""
        yield name, name + types, [p for p in inside.split(",") if p and p != "void"]


def inside(text):
    """The text, where a shared array that stands before the kernels stands in each of them."""
    arrays = re.findall(r"^__shared__ [^;(]*;", text, re.MULTILINE)
    text = re.sub(r"^__shared__ [^;(]*;", "", text, flags=re.MULTILINE)
    return re.sub(r"(\b__global__\b[^{;]*\{)", lambda m: m.group(1) + " ".join(arrays), text) if arrays else text


def shape_of(text, default):
    """(grid, block) that the first lines ask for, each (x, y, z); what CUDA refuses, and more than 64 blocks along a
    side, cut off."""
    found = []
    for name, most, other in (("gridDim", 64, 1), ("blockDim", 1024, default)):
        match = re.search(rf"--{name}=(\[[\d, ]*\]|\d+)", text)
        sizes = [int(n) for n in re.findall(r"\d+", match.group(1))] if match else [other]
        found.append(tuple(min(n, most) for n in (sizes + [1, 1])[:3]))
    return found


def values_of(text, parameters, threads):
    """(place, value) of each parameter: what the text requires of it, else the value of the run."""
    for at, parameter in enumerate(parameters):
        name = re.findall(r"\w+", re.sub(r"\[.*", "", parameter))[-1]
        fixed = re.search(rf"__requires\(\s*{name}\s*==\s*(\w+)", text)
        some = re.search(rf"__requires\(.*\b{name}\s*(?:!=|>)\s*0\)", text)
        if fixed and fixed.group(1) == "blockDim":
            yield at, str(threads)
        elif fixed and fixed.group(1) != "tid":
            yield at, f"(long long){fixed.group(1)}"
        else:
            yield at, "value ? value : 1" if some else "value"


def with_main(text, default):
    """The text with a main that launches each of its kernels; None where it has none."""
    kernels = list(kernels_of(text))
    if not kernels:
        return None
    shape = shape_of("\n".join(text.split("\n")[:3]), default)
    grid, block = (", ".join(map(str, size)) for size in shape)
    said = "".join(f"#undef __{word}\n#define __{word}(...) ((void)0)\n" for word in SAID)
    main = [HEAD, said, inside(text), MAIN]
    for _, called, parameters in kernels:
        main += [f"    value_of[{at}] = {value};\n" for at, value in values_of(text, parameters, shape[1][0])]
        main.append(f"    launch({called}, dim3({grid}), dim3({block}));\n")
    return "".join([*main, "    return 0;\n}\n"])


def programs(folder, scratch, label, name_of, default):
    runs = [["40", "0"], ["1", "1"], ["0", "1"]]
    for path in sources(folder):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        labels, name = label(os.path.basename(path), text), name_of(path)
        made = labels and with_main(text, default)
        if made:
            at = os.path.join(scratch, name.replace("/", "-") + ".cu")
            with open(at, "w", encoding="utf-8") as file:
                file.write(made)
            yield Program(name, labels, [at], ["-I" + os.path.dirname(path), "-w", "-Xcompiler", "-fpermissive"], runs)


def faial(folder, scratch):
    def label(name, _):
        return {"racy": "race", "drf": "clean"}.get(name.split("-")[0])

    return list(programs(need(folder, "examples", "drf"), scratch, label,
                         lambda path: os.path.basename(path)[:-3], 64))


def gpuverify(folder, scratch):
    top = need(folder, "testsuite", "CUDA")

    def label(_, text):
        first = text.split("\n")[0].lower()
        if first == "//pass":
            return "clean"
        if not first.startswith("//xfail:not_all_verified"):
            return None
        return "race" if re.search(r"\brac[ey]|Write by", text) else "other"

    return sorted(programs(top, scratch, label, lambda path: os.path.relpath(os.path.dirname(path), top), 64),
                  key=lambda program: program.name)
