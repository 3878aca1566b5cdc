"""Measures what a confined run costs over the same command open: `python3 scripts/measure/confine.py [AISH]`.

Prints least, median and 90th percentile in milliseconds, and the load of the machine. Runs as whoever starts it; for both
columns of the page, start it as root and as an ordinary user. On a machine that does other things, `chrt -f 10` before it
keeps them out of the figures. The folder is below $CONFINE_FOLDER, else the home folder; it should be on a real disk, and not
below /root for an AISH that runs with another home. AISH may be `confine-launcher` of aish-confine too.

What is not the launcher's is measured by `cargo bench -p aish-confine`: the look through the tree, the layer, the facts,
keeping and taking back.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

AISH = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/aish")
LAUNCHER = [AISH] if AISH.endswith("confine-launcher") else [AISH, "__confine"]
ROUNDS = int(os.environ.get("ROUNDS", "60"))
FILES = int(os.environ.get("FILES", "200000"))


def remove(folder):
    """Deletes a layer; overlayfs leaves folders without any mode in it."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            os.chmod(os.path.join(path, name), 0o700)
    shutil.rmtree(folder)


def layer(tree, base, round_):
    own = os.path.join(base, f"layer-{round_}")
    upper, work, report = (os.path.join(own, name) for name in ("upper", "work", "report"))
    os.makedirs(upper)
    os.makedirs(work)
    return own, ["namespaces", tree, "--root", tree, upper, work, "--report", report]


def confined(tree, base, command, round_):
    own, plan = layer(tree, base, round_)
    result = subprocess.run([*LAUNCHER, *plan, "--", *command], check=False)
    assert result.returncode == 0, result
    remove(own)


class Ready:
    """A launcher that is started before its plan is known: with the run, or while the command is still judged."""

    def __init__(self, early):
        self.early = early

    def start(self):
        self.launcher = subprocess.Popen([*LAUNCHER, "--wait"], stdin=subprocess.PIPE)

    def prepare(self):
        if self.early:
            self.start()
            time.sleep(0.02)

    def __call__(self, tree, base, command, round_):
        if not self.early:
            self.start()
        own, plan = layer(tree, base, round_)
        words = [*plan, "--only-these-variables", "--", *command]
        told = b"".join(os.fsencode(word) + b"\0" for word in words)
        self.launcher.stdin.write(struct.pack("<I", len(told)) + told)
        self.launcher.stdin.close()
        assert self.launcher.wait() == 0
        remove(own)


def opened(tree, _base, command, _round):
    assert subprocess.run(command, cwd=tree, check=False).returncode == 0


def measure(name, run, tree, base, command):
    times = []
    for round_ in range(ROUNDS):
        if isinstance(run, Ready):
            run.prepare()
        start = time.perf_counter()
        run(tree, base, command, round_)
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    print(f"{name:44} {times[0]:7.2f} {times[len(times) // 2]:7.2f} {times[len(times) * 9 // 10]:7.2f}")


def main():
    print(f"load {os.getloadavg()[0]:.1f}")
    print(f"{'uid ' + str(os.getuid()):44} {'least':>7} {'median':>7} {'90th':>7}")
    with tempfile.TemporaryDirectory(dir=os.environ.get("CONFINE_FOLDER", os.path.expanduser("~"))) as base:
        small, large = os.path.join(base, "small"), os.path.join(base, "large")
        os.mkdir(small)
        for number in range(FILES):
            folder = os.path.join(large, str(number // 1000))
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, str(number)), "w", encoding="utf-8"):
                pass
        measure("/bin/true, open", opened, small, base, ["/bin/true"])
        measure("/bin/true, confined, with clean-up", confined, small, base, ["/bin/true"])
        measure("/bin/true, started before its plan", Ready(early=False), small, base, ["/bin/true"])
        measure("/bin/true, by a launcher that waited", Ready(early=True), small, base, ["/bin/true"])
        append = ["/bin/sh", "-c", "echo >> a"]
        measure(f"echo >> a, open, {FILES} files", opened, large, base, append)
        measure(f"echo >> a, confined, {FILES} files", confined, large, base, append)
        measure(f"echo >> a, by one that waited, {FILES} files", Ready(early=True), large, base, append)


main()
