"""Runs one step: what it prints goes to output.txt, its progress to the screen."""
import contextlib
import os
import subprocess
import threading

from common.commands.runner import lines

PROGRESS = "progress: "
STOPPED = 130  # the status of what was to run when all was stopped
DONE = "done: "  # and the status: all is done, but the process has not left yet


def smaller_sweep(words):
    """The line with a sweep over sizes that ends at a quarter; None if it has none, or is as small as can be."""
    start, end, *step = (lines.value(words, "sweep") or ":").split(":")
    if end.isdigit() and start.isdigit() and int(end) - 2 > int(start):
        return lines.replaced(words, "sweep", ":".join([start, str(int(end) - 2), *step]))
    return None


class Runner:
    """Of one run directory, or of a step's part of one. complaints: the last words of what failed since they were
    cleared."""

    def __init__(self, folder, screen):
        self.folder, self.screen = folder, screen
        self.output = os.path.join(folder, "output.txt")
        self.log = os.path.join(folder, "log.csv")
        self.complaints = []
        self._running = None
        self._leaving = None  # a process whose work is over, and its name and status
        self._waiting = []  # processes that have opened their device, and what each was begun with
        self._may_wait = threading.Lock()  # who has it begins, takes or ends one
        self._stopped = False
        self.left = 0  # the highest status of those that left otherwise than they said

    def run(self, program, words, place):
        """The exit status; place stands before the progress: "step 3 of 17"."""
        words = self._logged(words)
        shown = " ".join([os.path.basename(program), *words]).replace(self.folder + os.sep, "")
        with open(self.output, "a", encoding="utf-8") as output:
            output.write(f"$ {shown}\n")
        return self._run([program, *words, *self._progress()], None, place)

    def _logged(self, words):
        return [*words, "--log", self.log] if "--log" not in words else words

    def _progress(self):
        return ["--progress"] if self.screen.live else []

    def _run(self, command, folder, place):
        name, said = os.path.basename(command[0]), []
        self.screen.progress(f"{place}: {name}")
        with open(self.output, "a", encoding="utf-8") as output:
            with self._may_wait:
                if self._stopped:
                    return STOPPED
                self._running = self._waited(command, folder) or \
                    self._begin(command, folder, subprocess.DEVNULL, output)
            status = None
            for line in self._running.stderr:
                line = line.rstrip("\n")
                if line.startswith(PROGRESS):
                    self.screen.progress(f"{place}: {line[len(PROGRESS):]}")
                elif line.startswith(DONE):
                    status = int(line[len(DONE):])
                    break
                else:
                    said.append(line)
            self._let_go()
            if status is None:
                with self._running:
                    status = self._running.wait()
            else:
                self._leaving = (self._running, name, status)
            output.writelines(line + "\n" for line in said)
        if status < 0:
            said.append(f"{name}: ended by signal {-status}")
            status = 128 - status
        if status:
            self.complaints = list(dict.fromkeys(self.complaints + said[-5:]))
        return status

    @staticmethod
    def _begin(command, folder, source, output):
        return subprocess.Popen(command, stdin=source, stdout=output, stderr=subprocess.PIPE, cwd=folder,
                                encoding="utf-8", errors="replace")

    def open(self, program, main, sweeps):
        """Begins the process that run_all will run first, so that it opens its GPU while another step is run. To be
        called by any thread."""
        if not main + sweeps:
            return
        command, folder = self._first(program, main + sweeps)
        with self._may_wait, open(self.output, "a", encoding="utf-8") as output:
            if not self._stopped:
                process = self._begin([program, "--wait", *command[1:]], folder, subprocess.PIPE, output)
                self._waiting.append((process, (command, folder)))

    def _waited(self, *begun_with):
        """A process that was begun ahead with this, told to go on; None if there is none, or it has ended."""
        process = next((process for process, known in self._waiting if known == begun_with), None)
        self._waiting = [each for each in self._waiting if each[0] != process]
        if not process:
            return None
        if process.poll() is not None:
            with process:  # closes its pipes
                return None
        with contextlib.suppress(BrokenPipeError):  # it has just ended, and what it said is read
            process.stdin.write("\n")
            process.stdin.close()
        return process

    def _let_go(self):
        """Waits for the process before this one, which leaves while this one begins."""
        if self._leaving:
            process, name, status = self._leaving
            self._leaving = None
            with process:
                process.wait()
            if process.returncode != status:
                self.left = 3
                self.complaints.append(f"{name}: all was done, but it ended with status {process.returncode}")

    def sweep(self, program, words, place):
        """The same; it starts over with a smaller end if the device has no memory for it."""
        status = self.run(program, words, place)
        smaller = smaller_sweep(words) if status == 3 else None
        if smaller:
            self.complaints.clear()
            return self.sweep(program, smaller, place)
        return status

    def run_all(self, program, main, sweeps, place):
        """Runs lines and sweeps in one process, because it takes a quarter of a second to open a GPU: and in another
        from behind a line at which it could not go on. No sweep follows a main line that failed. The highest status."""
        left, worst = [(words, False) for words in main] + [(words, True) for words in sweeps], 0
        while left:
            if len(left) == 1:
                words, is_sweep = left.pop()
                run = self.sweep if is_sweep else self.run
                return max(worst, run(program, [*words, "--done"], place))
            before, complaints = self._lines_begun(program), self.complaints[:]
            status = self._run(*self._first(program, [words for words, _ in left]), place)
            if status <= 1:
                return max(worst, status)
            at = max(self._lines_begun(program) - before, 1)
            (words, is_sweep), left = left[at - 1], left[at:]
            smaller = smaller_sweep(words) if status == 3 and is_sweep else None
            if smaller:
                self.complaints = complaints
                left.insert(0, (smaller, True))
                continue
            worst = max(worst, status)
            left = [each for each in left if is_sweep or not each[1]]
        return worst

    def _first(self, program, all_lines):
        """The process that run_all runs first for these lines, and where."""
        if len(all_lines) == 1:
            return [program, *self._logged([*all_lines[0], "--done"]), *self._progress()], None
        command = [program]
        for words in all_lines:
            command += [*words, "--log", os.path.basename(self.log), *self._progress(), "--then"]
        return [*command[:-1], "--done"], self.folder

    def _lines_begun(self, program):
        begin = f"$ {os.path.basename(program)} "
        if not os.path.exists(self.output):
            return 0
        with open(self.output, encoding="utf-8", errors="replace") as file:
            return sum(line.startswith(begin) for line in file)

    def stop(self):
        with self._may_wait:
            self._stopped = True
        for process, _ in self._waiting:
            with process:
                process.kill()
        self._let_go()
        if self._running and self._running.poll() is None:
            self._running.terminate()
            self._running.wait()
