"""
The translator: what it must accept is in check/translator/, compiled with the steps' own flags and
run; what it must refuse is here, each with the line that must be named and a word of the message.
"""
import os
import re
import tempfile

from common.commands.drive.building import build, compile_cpp, kernel_command, sources, translate
from common.commands.drive.support import (BUILD, SOURCE, case, describe, leave, parallel, program_cases,
                     run, steps)

HEAD = "#include <cuda_runtime.h>\n"
KERNEL = HEAD + "__global__ void kernel(int *p)\n{\n    *p = 1;\n}\n\n"  # 6 lines and 1 empty


def host(line):
    """A source whose line 10 is this one, in a function of the host."""
    return KERNEL + "void f(int *p)\n{\n    (void)p;\n" + line + "\n}\n"


def device(line):
    """The same in a kernel."""
    return KERNEL + "__global__ void g(int *p)\n{\n    (void)p;\n" + line + "\n}\n"


def ptx(code):
    """An asm statement with four floats to change, and a register, an address and a number to read."""
    return device("    float d[4]; asm volatile(\"" + code + "\" : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), "
                  "\"+f\"(d[3]) : \"r\"(*p), \"l\"(p), \"n\"(4));")


def wmma(words):
    return "#include <mma.h>\n" + device("    nvcuda::wmma::fragment<nvcuda::wmma::" + words + "> f; (void)f;")


PRODUCT = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};"
GROUP = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %5, %5, 1, 1, 1, 0, 0;"
ASKED = "#ifdef __CUDA_ARCH__\n%s\n#else\n%s\n#endif\n"  # line 2 for the device, 4 for the host

# (what, source, line of the error, what the message names)
REFUSED = [
    ("<<< without a kernel's name", host("    <<<1, 1>>>(p);"), 10, "name"),
    ("<<< after an operator", host("    1 + <<<1, 1>>>(p);"), 10, "name"),
    ("<<< without >>>", host("    kernel<<<1, 1(p);"), 10, ">>>"),
    ("<<< without >>> before the end of the file", KERNEL + "\n\nvoid f(int *p) { kernel<<<1, 1", 9,
     ">>>"),
    ("a launch without arguments", host("    kernel<<<1, 1>>>;"), 10, "("),
    ("a launch of what is no function", host("    int x = 3; x<<<1, 1>>>(p);"), 10, "cpu_launcher"),
    ("a launch with a wrong argument", host("    kernel<<<1, 1>>>(\"text\");"), 10, "int*"),
    ("a launch with one argument too many", host("    kernel<<<1, 1>>>(p, 2);"), 10, ""),
    ("a launch without a block size", host("    kernel<<<1>>>(p);"), 10, "cpu_launcher"),
    ("a launch that fits no kernel of a name",
     HEAD + "template <typename T> __global__ void k(T *p)\n{\n    *p = 1;\n}\n\n"
     "void f(int p)\n{\n    k<<<1, 1>>>(p);\n}\n", 9, "k("),
    ("inline PTX", device("    asm volatile(\"bar.red.popc.u32 0;\");"), 10, "PTX"),
    ("inline PTX, other spelling", device("    __asm__(\"bar.warp.sync 1;\");"), 10, "PTX"),
    ("inline PTX in a macro", KERNEL +
     "\n#define LANE(i) asm(\"mov.u32 %0, %%smid;\" : \"=r\"(i))\n"
     "__device__ int lane() { int i; LANE(i); return i; }\n", 9, "PTX"),
    ("wgmma of another type", ptx(GROUP.replace("bf16.bf16", "e4m3.e4m3")), 10,
     "(wgmma.mma_async.sync.aligned.m64n8k16.f32.e4m3.e4m3)"),
    ("wgmma with sums of halves", ptx(GROUP.replace("f32.bf16", "f16.f16")), 10, "(wgmma.mma_async."),
    ("wgmma of 12 columns", ptx(GROUP.replace("n8k", "n12k")), 10, "(wgmma.mma_async.sync.aligned.m64n12k16"),
    ("wgmma with a register too few", ptx(GROUP.replace(", %3}", "}")), 10, "has 4 registers where there are 3"),
    ("wgmma with an operand too few", ptx(GROUP.replace(", 0, 0;", ", 0;")), 10, "has 8 operands"),
    ("wgmma with sums that are not read", ptx(GROUP).replace("+f", "=f"), 10, "a sum that is no +f"),
    ("a bulk copy that adds", ptx("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%4], [%4], 16;"), 10,
     "(cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32)"),
    ("an asynchronous sum in another block",
     ptx("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%4], %4, [%4];"), 10,
     "(red.async.relaxed.cluster.shared::cluster."),
    ("a store to another block with an order", ptx("st.release.cluster.shared::cluster.u32 [%4], %4;"), 10,
     "(st.release.cluster.shared::cluster.u32)"),
    ("an atomic in another block with an order", ptx("atom.acquire.cluster.shared::cluster.add.u32 %4, [%4], 1;"),
     10, "(atom.acquire.cluster.shared::cluster.add.u32)"),
    ("a bulk copy with an operand too few", ptx("cp.async.bulk.global.shared::cta.bulk_group [%4], [%4];"), 10,
     "has 3 operands"),
    ("a box in another mode", ptx("cp.async.bulk.tensor.2d.global.shared::cta.im2col.bulk_group [%5, {%4, %4}], [%4];"),
     10, "(cp.async.bulk.tensor.2d.global.shared::cta.im2col.bulk_group)"),
    ("a box with a coordinate too few",
     ptx("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%5, {%4}], [%4];"), 10, "[map, {coordinates}], 2 of"),
    ("mbarrier.arrive that does not complete", ptx("mbarrier.arrive.noComplete.shared.b64 _, [%4], 1;"), 10,
     "(mbarrier.arrive.noComplete.shared.b64)"),
    ("mbarrier.arrive that is relaxed", ptx("mbarrier.arrive.relaxed.cta.shared.b64 _, [%4];"), 10,
     "(mbarrier.arrive."),
    ("bar.arrive with an operand too few", ptx("bar.arrive 1;"), 10, "has 2 operands"),
    ("mbarrier.init with an operand too few", ptx("mbarrier.init.shared.b64 [%4];"), 10, "has 2 operands"),
    ("a branch to no label", ptx("LOOP: bra LOP;"), 10, "without the label of a bra (LOP)"),
    ("mma.sync of another type", ptx(PRODUCT.replace("f16.f16", "e4m3.e4m3")), 10,
     "(mma.sync.aligned.m16n8k8.row.col.f32.e4m3.e4m3.f32)"),
    ("mma.sync with B by rows", ptx(PRODUCT.replace("row.col", "row.row")), 10, "(mma.sync.aligned.m16n8k8.row.row"),
    ("mma.sync with a register too few", ptx(PRODUCT.replace("{%4, %4}", "{%4}")), 10, "has 2 registers where there "
     "are 1"),
    ("mma.sync with an operand too few", ptx(PRODUCT.replace(", {%4}", "")), 10, "has 4 operands"),
    ("ldmatrix of bytes", ptx("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%4];"), 10, "(ldmatrix."),
    ("ldmatrix with a word too many", ptx("ldmatrix.sync.aligned.m8n8.x1.x2.shared.b16 {%0}, [%4];"), 10, "(ldmatrix."),
    ("ldmatrix with a register too many", ptx("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0, %1}, [%4];"), 10,
     "has 1 registers where there are 2"),
    ("cp.async.cg of 8 bytes", ptx("cp.async.cg.shared.global [%4], [%5], 8;"), 10, "copies 16 bytes, and not 8"),
    ("cp.async.ca of 3 bytes", ptx("cp.async.ca.shared.global [%4], [%5], 3;"), 10, "copies 4 8 16 bytes, and not 3"),
    ("cp.async with a cache policy", ptx("cp.async.ca.shared.global.L2::cache_hint [%4], [%5], 4, %5;"), 10,
     "(cp.async.ca.shared.global.L2::cache_hint)"),
    ("an address in PTX less a number", ptx("cp.async.ca.shared.global [%4 - 8], [%5], 4;"), 10, "no [%4 - 8]"),
    ("a wmma fragment of doubles", wmma("accumulator, 8, 8, 4, double"), None, "16x16, 32x8 and 8x32 alone"),
    ("a wmma fragment of another depth", wmma("matrix_a, 16, 16, 8, __half, nvcuda::wmma::row_major"), None,
     "no wmma fragment of this depth"),
    ("a wmma accumulator of another type", wmma("accumulator, 16, 16, 16, short"), None,
     "float, __half and int alone"),
    ("a header of the vendor's that is not there", KERNEL + "#include <cudnn_of_old.h>\n", 7,
     "no cuDNN (cudnn_of_old.h)"),
    ("a header of the vendor's that is there", KERNEL + "#include <cub/device/there.h>\n", 7,
     "no such device-wide call of CUB (cub/device/there.h)"),
    ("a type that __CUDA_ARCH__ changes", HEAD + ASKED % ("typedef int t;", "typedef long t;"), 3,
     "by __CUDA_ARCH__ (line 5)"),
    ("a lambda in a function that __CUDA_ARCH__ changes",
     HEAD + "int f()\n{\n" + ASKED % ("int n = 1;", "int n = 2;") +
     "    auto g = [=] __device__ () { return n; };\n    return g();\n}\n", 9, "device lambda"),
    ("a header that is not there", KERNEL + "#include \"not-there.h\"\n", 7, "not-there.h"),
    ("#error", KERNEL + "#error words of the source\n", 7, "words of the source"),
    ("a range of addresses alone", host("    CUmemAllocationProp prop = {};"), 10, "virtual memory management"),
    ("a mipmapped array", host("    cudaMallocMipmappedArray(0, 0, {}, 3);"), 10, "mipmapped"),
    ("a node of a graph", host("    cudaGraphAddMemAllocNode(0, 0, 0, 0, 0);"), 10, "graph"),
    ("__shared__ with a value", device("    __shared__ int x = 3;"), 10, "initial value"),
    ("__shared__ without a name", device("    __shared__ ;"), 10, "name"),
    ("__shared__ without a semicolon",
     KERNEL + "\n\n__global__ void g()\n{\n    __shared__ int x\n}\n", 11, "end"),
    ("a shuffle of three bytes", device("    struct { char c[3]; } v; __shfl_sync(~0u, v, 0);"),
     None, "4 or 8 bytes"),
    ("a comment without an end", KERNEL + "/* never\nends\n", 7, "comment"),
    ("a string without an end", host("    const char *s = \"no end;"), 10, "string"),
    # Not the translator's, but on the right line behind all that it rewrites:
    ("an error behind a launch over several lines",
     host("    kernel<<<\n        1,\n        1\n    >>>(\n        p);\n    wrong_name = 1;"), 15,
     "wrong_name"),
    ("an error behind a name and <<< on two lines",
     host("    kernel\n        <<<1, 1>>>(p);\n    wrong_name = 1;"), 12, "wrong_name"),
    ("an error in a launch over several lines",
     host("    kernel<<<\n        wrong_name,\n        1>>>(p);"), 11, "wrong_name"),
    ("an error behind __shared__ over several lines",
     device("    __shared__ int a[2],\n        b,\n        c[3];\n    wrong_name = 1;"), 13,
     "wrong_name"),
    ("an error behind an alignment on a line of its own",
     device("    __shared__ __align__(16)\n        int a[4];\n    wrong_name = 1;"), 12,
     "wrong_name"),
    ("an error behind extern __shared__ over several lines",
     device("    extern __shared__\n        int\n        a[];\n    wrong_name = 1;"), 13,
     "wrong_name"),
    ("an error behind #pragma unroll",
     device("#pragma unroll\n    for (int i = 0; i < 2; i++) wrong_name = 1;"), 11, "wrong_name"),
    ("an error behind a comment and a continued line",
     device("    /* a\n    <<< comment */ const char *s = \"a\\\nb\";\n    wrong_name = s;"), 13,
     "wrong_name"),
]


TOOLKIT = {  # headers as of a toolkit that is installed beside ours
    "vector_types.h": "#ifndef __VECTOR_TYPES_H__\n#define __VECTOR_TYPES_H__\n"
                      "struct float2 { float x, y; };\n#endif\n",
    "cuda_runtime.h": "#error of the toolkit\n",
    "toolkit_complex.h": '#include "vector_types.h"\ntypedef float2 toolkit_complex;\n'
                         "static __host__ __device__ inline float real(toolkit_complex c)\n"
                         "{\n    return c.x;\n}\n",
    "cub/device/there.h": "#error of the library\n",
}


def write_toolkit(directory):
    """As system headers; returns the compiler's words for them."""
    for name, text in TOOLKIT.items():
        path = os.path.join(directory, "toolkit", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return ["-isystem", os.path.join(directory, "toolkit")]


def refuse(item):
    """The messages about one source, of the translator or else of the compiler."""
    scratch, at, (_, source, _, _) = item
    path = os.path.join(scratch, f"refused{at}.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    done = translate(path, path + ".cpp", ["-isystem", os.path.join(scratch, "toolkit")])
    left = os.path.exists(path + ".cpp")
    if done.status == 0:
        return item, compile_cpp(path + ".cpp", None), False
    return item, done, left


def refusals(scratch):
    for (_, at, (what, _, line, named)), done, left in parallel(
            refuse, [(scratch, at, item) for at, item in enumerate(REFUSED)]):
        where = rf"refused{at}\.cu:{line}:" if line else r"\w+\.\w+:\d+:"
        errors = [text for text in done.err.splitlines() if "error" in text]
        first = errors[0] if errors else ""
        good = done.status != 0 and not left and re.search(where, first) is not None and \
            named in first
        case(good, f"refused: {what}", f"expected line {line}, naming {named!r}\n{done}")


def folders(scratch):
    """A folder may have the name of a library that is refused: a tree may lie in one, and a file of the student's."""
    source = os.path.join(scratch, "folder.cu")
    for name, text in (("cudnn-own/part.h", ""), ("folder.cu", KERNEL + '#include "cudnn-own/part.h"\n')):
        path = os.path.join(scratch, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    done = translate(source, source + ".cpp")
    case(done.status == 0, "a file in a folder of a library's name", done)


def lines_of(translated, source):
    """(line, text) of what a translation made of the source's own lines, by its line markers."""
    number, inside, found = 0, False, []
    with open(translated, encoding="utf-8") as file:
        for text in file:
            marker = re.match(r'# (\d+) "(.*?)"', text)
            if marker:
                number, inside = int(marker[1]), marker[2] == source
                continue
            if inside:
                found.append((number, text))
            number += 1
    return found


def command_line(scratch):
    """What translate says of its own words, and what it writes for Ninja."""
    program = os.path.join(BUILD, "common", "cpu", "translate")
    for words in ([], ["a.cu", "b.cpp"], ["a.cu", "--", "c++"], ["a.cu", "b.cpp", "--"]):
        done = run(program, *words)
        case(done.status == 2 and done.err.startswith("usage: translate"),
             f"translate {' '.join(words)}: usage", done)
    done = run(program, "a.cu", "b.cpp", "--", "no-such-compiler")
    case(done.status == 1 and done.err.startswith("translate: no-such-compiler: "),
         "a compiler that is not there", done)
    source, output, deps = (os.path.join(scratch, name) for name in ("d.cu", "d.cpp", "d.d"))
    with open(source, "w", encoding="utf-8") as file:
        file.write('#include "expect.h"\n')
    done = run(program, source, output, deps, "--", *kernel_command(),
               "-I" + os.path.join(SOURCE, "check", "kernels"), cwd=BUILD)
    with open(deps, encoding="utf-8") as file:
        text = file.read()
    case(done.status == 0 and text.startswith(output + ":") and "expect.h" in text and
         "cuda_runtime.h" in text, "the output's dependencies", text)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        more = ["-I" + os.path.join(SOURCE, "check", "kernels"), *write_toolkit(scratch)]

        def make(source):
            name = os.path.splitext(os.path.basename(source))[0]
            program = os.path.join(scratch, name)
            return name, program, build(source, program, more=more)

        for name, program, done in parallel(make, sources("check/translator")):
            if case(done.status == 0, f"translator/{name}.cu is built", done):
                program_cases(program)
        refusals(scratch)
        folders(scratch)
        for name in steps("reduce"):
            source = os.path.join(SOURCE, "steps", name, name + ".cu")
            done = translate(source, os.path.join(scratch, name + ".cpp"),
                             ["-DELEMENT_TYPE=" + describe(name)["types"][0]])
            with open(source, encoding="utf-8") as file:
                # A launch begins with its kernel's name, which may stand on the line before.
                launches = {number - line.lstrip().startswith("<<<") for number, line in enumerate(file, 1)
                            if "<<<" in line}
            translated = lines_of(os.path.join(scratch, name + ".cpp"), source)
            kept = {number for number, line in translated
                    if re.search(r"cpu_(launcher|chooser)\(", line)}
            case(done.status == 0 and launches and launches == kept, f"{name}.cu keeps its lines",
                 done)
        command_line(scratch)
        done = translate(os.path.join(scratch, "nowhere.cu"), os.path.join(scratch, "nowhere.cpp"))
        case(done.status == 1 and "nowhere.cu" in done.err.splitlines()[0] and
             not os.path.exists(os.path.join(scratch, "nowhere.cpp")), "a missing file", done)
        done = translate(os.path.join(SOURCE, "steps", "reduce2", "reduce2.cu"),
                         os.path.join(scratch, "no", "where.cpp"), ["-DELEMENT_TYPE=f32"])
        case(done.status == 1 and len(done.err.splitlines()) == 1 and "where.cpp" in done.err,
             "an output that cannot be written", done)
    leave()


if __name__ == "__main__":
    main()
