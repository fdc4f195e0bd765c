"""
usage: together.py OUTPUT TYPE STEP.cu...

Writes one .cu file that has these steps, all of a family, for -Dtogether: what they include, which takes the most
of a step's time, then each in a namespace of its own, with a name of its own for the step_TYPE that it defines.
"""
import os
import re
import sys

INCLUDE = re.compile(r"^#include .*", re.MULTILINE)
DEFINE = re.compile(r"^#define (\w+)", re.MULTILINE)


def part(path, text, kind):
    """The step without its includes, at the same lines; its macros end with it."""
    name = re.sub(r"\W", "_", os.path.basename(path)[:-3])
    macros = dict.fromkeys(DEFINE.findall(text))
    return [*(f'#pragma push_macro("{macro}")\n#undef {macro}' for macro in macros),
            f"#define step_{kind} step_{kind}_{name}", f"namespace of_{name} {{", f'#line 1 "{path}"',
            INCLUDE.sub("", text), "}", f"#undef step_{kind}", *(f'#pragma pop_macro("{macro}")' for macro in macros)]


def main():
    output, kind, *paths = sys.argv[1:]
    texts = {}
    for path in map(os.path.abspath, paths):
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    lines = [*dict.fromkeys(line for text in texts.values() for line in INCLUDE.findall(text)),
             *(line for path, text in texts.items() for line in part(path, text, kind))]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
