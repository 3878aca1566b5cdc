#!/usr/bin/env python3
"""Measures climax_search at 5,000, 17,000 and 100,000 tools, and prints a Markdown table.

Usage: search.py FOLDER [FIG] [COUNT]
  FOLDER  where the program `climax` is (target/release)
  FIG     the folder of the npm package @withfig/autocomplete; 17,000 of its sub-commands are the tools then, and six times
          over, under other names, they are 100,000. Without it all tools are generated.
  COUNT   how many requests are timed (500)

The whole process over its standard streams: the time from the write of a request to its whole answer, the pipes and this
program's reading included; a `ping` beside it shows what of that is no search. CPU is the time that the server ran for a
request, which other programs on the machine change less. The first 50 requests are not counted. "Up" is from the spawn to the
first answer of a search; "again" is a second start, which finds what the first one kept.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from climax import Server

VERBS = ["list", "create", "delete", "update", "start", "stop", "describe", "copy", "export", "import", "tag", "restore"]
NOUNS = ["instance", "volume", "network", "policy", "snapshot", "user", "role", "bucket", "queue", "topic", "image", "cluster"]
PLACES = ["project", "region", "account", "folder", "team", "zone", "vault", "tenant", "branch", "stage", "host", "fleet"]
REQUESTS = [
    "container logs", "open a pull request", "upload a file to s3", "how do I list all running instances",
    "delete a snapshot of my database", "which users may restart the service", "opne the network policy", "create",
    "show the last ten commits of main", "install a package globally", "convert a video to mp4", "what is using port 8080",
    "compress this folder", "run the unit tests", "rename a branch", "list", "deploy to production", "zzz nothing like this",
    "get the value of a secret", "restart the web server on host-17", "undo my last commit", "find large files below /var",
    "describe the subnets in eu-west-1", "copy an image to another region", "who is logged in", "stop all of them",
    "format the source code", "add a user to a group", "network", "print the status of the deployment as json",
]


def generate(folder, tools):
    """Files of 25 tools with four arguments each; names, nouns and descriptions differ."""
    os.makedirs(folder)
    dice = random.Random(7)
    for number in range(tools // 25):
        with open(os.path.join(folder, f"cli{number:04}.yaml"), "w", encoding="utf-8") as file:
            file.write(f"name: cli{number}\ndescription: Tools of the program {number}\ncommand: echo\ncategory: c{number % 40}\ntags: [a, b]\ntools:\n")
            for at in range(25):
                verb, noun, place = dice.choice(VERBS), dice.choice(NOUNS), dice.choice(PLACES)
                file.write(f"  - name: cli{number}_{verb}_{noun}_{at}\n    description: {verb.capitalize()} the {noun} of a {place} with the number {at}\n    command: {verb} {noun}\n    args:\n")
                for index, kind in enumerate(["string", "integer", "boolean", "string"]):
                    file.write(f"      - {{name: option{index}, type: {kind}, description: 'What the option {index} of {verb} changes', flag: --option{index}}}\n")


def import_fig(program, package, folder):
    subprocess.run([program, "import-fig", package, "--output", folder], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def choose(source, folder, tools):
    """Copies configs until there are as many tools; the largest ones, of one provider each, would crowd the others out."""
    os.makedirs(folder)
    found = 0
    for name in sorted(os.listdir(source), key=lambda name: os.path.getsize(os.path.join(source, name))):
        with open(os.path.join(source, name), encoding="utf-8") as file:
            text = file.read()
        head, *parts = text.split("\n  - name: ")
        parts = parts[:tools - found]
        found += len(parts)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("\n  - name: ".join([head, *parts]) + "\n")
        if found == tools:
            return


def repeat(source, folder, times):
    """Writes all configs several times, under other names."""
    os.makedirs(folder)
    for name in sorted(os.listdir(source)):
        with open(os.path.join(source, name), encoding="utf-8") as file:
            text = file.read()
        for number in range(times):
            copy = re.sub(r"^  - name: ", f"  - name: v{number}_", text, flags=re.M)
            copy = re.sub(r'^name: "?([^"\n]*)"?$', rf'name: "v{number}-\1"', copy, count=1, flags=re.M)
            with open(os.path.join(folder, f"v{number}-{name}"), "w", encoding="utf-8") as file:
                file.write(copy)


def timed(server, method, params):
    server.number += 1
    message = json.dumps({"jsonrpc": "2.0", "id": server.number, "method": method, "params": params}) + "\n"
    began = time.perf_counter()
    server.process.stdin.write(message)
    server.process.stdin.flush()
    line = server.process.stdout.readline()
    elapsed = (time.perf_counter() - began) * 1000
    assert json.loads(line)["id"] == server.number, line
    return elapsed


def ran(server):
    """Milliseconds that the server was on a processor."""
    with open(f"/proc/{server.process.pid}/schedstat", encoding="utf-8") as file:
        return int(file.read().split()[0]) / 1e6


def started(program, folder, home):
    """A server that has answered a search, and the milliseconds from its spawn until then."""
    server = Server([program, "run", folder], home)
    server.tool("climax_search", {"query": REQUESTS[0]})
    return server, (time.perf_counter() - server.began) * 1000


def measure(program, folder, home, count):
    # What was written a moment ago is not kept.
    time.sleep(1.5)
    server, up = started(program, folder, home)
    times, pings, spent, slowest = [], [], [], {}
    for number in range(count + 50):
        query = REQUESTS[number % len(REQUESTS)]
        before = ran(server)
        elapsed = timed(server, "tools/call", {"name": "climax_search", "arguments": {"query": query}})
        cpu = ran(server) - before
        ping = timed(server, "ping", {})
        if number >= 50:
            times.append(elapsed)
            pings.append(ping)
            spent.append(cpu)
            slowest.setdefault(query, []).append(cpu)
    summary = json.loads(server.tool("climax_search", {"limit": 1_000_000}))["summary"]
    pss, rss, peak = server.memory()
    server.close()
    server, again = started(program, folder, home)
    time.sleep(1)
    rss_again = server.memory()[1]
    server.close()
    tools = sum(line["tool_count"] for line in summary)
    p95 = lambda values: sorted(values)[len(values) * 95 // 100]
    print(f"| {tools:,} | {statistics.median(times):.2f} | {p95(times):.2f} | {statistics.median(spent):.2f} | {p95(spent):.2f} | {statistics.median(pings):.2f} | {up:.0f} | {again:.0f} | {pss:.0f} | {rss:.0f} | {rss_again:.0f} |", flush=True)
    if os.environ.get("SLOWEST"):
        for query, took in sorted(slowest.items(), key=lambda item: -statistics.median(item[1])):
            print(f"    {statistics.median(took):6.2f}  {query}")


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    program = os.path.abspath(os.path.join(sys.argv[1], "climax"))
    fig = sys.argv[2] if len(sys.argv) > 2 else ""
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    print("| tools | median, ms | p95, ms | CPU, ms | CPU p95, ms | ping, ms | up, ms | again, ms | PSS, MB | RSS, MB | again, MB |\n|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        home = os.path.join(work, "home")
        os.makedirs(home)
        small, middle, large = (os.path.join(work, name) for name in ("small", "middle", "large"))
        generate(small, 5_000)
        if fig:
            everything = os.path.join(work, "everything")
            import_fig(program, fig, everything)
            choose(everything, middle, 17_000)
            repeat(middle, large, 6)
        else:
            generate(middle, 17_000)
            generate(large, 100_000)
        for folder in (small, middle, large):
            measure(program, folder, home, count)


if __name__ == "__main__":
    main()
