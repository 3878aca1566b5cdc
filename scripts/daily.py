#!/usr/bin/env python3
"""Plays the tasks of docs/daily.md in tmux, reads the screen, and says which of them failed.

Usage: daily.py FOLDER [--size COLUMNSxROWS] [--theme dark|light|mono] [--plain] [--no-color] [NUMBER]...
  FOLDER  where the programs `aish` and `testkit-model-server` are
  NUMBER  a task; all sixty where none is named

The tasks are those of crates/aish/tests/it/cases/daily.yaml, which the tests play in a terminal of their own; here another
program draws the screen, at any size. Texts are looked for without their blanks and line ends, as lines are wrapped
there. Ends with 1 where a task failed, where the page and the cases do not have the same tasks, or where a
task does not use what the page names. Needs tmux and PyYAML.
"""

import argparse
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "crates/aish/tests/it/cases/daily.yaml"
PAGE = ROOT / "docs/daily.md"
# What cannot be seen without colour: hints of history, and what markdown becomes.
COLOUR = {9, 26}
# What `--plain` shows with the next prompt only: output of jobs.
LATE = {14}
# What the prompt ends with.
PROMPT = "❯"
# Longer than anything takes that is not hung, in seconds.
HUNG = 30
MODELS = {"expect": {"path": "/v1/models"}, "reply": {"json": {"object": "list", "data": [{"id": "scripted"}]}}}


class Miss(Exception):
    """Why a task failed."""


class Screen:
    """A session of a tmux server of its own."""

    numbers = itertools.count()

    def __init__(self, size, command, variables, folder):
        columns, rows = size
        # A server that ends keeps its name for a while.
        self.name = f"daily-{os.getpid()}-{next(Screen.numbers)}"
        self.entered = set()
        settings = shlex.join(f"{name}={value}" for name, value in variables.items())
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder),
                  f"exec env -i {settings} {command}")
        self.tmux("set-option", "-g", "remain-on-exit", "on")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-L", self.name, *words], capture_output=True, text=True, check=True).stdout

    def types(self, keys):
        self.entered.update(filter(None, (line.strip() for line in keys.split("\r")[:-1])))
        for at in range(0, len(keys), 200):
            self.tmux("send-keys", "-H", *(f"{byte:02x}" for byte in keys[at : at + 200].encode()))

    def text(self):
        lines = self.tmux("capture-pane", "-p", "-J", "-S", "-").split("\n")
        return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"

    def has(self, screen, text):
        """Says whether a text is there, or is wrapped there; a short one is never wrapped on purpose."""
        squeezed = re.sub(r"\s+", "", text)
        return text.rstrip(" ") in screen or len(squeezed) >= 10 and squeezed in re.sub(r"\s+", "", screen)

    def shows(self, screen, wanted, last):
        lines = [line for line in screen.split("\n") if line]
        # The keys of a question may take two rows.
        end = "\n".join(lines[-2:] if last and last.startswith("[") else lines[-1:])
        # A line that was entered already stands behind an older prompt.
        free = last != PROMPT or end.rpartition(PROMPT)[2].strip().split("  ")[0] not in self.entered
        return free and all(self.has(screen, text) for text in wanted) and self.has(end, last or "")

    def until(self, wanted, last):
        end = time.monotonic() + HUNG
        while not self.shows(screen := self.text(), wanted, last):
            if time.monotonic() > end:
                raise Miss(f"no {wanted} {last or ''!r} on the screen:\n{screen}")
            time.sleep(0.05)
        return screen

    def end(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True, check=False)


def tasks_of_page():
    """Returns number -> (what is done, how)."""
    rows = re.findall(r"^\| (\d+) \| (.*?) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    return {int(number): (what, how.replace("\\|", "|")) for number, what, how in rows}


def commands(how):
    """Returns the commands of aish that a row names: `:last save`, `aish state export`."""
    quoted = re.findall(r"`([^`]+)`", how)
    return [re.split(r" [A-Z]{3,}", text)[0] for text in quoted if re.match(r"(:[a-z]|aish )", text)]


def used(case):
    """Returns what a case types and calls, as one text."""
    calls = [["aish", *words] for words in [*case.get("before", []), case.get("run", []), *case.get("after", [])]]
    calls.append(["aish", *case.get("arguments", [])])
    return "\n".join([*(key.get("type", "") for key in case.get("keys", [])), *(" ".join(words) for words in calls)])


def prepare(case, home):
    """Writes the files of a case, and returns its working folder."""
    work = home / "work"
    for folder in (work, home / ".config/aish", home / ".local/state/aish"):
        folder.mkdir(parents=True, mode=0o700)
    if "keys" in case:
        (home / ".local/state/aish/first-start.json").write_text("{}")
    for name, text in case.get("files", {}).items():
        path = pathlib.Path(os.path.normpath(work / name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    return work


def variables_of(case, options, home, url):
    variables = {
        "HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "USER": "tester",
        "PS1": "$ ", "AISH_UI_THEME": options.theme, **({"NO_COLOR": "1"} if options.no_color else {}),
    }
    if case.get("model") and not case.get("config"):
        variables |= {"OPENAI_BASE_URL": url, "OPENAI_MODEL": "scripted"}
    filled = {"{model}": url, "{aish}": str(options.folder / "aish")}
    for name, value in case.get("env", {}).items():
        for mark, text in filled.items():
            value = value.replace(mark, text)
        variables[name] = value
    return variables


def without_keys(case, options, work, variables):
    """Runs a command that is no conversation, in a terminal all the same."""
    (work.parent / "input").write_text(case.get("stdin", ""))
    line = shlex.join([str(options.folder / "aish"), *case["run"]]) + " < ../input; echo ended-$?; exec sleep 1000"
    screen = Screen(options.size, f"sh -c {shlex.quote(line)}", variables, work)
    wanted = [case.get("stdout", ""), *case.get("stdout_has", []), *case.get("stderr_has", [])]
    try:
        screen.until([*wanted, f"ended-{case.get('exit', 0)}"], None)
    finally:
        screen.end()


def with_keys(case, options, work, variables):
    words = case.get("arguments", [])
    plain = ["--plain"] if options.plain and "--plain" not in words else []
    screen = Screen(options.size, shlex.join([str(options.folder / "aish"), *plain, *words]), variables, work)
    try:
        before = ""
        for key in case["keys"]:
            keys = key.get("type", "")
            # Without keys that answer at once, an answer is a line.
            is_answer = options.plain and len(keys) == 1 and keys.isalpha() and re.search(r"\[y\]es|\[i\]nstead|plan\?", before)
            screen.types(keys + "\r" if is_answer else keys)
            before = key.get("last") or ""
            shown = screen.until(key.get("wait", []), key.get("last"))
            if there := [text for text in key.get("lacks", []) if text in shown]:
                raise Miss(f"{there} on the screen:\n{shown}")
        ended(screen)
    finally:
        screen.end()


def play(case, options, home, url):
    work = prepare(case, home)
    if case.get("config"):
        (home / ".config/aish/config.toml").write_text(case["config"].replace("{model}", url))
    variables = variables_of(case, options, home, url)

    def call(words):
        return subprocess.run([options.folder / "aish", *words], cwd=work, env=variables, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)

    for words in case.get("before", []):
        call(words)
    if "run" in case:
        without_keys(case, options, work, variables)
    if "keys" in case:
        with_keys(case, options, work, variables)
    for words in case.get("after", []):
        if (done := call(words)).returncode:
            raise Miss(f"{words}: {done.stderr}")
    for name, texts in case.get("home_has", {}).items():
        path = home / name
        content = path.read_text() if path.is_file() else None
        if content is None or any(text not in content for text in texts):
            raise Miss(f"{name} has not {texts}: {content!r}")
    if there := [name for name in case.get("home_lacks", []) if (home / name).exists()]:
        raise Miss(f"{there} is there")


def ended(screen):
    """Waits until the shell has ended, as the last key of a task tells it to."""
    end = time.monotonic() + HUNG
    while screen.tmux("list-panes", "-F", "#{pane_dead}").strip() != "1":
        if time.monotonic() > end:
            raise Miss(f"it did not end:\n{screen.text()}")
        time.sleep(0.05)


def unseen(by_number, options):
    """Returns the tasks that are not there without colour, or without keys that edit the line."""
    edits = {number for number, case in by_number.items() if any(set("\x1b\t\x12\x17\x18") & set(key.get("type", "")) for key in case.get("keys", []))}
    return (COLOUR if options.no_color else set()) | (edits | LATE | COLOUR if options.plain else set())


def with_model(case, options):
    """Plays a case beside its scripted model, whose script must be used up."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        place = pathlib.Path(place)
        script = dict(case.get("model") or {"steps": []})
        script["always"] = [*script.get("always", []), MODELS]
        (place / "script.json").write_text(json.dumps(script))
        server = subprocess.Popen([options.folder / "testkit-model-server", place / "script.json", "--until-eof"],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        url = server.stdout.readline().strip()
        try:
            (place / "home").mkdir()
            play(case, options, place / "home", url)
        finally:
            _, said = server.communicate(timeout=HUNG)
        if server.returncode:
            raise Miss(f"the model's script was not kept: {said}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("Usage: "))
    parser.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--size", type=lambda text: tuple(map(int, text.split("x"))), default=(80, 24))
    parser.add_argument("--theme", choices=["dark", "light", "mono"], default="dark")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--no-color", action="store_true")
    parser.add_argument("numbers", type=int, nargs="*")
    options = parser.parse_intermixed_args()
    page, cases = tasks_of_page(), yaml.safe_load(CASES.read_text(encoding="utf-8"))
    by_number = {int(case["name"].split()[0]): case for case in cases}
    misses = {}
    for number, (what, how) in page.items():
        case = by_number.get(number)
        if case is None or case["name"] != f"{number} {what}":
            misses[number] = "the page has it, the cases have not"
        elif unused := [command for command in commands(how) if command not in used(case)]:
            misses[number] = f"the page names {unused}, and the task does not use it"
    for number in by_number.keys() - page.keys():
        misses[number] = "the cases have it, the page has not"
    numbers = sorted(set(options.numbers or by_number) - unseen(by_number, options))
    for number in numbers:
        try:
            with_model(by_number[number], options)
        except Miss as why:
            misses[number] = str(why)
    for number in sorted(misses):
        print(f"{by_number.get(number, {}).get('name', number)}: {misses[number]}\n")
    columns, rows = options.size
    print(f"{len(page)} tasks, {len(numbers)} played at {columns}x{rows}, {len(misses)} missed: {sorted(misses)}")
    sys.exit(1 if misses else 0)


main()
