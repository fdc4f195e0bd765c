"""
Modules of the driver API: what ./steps/cuda -cubin, -ptx and -fatbin make, a program loads and launches; what is none
is refused in words. And CUDA's numbers in our headers are those of the vendor's
header, where that is.
"""
import os
import re
import shlex
import shutil
import tempfile

from common.commands.cudacpu import libraries
from common.commands.drive.support import BUILD, SOURCE, case, leave, run

BUILT = os.path.join(BUILD, "common", "commands", "cuda-cpu")
INCLUDE = os.path.join(SOURCE, "common", "cpu", "include")

FILES = {
    "kernel.cu": """__device__ int total[4] = {1, 2, 3, 4};
__constant__ int factor = 3;
extern "C" __global__ void add(int *x, int n)
{
    __shared__ int s[64];

    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        x[threadIdx.x] = s[63 - threadIdx.x] * factor;
    if (threadIdx.x == 0)
        atomicAdd(&total[n % 8], 1);
}
""",
    "main.cpp": """#include <cuda.h>
#include <cstdio>
#include <cstdlib>
static void add(CUresult error, const char *call)
{
    const char *name = "none", *text = "none";

    cuGetErrorName(error, &name);
    cuGetErrorString(error, &text);
    if (error)
        std::printf("%s: %s: %s\\n", call, name, text), std::exit(1);
}
#define CALL(x) add(x, #x)
int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr x, total;
    size_t bytes;
    int host[64], n = argc > 2 ? std::atoi(argv[2]) : 64;
    void *arguments[] = {&x, &n};

    CALL(cuInit(0));
    CALL(cuDeviceGet(&device, 0));
    CALL(cuCtxCreate(&context, 0, device));
    for (int again = 0; again < 2; again++)
        CALL(cuModuleLoad(&module, argv[1]));
    CALL(cuModuleGetFunction(&function, module, "add"));
    CALL(cuMemAlloc(&x, sizeof(host)));
    CALL(cuMemsetD32(x, 5, 64));
    CALL(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    CALL(cuMemcpyDtoH(host, x, sizeof(host)));
    CALL(cuModuleGetGlobal(&total, &bytes, module, "total"));
    int counted[4];
    CALL(cuMemcpyDtoH(counted, total, bytes));
    std::printf("%d %d %zu\\n", host[63], counted[0], bytes);
    return 0;
}
""",
    "wrong.cu": "__global__ void add(int *x) { *x = none; }\n",
    "vendor.ptx": ".version 8.0\n.target sm_80\n",
    "vendor.cubin": "\x50\xed\x55\xba" + 60 * "\0",
    "text.cubin": "nothing that is known\n",
}

REFUSED = [  # (words, what the last line of standard error must say)
    (["kernel.cu", "main.cpp", "-cubin"], "-cubin takes one .cu file"),
    (["main.cpp", "-ptx"], "-ptx takes one .cu file"),
    (["kernel.cu", "-ptx", "--check"], "-ptx makes a module and runs nothing"),
    (["kernel.cu", "-ptx", "--", "1"], "-ptx makes a module and runs nothing"),
    (["wrong.cu", "-fatbin"], "wrong.cu: not compiled"),
    (["kernel.cu", "-cubin", "-o", "none/module"], "-o none/module: No such file or directory"),
]

NO_MODULES = [  # (file, the error's name, what is said)
    ("none.cubin", "CUDA_ERROR_FILE_NOT_FOUND", "./steps/cuda -cubin FILE.cu -o none.cubin makes one"),
    ("vendor.ptx", "CUDA_ERROR_INVALID_PTX", "the image is PTX; the CPU device takes modules that it made itself"),
    ("vendor.cubin", "CUDA_ERROR_NO_BINARY_FOR_GPU", "a GPU's fat binary"),
    ("text.cubin", "CUDA_ERROR_INVALID_IMAGE", "no module"),
    ("empty.cubin", "CUDA_ERROR_INVALID_IMAGE", "empty.cubin is no module"),
]


def makes(folder):
    """Each kind of module, and the name that it gets."""
    for words, made in ((["-cubin"], "kernel.cubin"), (["-ptx", "-arch=sm_80"], "kernel.ptx"),
                        (["-fatbin", "-o", "other.bin"], "other.bin")):
        done = run(BUILT, "kernel.cu", *words, cwd=folder)
        case(done.status == 0 and not done.out and os.path.exists(os.path.join(folder, made)),
             f"{' '.join(words)} makes {made}", done)
    with open(os.path.join(folder, "kernel.ptx"), encoding="ascii") as file:
        text = file.read()
    case(all(line.startswith("//") for line in text.splitlines()), "a module as text has comments alone", text[:300])
    for words, wanted in REFUSED:
        done = run(BUILT, *words, cwd=folder)
        case(done.status == 2 and wanted in (done.err.strip().splitlines() or [""])[-1] and not done.out,
             f"{' '.join(words)}: refused", done)


def loads(folder):
    """A program loads them, twice: each load has variables of its own."""
    program = os.path.join(folder, "program")
    done = run(BUILT, "main.cpp", "-lcuda", "-o", program, "--", "kernel.cubin", cwd=folder)
    case(done.status == 0 and done.out == "15 2 16\n", "a program loads and launches a module", done)
    for module in ("kernel.ptx", "other.bin"):
        done = run(program, module, cwd=folder)
        case(done.status == 0 and done.out == "15 2 16\n", f"a program loads {module}", done)
    for module, name, wanted in NO_MODULES:
        done = run(program, module, cwd=folder)
        case(done.status == 1 and f": {name}: " in done.out and wanted in done.out, f"{module} is refused", done)


def tools(folder):
    """What --check and the counters say of a module names its lines and variables."""
    program, env = os.path.join(folder, "program"), {"CPU_DEVICE_TOOLS": "check", "CPU_DEVICE_WORKERS": "1"}
    done = run(program, "kernel.cubin", "64", cwd=folder, env=env)
    case(done.status == 0 and "--check: nothing found" in done.err, "--check of a right module", done)
    done = run(program, "kernel.cubin", "62", cwd=folder, env=env)
    case(done.status == 1 and "kernel.cu:12" in done.err and "8 bytes past the end of the variable total (16 bytes)"
         in done.err, "--check names the variable and the line of a module", done)
    plain = run(program, "kernel.cubin", cwd=folder, env={"CPU_DEVICE_TOOLS": "lines", "CPU_DEVICE_NVCC": ""})
    case(re.search(r"add +kernel\.cu:7 +global load +2 +8 ", plain.err) and
         re.search(r"add +kernel\.cu:10 +shared load +2 +2 ", plain.err), "counters by a module's lines", plain)


def same_numbers(folder):
    """The names in our headers have the vendor's numbers."""
    vendor = next((each for each in libraries.folders() if os.path.exists(os.path.join(each, "cuda.h"))), None)
    if not vendor:
        return case(True, "CUDA's numbers # skip missing: the vendor's cuda.h")
    names = []
    for header in ("cuda.h", "cuda_driver_types.h"):
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
            names += re.findall(r"^(?:    |#define )(CU_[A-Z0-9_]+|CUDA_(?:SUCCESS|ERROR_[A-Z_]+)) (?:= )?[\d((]",
                                file.read(), re.MULTILINE)
    said = []
    for include in (INCLUDE, vendor):
        path, program = os.path.join(folder, "numbers.c"), os.path.join(folder, "numbers")
        with open(path, "w", encoding="ascii") as file:
            file.write('#include <cuda.h>\n#include <stdio.h>\nint main(void)\n{\n' + "".join(
                f'    printf("{name} %lld\\n", (long long){name});\n' for name in names) + "    return 0;\n}\n")
        done = run(*shlex.split(os.environ.get("CC", "cc")), "-w", "-I" + include,
                   "-I" + os.path.join(SOURCE, "common"), path, "-o", program)
        said.append(run(program).out.splitlines() if done.status == 0 else [done.err])
    apart = [f"{ours} here, {theirs}" for ours, theirs in zip(*said) if ours != theirs]
    return case(len(names) > 200 and len(said[0]) == len(said[1]) and not apart,
                f"{len(names)} of CUDA's numbers are the vendor's", "\n".join(apart[:20] or said[0][:5] + said[1][:5]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**FILES, "empty.cubin": ""}.items():
            with open(os.path.join(folder, name), "w", encoding="latin-1") as file:
                file.write(text)
        makes(folder)
        loads(folder)
        tools(folder)
        if shutil.which("cc"):
            same_numbers(folder)
    leave()


if __name__ == "__main__":
    main()
