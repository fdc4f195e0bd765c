"""Runs one step: what it prints goes to output.txt, its progress to the screen."""
import os
import subprocess

from common.commands.runner import lines

PROGRESS = "progress: "


class Runner:
    """Of one run directory. complaints: the last words of what failed since they were cleared."""

    def __init__(self, folder, screen):
        self.folder, self.screen = folder, screen
        self.output = os.path.join(folder, "output.txt")
        self.log = os.path.join(folder, "log.csv")
        self.complaints = []
        self._running = None

    def run(self, program, words, place):
        """The exit status; place stands before the progress: "step 3 of 17"."""
        name = os.path.basename(program)
        words = [*words, "--log", self.log] if "--log" not in words else words
        shown = " ".join([name, *words]).replace(self.folder + os.sep, "")
        said = []
        self.screen.progress(f"{place}: {name}")
        with open(self.output, "a", encoding="utf-8") as output:
            output.write(f"$ {shown}\n")
            output.flush()
            command = [program, *words] + (["--progress"] if self.screen.live else [])
            with subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, encoding="utf-8",
                                  errors="replace") as self._running:
                for line in self._running.stderr:
                    line = line.rstrip("\n")
                    if line.startswith(PROGRESS):
                        self.screen.progress(f"{place}: {line[len(PROGRESS):]}")
                    else:
                        said.append(line)
            status = self._running.returncode
            output.writelines(line + "\n" for line in said)
        if status < 0:
            said.append(f"{name}: ended by signal {-status}")
            status = 128 - status
        if status:
            self.complaints = list(dict.fromkeys(self.complaints + said[-5:]))
        return status

    def sweep(self, program, words, place):
        """The same; it starts over with a smaller end if the device has no memory for it."""
        status = self.run(program, words, place)
        start, _, end = (lines.value(words, "sweep") or "").partition(":")
        if status == 3 and end.isdigit() and start.isdigit() and int(end) - 2 > int(start):
            self.complaints.clear()
            smaller = lines.replaced(words, "sweep", f"{start}:{int(end) - 2}")
            return self.sweep(program, smaller, place)
        return status

    def stop(self):
        if self._running and self._running.poll() is None:
            self._running.terminate()
            self._running.wait()
