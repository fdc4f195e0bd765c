"""
The course: the first path, the heads and last lines of pages that follow from it, docs/index.md and README.md; and the
rule that nothing is used before it is explained, seen to find what it is for, on pages made up for it and on the real
ones with a piece of a later page put in.
"""
import os

from common.commands import course
from common.commands.drive.support import SOURCE, case, leave
from docs.page_writer import constructs, order

LISTED = course.steps(SOURCE)
CODE = "```c\n{}\n```\n"
WORDS = ((r"__first__", ("start",)), (r"__later__", ("reduce2",)), (r"__other__", ("reduce3",)))
TERMS = ((r"gadgets?", ("reduce2",)),)


def page_of(name):
    with open(os.path.join(SOURCE, "docs", name + ".md"), encoding="utf-8") as file:
        return file.read()


def decided():
    """What course.py says."""
    case(not course.unknown(LISTED), "every name of the course is a page of it", course.unknown(LISTED))
    path, pages = course.path(LISTED), course.pages(LISTED)
    first = ["start", "memory", "add", "counters"]
    case(path[:4] == first and 20 <= len(path) <= 25, "the first path", path)
    case(all(os.path.exists(os.path.join(SOURCE, "docs", page + ".md")) for page in pages),
         "each page is there", pages)
    case(course.needs("a-new-step", ["add", "a-new-step", "reduce0"]) == ("counters",),
         "a new page needs the one before it", course.needs("a-new-step", ["add", "a-new-step", "reduce0"]))
    for page in pages:
        for needed in () if page in path else course.needs(page, LISTED):
            case(page not in constructs.read_before(needed, LISTED),
                 f"{needed}, which {page} needs, does not need {page}")
    case(course.unknown(["add"]) != [] and "reduce2" in course.unknown(["add"]), "a name that is no page is told")


def heads():
    path, second = course.path(LISTED), [page for page in course.pages(LISTED) if page not in course.path(LISTED)]
    for at, name in enumerate(path):
        page = page_of(name)
        case(f"First path, page {at + 1} of {len(path)}" in page.split("## ")[0], f"{name} says its place")
        case(order.with_made(page, name, LISTED) == page, f"{name} has its head and its last line")
    for name in second:
        page = page_of(name)
        case(all(order.link(needed) in page.split("<!-- end -->")[0] for needed in course.needs(name, LISTED)) and
             "*Second reading.*" in page, f"{name} says what it needs")
    case("next [reduce4](reduce4.md)" in order.head("reduce2", LISTED) and
         "second reading: [reduce3](reduce3.md)" in order.leads("reduce2", LISTED),
         "the path leads past the second reading, and names it", order.leads("reduce2", LISTED))
    broken = page_of("reduce2").replace(f"page {path.index('reduce2') + 1} of", "page 99 of")
    case(order.right(broken, os.path.join(SOURCE, "docs", "reduce2.md"), LISTED, SOURCE)[0] == page_of("reduce2"),
         "a wrong place is mended")
    for name in (order.INDEX, order.README):
        with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
            text = file.read()
        right, fault = order.right(text, os.path.join(SOURCE, name), LISTED, SOURCE)
        case(right == text and not fault, f"{name} follows the course", fault)


def found(name, page, words=WORDS, terms=TERMS):
    return " | ".join(fault for _, fault in constructs.faults(page, name, LISTED, words, terms))


def made_up():
    for what, name, page, wanted in (
            ("a word before its page", "reduce1", CODE.format("__later__ x;"), "'__later__' is used, and reduce2"),
            ("a word in a patch", "reduce1",
             "<!-- begin: verdict docs/x.patch -->\n```\na\nb\nc\n+__later__ x;\n```\n", "'__later__' is used"),
            ("a term before its page", "reduce1", "Many gadgets.\n", "'gadgets' is used, and reduce2"),
            ("a word that its page does not explain", "start", "No word.\n", "it should explain '__first__'"),
            ("a word that its page shows only", "start", CODE.format("__first__ x;"), "it should explain"),
            ("a term that its page does not explain", "reduce2", "`__later__` and gadgets.\n",
             "it should explain 'gadgets?', in bold"),
            ("a word that no row knows", "reduce4", CODE.format("__unknown_sync(1);"), "'__unknown_sync' is in no"),
            ("a function that no row knows", "reduce4", CODE.format("cudaNonsense(1);"), "'cudaNonsense' is in no"),
            ("a word of the second reading", "reduce4", CODE.format("__other__ x;"), "'__other__' is used"),
            ("a word that a page does not need", "reduce5", CODE.format("__other__ x;"), "'__other__' is used")):
        case(wanted in found(name, page), f"{what} is found", found(name, page))
    for what, name, page in (
            ("a word of an earlier page", "reduce4", CODE.format("__later__ x; __first__ y;")),
            ("a word in a comment", "reduce1", CODE.format("/* __later__ */")),
            ("a page's own word", "reduce2", "`__later__` is this, a **gadget** that.\n" + CODE.format("__later__ x;")),
            ("all of the first path, in the second reading", "reduce5", CODE.format("__later__ x;")),
            ("a part of another word", "reduce1", CODE.format("int my__later__x;")),
            ("a page that is not of the course", "measuring", CODE.format("__later__ x;"))):
        case(not found(name, page), f"{what} passes", found(name, page))


def real():
    for name in course.pages(LISTED):
        said = constructs.faults(page_of(name), name, LISTED)
        case(not said, f"{name} uses nothing before it is explained", said)
    for name, piece, wanted in (("add", "extern __shared__ float s[];", "extern __shared__"),
                                ("counters", "static __device__ int f(void);", "__device__"),
                                ("reduce0", "f<<<1, 2, 3>>>();", "f<<<1, 2, 3>>>"),
                                ("reduce2", "template <int N> void f();", "template"),
                                ("scan-hillis", "x = __clz(y);", "__clz")):
        said = [fault for _, fault in constructs.faults(page_of(name) + CODE.format(piece), name, LISTED)]
        case(len(said) == 1 and f"'{wanted}' is used" in said[0], f"{wanted} on {name} is found", said)
    page = page_of("add").replace("\n\n", "\n\nA tile.\n\n", 1)
    said = [fault for _, fault in constructs.faults(page, "add", LISTED)]
    case(len(said) == 1 and "'tile' is used" in said[0], "a tile on add is found", said)


def main():
    decided()
    heads()
    made_up()
    real()
    leave()


if __name__ == "__main__":
    main()
