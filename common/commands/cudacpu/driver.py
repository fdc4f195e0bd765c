"""From the command line to the program's exit status."""
import base64
import os
import shutil
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from common.commands.cudacpu import command, gpu, sass
from common.commands.cudacpu.program import Maker
from common.commands.cudacpu.toolchain import Toolchain
from common.commands.runner.screen import Screen, Stop


def interrupt(*_):
    raise KeyboardInterrupt


def run_program(path, name, asked, screen, arguments=None):
    """Runs it as its users would; its exit status, 128 + the signal that ended it. arguments: None: those asked for."""
    with subprocess.Popen([name, *(asked.arguments if arguments is None else arguments)], executable=path,
                          env={**os.environ, **asked.environment()}) as process:
        try:
            status = process.wait()
        except KeyboardInterrupt:
            if process.poll() is None:
                process.terminate()
            process.wait()
            return 130
    if status < 0:
        screen.complain(f"{name}: ended by signal {-status} ({signal.strsignal(-status)})")
        return 128 - status
    return status


def debug(path, asked, screen):
    """Runs a program in gdb, which reads its commands where we read; gdb's exit status."""
    gdb = shutil.which("gdb")
    if not gdb:
        raise Stop("--gdb: gdb is not there; install it: sudo apt-get install gdb", 2)
    commands = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debugger.py")
    words = ["-q", "-nx", "-x", commands, "--args", path, *asked.arguments]
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program in gdb
    try:
        return run_program(gdb, "gdb", asked, screen, words)
    finally:
        signal.signal(signal.SIGINT, previous)


def keep(program, output):
    try:
        shutil.copy(program, output)
    except OSError as error:
        raise Stop(f"-o {output}: {error.strerror}", 2) from None


def estimate(asked, tools, launches):
    """Says how long a GPU would take for the launches that a program has left. Its status."""
    if not os.path.exists(launches):
        raise Stop("--estimate: the program ended before its launches could be told", 2)
    return subprocess.run([tools.estimate, launches, tools.machine_file(asked.estimate),
                           *([asked.json] if asked.json else [])], check=False).returncode


def as_text(code):
    """A module as -ptx makes it: lines of comments, with its machine code in base64. common/cpu/runtime/modules.c."""
    digits = base64.b64encode(code).decode("ascii")
    return "\n".join([f"// A module of the CPU device, {len(code)} bytes", "// It is machine code of this processor, "
                      "and no PTX: a program of ./steps/cuda loads it by the driver API.",
                      *("//: " + digits[at:at + 96] for at in range(0, len(digits), 96)), ""]).encode("ascii")


def make_module(asked, tools, scratch, screen):
    """Makes a module, and keeps it. The status."""
    with open(Maker(tools, asked, scratch, screen).make_module(), "rb") as file:
        code = file.read()
    try:
        with open(asked.output, "wb") as file:
            file.write(as_text(code) if asked.module == "ptx" else code)
    except OSError as error:
        raise Stop(f"-o {asked.output}: {error.strerror}", 2) from None
    return 0


def on_cpu(asked, tools, screen):
    if asked.estimate is not None:
        tools.machine_file(asked.estimate)
    with tempfile.TemporaryDirectory(prefix="cuda-cpu-") as scratch, ThreadPoolExecutor(1) as pool:
        if asked.module:
            return make_module(asked, tools, scratch, screen)
        nvcc = pool.submit(sass.for_counters, asked, os.path.join(scratch, "nvcc.txt"))
        program = Maker(tools, asked, scratch, screen).make()
        os.environ.update(nvcc.result())
        name = "./" + os.path.splitext(os.path.basename(program))[0]
        if asked.output:
            keep(program, asked.output)
            name = asked.output if os.sep in asked.output else "./" + asked.output
        if asked.gdb:
            return debug(program, asked, screen)
        if asked.estimate is None:
            return run_program(program, name, asked, screen)
        launches = os.path.join(scratch, "launches")
        os.environ["CPU_DEVICE_LAUNCHES"] = launches
        status = run_program(program, name, asked, screen)
        told = 0 if status == 130 else estimate(asked, tools, launches)
        return status or told


def work(screen, words, toolchain, usage_more=""):
    """The exit status. toolchain: the path of a toolchain.json, or a function that sees to one."""
    asked = command.Command(words, bool(usage_more))
    if asked.help:
        print(command.USAGE.format(name=screen.name, more=usage_more), end="")
        return 0
    if asked.gpu and not asked.version:
        return gpu.run(asked, screen, run_program)
    if asked.program():
        return debug(os.path.abspath(asked.program()), asked, screen)
    tools = Toolchain(toolchain if isinstance(toolchain, str) else toolchain(asked))
    if asked.version:
        print(f"{screen.name} {tools.version}")
        return 0
    return on_cpu(asked, tools, screen)


def main(name, words, toolchain, usage_more=""):
    screen = Screen(name)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        return work(screen, words, toolchain, usage_more)
    except Stop as stop:
        screen.complain(stop)
    except OSError as error:  # a full disk, say
        screen.complain(f"{error.filename or 'a file'}: {error.strerror}")
    except KeyboardInterrupt:
        screen.clear()
        return 130
    return 2
