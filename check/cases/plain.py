"""
steps/add/plain.cu, the program of the first page, without the harness: it finds its result right, and
--check finds nothing. On a GPU it is the one that nvcc built.
"""
import os

from common.commands.drive.support import BUILD, SOURCE, case, leave, on_gpu, run, steps

RIGHT = "0 of 1000003 sums are wrong\n"


def main():
    if "add" not in steps():
        print("ok # skip: the build is of other steps")
        return
    if on_gpu():
        built = run("ninja", "-C", BUILD, "steps/add/plain", limit=300)
        if not case(built.status == 0, "steps/add/plain is built", built):
            leave()
        done = run(os.path.join(BUILD, "steps", "add", "plain"))
    else:
        done = run(os.path.join(SOURCE, "steps", "cuda"), "--build", BUILD,
                   os.path.join(SOURCE, "steps", "add", "plain.cu"), "--check")
    case(done.status == 0 and done.out == RIGHT, "steps/add/plain.cu is right", done)
    leave()


if __name__ == "__main__":
    main()
