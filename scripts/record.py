#!/usr/bin/env python3
"""Records the sessions that the documentation shows: a scripted model, real keys, and the bytes that aish writes.

Usage: record.py FOLDER OUT [NAME]...
  FOLDER  where the programs `aish` and `testkit-model-server` are; aish runs as a copy in the home that is shown, /home/me or RECORD_HOME,
          which must not be there before
  OUT     where NAME.cast (asciicast 2) and NAME.svg go
  NAME    a recording of docs/recordings (NAME.json); all of them when none is named

A recording has `files` of a folder, `steps` of a scripted model (crates/aish-testkit, script files), and `keys`: what is typed,
and what the screen's new bytes must show before it goes on. Perhaps `start`, the words of the program that is started in the
place of aish, with `ready`, the end of its prompt, `home`, files of the home folder, and `programs`, which lie beside the recordings
and are started by their names. The times in the file are not those of the machine: a key takes 60 ms and an answer one second, so
that one session gives one file. Needs termtosvg and its pyte from PyPI, and for the recordings with `programs` agent-client-protocol
and mcp 2.
"""

import fcntl
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

COLUMNS, ROWS = 92, 24
KEY, PAUSE = 0.06, 1.0
HUNG = 30.0
# What a terminal is asked: where the cursor is, and what it is.
WHERE, WHAT = b"\x1b[6n", b"\x1b[c"
RECORDINGS = pathlib.Path(__file__).resolve().parent.parent / "docs/recordings"


class Session:
    """A program in a terminal, and what it wrote when."""

    def __init__(self, start, home, url):
        variables = {
            "HOME": str(home), "PATH": f"{home}/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "USER": "me",
            "OPENAI_BASE_URL": url + "/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "scripted",
        }
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(home / "site")
            os.execvpe(start[0], start, variables)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.events, self.now, self.left = [], 0.0, b""
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.emulator = pyte.ByteStream(self.screen)

    def until(self, text, after):
        """Reads until a text came and nothing more comes; all of it is one event."""
        read, deadline = b"", time.monotonic() + HUNG
        while time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.3)[0]:
                try:
                    new = os.read(self.terminal, 65536)
                except OSError:
                    break
                read += new
                *asked, rest = new.split(WHERE)
                for part in asked:
                    self.emulator.feed(part)
                    os.write(self.terminal, f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R".encode())
                self.emulator.feed(rest)
                if WHAT in new:
                    os.write(self.terminal, b"\x1b[?62c")
            elif text.encode() in read:
                break
        else:
            sys.exit(f"nothing showed {text!r}; what came: {read!r}")
        self.now += after
        shown = self.left + read
        # A character that is cut goes with the next event.
        cut = len(shown)
        while cut and len(shown) - cut < 4:
            try:
                shown[:cut].decode()
                break
            except UnicodeDecodeError:
                cut -= 1
        self.left = shown[cut:]
        self.events.append([round(self.now, 2), "o", shown[:cut].decode("utf-8", "replace")])

    def types(self, keys, shows):
        for key in keys[:-1]:
            os.write(self.terminal, key.encode())
            self.until("", KEY)
        os.write(self.terminal, keys[-1].encode())
        self.until(shows, PAUSE)

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.terminal)


def record(folder, out, name):
    wanted = json.loads((RECORDINGS / f"{name}.json").read_text())
    # The same name each time, since it is shown.
    home = pathlib.Path(os.environ.get("RECORD_HOME", "/home/me"))
    home.mkdir(mode=0o700)
    try:
        for file, text in {**wanted.get("home", {}), **{f"site/{file}": text for file, text in wanted["files"].items()}}.items():
            (home / file).parent.mkdir(parents=True, exist_ok=True)
            (home / file).write_text(text)
        # The first start says what it found, which is another matter.
        (home / "bin").mkdir()
        shutil.copy(folder / "aish", home / "bin")
        for program in wanted.get("programs", []):
            copy = home / "bin" / program.removesuffix(".py")
            copy.write_text(f"#!{sys.executable}\n{(RECORDINGS / program).read_text()}")
            copy.chmod(0o700)
        started = home / ".local/state/aish/first-start.json"
        started.parent.mkdir(parents=True, mode=0o700)
        started.write_text("{}")
        script = home / "script.json"
        script.write_text(json.dumps({"steps": wanted["steps"], "always": [
            {"expect": {"path": "/v1/models"}, "reply": {"json": {"object": "list", "data": [{"id": "scripted"}]}}}]}))
        server = subprocess.Popen([folder / "testkit-model-server", script], stdout=subprocess.PIPE, text=True)
        try:
            session = Session(wanted.get("start", ["aish"]), home, server.stdout.readline().strip())
            try:
                session.until(wanted.get("ready", "❯"), 0.5)
                for keys, shows in wanted["keys"]:
                    session.types(keys, shows)
            finally:
                session.end()
        finally:
            server.kill()
            server.wait()
    finally:
        shutil.rmtree(home)
    head = {"version": 2, "width": COLUMNS, "height": ROWS, "title": wanted["title"]}
    lines = [json.dumps(part, ensure_ascii=False) for part in [head, *session.events, [round(session.now + 3, 2), "o", ""]]]
    cast = out / f"{name}.cast"
    cast.write_text("\n".join(lines) + "\n")
    picture = out / f"{name}.svg"
    subprocess.run([sys.executable, "-m", "termtosvg", "render", cast, picture, "-t", "window_frame"], check=True)
    print(f"{cast}: {len(session.events)} events, {session.now:.0f} s")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    folder, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or sorted(path.stem for path in RECORDINGS.glob("*.json")):
        record(folder, out, name)


main()
