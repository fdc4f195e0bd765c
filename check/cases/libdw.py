"""
The CPU device without libdw: all but source lines. A program is linked with the file that stands in
for it, and without the library, so nothing else can need it.
"""
import os
import re
import tempfile

from common.commands.drive.building import compile_cpp, link, translate
from common.commands.drive.support import SOURCE, case, leave, run

PROGRAM = """#include <cpu_device.h>
#include <cuda_runtime.h>

__global__ void race(int *p)
{
    p[0] = (int)threadIdx.x;
}

int main(int argc, char **argv)
{
    void (*kernels[])(int *) = {race};
    int *p = NULL;

    (void)argv;
    cpu_device_catch_crashes();
    printf("lines %d, trace %d, check %d\\n", cpu_device_set_tools(CPU_LINES),
           cpu_device_set_tools(CPU_TRACE), cpu_device_set_tools(CPU_CHECK | CPU_COUNTERS));
    cudaMalloc(&p, 4);
    kernels[argc - 1]<<<1, 64>>>(p);
    cpu_device_report(NULL, stdout, "step,variant,");
    return cpu_device_findings() == 1 ? 0 : 1;
}
"""


def main():
    os.environ["PKG_CONFIG_LIBDIR"] = os.devnull  # which hides libdw from the link
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "program")
        with open(program + ".cu", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        stand_in = os.path.join(SOURCE, "common", "cpu", "tools", "lines", "lines_unknown.c")
        done = translate(program + ".cu", program + ".cpp")
        if done.status == 0:
            done = compile_cpp(program + ".cpp", program + ".o")
        if done.status == 0:
            done = run(os.environ.get("CC", "cc"), "-I" + os.path.join(SOURCE, "common"), "-c",
                       stand_in, "-o", program + "_lines.o")
        if done.status == 0:
            done = link([program + ".o", program + "_lines.o"], program)
        if not case(done.status == 0, "without libdw: a program is linked", done):
            leave()
        done = run(program)
    case(done.out.startswith("lines -1, trace -1, check 0\n"),
         "without libdw: what needs source lines is refused, the rest is not", done)
    case(done.status == 0 and re.search(r"^    writes    0x[0-9a-f]+ +thread", done.err,
                                        re.MULTILINE) is not None and
         "line unknown: built without libdw" in done.err,
         "without libdw: a finding names the address and says why", done)
    case(re.search(r"^step,variant,\S*kernels\[argc - 1\]", done.out, re.MULTILINE) is not None,
         "without libdw: a kernel has the name of its launch", done)
    leave()


if __name__ == "__main__":
    main()
