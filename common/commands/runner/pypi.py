"""
What is taken from PyPI, in the private environment .venv of the tree: Meson and Ninja, for machines where no package
may be installed and for systems whose own Meson is too old; and axe-core, with which the tests look at pages.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import zipfile

from common.commands.runner.lock import only_one

WANTED = ["meson>=1.0.1", "ninja>=1.8.2"]
# For a Python without pip: what PyPI says of pip's own package. The newest wants Python 3.9.
PIP = "https://pypi.org/pypi/pip/json" if sys.version_info >= (3, 9) else \
    "https://pypi.org/pypi/pip/24.0/json"
AXE = ("axe-playwright-python", "0.1.8", "axe_playwright_python/axe.min.js")  # a package that carries it, and where


def use(root):
    """Puts the environment's programs first on PATH, if it is there and works."""
    folder = os.path.join(root, ".venv", "bin")
    if works(os.path.join(folder, "meson")) and \
            folder not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = folder + os.pathsep + os.environ.get("PATH", os.defpath)


def works(meson):
    try:
        return subprocess.run([meson, "--version"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0
    except OSError:
        return False


def make(root, screen):
    """Makes the environment; why it could not, or an empty text."""
    place = os.path.join(root, ".venv")
    try:
        os.makedirs(place, exist_ok=True)
        with only_one(os.path.join(place, ".lock"),
                      lambda: screen.line("waiting for another set-up")):
            if not works(os.path.join(place, "bin", "meson")):
                screen.line("installing from PyPI into .venv: meson ninja")
                screen.progress("making .venv")
                reason = fill(place)
                if reason:
                    return reason
    except OSError as error:
        return f"{error.filename or place}: {error.strerror or error}"
    use(root)
    return ""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "Error"))]
    return (errors or lines or ["no word why"])[-1]


def attempt(*command):
    """Why the command failed, or an empty text."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace", check=False)
    return "" if done.returncode == 0 else last_line(done.stdout)


def fill(place):
    """With the environment's own pip; where Python has none for it, with the system's or PyPI's."""
    python = os.path.join(place, "bin", "python3")
    install = ["install", "-q", "--disable-pip-version-check", *WANTED]
    for name in os.listdir(place):  # what a failed or moved environment left; but not the lock
        if name != ".lock":
            path = os.path.join(place, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) \
                else os.remove(path)
    if not attempt(sys.executable, "-m", "venv", place):
        return attempt(python, "-m", "pip", *install)
    reason = attempt(sys.executable, "-m", "venv", "--without-pip", place)
    if reason:
        return f"Python's module venv does not work here ({reason})"
    if attempt(sys.executable, "-m", "pip", "--python", python, *install):
        return with_downloaded_pip(python, install)
    return ""


def with_downloaded_pip(python, install):
    with tempfile.TemporaryDirectory() as folder:
        try:
            wheel = download_pip(folder)
        except (OSError, ValueError, KeyError, StopIteration) as error:
            return f"this Python has no pip (package python3-venv), and {PIP}: {error}"
        return attempt(python, os.path.join(wheel, "pip"), *install)


def axe(root):
    """The path of axe-core's script; it may not be there."""
    return os.path.join(root, ".venv", "axe", "axe.min.js")


def make_axe(root, screen):
    """Gets it; why it could not, or an empty text. The package's own program is not installed."""
    name, version, script = AXE
    if os.path.exists(axe(root)):
        return ""
    screen.line(f"installing from PyPI into .venv: axe-core, which {name} carries")
    with tempfile.TemporaryDirectory() as folder:
        try:
            reason = attempt(sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
                             "-d", folder, f"{name}=={version}")
            if reason:
                return f"{name}: {reason}"
            with zipfile.ZipFile(os.path.join(folder, os.listdir(folder)[0])) as wheel:
                text = wheel.read(script)
            os.makedirs(os.path.dirname(axe(root)), exist_ok=True)
            with open(axe(root), "wb") as file:
                file.write(text)
        except (OSError, KeyError, IndexError, zipfile.BadZipFile) as error:
            return f"{name}: {error}"
    return ""


def download_pip(folder):
    """The path of pip's wheel, which Python runs as it is."""
    with urllib.request.urlopen(PIP, timeout=60) as answer:
        wheel = next(file for file in json.load(answer)["urls"]
                     if file["packagetype"] == "bdist_wheel")
    url = urllib.parse.urljoin(PIP, wheel["url"])
    with urllib.request.urlopen(url, timeout=60) as answer:
        data = answer.read()
    if hashlib.sha256(data).hexdigest() != wheel["digests"]["sha256"]:
        raise ValueError(f"{url} is not what was announced")
    path = os.path.join(folder, os.path.basename(url))
    with open(path, "wb") as file:
        file.write(data)
    return path
