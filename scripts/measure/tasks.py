"""Does 20 tasks in `approval.mode = "auto"` with a scripted model: `python3 scripts/measure/tasks.py AISH RUST PYTHON NODE C`.

The last four are repositories: servo/rust-fnv, martinblech/xmltodict, npm/node-semver and DaveGamble/cJSON, or others for which
tasks/NAME.json has lines. Each is cloned; the five tasks of a project are one session at a terminal. Every question is answered
with yes and counted, and each task must show what it should. Then the whole session is undone, and what is different from the clone is
told. The exit code is 1 when a task went wrong, when there were more than two questions, or when something is different.
"""

import http.server
import json
import os
import pty
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HUNG = 300.0
QUESTION = re.compile(rb"\[y\]es|\[k\]eep")


class Model(http.server.BaseHTTPRequestHandler):
    """Says the next of its replies to every request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(b'{"object": "list", "data": []}', "application/json")

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        text = self.server.replies.pop(0) if self.server.replies else "There is nothing left to say."
        delta = {"choices": [{"index": 0, "delta": {"content": text}}]}
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        body = "".join(f"data: {json.dumps(one)}\n\n" for one in (delta, end)) + "data: [DONE]\n\n"
        self.answer(body.encode(), "text/event-stream")

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def picture(folder):
    """Returns every path with its kind, mode and content."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            meta = os.lstat(path)
            content = None
            if stat.S_ISLNK(meta.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(meta.st_mode):
                with open(path, "rb") as file:
                    content = file.read()
            found[os.path.relpath(path, folder)] = (meta.st_mode, content)
    return found


class Terminal:
    """A session of aish in a pseudo-terminal."""

    def __init__(self, words, cwd, env):
        self.process, self.fd = pty.fork()
        if self.process == 0:
            os.chdir(cwd)
            os.execve(words[0], words, env)
        self.unread, self.all, self.questions = b"", b"", []

    def read(self, wait):
        if select.select([self.fd], [], [], wait)[0]:
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                return False
            self.unread += piece
            self.all += piece
            # What a terminal is asked about itself.
            if b"\x1b[6n" in piece:
                os.write(self.fd, b"\x1b[1;1R")
            if b"\x1b[c" in piece:
                os.write(self.fd, b"\x1b[?62c")
            return True
        return False

    def type(self, text):
        self.unread = b""
        os.write(self.fd, text.encode())

    def until(self, wanted):
        """Answers questions until something is shown; returns what was shown."""
        end = time.monotonic() + HUNG
        while time.monotonic() < end:
            self.read(0.2)
            if wanted in self.unread:
                while self.read(0.3):
                    pass
                return self.unread
            if QUESTION.search(self.unread):
                while self.read(0.2):
                    pass
                shown = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", self.unread).decode(errors="replace")
                self.questions.append(shown[-1500:])
                self.type("k\r" if "[k]eep" in shown.rsplit("[y]es", 1)[-1] else "y\r")
                time.sleep(0.3)
                self.read(0.2)
                self.unread = b""
        raise TimeoutError(f"{wanted!r} was not shown; at the end stood\n{self.unread[-3000:].decode(errors='replace')}")


def project(aish, kind, source, base):
    with open(os.path.join(HERE, "tasks", f"{kind}.json"), encoding="utf-8") as file:
        tasks = json.load(file)
    own = os.path.join(base, kind)
    work = os.path.join(own, "work")
    os.makedirs(os.path.join(own, "config", "aish"))
    subprocess.run(["git", "clone", "-q", source, work], check=True)
    replies = []
    for number, task in enumerate(tasks, 1):
        replies += [f"CMD: {line}" for line in task["lines"]] + [f"Task {number} is over."]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.replies = replies
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(os.path.join(own, "config", "aish", "config.toml"), "w", encoding="utf-8") as file:
        file.write('[approval]\nmode = "auto"\n[undo]\nmax_bytes = 4294967296\n')
    before = picture(work)
    env = {
        "HOME": os.path.expanduser("~"), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8",
        "XDG_CONFIG_HOME": os.path.join(own, "config"), "XDG_STATE_HOME": os.path.join(own, "state"),
        "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org", "SHELL": "/bin/bash",
        "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_address[1]}/v1", "OPENAI_API_KEY": "none",
    }
    terminal = Terminal([aish], work, env)
    try:
        terminal.until("❯".encode())
        per_task, failed = [], []
        for number, task in enumerate(tasks, 1):
            asked = len(terminal.questions)
            terminal.type(f"?{task['task']}\r")
            shown = terminal.until(f"Task {number} is over.".encode())
            per_task.append((task["task"], len(terminal.questions) - asked))
            shown_plainly = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]|\r", b"", shown).decode(errors="replace")
            failed += [f"{task['task']}: {text!r} was not shown" for text in task["shows"] if text not in shown_plainly]
            if os.environ.get("SHOW"):
                sys.stderr.buffer.write(shown)
        changed = picture(work)
        for _ in range(sum(len(task["lines"]) for task in tasks) + 1):
            terminal.type(":undo\r")
            shown = b""
            end = time.monotonic() + 60
            while b"undone" not in shown and b"there is nothing to undo" not in shown and time.monotonic() < end:
                terminal.read(0.2)
                shown = terminal.unread
            while terminal.read(0.3):
                shown = terminal.unread
            if os.environ.get("SHOW"):
                sys.stderr.buffer.write(shown)
            if b"there is nothing to undo" in shown:
                break
        after = picture(work)
    finally:
        os.kill(terminal.process, signal.SIGTERM)
        os.waitpid(terminal.process, 0)
        server.shutdown()
    different = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    return per_task, failed, terminal.questions, len([p for p in changed if changed[p] != before.get(p)]), different


def main():
    aish = os.path.abspath(sys.argv[1])
    asked = wrong = 0
    base = tempfile.mkdtemp(dir=os.environ.get("CONFINE_FOLDER", os.path.expanduser("~")))
    try:
        for kind, source in zip(("rust", "python", "node", "c"), sys.argv[2:6]):
            per_task, failed, questions, changed, different = project(aish, kind, os.path.abspath(source), base)
            for task, count in per_task:
                print(f"{kind}\t{count}\t{task}")
            for question in questions:
                print("  asked: " + " | ".join(line.strip() for line in question.splitlines() if line.strip())[-400:])
            asked += len(questions)
            wrong += len(different) + len(failed)
            for line in failed:
                print(f"  {line}")
            print(f"{kind}: {changed} paths were changed; after undo {len(different)} differ {different[:8]}")
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"{asked} questions in all; {wrong} tasks or paths are wrong")
    return 1 if wrong or asked > 2 else 0


if __name__ == "__main__":
    sys.exit(main())
