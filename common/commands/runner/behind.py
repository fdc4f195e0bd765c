"""A build that goes on while what it has made so far is run."""
import threading

from common.commands.runner.screen import Screen


class Behind:
    """work(screen, watch) builds, and may raise; watch, this object, is told what ninja does."""

    def __init__(self, work, name, patience):
        self.screen = Screen(name, patience=patience)
        self.stopped = False
        self._changed = threading.Condition()
        self._linked, self._ended, self._failure, self._process = set(), False, None, None
        self._thread = threading.Thread(target=self._run, args=(work,))
        self._thread.start()

    def _run(self, work):
        try:
            work(self.screen, self)
        except BaseException as failure:  # raised again where somebody waits for what was not built
            self._failure = failure
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def begins(self, process):
        self._process = process
        if self.stopped:
            process.terminate()

    def linked(self, path):
        with self._changed:
            self._linked.add(path)
            self._changed.notify_all()

    def wait(self, path=None):
        """Until this target is linked, or all is built; what ended the build is raised here."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or path in self._linked)
            if self._failure and path not in self._linked:
                raise self._failure

    def hush(self):
        """No progress of the build from here on: what is run has its own."""
        self.screen.live, self.screen.patience = False, None

    def stop(self):
        self.stopped = True
        if self._process and self._process.poll() is None:
            self._process.terminate()  # it ends its compilers
        self._thread.join()
