#!/usr/bin/env python3
"""Measures climax beside climax-mcp 0.5.0 and a bare spawn, and prints a Markdown table.

Usage: climax.py FOLDER PEER_PYTHON [ROUNDS]
  FOLDER       where the program `climax` is (target/release)
  PEER_PYTHON  the Python of tests/requirements-peer.txt (./test makes target/tests/peer/bin/python)
  ROUNDS       how often a thing is measured; the median counts (20)

All processes are whole: started here, spoken to over their standard streams, measured from the spawn on. In every round the
two programs and the bare spawn take turns, so that the ratio holds on a busy machine, too. "Up" is from the spawn to the
first correct answer of `climax_search`. Memory is PSS and RSS after that answer. Needs Linux (/proc).
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "measure", "version": "1"}}


class Server:
    """One server over its standard streams."""

    def __init__(self, command, home):
        self.began = time.perf_counter()
        environment = {**os.environ, "HOME": home, "XDG_STATE_HOME": os.path.join(home, "state")}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        )
        self.number = 0
        self.request("initialize", HELLO)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message["result"]

    def tool(self, name, arguments):
        return self.request("tools/call", {"name": name, "arguments": arguments})["content"][0]["text"]

    def search(self, query, expected):
        found = json.loads(self.tool("climax_search", {"query": query}))["results"]
        names = [tool["tool_name"] for tool in found]
        if expected not in names:
            raise SystemExit(f"{query!r} found {names}, not {expected}")

    def memory(self):
        fields = {}
        for line in open(f"/proc/{self.process.pid}/smaps_rollup", encoding="utf-8"):
            words = line.split()
            if words[0] in ("Pss:", "Rss:"):
                fields[words[0]] = int(words[1]) / 1024
        peak = [line for line in open(f"/proc/{self.process.pid}/status", encoding="utf-8") if line.startswith("VmHWM")]
        return fields["Pss:"], fields["Rss:"], int(peak[0].split()[1]) / 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def up(command, home, query, expected):
    """Milliseconds until the first correct answer, and the memory then."""
    server = Server(command, home)
    server.search(query, expected)
    milliseconds = (time.perf_counter() - server.began) * 1000
    memory = server.memory()
    server.close()
    return milliseconds, memory


def spawn(words):
    began = time.perf_counter()
    subprocess.run(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def one_config(folder):
    path = os.path.join(folder, "one.yaml")
    with open(os.path.join(folder, "pour.sh"), "w", encoding="utf-8") as file:
        file.write("head -c 50000000 /dev/zero | tr '\\0' x\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write("name: one\ncommand: env\ncategory: test\ntools:\n")
        file.write("  - {name: say_hello, description: Say hello, command: echo hello}\n")
        file.write("  - {name: say_nothing, description: Say nothing at all, command: echo}\n")
        file.write(f"  - {{name: pour, description: Write 50 MB, command: sh {folder}/pour.sh, timeout: 120}}\n")
    return path


def many_configs(folder):
    """5,000 tools in 200 files, of the size that tools have: four arguments with descriptions."""
    os.makedirs(folder)
    verbs = ["list", "create", "delete", "update", "start"]
    nouns = ["instance", "volume", "network", "policy", "snapshot"]
    for number in range(200):
        with open(os.path.join(folder, f"cli{number:03}.yaml"), "w", encoding="utf-8") as file:
            file.write(f"name: cli{number}-tools\ndescription: Tools of the program {number}\ncommand: echo\ncategory: c{number % 10}\ntags: [a, b]\ntools:\n")
            for verb in verbs:
                for noun in nouns:
                    file.write(f"  - name: cli{number}_{verb}_{noun}\n    description: {verb.capitalize()} one {noun} or several of the program {number}\n    command: {verb} {noun}\n    args:\n")
                    for index, kind in enumerate(["string", "integer", "boolean", "string"]):
                        file.write(f"      - name: option{index}\n        type: {kind}\n        description: What the option {index} of {verb} changes\n        flag: --option{index}\n")


def row(name, ours, theirs, bare=None):
    cells = [name, f"{ours:.2f}", f"{theirs:.2f}" if theirs else "", f"{theirs / ours:.1f}" if theirs else ""]
    cells += [f"{bare:.2f}" if bare else "", f"{ours / bare:.2f}" if bare else ""]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    ours = os.path.abspath(os.path.join(sys.argv[1], "climax"))
    theirs = os.path.join(os.path.dirname(os.path.abspath(sys.argv[2])), "climax")
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    median = statistics.median
    print("| what | climax | climax-mcp 0.5.0 | times | bare spawn | to the spawn |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        os.makedirs(home)
        one = one_config(folder)
        times = {ours: [], theirs: []}
        memory = {ours: [], theirs: []}
        bare = []
        for _ in range(rounds):
            for program in (ours, theirs):
                milliseconds, used = up([program, "run", "--config", one], home, "hello", "say_hello")
                times[program].append(milliseconds)
                memory[program].append(used)
            bare.append(spawn(["/bin/true"]))
        row("start with one config, ms", median(times[ours]), median(times[theirs]), median(bare))
        for at, name in enumerate(["PSS", "RSS"]):
            row(f"{name} after it, MB", *(median(used[at] for used in memory[program]) for program in (ours, theirs)))

        servers = {program: Server([program, "run", "--config", one], home) for program in (ours, theirs)}
        times = {ours: [], theirs: []}
        bare = []
        for _ in range(rounds * 5):
            for program, server in servers.items():
                began = time.perf_counter()
                text = server.tool("climax_call", {"tool_name": "say_hello"})
                times[program].append((time.perf_counter() - began) * 1000)
                assert text == "hello", text
            bare.append(spawn(["env", "echo", "hello"]))
        row("a call of echo, ms", median(times[ours]), median(times[theirs]), median(bare))

        for program, server in servers.items():
            began = time.perf_counter()
            server.tool("climax_call", {"tool_name": "pour"})
            times[program] = (time.perf_counter() - began) * 1000
            memory[program] = server.memory()[2]
            server.close()
        row("50 MB of output, ms", times[ours], times[theirs])
        row("peak RSS of it, MB", memory[ours], memory[theirs])

        many = os.path.join(folder, "many")
        many_configs(many)
        files = [word for name in sorted(os.listdir(many)) for word in ("--config", os.path.join(many, name))]
        times = {ours: [], theirs: []}
        for number in range(max(3, rounds // 4)):
            for program in (ours, theirs):
                if program == theirs and number >= 3:
                    continue
                milliseconds, used = up([program, "run", *files], home, "cli77_create_volume", "cli77_create_volume")
                times[program].append(milliseconds)
                memory[program] = used[1]
        row("5,000 tools in 200 files up, ms", median(times[ours]), median(times[theirs]))
        row("RSS of it, MB", memory[ours], memory[theirs])


if __name__ == "__main__":
    main()
