#!/usr/bin/env python3
"""Times how long aish takes to show its prompt: with no MCP server, and with ten, of which three are dead and two never
answer. Usage: scripts/measure/servers.py FOLDER [ROUNDS]; FOLDER holds the binary `aish`. Prints a Markdown table.

The rounds of both take turns, so that a busy machine is busy for both. The servers are this script's own."""

import json
import os
import pty
import select
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time

PROMPT = "❯".encode()


class Server(threading.Thread):
    """An MCP server over HTTP that answers with two tools, or takes connections and says nothing."""

    def __init__(self, answers: bool):
        super().__init__(daemon=True)
        self.answers = answers
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/mcp"
        self.held = []
        self.start()

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            if self.answers:
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()
            else:
                self.held.append(connection)

    def serve(self, connection):
        stream = connection.makefile("rwb")
        while line := stream.readline():
            length = 0
            verb = line.split()[0]
            while (header := stream.readline().strip().lower()):
                if header.startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
            message = json.loads(stream.read(length) or b"null")
            status, body = self.answer(verb, message)
            stream.write(f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode())
            stream.write(body)
            stream.flush()

    @staticmethod
    def answer(verb, message):
        if verb != b"POST":
            return "405 Not Allowed", b""
        if "id" not in message:
            return "202 Accepted", b""
        tool = {"description": "A tool", "inputSchema": {"type": "object"}}
        results = {
            "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}},
            "tools/list": {"tools": [{"name": "a", **tool}, {"name": "b", **tool}]},
        }
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] in results:
            answer["result"] = results[message["method"]]
        else:
            answer["error"] = {"code": -32601, "message": "Method not found"}
        return "200 OK", json.dumps(answer).encode()


def home(config: str) -> str:
    folder = tempfile.mkdtemp()
    os.makedirs(f"{folder}/.config/aish")
    with open(f"{folder}/.config/aish/config.toml", "w", encoding="utf-8") as file:
        file.write("[models.local]\nprovider = \"openai\"\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"none\"\n" + config)
    return folder


def until_prompt(program: str, folder: str) -> float:
    """Milliseconds from the start of the program to its first prompt."""
    started = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        variables = {"HOME": folder, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "USER": "tester"}
        os.execve(program, [program, "--norc"], variables)
    seen = b""
    try:
        while PROMPT not in seen:
            ready, _, _ = select.select([terminal], [], [], 30)
            if not ready:
                sys.exit(f"no prompt within 30 s: {seen!r}")
            read = os.read(terminal, 65536)
            if b"\x1b[6n" in read:
                os.write(terminal, b"\x1b[1;1R")
            seen += read
        return (time.perf_counter() - started) * 1000
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(os.path.join(sys.argv[1], "aish"))
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    urls = [Server(True).url for _ in range(5)]
    urls += [f"http://127.0.0.1:{port}/mcp" for port in (9, 10, 11)]
    urls += [Server(False).url]
    config = "".join(f"[mcp.servers.s{at}]\nurl = \"{url}\"\n" for at, url in enumerate(urls))
    config += "[mcp.servers.s9]\ncommand = \"sleep\"\nargs = [\"1000\"]\n"
    homes = {"no server": home(""), "10 servers, 3 dead, 2 silent": home(config)}
    times = {name: [] for name in homes}
    for _ in range(rounds):
        for name, folder in homes.items():
            times[name].append(until_prompt(program, folder))
    floor = statistics.median(times["no server"])
    print("| servers | prompt, median ms | 95th percentile ms | against none |\n|---|---:|---:|---:|")
    for name, values in times.items():
        high = sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]
        print(f"| {name} | {statistics.median(values):.1f} | {high:.1f} | {statistics.median(values) / floor:.2f} |")


main()
