"""Builds what is on the shelf, in the series' own build."""
import os
import re

from common.commands.runner import build, packages, pypi
from common.commands.runner.lock import only_one
from common.commands.runner.screen import Stop


def device_of(folder):
    """The device that a folder is configured for; None where it is not."""
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        return None
    on_cpu = os.path.exists(os.path.join(folder, "common", "commands", "toolchain.json"))
    return "cpu" if on_cpu else "cuda"


def folder_for(root, asked, device):
    """Where to build for a device: the folder that was asked for, or build unless it has the other."""
    folder = os.path.abspath(asked or os.path.join(root, "build"))
    if device_of(folder) in (None, device):
        return folder
    if asked:
        raise Stop(f"--build {asked} is a build for {'a GPU' if device == 'cpu' else 'the CPU device'}:"
                   " name another", 2)
    return f"{folder}-{device}"


def is_listed(folder, target):
    """Whether the folder's last configuration knew of an entry."""
    try:
        with open(os.path.join(folder, "steps", "practice.txt"), encoding="utf-8") as file:
            return target in file.read().split()
    except OSError:
        return False


def prepare(root, folder, device, target, screen):
    """Configures the folder so that it knows the target; raises Stop where that fails."""
    if device_of(folder) is None:
        packages.ensure(root, screen, device)
        screen.line(f"building in {os.path.relpath(folder)}")
    elif not packages.ninja() or not packages.have("meson"):
        pypi.use(root)
    if device_of(folder) and not is_listed(folder, target):
        screen.progress("configuring")
        good, said = packages.quiet("meson", "setup", "--reconfigure", folder, root)
        if not good:
            screen.quote(said.splitlines()[-10:])
            raise Stop("the build cannot be configured", 3)
    if device_of(folder) is None:
        build.make(root, folder, [f"-D{build.DEVICE}={device}"], screen, targets=["build.ninja"])


def make(folder, target, screen, before=()):
    """Builds an entry and what is wanted before it, at once, because Ninja takes long to begin; raises Stop where that
    fails. What the compiler said of the entry if it failed, as lines, each once: it is compiled for each element
    type."""
    with only_one(os.path.join(folder, ".lock"), lambda: screen.line(f"waiting for another build in {folder}")):
        made = build.ninja(folder, [*before, f"steps/{target}"], screen)
        others = build.ninja(folder, before, screen) if made and before else []
    if others:
        screen.quote(others)
        raise build.Failed("the build failed", 3)
    said = [re.sub(r"[^\s:]*/practice/", "practice/", line) for line in dict.fromkeys(made)]
    kept, skip = [], False
    for line in said:  # without what Ninja says of itself, and the long command behind "FAILED"
        if line.startswith("FAILED:"):
            skip = True
        elif skip:
            skip = False
        elif not line.startswith("ninja: "):
            kept.append(line)
    return kept or said
