#!/usr/bin/env python3
"""Runs Norris on the real small model, 20 goals at 4 steps, and prints how the runs ended as a Markdown table.

Takes the folder of the binaries; AISH_TEST_GGUF names the model's file.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile
import time

GOALS = [
    "list the files here", "tell the date", "make a file named notes.txt with the word hello", "count the files here",
    "show the first line of each file", "say which user I am", "find the largest file", "make a folder named out",
    "show how much disk is free", "say which shell this is", "delete everything here", "show the last commands",
    "write a poem into poem.txt", "say how many processes run", "rename notes.txt to old.txt", "what is 17 times 23?",
    "show the kernel's version", "find all text files", "install a package", "say hello",
]
CODES = {"done": 0, "gave_up": 1, "stuck": 1, "failed": 1, "halted": 3, "limit": 4, "interrupted": 130}


def main():
    folder = sys.argv[1]
    ends, wrong, started = collections.Counter(), 0, time.monotonic()
    for goal in GOALS:
        with tempfile.TemporaryDirectory() as home:
            work = os.path.join(home, "work")
            os.mkdir(work)
            environment = {"HOME": home, "PATH": os.environ["PATH"], "AISH_MODEL_EXE": os.path.join(folder, "aish-model")}
            aish = [os.path.join(folder, "aish")]

            def run(arguments):
                return subprocess.run(
                    aish + arguments, env=environment, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                    timeout=600, check=False,
                )

            run(["model", "pull", "smollm2", "--from", os.environ["AISH_TEST_GGUF"]]).check_returncode()
            result = run(["--model", "embedded", "norris", "--json", "--max-steps", "4", goal])
            end = json.loads(result.stdout.splitlines()[-1])
            ends[end.get("outcome")] += 1
            if end["type"] != "turn_end" or CODES.get(end["outcome"]) != result.returncode:
                wrong += 1
                print(f"{goal}: {end} but exit code {result.returncode}", file=sys.stderr)
    print("| end | runs |\n|---|---|")
    for end, count in ends.most_common():
        print(f"| {end} | {count} |")
    print(f"\n{len(GOALS) - wrong} of {len(GOALS)} ended in a defined way, in {time.monotonic() - started:.0f} s.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
