"""Measures what a confined run costs over the same command open: `python3 scripts/measure/confine.py [AISH]`.

Prints least, median and 90th percentile in milliseconds. Runs as whoever starts it; for both columns of the page, start it
as root and as an ordinary user. The folder is below $CONFINE_FOLDER, else the home folder; it should be on a real disk.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

AISH = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/aish")
ROUNDS = int(os.environ.get("ROUNDS", "60"))
FILES = int(os.environ.get("FILES", "200000"))


def remove(folder):
    """Deletes a layer; overlayfs leaves folders without any mode in it."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            os.chmod(os.path.join(path, name), 0o700)
    shutil.rmtree(folder)


def confined(tree, base, command, round_):
    own = os.path.join(base, f"layer-{round_}")
    upper, work, report = (os.path.join(own, name) for name in ("upper", "work", "report"))
    os.makedirs(upper)
    os.makedirs(work)
    plan = [AISH, "__confine", "namespaces", tree, "--root", tree, upper, work, "--report", report, "--", *command]
    result = subprocess.run(plan, check=False)
    assert result.returncode == 0, result
    remove(own)


def opened(tree, _base, command, _round):
    assert subprocess.run(command, cwd=tree, check=False).returncode == 0


def measure(name, run, tree, base, command):
    times = []
    for round_ in range(ROUNDS):
        start = time.perf_counter()
        run(tree, base, command, round_)
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    print(f"{name:44} {times[0]:7.2f} {times[len(times) // 2]:7.2f} {times[len(times) * 9 // 10]:7.2f}")


def main():
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
        append = ["/bin/sh", "-c", "echo >> a"]
        measure(f"echo >> a, open, {FILES} files", opened, large, base, append)
        measure(f"echo >> a, confined, {FILES} files", confined, large, base, append)


main()
