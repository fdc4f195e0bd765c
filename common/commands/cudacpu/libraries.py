"""The vendor's libraries that a program includes: where their headers are, and what runs in their place."""
import glob
import os
import re
import shutil
import subprocess
import sys
import sysconfig

from common.commands.runner.screen import Stop

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


class Library:
    """name; begins: how its headers' names begin; found_by: a header that its folder has, None: it is ours;
    package: PyPI's with its headers; flags: for the compiler. source: in common/cpu/libraries, what answers its
    calls; None where its headers do. over: the system's library below that, as (name, header, words for the linker,
    Debian's package)."""

    def __init__(self, name, begins, found_by, package, flags=(), source=None, over=None):
        self.name, self.begins, self.found_by, self.package = name, begins, found_by, package
        self.flags, self.source, self.over = list(flags), source, over

    def folder(self):
        """The folder of its headers; None: there is none on this machine, or they are the CPU device's own."""
        return self.found_by and next((folder for folder in folders()
                     if os.path.exists(os.path.join(folder, self.found_by))), None)

    def how_to_install(self):
        return f"{self.name}'s headers are not here: install the CUDA Toolkit, or: " \
            f"python3 -m pip install {self.package}"

    def check_system(self, compiler):
        """Raises Stop where the system's library is not there."""
        if not self.over:
            return
        name, header, links, package = self.over
        done = subprocess.run([*compiler, "-x", "c", "-", "-o", os.devnull, *links], check=False,
                              input=f"#include <{header}>\nint main(void) {{ return 0; }}\n", encoding="ascii",
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            raise Stop(f"{self.name} runs over {name}, which is not here: sudo apt-get install {package}", 2)


LIBRARIES = [
    Library("Thrust", ("thrust/",), "thrust/system/cpp/execution_policy.h", "nvidia-cuda-cccl",
            ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP"]),
    Library("CUB", ("cub/",), "cub/block/block_reduce.cuh", "nvidia-cuda-cccl",
            ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", "-fpermissive"]),  # as nvcc takes its names
    Library("libcu++", tuple("cuda/" + name for name in (
        "cmath", "functional", "std/algorithm", "std/array", "std/bit", "std/cassert", "std/chrono", "std/climits",
        "std/cmath", "std/complex", "std/concepts", "std/expected", "std/initializer_list", "std/inplace_vector",
        "std/iterator", "std/mdspan", "std/memory", "std/numbers", "std/numeric", "std/optional", "std/ranges",
        "std/ratio", "std/span", "std/string_view", "std/tuple", "std/variant")),  # others are the CPU device's own
        "cuda/std/array", "nvidia-cuda-cccl", ["-DCPU_CCCL=1"]),
    Library("fp8", ("cuda_fp8",), "cuda_fp8.h", "nvidia-cuda-runtime"),
    Library("cuBLAS", ("cublas",), "cublas_v2.h", "nvidia-cublas", source="cublas.c",
            over=("OpenBLAS", "cblas.h", ["-lopenblas"], "libopenblas-dev")),
    Library("cuBLASLt", ("cublasLt",), "cublasLt.h", "nvidia-cublas", source="cublaslt.c",
            over=("OpenBLAS", "cblas.h", ["-lopenblas"], "libopenblas-dev")),
    Library("cuFFT", ("cufft",), "cufft.h", "nvidia-cufft", source="cufft.c",
            over=("FFTW", "fftw3.h", ["-lfftw3", "-lfftw3f"], "libfftw3-dev")),
    Library("cuRAND", ("curand",), "curand_kernel.h", "nvidia-curand nvidia-cuda-cccl",
            ["-include", "library_types.h"], source="curand.cu"),
    Library("NVRTC", ("nvrtc",), None, None, source="nvrtc.c"),
    Library("driver", ("cuda.h", "cudaProfiler.h"), None, None),
]
LOADING = ("NVRTC", "driver")  # a program that uses one loads modules
LINKED = ("cublas", "cufft", "curand", "culibos", "nvrtc")  # how names of -l begin that are of these


def folders():
    """Where headers of the vendor's may be: of the toolkit, and of PyPI's packages for this Python."""
    nvcc = shutil.which("nvcc")
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"),
             nvcc and os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), "/usr/local/cuda"]
    sites = dict.fromkeys([sysconfig.get_path("purelib"), *sys.path])
    tops = [os.path.join(home, "include") for home in homes if home] + \
        [top for site in sites if site
         for top in sorted(glob.glob(os.path.join(site, "nvidia", "*", "include")), reverse=True)]
    return [folder for top in tops for folder in (os.path.join(top, "cccl"), top)]


def included(path, folders_of_program, seen):
    """The names of headers that a file includes, and those do that are found, whatever #if says."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return
    for _, name in INCLUDE.findall(text):
        if name in seen:
            continue
        seen.add(name)
        for folder in [os.path.dirname(path), *folders_of_program]:
            header = os.path.join(folder, name)
            if os.path.isfile(header):
                included(header, folders_of_program, seen)
                break


class Used:
    """Of a Command's files: libraries, those of the table that they include; flags: for the compiler; host_flags: for
    files without kernels, whose first header may be the vendor's; missing: those without headers; loads: whether the
    program may load modules; asks_tools: whether it may switch tools on."""

    def __init__(self, asked):
        words = [word for flag, word in zip([""] + asked.flags, asked.flags + [""])
                 if flag in ("-isystem", "-I") or word.startswith("-I")]
        own = [word[2:] if word.startswith("-I") else word for word in words]
        names = set()
        for path, kind in asked.files:
            if kind != "object":
                included(path, own, names)
        self.libraries = [library for library in LIBRARIES
                          if any(name.startswith(library.begins) for name in names)]
        found = {library: library.folder() for library in self.libraries}
        self.missing = [library for library in self.libraries if library.found_by and not found[library]]
        self.asks_tools = any(name.endswith("cpu_device.h") for name in names)
        self.loads = any(library.name in LOADING for library in self.libraries)
        if any(library.found_by for library in self.libraries):  # cuRAND's headers need one of Thrust's
            found[LIBRARIES[0]] = LIBRARIES[0].folder()
        self.flags = [flag for library in self.libraries for flag in library.flags]
        self.host_flags = ["-include", "cuda_runtime.h"] if any(found.values()) else []
        for folder in dict.fromkeys(filter(None, found.values())):
            self.flags += ["-isystem", folder]
