"""
What the build, the tests and the site of the pages need: found or named; where --install asks for it, installed with
apt-get where that may be done, or taken from PyPI (Meson, Ninja and axe-core). A GPU machine is asked for a compiler,
Meson, Ninja and the toolkit alone.
"""
import grp
import importlib.util
import os
import re
import shutil
import subprocess
import sys

from common.commands.runner import pypi
from common.commands.runner.screen import Stop

MESON = (1, 0, 1)
NINJA = (1, 8, 2)
PYTHON = "/usr/bin/python3"  # the one that Debian's packages of libraries are for
SITE = {"markdown_it": "python3-markdown-it", "pygments": "python3-pygments", "jinja2": "python3-jinja2"}
EDITOR = ("/usr/share/javascript/codemirror/lib/codemirror.js", "libjs-codemirror")  # of the pages of docs/serve
DRIVER = {"selenium": "python3-selenium"}  # with which the tests look at the site in Chromium


class OtherPython(Exception):
    """What is needed is there, for another Python than this one."""

    def __init__(self, path):
        super().__init__(path)
        self.path = path


def have(*commands):
    return any(shutil.which(command) for command in commands)


def quiet(*command):
    """(whether it succeeded, what it printed)"""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace",
                              check=False)
    except OSError as error:
        return False, str(error)
    return done.returncode == 0, done.stdout


def have_library(name):
    return quiet("pkg-config", "--exists", name)[0]


def new_enough(command, least):
    good, text = quiet(command, "--version")
    numbers = [int(part) for part in re.findall(r"\d+", text.split("\n")[0])[:3]]
    return good and tuple(numbers + [0] * (3 - len(numbers))) >= least


def nvcc():
    return shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def device_of(backend):
    """cuda or cpu, as meson.build decides it too."""
    if backend in ("cuda", "cpu"):
        return backend
    gpu = quiet("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader")[0]
    return "cuda" if nvcc() and gpu else "cpu"


def ninja():
    """The command, or None."""
    return next((c for c in ("ninja", "ninja-build") if new_enough(c, NINJA)), None)


def missing(device, tests, charts, browser=False):
    """Debian's names of what is not there: (without which nothing goes, the others)."""
    needed, wished = [], []
    if not (have("cc", "gcc", "clang") and have("c++", "g++", "clang++")):
        needed.append("build-essential")
    if not new_enough("meson", MESON):
        needed.append("meson")
    if not ninja():
        needed.append("ninja-build")
    libraries = []
    if device == "cpu" and not have_library("libdw"):
        libraries.append("libdw-dev")
    if not have_library("fftw3"):
        wished.append("libfftw3-dev")  # the reference of long transforms
    if tests and not have_library("cmocka"):
        libraries.append("libcmocka-dev")
    if libraries and not have("pkg-config"):
        libraries.append("pkg-config")
    (needed if tests else wished).extend(libraries)
    if charts and not have("gnuplot"):
        wished.append("gnuplot-nox")
    if tests and not have("shellcheck"):
        wished.append("shellcheck")
    if tests and not have("bwrap"):
        wished.append("bubblewrap")  # the sandbox of steps/practice --grade
    if tests:
        wished.extend(missing_of_site(driver=browser, fonts=browser, editor=browser))
    return needed, wished


def have_modules(python, names):
    if python == sys.executable:
        return all(importlib.util.find_spec(name) for name in names)
    return quiet(python, "-c", "import " + ", ".join(names))[0]


def python_of_site(driver=False):
    """The Python that has what docs/build needs, this one if it may be; and what that one lacks."""
    modules = {**SITE, **(DRIVER if driver else {})}
    for python in (sys.executable, PYTHON):
        if have_modules(python, modules):
            return python, []
    return PYTHON, [package for name, package in modules.items() if not have_modules(PYTHON, [name])]


def browser_of_site():
    """Chromium, as systems call it; None without it."""
    return next((name for name in ("chromium", "chromium-browser", "google-chrome") if have(name)), None)


def missing_of_site(browser=False, driver=False, fonts=False, editor=False):
    """Debian's names of what docs/build lacks; with browser for its --pdf, with driver for its tests, with fonts for
    those that look at Chinese and Korean; with editor what docs/serve lacks."""
    lacking = python_of_site(driver)[1]
    if editor and not os.path.exists(EDITOR[0]):
        lacking.append(EDITOR[1])
    if (browser or driver) and not browser_of_site():
        lacking.append("chromium")
    if driver and not have("chromedriver"):
        lacking.append("chromium-driver")
    found, listed = quiet("fc-list", "Noto Sans CJK SC") if fonts else (True, "none is asked for")
    if not (found and listed.strip()):
        lacking.append("fonts-noto-cjk")
    return lacking


def ensure_site(browser=False, editor=False):
    """Sees to it that docs/build can work, or docs/serve. Raises OtherPython if another Python can, Stop if none."""
    lacking = missing_of_site(browser, editor=editor)
    if lacking:
        raise Stop(f"missing packages: {' '.join(lacking)}; install them: sudo apt-get install "
                   f"{' '.join(lacking)}", 3)
    python = python_of_site()[0]
    if python != sys.executable:
        raise OtherPython(python)


def as_root():
    """The words before apt-get: none for root, sudo where it may be used, else None."""
    if not have("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    if quiet("sudo", "-n", "true")[0]:
        return ["sudo", "-n"]
    groups = set()
    for number in os.getgroups():
        try:
            groups.add(grp.getgrgid(number).gr_name)
        except KeyError:
            pass
    # It would ask for a password: only where somebody can answer who is known to have one.
    answered = sys.stdin and sys.stdin.isatty() and groups & {"sudo", "admin", "wheel"}
    return ["sudo"] if answered and have("sudo") else None


def apt_install(root_words, packages):
    """Installs them; what apt-get said if it could not, else an empty text."""
    command = [*root_words, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get",
               "-oDPkg::Lock::Timeout=300", "-qq"]
    done = subprocess.run([*command, "install", "-y", "--no-install-recommends", *packages],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                          errors="replace", check=False)
    return "" if done.returncode == 0 else done.stdout


def apt(screen, needed, wished):
    root_words = as_root()
    if root_words is None or not needed + wished:
        return
    screen.line(f"installing: {' '.join(needed + wished)}")
    # No pipes here: sudo may have to ask.
    subprocess.run([*root_words, "apt-get", "-oDPkg::Lock::Timeout=300", "-qq", "update"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    said = apt_install(root_words, needed) if needed else ""
    screen.quote(said.splitlines()[-5:])
    if wished and apt_install(root_words, wished):
        for package in wished:  # one that this system does not have keeps the others away
            apt_install(root_words, [package])


def ensure(root, screen, device, tests=False, charts=False, browser=False, install=None):
    """Sees to it that everything is there; raises Stop where something needed is not. install: what is missing is
    installed first; None where that cannot be asked for. browser: the tests look at the site of the pages in one."""
    if device == "cuda" and not nvcc():
        raise Stop("nvcc is missing: install the CUDA Toolkit, or put its folder bin on PATH", 3)
    pypi.use(root)
    if install and browser:
        said = pypi.make_axe(root, screen)
        screen.quote([said] if said else [])
    reason = install_missing(root, screen, (device, tests, charts, browser)) if install else ""
    needed, wished = missing(device, tests, charts, browser)
    if needed:
        raise Stop(without(needed, install) +
                   (f"\nMeson and Ninja could not be had from PyPI: {reason}" if reason else ""), 3)
    if "libdw-dev" in wished:
        screen.line("without libdw (package libdw-dev): counters and findings name no source lines")


def install_missing(root, screen, what):
    """Why Meson and Ninja could not be had from PyPI, if apt had not installed them; else an empty text."""
    apt(screen, *missing(*what))
    needed, _ = missing(*what)
    return pypi.make(root, screen) if needed and {"meson", "ninja-build"}.issuperset(needed) else ""


def without(needed, install):
    """The line about packages that are missing; install: as for ensure."""
    line = f"missing packages: {' '.join(needed)}" + \
        (" (meson must be 1.0.1 or newer)" if "meson" in needed else "")
    if have("apt-get"):
        line += f"; install them: sudo apt-get install {' '.join(needed)}"
        return line + {None: ", or ./steps/run --install", False: ", or run this with --install", True: ""}[install]
    return line + "; these are Debian's names; install your system's own and run this again"
