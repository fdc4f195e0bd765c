"""
Sees to it that what the tests need is installed, and builds for them.

usage: prepare.py CALLER cpu|cuda DIR [MESON OPTION...]

With CHECK_BROWSER=1 in the environment the browser for the tests of docs/build is installed too. CALLER, check/run say, stands before complaints. Exit status: 0, 1 the build failed, 2 DIR cannot be
used, 3 something is missing.
"""
import os
import sys

from common.commands import ROOT
from common.commands.runner import build, packages
from common.commands.runner.screen import Screen, Stop


def main():
    caller, device, folder, *options = sys.argv[1:]
    screen = Screen(caller)
    try:
        packages.ensure(ROOT, screen, device, tests=device == "cpu", charts=device == "cpu",
                        browser=device == "cpu" and os.environ.get("CHECK_BROWSER") == "1")
        build.make(ROOT, os.path.abspath(folder), [f"-D{build.DEVICE}={device}", *options], screen,
                   tests=True)
    except build.Failed as stop:
        screen.complain(stop)
        return 1
    except Stop as stop:
        screen.complain(stop)
        return stop.status
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
