"""
What of a submission may be compiled and run at all: functions for the device, in a step whose other code is ours.

The CPU device sees each access of a kernel before it happens, and refuses those to the host's memory. So a kernel that
is C++ and calls nothing but the device's own functions cannot touch what counts, checks and verifies it. Three looks
make sure of that: at the file, for a clear word to its author; at what the preprocessor and the translator made of it,
from which no macro can hide; and at the compiled object, for the functions that it calls.
"""
import os
import re

from common.commands.practice import source, touched

LARGEST = 1 << 18  # bytes of a file

DIRECTIVES = {"include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "pragma"}
MARKER = re.compile(r'^#\s*(line\s+)?\d+ ".*$', re.MULTILINE)

# Words that a function for the device has no use for, in translated text.
FORBIDDEN = re.compile(r"\b(asm|__asm|__asm__|__attribute|__declspec|_Pragma|__builtin_\w+|extern|namespace"
                       r"|thread_local|__thread|typeid|dynamic_cast|throw|try|catch|friend|no_sanitize\w*"
                       r"|no_instrument_function|(_Z|__tsan)\w+)\b|\[\[")
BUILTINS = re.compile(r"__builtin_(expect|assume|unreachable|clz|popcount|ffs|ctz|nan|inf|huge_val)\w*\Z")
ATTRIBUTE = re.compile(r"__attribute__\s*(?!\(\((__)?(always_inline|noinline|aligned|unused|const)(__)?(\(\w+\))?\)\))")
ARCHITECTURE = "__CUDA_ARCH__"
INLINED = re.compile(r"__attribute__\s*\(\((?:always_inline|noinline)\)\)")  # of __forceinline__ and __noinline__
# The names that a definition gives to types; `struct task &` among parameters gives none.
TAKES = re.compile(r"\b(?:(?:struct|union|enum(?:\s+(?:class|struct))?|class)\s+"
                   r"(?=\w+\s*(?:<[^;{}]*>\s*)?(?:final\s*)?[:{])|(?:typedef|using)\s+)(\w+)")
PLACE = re.compile(r'__attribute__\s*\(\(section\("cpu_\w+"\)\)\)')  # of __device__ and __constant__, translated
# What a variable of a file may be: nothing runs before main.
PLAIN = re.compile(r"static|const|constexpr|inline|volatile|unsigned|signed|int|float|double|char|long|short|bool"
                   r"|size_t|u?int\d+_t|element")
PLAIN_WORDS = {"static", "const", "constexpr", "inline", "volatile", "unsigned", "signed", "int", "float", "double",
               "char", "long", "short", "bool", "size_t", "element", "struct", "template", "typename", "void"}
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
CALLED = re.compile(r"\b(?!sizeof\b)[A-Za-z_]\w*\s*\(")

PRINTS = ("printf", "__printf_chk", "vprintf", "puts", "putchar")  # which a submission has none of: see workroom.py

# The functions that compiled code for the device may call; all else is the host's.
DEVICE = re.compile(
    r"__tsan_(un|vol|r|w|atomic|func|init)\w*|_?_?stack_chk_fail|mem(cpy|move|set|cmp)"
    r"|cpu_(thread_index|block_index|block_dim|grid_dim|(dynamic|static)_shared|barrier\w*|grid_barrier|grid_valid"
    r"|at_line|at_return|operations|fence\w*|atomic_\w+|nanosleep|clock|syncwarp|without_mask|shuffle|vote|match_all"
    r"|activemask|copy_(async|commit|wait)|object_\w+|team_\w+|read_only|heap_\w+|mem(cpy|move|set)|trap|on_device"
    r"|is_(global|shared|local)|(add|mul|div|sqrt|fma|f16_of|bf16_of|f32_of|f64_of)_\w+)|__assert_fail"
    r"|(a?(sin|cos|tan)h?|atan2|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sqrt|cbrt|hypot|fabs|floor|ceil|round"
    r"|trunc|rint|nearbyint|fma|fmin|fmax|fmod|remainder|copysign|ldexp|scalbn|erf|erfc|tgamma|lrint"
    r"|llrint|lround|llround|nextafter|logb|ilogb|fdim)f?|" + "|".join(PRINTS))
PRIVILEGED = re.compile(r"\t(syscall|sysenter|int +\$|svc\b|hlt|in[bwl]? |out[bwl]? |wr[fg]sbase|wrpkru)")
INDIRECT = re.compile(r"\t(?:notrack )?(?:call|jmp)q? +\*|\tblr\b|\tbr\tx")


class Refused(Exception):
    """A submission that is not run: one line says why."""


def at(line, text):
    return f"line {line}: {text}" if line else text


# --- the file

def spliced(text):
    """The text with continued lines joined, as many lines as before, and no comments."""
    joined = re.sub(r"(\\\n)+", lambda found: " ", text)
    return touched.bare(joined)


def directives(text):
    """(line, word, rest) of each."""
    for number, line in enumerate(spliced(text).split("\n"), 1):
        found = re.match(r"\s*(?:#|%:|\?\?=)\s*(\w*)\s*(.*)", line)
        if found:
            yield number, found[1], found[2].strip()


def check_file(text, original):
    """Raises Refused for what is plainly no function for the device."""
    if len(text.encode("utf-8", "replace")) > LARGEST:
        raise Refused(f"the file has more than {LARGEST >> 10} KiB")
    if "\0" in text or "??=" in text or "%:" in text or re.search(r'\b(?:u8|[uUL])?R"', text):
        raise Refused("a raw string, a trigraph, a digraph or a NUL: write it plainly")
    if ARCHITECTURE in text and ARCHITECTURE not in original:
        raise Refused(f"{ARCHITECTURE}: the step itself does not ask for it")
    known = {rest for _, word, rest in directives(original) if word == "include"}
    for number, word, rest in directives(text):
        if word == "include" and rest not in known:
            raise Refused(at(number, f"#include {rest[:60]}: only what the step itself includes is there"))
        if word and word not in DIRECTIVES or word == "" and rest:
            raise Refused(at(number, f"#{word or rest[:20]} is not accepted"))
        if word == "pragma" and not re.match(r"unroll\b", rest):
            raise Refused(at(number, f"#pragma {rest[:40]}: only #pragma unroll is accepted"))
    for number, line in enumerate(touched.bare(text).split("\n"), 1):
        found = re.search(r"\b(asm|__asm__|__attribute__|_Pragma|cpu_\w+)\b", line)
        if found and found[1] not in original:
            raise Refused(at(number, f"{found[1]} is not for the device"))


# --- what the translator made of it

def plain(text):
    """Translated text, the same wherever its lines stand."""
    text = re.sub(r"cpu_(at_line|activemask)\(\d+\)", r"cpu_\1(0)", MARKER.sub("", text))
    return re.sub(r"\bcpu_(shared|element)_\d+", r"cpu_\1_0", text)


def own_lines(translated, file):
    """Of translated text the lines that stand in this file itself, and in no header."""
    here, kept = False, []
    for line in translated.split("\n"):
        marker = re.match(r'#\s*(?:line\s+)?\d+ "([^"]*)"', line)
        if marker:
            here = os.path.basename(marker[1]) == file
        elif here:
            kept.append(line)
    return "\n".join(kept)


def head(item):
    return item.partition("{")[0].strip()


def function_name(item):
    """What a definition of a function is called; None of anything else."""
    before = INLINED.sub("", head(item))
    found = re.search(r"([A-Za-z_]\w*)\s*\(", before)
    return found[1] if found and "{" in item and "=" not in before and \
        not re.match(r"(template\s*<[^{]*>\s*)?(struct|union|enum|class)\b", before) else None


class Reference:
    """Of the step itself: its source, what the translator made of it, its compiled object as objdump shows it; file:
    the source's name."""

    def __init__(self, text, file, translated, dumped):
        self.text = text
        self.device = set(source.functions(text))
        self.items = [item.text for item in touched.items(plain(translated))]
        self.heads = {name: head(item) for item in self.items for name in [function_name(item)] if name in self.device}
        self.host = [item for item in self.items if function_name(item) not in self.device]
        own = [item.text for item in touched.items(plain(own_lines(translated, file)))]
        self.protected = {word for item in own if function_name(item) not in self.device
                          for word in touched.WORD.findall(STRING.sub("", item))} - touched.KEYWORDS - PLAIN_WORDS
        self.calls = functions_of(dumped)[0]


def check_translated(translated, reference):
    """Raises Refused where something is new that is not for the device, or where something of the host's lacks."""
    found, known = [item.text for item in touched.items(plain(translated))], set(reference.items)
    lacking = [item for item in reference.host if item not in set(found)]
    for item in (each for each in found if each not in known):
        check_new(item, reference)
    if lacking:
        raise Refused(f"code of the host is not as it was: {head(lacking[0])[:60]}")


def check_new(item, reference):
    """One definition that the step has not."""
    name, shown = function_name(item), PLACE.sub("__device__", head(item))[:60]
    for word in FORBIDDEN.finditer(touched.COMMENT.sub('""', item)):
        if not BUILTINS.match(word[0]):
            raise Refused(f"{word[0]} in {shown}: not for the device")
    if ATTRIBUTE.search(PLACE.sub("", item)):
        raise Refused(f"an attribute in {shown}: not for the device")
    if item.startswith("#"):
        raise Refused(f"{item[:60]} is not accepted")
    if name in reference.heads and name in reference.protected:
        if head(item) != reference.heads[name]:
            raise Refused(f"{name} has other parameters than the step's")
        return
    if (name or "") in reference.protected or re.match(r"cpu_|cuda|__", name or ""):
        raise Refused(f"code of the host is not as it was: {shown}")
    if name and re.search(r"\boperator\b", head(item)):
        raise Refused(f"{shown}: no operators of your own outside of a structure")
    if name or re.match(r"(template\s*<[^{]*>\s*)?(struct|union|enum|typedef|using|static_assert)\b", item):
        taken = set(TAKES.findall(item))
        if taken & reference.protected or any(re.match("cpu_|cuda|__", word) for word in taken):
            raise Refused(f"code of the host is not as it was: {shown}")
        return
    declared = re.fullmatch(r"[\w\s*&<>,]*?\b([A-Za-z_]\w*)\s*\([^=]*\)\s*;", item)
    if not declared or declared[1] in reference.protected or re.match(r"cpu_|cuda|__", declared[1]):
        check_variable(item, shown, reference)


def check_variable(item, shown, reference):
    """A variable of the file: of a plain type, and nothing computes its value when the program begins."""
    before, _, value = PLACE.sub("", item).partition("=")
    before, _, sizes = before.partition("[")
    *types, name = touched.WORD.findall(before) or [""]
    if not types or not all(map(PLAIN.fullmatch, types)) or CALLED.search(sizes + value) or "[" in value or \
            '"' in value or "(" in before or "{" in before:
        raise Refused(f"{shown}: a variable of a file has a plain type and a constant value")
    if name in reference.protected:
        raise Refused(f"code of the host is not as it was: {shown}")


# --- the compiled object

class Function:
    """Of compiled code: the symbols that it names; whether it goes to an address that is computed; whether it has an
    instruction of the operating system's."""

    def __init__(self):
        self.names, self.jumps, self.system = set(), False, False

    def add(self, other):
        self.names |= other.names
        self.jumps |= other.jumps


def functions_of(dumped):
    """({function: what it has}, what the object asks of others), of what objdump -dr and nm -u print."""
    found, undefined, now = {}, set(), None
    for line in dumped:
        begin = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        asked = re.match(r" +[Uvw] (\S+)$", line)
        name = re.search(r": R_\w+\s+([\w.$]+)", line)
        if begin:
            now = found.setdefault(begin[1], Function())
        elif asked:
            undefined.add(asked[1])
        elif name and now:
            now.names.add(name[1])
        if now:
            now.jumps |= bool(INDIRECT.search(line))
            now.system |= bool(PRIVILEGED.search(line))
    return found, undefined


def family_of(function):
    """What the compiler makes of one thing: code before main, the calls of all kernels, a function and its parts."""
    if function.startswith(("_GLOBAL__", "_sub_")):
        return "(before main)"
    made = re.match(r"_ZN\d+(cpu_(text|call|launcher))I", function)
    return made[1] if made else re.split(r"\.(?=\w)", function)[0]


def by_family(found):
    kept = {}
    for function, has in found.items():
        kept.setdefault(family_of(function), Function()).add(has)
    return kept


def check_object(dumped, reference):
    """Raises Refused for a call of what is no function of the device, nor of the file itself."""
    found, undefined = functions_of(dumped)
    theirs = by_family(reference.calls)
    for function, has in found.items():
        known = theirs.get(family_of(function), Function())
        for name in sorted((has.names & undefined) - known.names):
            if not DEVICE.fullmatch(name):
                raise Refused(f"it calls {name}, which is no function of the device")
        if has.jumps and not known.jumps:
            raise Refused("a call or a jump through a pointer, which a function for the device cannot have here")
        if has.system:
            raise Refused("an instruction of the operating system")
