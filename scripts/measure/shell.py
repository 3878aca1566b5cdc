#!/usr/bin/env python3
"""Measures the shell beside bash, curl and aichat, and prints a Markdown table.

Usage: shell.py --aish PATH [--before PATH] [--aichat PATH] [--server PATH] [--rounds N] [--most MB]
  --aish    the program that is measured (target/release/aish)
  --before  another build of it, measured beside it in the same run
  --aichat  the program aichat
  --server  the program testkit-model-server; without it the one beside aish
  --rounds  how often a thing is measured; the median counts (21)
  --most    ends with 1 where aish takes more memory than so many megabytes at the prompt, or after work (20)

In every round the programs take turns, so that a ratio holds on a busy machine, too. "Prompt" is from the spawn to the first
prompt on a pseudo-terminal that answers when it is asked for the cursor. PSS is that of the program alone, half a second
later; the live bash of aish is counted apart. "After work" is behind ten questions, 100,000 lines of output, a completion and a
search in the history; the peak is the largest resident size until then, with what it shares. "Key" is from a key press to its character on the terminal. "ls" is from Enter to
the next prompt. "To the request" is from the spawn to the first byte of the request on a socket. CPU is user and system time.
Each program is measured as a fresh copy of its file, as an installer makes it: a linker's own file lies in memory in single
pages, and starts half a millisecond later than its copy.
Needs Linux (/proc), bash and curl.
"""

import argparse
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

# What a terminal is asked, and what it answers: the cursor's place, what it is, and its colours.
ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62c",
    b"\x1b]10;?\x07": b"\x1b]10;rgb:ffff/ffff/ffff\x07",
    b"\x1b]11;?\x07": b"\x1b]11;rgb:0000/0000/0000\x07",
}
LIMIT = 20
# What stands behind the prompt of aish.
MARK = "❯".encode()


class Terminal:
    """A program on a pseudo-terminal of 80 columns and 24 rows."""

    def __init__(self, command, environment, folder):
        self.seen = b""
        self.began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(command[0], command, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def read(self):
        piece = os.read(self.fd, 65536)
        for asked, answer in ANSWERS.items():
            os.write(self.fd, answer * piece.count(asked))
        return piece

    def until(self, text):
        """Reads until a text came, and returns the moment; what came behind it counts for the next time."""
        end = time.perf_counter() + LIMIT
        while text not in self.seen:
            if not select.select([self.fd], [], [], max(0, end - time.perf_counter()))[0]:
                raise SystemExit(f"no {text!r}: {self.seen[-2000:]!r}")
            self.seen += self.read()
        self.seen = self.seen.partition(text)[2]
        return time.perf_counter()

    def quiet(self, seconds):
        """Reads on until nothing has come for so long."""
        while select.select([self.fd], [], [], seconds)[0]:
            self.read()
        self.seen = b""

    def types(self, keys):
        os.write(self.fd, keys)
        return time.perf_counter()

    def pss(self):
        return kilobytes(self.pid)

    def children(self):
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            listed = file.read().split()
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/children", encoding="ascii") as file:
                listed += file.read().split()
        return sum(kilobytes(child) for child in set(listed))

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def peak(pid):
    """The largest resident size so far, in kB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


def kilobytes(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:"))


class OneAnswer:
    """A server that notes when a request came, and answers with one token."""

    BODY = (
        b'data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.socket.getsockname()[1]
        self.came = 0.0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.socket.accept()
            request = connection.recv(65536)
            if b"POST" in request:
                self.came = time.perf_counter()
            head, _, body = request.partition(b"\r\n\r\n")
            length = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
            while length and len(body) < length[0]:
                body += connection.recv(65536)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
                b"Content-Length: %d\r\n\r\n" % len(self.BODY) + self.BODY
            )
            connection.close()


def spent(command, environment, folder):
    """Runs a program to its end; returns wall and CPU seconds."""
    began = time.perf_counter()
    child = subprocess.Popen(
        command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        raise SystemExit(f"{command[0]} ended with {status}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def aichat_home(folder, url):
    """Writes a configuration that asks the scripted server."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.yaml"), "w", encoding="utf-8") as file:
        file.write(
            "model: local:scripted\nclients:\n- type: openai-compatible\n  name: local\n"
            f"  api_base: {url}/v1\n  api_key: none\n  models:\n  - name: scripted\n"
        )
    return {"AICHAT_CONFIG_DIR": folder}


def prompts(programs, folder, rounds):
    """Seconds to the first prompt of each of `(command, environment, mark)`; who comes first changes from round to round."""
    times = [[] for _ in programs]
    for number in range(rounds):
        order = list(enumerate(programs))
        for at, (command, environment, mark) in order if number % 2 else reversed(order):
            person = Terminal(command, environment, folder)
            times[at].append(person.until(mark) - person.began)
            person.quiet(0.2)
            person.end()
    return times


def megabytes(values):
    return statistics.median(values) / 1000


def milliseconds(values):
    return "%.1f" % (statistics.median(values) * 1000)


def at_the_prompt(command, environment, folder):
    """What one start shows: kB of the program and of its shell, and seconds for keys and for `ls`."""
    person = Terminal(command, environment, folder)
    person.until(MARK)
    person.quiet(0.5)
    found = {"memory": [person.pss()], "shell": [person.children()], "first": [], "key": [], "ls": []}
    for key in (b"Q", b"W", b"Y"):
        # What is drawn ends in an escape sequence; an echo would not.
        typed = person.types(key)
        found["first" if key == b"Q" else "key"].append(person.until(key + b"\x1b") - typed)
        person.quiet(0.2)
    person.types(b"\x15")
    person.quiet(0.2)
    for line in (b"true", b"ls", b"ls"):
        person.types(line)
        person.quiet(0.1)
        typed = person.types(b"\r")
        if line == b"ls":
            person.until(b"zz-last")
            found["ls"].append(person.until(MARK) - typed)
        person.quiet(0.2)
    person.end()
    return found


def after_work(command, environment, folder):
    """What it takes after ten questions, much output, a completion and a search: kB now and at most."""
    person = Terminal(command, environment, folder)
    person.until(MARK)
    for number in range(10):
        person.types(b"?what is %d\r" % number)
        person.until(b"hi")
        person.quiet(0.3)
    for keys, shows in ((b"seq 100000\r", b"100000\r\n"), (b"cat zz-l\t", b"zz-last"), (b"\x03", MARK), (b"\x12seq", b"seq"), (b"\x03", b"\x1b")):
        person.types(keys)
        person.until(shows)
        person.quiet(0.3)
    person.quiet(1.0)
    found = {"worked": [person.pss()], "peak": [peak(person.pid)]}
    person.end()
    return found


def shells(programs, environment, folder, rounds):
    """Measures each build of aish in turn; returns a table of lists for each."""
    tables = [{} for _ in programs]
    for number in range(rounds):
        order = list(zip(tables, programs))
        for table, program in order if number % 2 else reversed(order):
            found = at_the_prompt([program], environment, folder)
            if number < 3:
                found |= after_work([program], environment, folder)
            for name, values in found.items():
                table.setdefault(name, []).extend(values)
    return tables


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("Usage: "))
    parser.add_argument("--aish", required=True)
    parser.add_argument("--before")
    parser.add_argument("--aichat")
    parser.add_argument("--server")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--most", type=float, default=20.0)
    options = parser.parse_args()
    for name in ("aish", "before", "aichat", "server"):
        path = getattr(options, name)
        setattr(options, name, os.path.abspath(path) if path else None)
    options.server = options.server or os.path.join(os.path.dirname(options.aish), "testkit-model-server")
    for path in (options.aish, options.before, options.aichat, options.server):
        if path and not os.access(path, os.X_OK):
            parser.error(f"{path} is no program")
    return options


def copied(path, folder):
    """Copies a program into a folder of its own below a folder, and returns where the copy is."""
    if not path:
        return None
    return shutil.copy2(path, tempfile.mkdtemp(dir=folder))


def main():
    options = arguments()
    rounds, rows = options.rounds, []
    with tempfile.TemporaryDirectory() as home:
        aish, previous, aichat = (copied(path, home) for path in (options.aish, options.before, options.aichat))
        work = os.path.join(home, "work")
        os.mkdir(work)
        for name in ("one", "two", "zz-last"):
            open(os.path.join(work, name), "w", encoding="ascii").close()
        base = {"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        one = OneAnswer()
        asking = {**base, "OPENAI_BASE_URL": one.url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": "scripted"}
        peer = {**base, **aichat_home(os.path.join(home, "aichat"), one.url)} if aichat else None
        bash = {**base, "PS1": "READY> "}
        builds = [aish] + ([previous] if previous else [])

        programs = [([build], asking, MARK) for build in builds] + ([([aichat], peer, b"m>")] if aichat else [])
        ready = prompts(programs, work, 2 * rounds)
        tables = shells(builds, asking, work, rounds)
        plain, their_memory = [], []
        for _ in range(rounds):
            other = Terminal([shutil.which("bash"), "--norc", "-i"], bash, work)
            other.until(b"READY> ")
            for _ in range(2):
                other.types(b"ls")
                other.quiet(0.1)
                typed = other.types(b"\r")
                other.until(b"zz-last")
                plain.append(other.until(b"READY> ") - typed)
            other.end()
            if aichat:
                other = Terminal([aichat], peer, work)
                other.until(b"m>")
                other.quiet(0.5)
                their_memory.append(other.pss())
                other.end()
        ours = tables[0]
        before = tables[1] if previous else None

        def row(what, name, write, against="-"):
            beside = [write(before[name]) + " (before)"] if before else []
            rows.append((what, write(ours[name]), "; ".join(beside + ([against] if against != "-" else [])) or "-"))

        ours["ready"] = ready[0]
        if before:
            before["ready"] = ready[1]
        in_ms, in_mb = (lambda values: milliseconds(values) + " ms"), (lambda values: "%.1f MB" % megabytes(values))
        row("prompt ready", "ready", in_ms, in_ms(ready[-1]) + " (aichat)" if aichat else "-")
        row("PSS at the prompt", "memory", in_mb, in_mb(their_memory) + " (aichat)" if aichat else "-")
        row("PSS of its bash there", "shell", in_mb)
        row("PSS after work", "worked", in_mb)
        row("peak of the resident size until then", "peak", in_mb)
        row("the first key press drawn", "first", in_ms)
        row("a key press drawn", "key", in_ms)
        row("`ls`, Enter to prompt", "ls", in_ms, in_ms(plain) + " (bash)")

        asked, theirs = [], []
        for _ in range(rounds):
            began = time.perf_counter()
            spent([aish, "ask", "-q", "hi"], asking, work)
            asked.append(one.came - began)
            if aichat:
                began = time.perf_counter()
                spent([aichat, "hi"], peer, work)
                theirs.append(one.came - began)
        rows.append(("spawn to the request", milliseconds(asked) + " ms", milliseconds(theirs) + " ms (aichat)" if aichat else "-"))

        for how, flags in (("each in a write of its own", ["--apart"]), ("all in one write", [])):
            server = subprocess.Popen(
                [options.server, "--tokens", "2000", *flags], stdout=subprocess.PIPE, text=True
            )
            try:
                url = server.stdout.readline().strip()
                asking["OPENAI_BASE_URL"] = url
                body = json.dumps({"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "hi"}]})
                curl = [shutil.which("curl"), "-sN", "-H", "content-type: application/json", "-d", body]
                runs = [("curl", [*curl, url + "/v1/chat/completions"], base), ("aish", [aish, "ask", "-q", "hi"], asking)]
                if aichat:
                    aichat_home(os.path.join(home, "aichat"), url)
                    runs.append(("aichat", [aichat, "hi"], peer))
                wall, cpu = {}, {}
                for _ in range(rounds):
                    for name, command, environment in runs:
                        took, used = spent(command, environment, work)
                        wall.setdefault(name, []).append(took)
                        cpu.setdefault(name, []).append(used)
            finally:
                server.kill()
                server.wait()
            floor = statistics.median(wall["curl"])
            figures = {
                name: f"{milliseconds(wall[name])} ms ({statistics.median(wall[name]) / floor:.2f}x), CPU {milliseconds(cpu[name])} ms"
                for name in wall
            }
            against = "; ".join(f"{name} {figures[name]}" for name in figures if name != "aish")
            rows.append((f"2,000 tokens at full speed, {how}", figures["aish"], against))
    print("| what | aish | against |")
    print("|---|---|---|")
    for cells in rows:
        print("| " + " | ".join(cells) + " |")
    most = max(megabytes(ours["memory"]), megabytes(ours["worked"]))
    if most > options.most:
        raise SystemExit(f"{most:.1f} MB are more than {options.most:g}")


main()
