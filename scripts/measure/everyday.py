"""Runs the everyday commands apart and open and compares: `python3 scripts/measure/everyday.py [AISH]`.

The commands are in everyday/commands.txt, and everyday/projects.sh makes their clones, twice. Each command runs by
`aish try --json --keep` in one and by bash in the other. Prints what differs, what would be asked about in `auto` (a change in a
guarded place, or something left out), and the time of each.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
AISH = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/aish")
FIXED = {
    "GIT_AUTHOR_DATE": "2026-02-02T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-02-02T00:00:00Z",
    "npm_config_update_notifier": "false",
    "npm_config_fund": "false",
    "npm_config_audit": "false",
    "LC_ALL": "C.UTF-8",
}


def commands():
    with open(os.path.join(HERE, "everyday", "commands.txt"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                project, command = line.rstrip("\n").split("\t", 1)
                yield project, command


def history(project):
    line = "git log --format='%H %s' --all; git status --porcelain; git ls-files -s; git fsck --strict 2>&1"
    return subprocess.run(["bash", "-c", line], cwd=project, capture_output=True, check=False).stdout


def timed(words, cwd, env):
    start = time.perf_counter()
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return done, (time.perf_counter() - start) * 1000


def main():
    # Neither below /tmp, which is another one inside.
    with tempfile.TemporaryDirectory(dir=os.environ.get("CONFINE_FOLDER", os.path.expanduser("~"))) as base:
        sides = [os.path.join(base, name) for name in ("apart", "open")]
        for side in sides:
            subprocess.run(["bash", os.path.join(HERE, "everyday", "projects.sh"), side], check=True)
        same = unasked = total = 0
        # Both have the same home, but for the state of aish: tools look there for themselves.
        env = {**os.environ, **FIXED, "XDG_STATE_HOME": os.path.join(base, "state")}
        for project, command in commands():
            total += 1
            there = os.path.join(sides[0], project)
            here = os.path.join(sides[1], project)
            apart, apart_ms = timed([AISH, "try", "--json", "--keep", "--", "bash", "-c", command], there, env)
            opened, open_ms = timed(["bash", "-c", command], here, env)
            lines = apart.stdout.decode().splitlines()
            event = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}
            guarded = [change["path"] for change in event.get("changes", []) if "guarded" in change]
            guarded += [refused["path"] for refused in event.get("left_out", [])]
            # With --json the command's output goes to standard error.
            said = apart.stderr.decode() + "\n".join(lines[:-1])
            missing = [line for line in opened.stdout.decode().splitlines() if line not in said]
            equal = apart.returncode == opened.returncode and not missing and history(there) == history(here)
            same += equal
            unasked += not guarded
            mark = "same" if equal else "DIFFERENT"
            why = "" if equal else f" {apart.returncode}/{opened.returncode} {missing[:2]} {said[-300:]}"
            asks = f" asks about {', '.join(guarded)}" if guarded else ""
            words = re.sub(r"\s+", " ", command)[:60]
            print(f"{mark:9} {open_ms:7.1f} {apart_ms:7.1f} ms  {project:6} {words}{asks}{why}", flush=True)
        print(f"{same} of {total} the same, {unasked} unasked; load {os.getloadavg()[0]:.1f}")


main()
