# runs on a GPU too
"""
The comparison of whole arrays sees what is wrong in one place: each variant of check/compared/ must
be told wrong, with the words of its summary, and the one without a summary must pass.
"""
import os
import tempfile

from common.commands.drive.building import build, sources
from common.commands.drive.support import case, describe_program, leave, parallel, run

SHAPES = {"compact": ("-n", 300001), "elementwise": ("-n", 300001), "scan": ("-n", 300001),
          "segmented": ("-n", 300001), "transpose": ("-n", "1000x257"), "words": ("-n", 20011)}
TYPES = {"compact": ("f32", "i32"), "elementwise": ("f32", "i32"), "scan": ("f32", "i32"),
         "segmented": ("f32", "i32"), "transpose": ("f32",), "words": ("i32",)}


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources("check/compared"):
            name = os.path.splitext(os.path.basename(source))[0]
            program = os.path.join(scratch, name)
            done = build(source, program, types=TYPES[name])
            if not case(done.status == 0, f"compared/{name}.cu is built", done):
                continue
            wanted = [(v["name"], v["summary"], kind)
                      for v in describe_program(program)["variants"] for kind in TYPES[name]]

            def attempt(item):
                variant, _, kind = item
                runs = 1 if variant.startswith("damaged") else 3  # later ones read what is damaged
                return item, run(program, "-v", variant, *SHAPES[name], "--type", kind,
                                 "-r", runs, "-w", 0, "-q")

            for (variant, words, kind), done in parallel(attempt, wanted):
                good = done.status == 1 and words in done.err if words else \
                    done.status == 0 and not done.err
                case(good, f"{name} {variant} {kind}: {words or 'right'}", done)
    leave()


if __name__ == "__main__":
    main()
