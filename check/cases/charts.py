"""
Charts and tables from the sample logs of check/data/: one as the CPU device leaves it, one of a GPU
that does not exist, with made-up figures for every family. In each: table.txt (and table.md), what
steps/table must print, and charts.txt, what must be drawn.
"""
import glob
import math
import os
import re
import shutil
import struct
import sys
import tempfile
import xml.etree.ElementTree
import zlib

from check.sample import Copy
from common.commands.drive.support import SOURCE, case, leave, run
from plots import charts as drawn, log, recorded
from plots.charts import bars, estimated, lines, timeline, trace
from plots.charts.gnuplot import Charts

TABLE = os.path.join(SOURCE, "steps", "table")
DRAW = os.path.join(SOURCE, "plots", "draw")


def read(path, mode="r"):
    with open(path, mode, encoding=None if "b" in mode else "utf-8") as file:
        return file.read()


def png_problem(data):
    """None for a whole PNG with a picture in it, else what is wrong."""
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "no PNG"
    at, pixels, ended, size = 8, b"", False, (0, 0)
    while at + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        checksum = struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if zlib.crc32(kind + body) != checksum:
            return f"a bad checksum in {kind}"
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        ended |= kind == b"IEND"
        at += 12 + length
    if not ended or min(size) < 300:
        return f"not whole: {size}"
    return None if len(set(zlib.decompress(pixels))) > 16 else "nothing is drawn"


def svg_problem(data):
    try:
        root = xml.etree.ElementTree.fromstring(data)
    except xml.etree.ElementTree.ParseError as error:
        return str(error)
    if not root.tag.endswith("svg"):
        return root.tag
    words = "".join(root.itertext())
    shapes = sum(e.tag.rpartition("}")[2] in ("path", "polygon", "rect") for e in root.iter())
    if shapes < 5 or not re.search(r"[A-Za-z]{4}", words):
        return f"{shapes} shapes, text {words[:100]!r}"
    return "nan among the coordinates" if re.search(rb"\bnan\b", data) else None


def tables(kind):
    data = os.path.join(SOURCE, "check", "data", kind)
    for name, more in (("table.txt", []), ("table.md", ["--markdown"])):
        if os.path.exists(os.path.join(data, name)):
            done = run(TABLE, data, *more)
            case(done.status == 0 and done.out == read(os.path.join(data, name)),
                 f"steps/table {kind} {' '.join(more)} prints what stands in {name}", done)


def charts(kind, scratch):
    data = os.path.join(SOURCE, "check", "data", kind)
    wanted = read(os.path.join(data, "charts.txt")).split()
    outs = [os.path.join(scratch, kind + again) for again in ("", "-again")]
    for out in outs:
        done = run(DRAW, data, out)
        case(done.status == 0 and not done.err, f"plots/draw {kind} draws", done)
    drawn = sorted(os.listdir(outs[0])) if os.path.isdir(outs[0]) else []
    case(drawn == sorted(wanted), f"{kind}: the charts that the data is there for",
         f"drawn {drawn}\nwanted {wanted}")
    for name in wanted:
        paths = [os.path.join(out, name) for out in outs]
        if not all(map(os.path.exists, paths)):
            case(False, f"{kind}/{name} exists")
            continue
        first, second = (read(path, "rb") for path in paths)
        problem = png_problem(first) if name.endswith(".png") else svg_problem(first)
        case(problem is None, f"{kind}/{name} is a whole picture", problem)
        case(first == second, f"{kind}/{name} is the same when drawn again")


def timelines(scratch):
    """Two variants' operations: rows below a heading, and a row alone; a number that is none."""
    folder, out = (os.path.join(scratch, name) for name in ("timed", "timed-out"))
    shutil.copytree(os.path.join(SOURCE, "check", "data", "gpu"), folder)
    rows = ["step,variant,type,n,threads,row,item,begin_us,end_us"]
    rows += [f"reduce7,queue,f32,1024,256,{row},0,{at * 4000},{at * 4000 + 3900}"
             for at, row in enumerate(("copy in", "kernel", "copy out"))]
    rows += [f"reduce7,graph,f32,1024,256,kernel,{at},{at * 400},{at * 400 + 300}" for at in range(30)]
    path = os.path.join(folder, "log-timeline.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    done = run(DRAW, folder, out)
    name = os.path.join(out, "timeline-reduce7.svg")
    if case(done.status == 0 and os.path.exists(name), "a timeline is drawn", done):
        said = [text for *_, text in texts(read(name))]
        wanted = ["queue", "copy in", "kernel", "copy out", "graph", "30", "when each operation runs, ms"]
        case(all(word in said for word in wanted), "with a row for each, and their numbers", said)
        case(not svg_problem(read(name, "rb")) and not tick_faults(read(name)) and not pale(read(name)), "as a picture")
    with open(path, "a", encoding="utf-8") as file:
        file.write("reduce7,graph,f32,1024,256,kernel,30,x,3\n")
    done = run(DRAW, folder, out)
    case(done.status != 0 and "line 35" in done.err and "Traceback" not in done.err,
         "a time that is no number is named", done)


def details(scratch):
    data = os.path.join(SOURCE, "check", "data", "gpu")
    done = run(TABLE, data, "--family", "scan")
    case(done.status == 0 and "scan-lookback" in done.out and "reduce" not in done.out,
         "steps/table --family", done)
    done = run(TABLE, os.path.join(data, "log.csv"), "--size", 2**10, "--family", "reduce")
    case(done.status == 0 and "2^10" in done.out and "2^28" not in done.out,
         "steps/table FILE --size", done)
    changed = os.path.join(scratch, "changed")
    shutil.copytree(data, changed)
    text = read(os.path.join(changed, "log.csv"))
    with open(os.path.join(changed, "log.csv"), "w", encoding="utf-8") as file:
        file.write(text.replace(",ok\n", ",wrong\n", 1))
    done = run(TABLE, changed)
    case(done.status == 0 and "WRONG" in done.out, "a wrong result stands in the table", done)
    tools = os.path.join(scratch, "tools")  # all that a command of ours needs, but for gnuplot
    os.mkdir(tools)
    for tool in ("bash", "dirname", "readlink"):
        os.symlink(shutil.which(tool), os.path.join(tools, tool))
    os.symlink(sys.executable, os.path.join(tools, "python3"))
    done = run(DRAW, data, os.path.join(scratch, "none"), env={"PATH": tools})
    case(done.status != 0 and "gnuplot" in done.err and len(done.err.splitlines()) == 1,
         "without gnuplot plots/draw says what is missing", done)
    empty = os.path.join(scratch, "empty")
    os.mkdir(empty)
    done = run(DRAW, empty)
    case(done.status != 0 and not os.listdir(empty) and "Traceback" not in done.err,
         "an empty directory has no charts", done)
    done = run(TABLE, empty)
    case(done.status != 0 and not done.out and "Traceback" not in done.err,
         "an empty directory has no table", done)


def two_axes(scratch):
    """The sample of a GPU with an axis beside the size, and both charts that show more than it."""
    copy = Copy(scratch, "gpu", "two-axes")
    names = [*copy.rows[0], *{"bins", "input"} - set(copy.rows[0])]
    copy.described = [step for step in copy.described if step["step"] in ("reduce2", "reduce7")]
    for step in copy.described:
        step["axes"].append({"name": "bins", "option": "bins"})
        step.update(charts=["ladder", "rate", "axis:bins", "inputs"], inputs=["random", "hostile"])
    known = [step["step"] for step in copy.described]
    copy.rows = [dict(row, bins="256", input="random") for row in copy.rows if row["step"] in known]
    return copy, names


def beside(copy, **changed):
    """The rows of the ladder's size with other values in some columns."""
    return [dict(row, **changed) for row in copy.rows if row["n"] == str(2**28) and
            row["cache"] != "cold" and row["type"] == "f32"]


def titled(svg, *words):
    """Whether a picture is whole and says all these words, spaces aside."""
    text = re.sub(r"\s|<[^>]*>", "", svg)
    return svg_problem(svg.encode()) is None and all(w.replace(" ", "") in text for w in words)


def axes_and_inputs(scratch):
    copy, names = two_axes(scratch)
    copy.save(names)
    before = copy.charts()
    case({"ladder-reduce.svg", "rate-reduce.svg"} == set(before),
         "one value of an axis and one input: no chart of them", sorted(before))
    case(titled(before["ladder-reduce.svg"], "Reduction: effective bandwidth, 228 elements, bins 256, Sample GPU"),
         "a ladder's title tells each axis", before["ladder-reduce.svg"][-3000:])
    plain = beside(copy, gb_per_s="1000")
    more = [dict(row, bins=bins) for row in plain for bins in ("16", "64", "1024", "4096")]
    hostile = beside(copy, input="hostile", gb_per_s="3000")
    hostile = [dict(row, median_us="10" if row["role"] == "step" else "25") for row in hostile]
    copy.rows += more + hostile
    copy.save(names)
    after = copy.charts()
    case({name: after.get(name) for name in before} == before,
         "rows of other values and inputs leave ladder and rate as they are")
    axis, inputs = after.get("axis-bins-reduce.svg", ""), after.get("inputs-reduce.svg", "")
    case(titled(axis, "Reduction: effective bandwidth against bins, 228 elements, Sample GPU", "reduce2", "reduce7",
                "cub", "212") if axis else False, "axis-bins: the steps and the peer", axis[-3000:])
    case(titled(inputs, "Reduction by input: effective bandwidth, 228 elements, bins 256, Sample GPU",
                "random: vector", "random: cub", "hostile: vector", "hostile: cub",
                "3000 ×2.50") if inputs else False, "inputs: last step and peer of each",
         inputs[-4000:])
    case("sequential" not in inputs and "shuffle" not in inputs, "and nothing else")
    copy.rows += [dict(row, cache="cold", gb_per_s="9") for row in more + hostile]
    copy.rows += [dict(row, n=str(2**20), gb_per_s="8") for row in more + hostile]
    copy.rows += [dict(row, bins="64", gb_per_s="7") for row in hostile]
    copy.save(names)
    case(copy.charts() == after, "cold runs and other sizes take no part in either")
    copy.rows += [dict(row, bins="100", gb_per_s="2000") for row in plain]
    copy.save(names)
    uneven = copy.charts().get("axis-bins-reduce.svg", "")
    case(titled(uneven, "212") and uneven != axis if uneven else False,
         "one that is no power of two stands between them", uneven[-3000:])
    copy.rows += [dict(row, bins="0", gb_per_s="2000") for row in plain]
    copy.save(names)
    linear = copy.charts().get("axis-bins-reduce.svg", "")
    case(titled(linear, "4000") and not titled(linear, "212") if linear else False,
         "with a 0 the axis is linear", linear[-3000:])


def against_library(scratch):
    """A bar for each variant with a peer of its name."""
    copy = Copy(scratch, "gpu", "library")
    names = list(copy.rows[0])
    copy.described = [step for step in copy.described if step["step"] == "reduce7"]
    copy.described[0]["charts"] = ["library"]
    copy.rows = [row for row in copy.rows if row["step"] == "reduce7"]
    copy.save(names)
    case(not copy.charts(), "no peer of a variant's name: no chart of them")
    times = {"shuffle": "200", "vector": "100"}
    copy.rows = [dict(row, median_us=times[row["variant"]]) for row in copy.rows
                 if row["variant"] in times]
    copy.rows += [dict(row, role="peer", variant="lib-" + row["variant"], median_us="150")
                  for row in copy.rows]
    copy.save(names)
    made = copy.charts().get("library-reduce.svg", "")
    case(titled(made, "vector", "×1.500", "shuffle", "×0.750", "the library", "Sample GPU")
         if made else False, "library: how often as fast as its own", made[-3000:])


def lessons(scratch):
    """Rows of a lesson's grid stand in its chart and in no other."""
    copy = Copy(scratch, "gpu", "lessons")
    names = [*copy.rows[0], "repeat"]
    copy.described = [step for step in copy.described if step["step"] in ("reduce2", "reduce7")]
    lines = ["-n 2^22 -b 4096 -t 1024 -r 13", "--sweep 1:8", "-n 512 -t 512",
             "-n 2^22 -b 4096 -t 1024 --repeat 100"]
    for step in copy.described:
        step["launches"] = {"lesson": {"cpu": [], "cuda": lines}}
        step["parameters"] = ["repeat"]
        for variant in step["variants"]:
            variant["takes"] = {"own_shape": variant["name"] == "vector"}
    copy.rows = [row for row in copy.rows if row["step"] in ("reduce2", "reduce7")]
    copy.save(names)
    before = copy.charts()
    case("lesson-1-reduce.svg" not in before, "no rows of a lesson: no chart of it", sorted(before))
    of = {(row["step"], row["variant"]): row for row in copy.rows if row["n"] == str(2**22)}
    made = [dict(row, blocks="4096", threads="1024", runs="13", median_us=time, gb_per_s=rate)
            for key, time, rate in ((("reduce2", "sequential"), "100", "168"),
                                    (("reduce2", "interleaved"), "100.9", "166"),
                                    (("reduce7", "shuffle"), "99.5", "169")) for row in [of[key]]]
    copy.rows += made + [dict(row, repeat="100", gb_per_s="777") for row in made]
    copy.save(names)
    after = copy.charts()
    first, second = (after.get(f"lesson-{at}-reduce.svg", "") for at in (1, 4))
    case(titled(first, "Reduction: effective bandwidth, 222 elements, 4096 blocks of 1024 threads", "168", "166",
                "reduce7 vector", "with 1056 × 256"),
         "a lesson: the rows of its grid, and of a variant with a grid of its own", first[-3000:])
    best = [row for row in of.values() if row["variant"] == "vector"]
    case(bool(best) and "777" not in first and titled(second, "repeat 100", "777"),
         "a lesson with a parameter is a chart of its own", second[-3000:])
    case({name: text for name, text in after.items() if not name.startswith("lesson")} == before
         and set(after) - set(before) == {"lesson-1-reduce.svg", "lesson-4-reduce.svg"},
         "rows of a lesson leave the other charts as they are", sorted(after))
    copy.rows = [row for row in copy.rows if row["variant"] != "vector"]
    copy.save(names)
    tied = copy.charts().get("lesson-1-reduce.svg", "")
    case(titled(tied, "169   =") and tied.count("rgb(  0, 114, 178)") >= 3,
         "times within 1 % are drawn as a tie", tied[-3000:])


def small_variants(scratch):
    """Variants that take few elements only leave the ladder, its size and its speed-ups to the others."""
    copy = Copy(scratch, "gpu", "small")
    copy.save(list(copy.rows[0]))
    before = copy.charts().get("ladder-reduce.svg", "")
    rows = [row for row in copy.rows if row["n"] == "1024" and row["cache"] != "cold"]
    small = {row["step"]: row for row in rows if row["role"] == "step"}
    copy.rows += [dict(row, variant=f"small{at}", median_us="0.5")
                  for row in small.values() for at in range(9)]
    copy.save(list(copy.rows[0]))
    after = copy.charts().get("ladder-reduce.svg", "")
    case(small and before == after and titled(before, "228 elements"),
         "variants of few elements leave the ladder as it is", after[-3000:])


# --- the charts of the records ---------------------------------------------------------------------------------------

TEXT = re.compile(r'<g transform="translate\(([\d.-]+),([\d.-]+)\)[^"]*"[^>]*? fill="(rgb\([^"]*\)|[\w#]+)"'
                  r'[^>]*? text-anchor="(\w+)"[^>]*>\s*<text[^>]*>(.*?)</text>', re.DOTALL)
SCALES = {"k": 1e3, "M": 1e6, "G": 1e9}


def texts(svg):
    """[(x, y, (red, green, blue), anchor, text)]; a power is base^exponent."""
    found = []
    for x, y, fill, anchor, inner in TEXT.findall(svg):
        parts = re.findall(r"<tspan([^>]*)>([^<]*)</tspan>", inner)
        text = "".join(("^" if "dy" in attributes and at == 1 else "") + part
                       for at, (attributes, part) in enumerate(parts)).strip()
        numbers = tuple(map(int, re.findall(r"\d+", fill))) if fill.startswith("rgb") else (0, 0, 0)
        found.append((float(x), float(y), numbers, anchor, text))
    return found


def value_of(text):
    """The number that a tick's label says, or None."""
    if re.fullmatch(r"\d+\^-?\d+", text):
        base, exponent = text.split("^")
        return float(base) ** int(exponent)
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kMG]?)", text)
    return float(found[1]) * SCALES.get(found[2], 1) if found else None


def axis_faults(places):
    """places: [(where, value)] of an axis. What its labels say must lie where they stand, in proportion or by
    logarithm."""
    places = sorted(places)
    if len({value for _, value in places}) < len(places):
        return [f"the same label twice: {[value for _, value in places]}"]
    (first, low), (last, high) = places[0], places[-1]
    for of in (lambda v: v, lambda v: math.log(v) if v > 0 else math.nan):
        span = of(high) - of(low)
        if all(abs((at - first) / (last - first) - (of(value) - of(low)) / span) < 0.01 for at, value in places):
            return []
    return [f"labels that are not where their values are: {places}"]


def tick_faults(svg):
    """Numbers below each other at the left, or beside each other at the bottom, are an axis."""
    axes = {}
    for x, y, _, anchor, text in texts(svg):
        value = value_of(text)
        if value is not None and anchor == "middle" and y > 960:
            axes.setdefault("right", []).append((x, value))
        elif value is not None and anchor == "end" and x < 330:
            axes.setdefault("up", []).append((y, value))
    return [fault for places in axes.values() if len(places) > 2 for fault in axis_faults(places)]


def light(colour):
    parts = [part / 255 for part in colour]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def pale(svg):
    """Words on the white ground with a contrast below 4.5; white ones stand in dark bars, and a square is a sign."""
    return [f"{text}: {1.05 / (light(colour) + 0.05):.2f}" for _, _, colour, _, text in texts(svg)
            if text and text != "■" and colour != (255, 255, 255) and 1.05 / (light(colour) + 0.05) < 4.5]


def figures():
    """The words of the pages' figures, as those of the charts."""
    def wrong(svg):
        return [f"{colour}: {text}" for colour, text in re.findall(r'<text[^>]*fill="#(\w{6})"[^>]*>([^<]*)', svg)
                if colour != "ffffff" and 1.05 / (light(bytes.fromhex(colour)) + 0.05) < 4.5]

    paths = sorted(glob.glob(os.path.join(SOURCE, "docs", "figures", "*.svg")))
    found = {os.path.basename(path): pale_words for path in paths if (pale_words := wrong(read(path)))}
    case(paths and not found, "the words of figures have a contrast of 4.5", found)
    case(wrong('<text x="1" fill="#e69f00">amber</text>'), "finds amber words in a figure")


class Values:
    """In place of gnuplot: what each chart would be drawn from."""
    def __init__(self):
        self.of, self.scripts = {}, {}

    def draw(self, script, name, values):
        self.of[name], self.scripts[name] = values, script


def values_of(device):
    """({name: lines}, {name: script}) of all charts of a record."""
    made, folder = Values(), recorded.place(device=device)
    rows, counted, described = log.load(folder)
    on = drawn._family_charts(made, rows, described)
    drawn.counters.draw(made, counted, described, on)
    trace.draw(made, trace.read(folder))
    timeline.draw(made, timeline.read(folder), described, on)
    estimated.draw(made, folder)
    return made.of, made.scripts


def stale(folder, made, scripts, scratch):
    """The charts that a folder has otherwise than its record draws them, by the same gnuplot."""
    charts = Charts(scratch, scratch)
    for name, values in made.items():
        charts.draw(scripts[name], name, values, ["svg"])
    charts.wait()
    return [name for name in made if read(os.path.join(folder, name + ".svg"), "rb") !=
            read(os.path.join(scratch, name + ".svg"), "rb")]


def untitled(values):
    """Whether a title does not say what stands at the axes."""
    said = {name: re.match(rf'{name} = "(.*)"$', line)[1] for line in values
            for name in ("title_text", "x_text", "y_text") if line.startswith(name + " = ")}
    axes = [re.split(r"[,;:]", said[name])[0] for name in ("x_text", "y_text") if name in said]
    return [words for words in axes if words not in said["title_text"]]


def records(scratch):
    """The charts of the records: those that are committed are those that would be drawn; what they say."""
    version = run("gnuplot", "--version").out.split() if shutil.which("gnuplot") else []
    for device in (recorded.reference(), recorded.CPU):
        folder, (made, scripts) = recorded.place("charts", device=device), values_of(device)
        there = {name[:-4] for name in os.listdir(folder) if name.endswith(".svg")}
        again = f"./plots/draw {os.path.relpath(folder[:-7], SOURCE)} {os.path.relpath(folder, SOURCE)} draws them anew"
        if not case(there == set(made), f"{device}: the charts are those of the record",
                    f"{again}: {sorted(there ^ set(made))}"):
            continue
        by = re.search(r"GNUPLOT (\S+) patchlevel (\S+)", read(os.path.join(folder, min(made) + ".svg")))
        if [by[1], by[2]] == version[1:4:2]:
            found = stale(folder, made, scripts, scratch)
            case(not found, f"{device}: the charts are as the record draws them", f"{again}: {found}")
            made_up = {name: values + ["set label 900 'x' at graph 0.5, graph 0.5"]
                       for name, values in list(made.items())[:1]}
            case(stale(folder, made_up, scripts, scratch), f"{device}: finds one that is drawn otherwise")
        else:
            print(f"ok - {device}: the charts are as the record draws them # skip gnuplot {by[1]}.{by[2]} drew them")
        wrong = {name: found for name, values in made.items()
                 if not name.startswith("trace-") and (found := untitled(values))}
        case(not wrong, f"{device}: each title says what stands at the axes", wrong)
        for what, look in (("each label of an axis says its own value", tick_faults),
                           ("words have a contrast of 4.5", pale)):
            wrong = {name: found for name in sorted(there)
                     if (found := look(read(os.path.join(folder, name + ".svg"))))}
            case(not wrong, f"{device}: {what}", wrong)
    values = ['title_text = "Barrier: cost of 1000 barriers"', 'x_text = "blocks"', 'y_text = "time per barrier, ns"']
    case(untitled(values) == ["blocks", "time per barrier"], "finds a title of another quantity")
    svg = read(os.path.join(recorded.place("charts", device=recorded.CPU), "counters-barriers-fft.svg"))
    for new, found in ((">2k<", False), (">1k<", True), (">2100<", True)):
        spoilt = svg.replace(">2000<", new)
        case(bool(tick_faults(spoilt)) == found and spoilt != svg,
             f">2000< as {new} at an axis is {'found' if found else 'the same'}", tick_faults(spoilt))
    spoilt = svg.replace("rgb(34,34,34)", "rgb(230,159,0)", 1)
    case(pale(spoilt) and spoilt != svg, "finds amber words on white", pale(spoilt))


def rules():
    """Which bars are drawn, which lines are one, and what a scale says."""
    for figures, shown in (([1, 1, 1.05, 1.06, 1], False), ([1, 1, 4.02, 1, 1], False), ([256, 256], False),
                           ([0] * 11 + [2048, 1024, 1024], False), ([0, 0, 3, 5, 7], True), ([4, 8], True),
                           ([1103, 1718, 2557, 2572], True), ([], False)):
        case(bars.tells(figures) == shown, f"bars of {figures}: {'drawn' if shown else 'not drawn'}")
    flat = [(name, False, [(1, y), (2, y + 1)]) for name, y in (("a 1", 10), ("a 2", 10.1), ("a 3", 10.2), ("b", 20))]
    case(lines.together(flat, lambda y: y / 20) == [[0, 1, 2], [3]], "lines on one another are one")
    case(lines.name_of_all(["a 1", "a 2", "a 3"], [each[0] for each in flat]) == "a 1 to 3", "with one name")
    beside = [("a", False, [(1, 10), (2, 11)]), ("b", True, [(1, 10), (2, 11)])]
    case(lines.together(beside, lambda y: y / 20) == [[0], [1]], "a library's line stays its own")


def main():
    rules()
    figures()
    with tempfile.TemporaryDirectory() as scratch:
        records(scratch)
        against_library(scratch)
        axes_and_inputs(scratch)
        lessons(scratch)
        small_variants(scratch)
        timelines(scratch)
        for kind in ("cpu", "gpu"):
            tables(kind)
            if case(shutil.which("gnuplot") is not None, f"gnuplot is there for {kind}",
                    "check/run installs it"):
                charts(kind, scratch)
        details(scratch)
    leave()


if __name__ == "__main__":
    main()
