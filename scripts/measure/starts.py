#!/usr/bin/env python3
"""Measures how soon the programs are of use after they were started, and how large they are; prints a Markdown table.

Usage: starts.py FOLDER [ROUNDS]
  FOLDER  where the programs are (bin of an unpacked archive, or target/release); without climax only aish is measured
  ROUNDS  how often a thing is measured (100); in each round all take turns with a bare spawn of `true`

All are whole processes with a home of their own. "To the request" is from the spawn to the first bytes on a socket, where a
scripted server answers with one word. "Up" of climax is from the spawn to the first answer of `climax_search` with one config.
The load of the machine before and after is printed too: figures of a busy machine say what it was, not what the programs can.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "measure", "version": "1"}}
ANSWER = 'data: {"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


class Model:
    """A server that notes when a question came, and answers with one word."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"
        self.came = 0.0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        request = connection.recv(65536)
        came = time.perf_counter()
        while b"\r\n\r\n" not in request:
            request += connection.recv(65536)
        head, _, body = request.partition(b"\r\n\r\n")
        if head.startswith(b"POST"):
            self.came = came
            length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
            while len(body) < length:
                body += connection.recv(65536)
            kind, text = "text/event-stream", ANSWER
        else:
            kind, text = "application/json", '{"data":[{"id":"m"}]}'
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}".encode())
        connection.close()


def whole(command, environment, folder, text=""):
    """Milliseconds from the spawn to the end."""
    began = time.perf_counter()
    ended = subprocess.run(command, input=text, text=True, capture_output=True, env=environment, cwd=folder, check=False)
    spent = (time.perf_counter() - began) * 1000
    if ended.returncode not in (0, 1):
        raise SystemExit(f"{command} ended with {ended.returncode}: {ended.stderr}")
    return spent


def asked(program, environment, folder, model):
    """Milliseconds from the spawn to the request."""
    began = time.perf_counter()
    ended = subprocess.run([program, "ask", "--quiet", "well?"], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, cwd=folder, check=False)
    if "yes" not in ended.stdout:
        raise SystemExit(f"aish ask: {ended.stdout}{ended.stderr}")
    return (model.came - began) * 1000


def up(program, environment, folder):
    """Milliseconds from the spawn to the first answer of climax."""
    began = time.perf_counter()
    server = subprocess.Popen([program, "run", "git"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, cwd=folder)
    call = {"name": "climax_search", "arguments": {"query": "commit"}}
    for message in (
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
    while True:
        message = json.loads(server.stdout.readline())
        if message.get("id") == 2:
            break
    spent = (time.perf_counter() - began) * 1000
    if "commit" not in json.dumps(message["result"]):
        raise SystemExit(f"climax found nothing: {message}")
    server.stdin.close()
    server.wait()
    return spent


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    folder, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
    aish, climax = os.path.join(folder, "aish"), os.path.join(folder, "climax")
    model = Model()
    with tempfile.TemporaryDirectory() as home:
        quiet = {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "dumb"}
        asking = {**quiet, "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"}
        payload = json.dumps({
            "session_id": "s", "cwd": home, "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": "git status --short"}, "tool_use_id": "t", "permission_mode": "default",
        })
        measured = {
            "a bare spawn (`true`)": lambda: whole(["/bin/true"], quiet, home),
            "`aish --version`": lambda: whole([aish, "--version"], quiet, home),
            "`aish check 'ls -la'`": lambda: whole([aish, "check", "ls -la"], quiet, home),
            "`aish hook run claude PreToolUse`": lambda: whole([aish, "hook", "run", "claude", "PreToolUse"], quiet, home, payload),
            "`aish ask`, to the request": lambda: asked(aish, asking, home, model),
            "`climax --version`": lambda: whole([climax, "--version"], quiet, home),
            "`climax run git`, up": lambda: up(climax, quiet, home),
        }
        if not os.path.exists(climax):
            measured = {name: measure for name, measure in measured.items() if "climax" not in name}
        times = {name: [] for name in measured}
        before = os.getloadavg()[0]
        for turn in range(rounds + 3):
            for name, measure in measured.items():
                spent = measure()
                # The first rounds read the files from the disk.
                if turn >= 3:
                    times[name].append(spent)
        print(f"{rounds} rounds; load {before:.1f} before, {os.getloadavg()[0]:.1f} after\n")
        print("| what | least | median | 95th percentile |\n|---|---|---|---|")
        for name, values in times.items():
            late = statistics.quantiles(values, n=20)[-1]
            print(f"| {name} | {min(values):.1f} ms | {statistics.median(values):.1f} ms | {late:.1f} ms |")
    print("\n| program | bytes |\n|---|---|")
    for name in ("aish", "climax", "aish-model"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            print(f"| {name} | {os.path.getsize(path):,} |")


main()
