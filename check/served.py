"""
docs/serve in a tree of its own, for its tests. That tree has copies of what the server reads or writes, and a
build that compiles with the flags of BUILD what is in practice/: all but Meson is as a reader has it.

usage: check/served.py SOURCE PROGRAM     what the build's Ninja calls
"""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time

from common.commands.drive.building import build
from common.commands.drive.support import BUILD, SOURCE
from common.commands.practice import shelf
from check.cases.new import copy_tree

STEP, FUNCTION = "reduce2", "sum_sequential"
NAMES = [STEP, "my-" + STEP]  # the exercises that the build knows
ADDRESS = re.compile(r"(http://(127\.0\.0\.1:(\d+)))/\?token=(\S+)")
NINJA = """\
rule compile
  command = env SOURCE='{source}' BUILD='{build}' PYTHONPATH='{source}' '{python}' -B '{program}' $in $out
build steps/{step}/{step}: phony
"""


def make_tree(root):
    copy_tree(root)
    folder = os.path.join(root, "build")
    for path in (f"steps/{STEP}/{STEP}", "common/commands/toolchain.json"):
        os.makedirs(os.path.dirname(os.path.join(folder, path)))
        os.symlink(os.path.join(BUILD, path), os.path.join(folder, path))
    with open(os.path.join(folder, "build.ninja"), "w", encoding="utf-8") as file:
        file.write(NINJA.format(source=SOURCE, build=BUILD, python=sys.executable, step=STEP,
                                program=os.path.join(SOURCE, "check", "served.py")))
        file.writelines(f"build steps/practice-{name}: compile ../practice/{name}/{name}.cu\n" for name in NAMES)
    with open(os.path.join(folder, "steps", "practice.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"practice-{name}\n" for name in NAMES)


def keep_site(root):
    """The site that docs/serve has made is out of date tomorrow."""
    tomorrow = time.time() + 86400
    os.utime(os.path.join(root, "docs", "site", "index.html"), (tomorrow, tomorrow))


class Serving:
    """docs/serve of a tree, as a context. address: the one that it printed."""

    def __init__(self, root, *words, env=None, opens=False):
        self.root = root
        self.process = subprocess.Popen([os.path.join(root, "docs", "serve"), *["--no-open"] * (not opens), *words],
                                        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, env=env)
        lines = (line.strip() for line in self.process.stdout)
        self.address = next((line for line in lines if ADDRESS.match(line)), "")
        if not self.address:
            raise RuntimeError(self.process.communicate()[1])
        found = ADDRESS.match(self.address)
        self.origin, self.host, self.port, self.token = found[1], found[2], int(found[3]), found[4]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)

    def ask(self, method, path, body=None, limit=60, **headers):
        """(status, headers, text) of a request with exactly these headers; _ stands for -."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit)
        try:
            data = body.encode() if isinstance(body, str) else body
            link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            given = {"Host": self.host, **({"Content-Length": str(len(data))} if data is not None else {}),
                     **{name.replace("_", "-"): value for name, value in headers.items()}}
            for name, value in given.items():
                if value is not None:
                    link.putheader(name, value)
            link.endheaders(data)
            answer = link.getresponse()
            return answer.status, answer.headers, answer.read().decode(errors="replace")
        finally:
            link.close()

    def of_page(self):
        """The headers of a page of ours."""
        return {"Origin": self.origin, "X_Token": self.token, "Content_Type": "application/json",
                "Sec_Fetch_Site": "same-origin"}

    def post(self, path, limit=300, **given):
        """(status, what was told: an object, or of a run its events)"""
        status, headers, text = self.ask("POST", "/live/" + path, json.dumps({"step": STEP, "what": FUNCTION, **given}),
                                         limit, **self.of_page())
        if "ndjson" in headers["Content-Type"]:
            return status, [json.loads(line) for line in text.split("\n") if line]
        return status, json.loads(text) if text.startswith("{") else text

    def run(self, action, text, what=FUNCTION, **given):
        """The events of a run of a text."""
        known = self.post("open", what=what)[1]["mark"]
        return self.post("run", action=action, text=text, mark=known, what=what, **given)[1]


def main():
    done = build(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), shelf.steps(SOURCE)[STEP][1][:1])
    print(done.out + done.err, end="")
    sys.exit(done.status)


if __name__ == "__main__":
    main()
