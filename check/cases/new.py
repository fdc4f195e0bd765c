"""
steps/new, in a copy of the tree: it writes a step's file, its line in the list, its page, and the lines that lead
there, so that docs/pages has nothing to say; taken out again, docs/pages --write leaves the tree as it was. What it
cannot do is refused in one line, and nothing is written. Then faults are planted in the lines that follow the list.
"""
import os
import re
import shutil
import tempfile

from common.commands import course
from common.commands.drive.support import SOURCE, case, leave, run


def copy_tree(root):
    """What steps/new writes to is copied, all else stands there by a link."""
    os.makedirs(os.path.join(root, "common"))
    for name in ("steps", "docs", "common/commands"):
        shutil.copytree(os.path.join(SOURCE, name), os.path.join(root, name),
                        ignore=shutil.ignore_patterns("__pycache__", "site", ".site-*"))
    shutil.copy(os.path.join(SOURCE, "README.md"), root)
    for name in [*(f"common/{each}" for each in os.listdir(os.path.join(SOURCE, "common"))), "check", "plots",
                 "meson.build", "meson_options.txt", "LICENSE", "CONTRIBUTING.md"]:
        path = os.path.join(root, name)
        if not os.path.exists(path) and os.path.exists(os.path.join(SOURCE, name)):
            os.symlink(os.path.join(SOURCE, name), path)


def snapshot(root):
    """{path: text} of what may change."""
    found = {}
    for top in ("steps", "docs", "README.md"):
        path = os.path.join(root, top)
        for folder, _, names in os.walk(path) if os.path.isdir(path) else [(root, [], [top])]:
            for name in names:
                if name.endswith((".md", ".cu", ".build")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        found[os.path.relpath(os.path.join(folder, name), root)] = file.read()
    return found


def pages(root, *words):
    return run(os.path.join(root, "docs", "pages"), *words, env={"PYTHONPATH": root, "SOURCE": root})


def neighbours(root, name):
    listed = course.pages(course.steps(root))
    at = listed.index(name)
    return [os.path.join(root, "docs", each + ".md") for each in ["index", *listed[max(at - 1, 0):at + 2]]] + \
        [os.path.join(root, "README.md")]


def made(root, words, name, body):
    before = snapshot(root)
    done = run(os.path.join(root, "steps", "new"), *words, env={"PYTHONPATH": root})
    after = snapshot(root)
    new = sorted(set(after) - set(before))
    case(done.status == 0 and new == sorted([f"docs/{name}.md", f"steps/{name}/{name}.cu",
                                                 f"steps/{name}/meson.build"]),
         f"steps/new {' '.join(words)} writes a file, a page and what builds it", f"{done}\n{new}")
    text = after.get(f"steps/{name}/{name}.cu", "")
    case(f'STEP("{name}"' in text and ("Yours to write" in text) == body,
         f"its file is of this name, with {'no' if body else 'the'} body", text[-800:])
    done = pages(root, *neighbours(root, name))
    case(done.status == 0, "docs/pages has nothing to say of it, and of the pages beside it", done)
    shutil.rmtree(os.path.join(root, "steps", name))
    os.remove(os.path.join(root, "docs", name + ".md"))
    around = [path for path in neighbours(root, name) if not path.endswith(f"/{name}.md")]
    path = os.path.join(root, "steps", "meson.build")
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(rf"^  \['{name}', .*\n", "", after["steps/meson.build"], flags=re.MULTILINE))
    done = pages(root, "--write", *around)
    left = snapshot(root)
    case(left == before and done.status == 0 and not done.err, "taken out again, the tree is as it was",
         f"{done}\n{[path for path in {**before, **left} if before.get(path) != left.get(path)]}")


def refused(root):
    before = snapshot(root)
    for words, named in (([], "FAMILY"), (["reduce"], "NAME"), (["nosuch", "x"], "accepted: elementwise"),
                         (["reduce", "reduce2"], "reduce2"), (["reduce", "start"], "docs/start.md"),
                         (["reduce", "Big"], "small letters"), (["reduce", "a/b"], "small letters"),
                         (["reduce", "x", "--from"], "--from"),
                         (["reduce", "x", "--from", "scan-rounds"], "accepted: reduce0"),
                         (["reduce", "x", "--nonsense"], "--nonsense")):
        done = run(os.path.join(root, "steps", "new"), *words, env={"PYTHONPATH": root})
        case(done.status == 2 and not done.out and len(done.err.splitlines()) == 1 and named in done.err,
             f"steps/new {' '.join(words)} is refused", done)
    case(snapshot(root) == before, "what is refused writes nothing")


def planted(root):
    """Lines that do not follow the list."""
    for path, old, new, what in (
            ("docs/reduce3.md", "[before: reduce2](reduce2.md)", "[before: reduce1](reduce1.md)",
             "a wrong page before"),
            ("docs/index.md", "\n7. ", "\n8. ", "a wrong number"),
            ("docs/index.md", "[reduce2](reduce2.md): a tree", "[reduce9](reduce9.md): a tree", "a step that is none"),
            ("README.md", "| [reduce2](docs/reduce2.md) | a tree", "| a tree", "a step that is missed")):
        full = os.path.join(root, path)
        with open(full, encoding="utf-8") as file:
            text = file.read()
        with open(full, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        done = pages(root, full)
        case(old in text and done.status == 1, f"{what} is found", done)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        root = os.path.join(os.path.realpath(scratch), "tree")
        copy_tree(root)
        made(root, ["reduce", "reduce-mine"], "reduce-mine", True)
        made(root, ["elementwise", "add-mine", "--from", "add"], "add-mine", False)
        refused(root)
        planted(root)
    leave()


if __name__ == "__main__":
    main()
