"""
Programs that run a step's kernels over more than 2^32 elements: see check/large/large.h.
"""
import functools
import glob
import os
import tempfile

from common.commands.drive.building import compile_command, is_program, link
from common.commands.drive.support import BUILD, SOURCE, describe, run

WRAPPED = ("cpu_launch", "cpu_grid_dim", "cpu_block_index", "cpu_atomic_inc_u32",
           "cpu_atomic_update", "cpu_atomic_add_u64", "machine_memory",
           "machine_memory_available", "cpu_occupancy_clusters")


def type_of(name):
    """Integers where the step has them, since they are exact."""
    types = describe(name)["types"]
    return next((kind for kind in types if kind.startswith("i")), types[0])


SHARED = ("main", "sampled")  # files of check/large that are no family's


def families():
    """Those that have a file: their arrays can be large."""
    names = (os.path.basename(path)[:-2]
             for path in sorted(glob.glob(os.path.join(SOURCE, "check", "large", "*.c"))))
    return [name for name in names if name not in SHARED]


def compile_c(source, output, *more):
    done = run(*compile_command(is_program), "-O2", "-w", *more, "-I",
               os.path.join(SOURCE, "check", "large"), "-c", source, "-o", output, cwd=BUILD)
    if done.status != 0:
        raise RuntimeError(done)
    return output


@functools.lru_cache(maxsize=None)
def common_objects(family, kind):
    """What is the same for all steps of a family and an element type, compiled once."""
    folder = tempfile.TemporaryDirectory(prefix="large-")
    made = [compile_c(os.path.join(SOURCE, "check", "large", name + ".c"),
                      os.path.join(folder.name, name + ".o")) for name in (*SHARED, family)]
    named = os.path.join(folder.name, "step.c")
    with open(named, "w", encoding="utf-8") as file:
        file.write('#include "harness/family.h"\n'
                   f"extern const struct step step_{kind};\n"
                   f"const struct step *const large_step = &step_{kind};\n")
    return folder, [*made, compile_c(named, named + ".o")]


def link_large(name, kernels, output):
    """Link the kernels of a step, objects of its type_of, to such a program."""
    wraps = ["-Wl,--wrap=" + call for call in WRAPPED]
    objects = common_objects(describe(name)["family"], type_of(name))[1]
    return link([*objects, *kernels, *wraps], output, common=True)


def kernels_of(name):
    """The step's own objects, as the build has left them."""
    return [os.path.join(BUILD, "steps", f"lib{name}_{type_of(name)}.a")]
