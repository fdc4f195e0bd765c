"""
.devcontainer/: the Containerfile is made of instructions that this test knows, and names what is there;
devcontainer.json is JSON and names the Containerfile; docs/first-run.md has commands that are there. With --full podman
or docker builds from it, where one works; else its commands run on a bare Debian (mmdebstrap, as root, in namespaces of
their own). What cannot be done is skipped by name. CHECK_BARE names a bare system that is there already.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile

from common.commands.drive.support import FULL, SOURCE, case, leave, run
from common.commands.runner import packages

HOME = os.path.join(SOURCE, ".devcontainer")
KNOWN = {"FROM", "ENV", "RUN", "WORKDIR", "COPY", "USER", "CMD"}
LIMIT = 3000  # seconds for all packages, a build and a step
COMMANDS = [("./steps/cuda docs/own/debugger-sum.cu", "2016 6112"),
            ("./build/steps/add/add -n 1000 -r 1 -w 0 --check", "ok")]


def instructions(text):
    """(instruction, its words) of each line."""
    text = re.sub(r"\\\n", " ", text)
    return [tuple(line.split(None, 1)) for line in text.split("\n") if line.strip() and not line.startswith("#")]


def read(name):
    with open(os.path.join(HOME, name), encoding="utf-8") as file:
        return file.read()


def faults(listed):
    """What is wrong with the instructions."""
    found = [f"{name} is not known here" for name, _ in listed if name not in KNOWN]
    found += [f"the image has no tag: {words}" for name, words in listed if name == "FROM" and ":" not in words]
    for name, words in listed:
        for command in re.findall(r"\./[\w/.-]+", words) if name in ("RUN", "CMD") else []:
            found += [f"{command} is not there"] * (not os.access(os.path.join(SOURCE, command), os.X_OK))
    if not any(name == "USER" and words != "root" for name, words in listed):
        found.append("it runs as root")
    installed = {word for name, words in listed if name == "RUN" for word in words.split()}
    return found + [f"{name} is not installed" for name in (*packages.SITE.values(), packages.EDITOR[1], "gdb",
                                                            "bubblewrap") if name not in installed]


def described():
    """devcontainer.json."""
    try:
        told = json.loads(read("devcontainer.json"))
    except ValueError as error:
        case(False, "devcontainer.json is JSON", error)
        return
    named = os.path.join(HOME, told["build"]["dockerfile"])
    context = os.path.normpath(os.path.join(HOME, told["build"]["context"]))
    users = [words for name, words in instructions(read("Containerfile")) if name == "USER"]
    case(os.path.exists(named) and context == os.path.normpath(SOURCE) and told["remoteUser"] in users,
         "devcontainer.json names the Containerfile, its context and its user", told)
    words = shlex.split(told["postCreateCommand"])
    known = run(os.path.join(SOURCE, words[0]), "--help").out
    case(all(word in known for word in words[1:] if word.startswith("-")), "and a command with options that it has",
         words)
    said = run(os.path.join(SOURCE, "docs", "serve"), "--help").out
    ports = re.findall(r"default: (\d+)", said)
    case(len(ports) == 1 and told["forwardPorts"] == [int(ports[0])], "and the port of docs/serve", f"{told} {ports}")


def page_faults(text):
    """The options in docs/first-run.md that its commands do not have."""
    found = []
    for code in re.findall(r"`([^`\n]+)`|^ {4}(.+)$", text, re.MULTILINE):
        for words in re.findall(r"(?:^|\s)(\./(?:steps|docs|check)/\w+)((?: [^&|;]+)?)", "".join(code)):
            said = run(os.path.join(SOURCE, words[0]), "--help").out
            found += [f"{words[0]} {each}" for each in re.findall(r"(?<!\S)--[\w-]+", words[1]) if each not in said]
    return found


def page():
    with open(os.path.join(SOURCE, "docs", "first-run.md"), encoding="utf-8") as file:
        text = file.read()
    case(not page_faults(text), "the commands of docs/first-run.md have their options", page_faults(text))
    spoilt = text.replace("./docs/serve --no-open", "./docs/serve --not-open")
    case(page_faults(spoilt) == ["./docs/serve --not-open"] * text.count("./docs/serve --no-open"),
         "one that is not there is found", page_faults(spoilt))


class Bare:
    """A Debian with nothing in it, and what an instruction means there."""

    def __init__(self, root):
        self.root, self.folder, self.user, self.environment = root, "/", "root", {}

    def inside(self, command):
        """Its end: what it printed last, and the status."""
        words = ["env", *(f"{name}={value}" for name, value in self.environment.items()), "sh", "-c",
                 f"cd {shlex.quote(self.folder)} && {command}"]
        if self.user != "root":
            words = ["runuser", "-u", self.user, "--", *words]
        return run("unshare", "--mount", "--pid", "--fork", "--uts", "--ipc", f"--mount-proc={self.root}/proc",
                   "chroot", self.root, *words, limit=LIMIT)

    def do(self, name, words):
        if name == "ENV":
            self.environment.update(part.split("=", 1) for part in shlex.split(words))
        elif name == "WORKDIR":
            self.folder = words
            os.makedirs(self.root + words, exist_ok=True)
        elif name == "USER":
            self.user = words
        elif name == "COPY":
            listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], stdout=subprocess.PIPE, check=True)
            subprocess.run(["tar", "-C", SOURCE, "-c", "--null", "-T", "-", "-f", self.root + "/tree.tar"],
                           input=listed.stdout, check=True)
            return self.inside("tar -xf /tree.tar && chown -R student: . && rm /tree.tar")
        elif name == "RUN":
            return self.inside(words)
        return None


def why_not():
    if not FULL:
        return "with --full"
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return "it needs root, and unshare"
    if not os.environ.get("CHECK_BARE") and not shutil.which("mmdebstrap"):
        return "mmdebstrap is not installed"
    done = run("unshare", "--mount", "--pid", "--fork", "true")
    return "" if done.status == 0 else f"no namespaces here: {done.err.strip()}"


def bare(scratch):
    """Builds on it what the Containerfile says, and runs a step there as the page does."""
    root = os.environ.get("CHECK_BARE") or os.path.join(scratch, "root")
    if not os.path.exists(os.path.join(root, "etc")):
        done = run("mmdebstrap", "--variant=apt", "bookworm", root, *filter(os.path.exists, [
            "/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"]), limit=LIMIT)
        if not case(done.status == 0, "a bare Debian", done):
            return
    shutil.copy("/etc/resolv.conf", os.path.join(root, "etc", "resolv.conf"))
    system = Bare(root)
    for name, words in instructions(read("Containerfile")):
        done = system.do(name, words)
        if done and not case(done.status == 0, f"on a bare Debian: {name} {words[:70]}", done):
            return
    for words, said in COMMANDS:
        done = system.inside(words)
        case(done.status == 0 and said in done.out, f"on a bare Debian: {words}", done)


def builder():
    """podman or docker, if it works here."""
    return next((name for name in ("podman", "docker") if shutil.which(name) and run(name, "info").status == 0), None)


def build_words():
    """The words behind podman of the line that the Containerfile's head gives, and docs/first-run.md, too."""
    words = re.search(r"^#   podman (build .*)$", read("Containerfile"), re.MULTILINE)[1]
    with open(os.path.join(SOURCE, "docs", "first-run.md"), encoding="utf-8") as file:
        case(f"    podman {words}\n" in file.read(), "docs/first-run.md builds as the Containerfile says", words)
    return shlex.split(words)


def built(name, words):
    """By podman or docker: the image, and what the page runs in it."""
    done = run(name, *words, cwd=SOURCE, limit=LIMIT)
    image = words[words.index("-t") + 1]
    if case(done.status == 0, f"{name} {' '.join(words)}", done):
        for command, said in COMMANDS:
            done = run(name, "run", "--rm", image, *command.split(), limit=LIMIT)
            case(done.status == 0 and said in done.out, f"{name} run {image} {command}", done)


def planted_builder(scratch, words):
    """One that only says what it was asked for, and fails: that is seen."""
    path = os.path.join(scratch, "podman")
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho \"$@\"\ntest \"$1\" = info\n")
    os.chmod(path, 0o755)
    kept, os.environ["PATH"] = os.environ["PATH"], scratch + ":" + os.environ["PATH"]
    done = run(builder() or "false", *words, cwd=SOURCE)
    case(builder() == "podman" and done.status == 1 and done.out.split() == words, "a builder that is at hand is asked",
         done)
    os.environ["PATH"] = kept


def main():
    listed = instructions(read("Containerfile"))
    case(not faults(listed), "the Containerfile", "\n".join(faults(listed)))
    for what, line in (("an instruction", "ADD x y"), ("a command", "RUN ./steps/nothing"),
                       ("an image", "FROM debian")):
        case(len(faults([*listed, *instructions(line)])) == 1, f"{what} that is not there is found")
    case(len(faults([each for each in listed if each[0] != "USER"])) == 1, "root is found")
    for name in (packages.EDITOR[1], "gdb"):
        less = [(word, re.sub(rf"\b{name}\b", "", words)) for word, words in listed]
        case(faults(less) == [f"{name} is not installed"], f"that {name} is missing is found", faults(less))
    described()
    page()
    words = build_words()
    with tempfile.TemporaryDirectory() as scratch:
        planted_builder(scratch, words)
    name = FULL and builder()
    if name:
        built(name, words)
        leave()
    reason = why_not()
    if reason:
        case(True, f"its commands on a bare Debian # skip {reason}")
        leave()
    with tempfile.TemporaryDirectory() as scratch:
        bare(scratch)
    leave()


if __name__ == "__main__":
    main()
