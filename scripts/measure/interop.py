#!/usr/bin/env python3
"""Puts real MCP servers to a client directly and behind climax, and prints a Markdown table of both.

Usage: interop.py CLIMAX FOLDER...
  CLIMAX  the program (target/debug/climax)
  FOLDER  where programs of servers are, as node_modules/.bin and the bin folder of a virtual environment: every `*mcp*` in it
          that is known below is tried

A server counts as the same behind climax when it has as many tools there, the one that is called is among the first five of a
search for its own description, and the call comes to the same end: an answer, or an error. Keys that servers want are made up;
nothing here needs a network. The script ends with 1 where one that works directly is not the same behind climax.
"""

import json
import os
import select
import subprocess
import sys
import tempfile
import time

PATIENCE = 60
KEYS = ["BRAVE_API_KEY", "EVERART_API_KEY", "GITHUB_PERSONAL_ACCESS_TOKEN", "GITLAB_PERSONAL_ACCESS_TOKEN", "GOOGLE_MAPS_API_KEY"]
OVER_STDIO = ["basic-preact", "basic-react", "basic-solid", "basic-svelte", "basic-vanillajs", "basic-vue", "budget-allocator",
              "cohort-heatmap", "customer-segmentation", "map", "pdf", "scenario-modeler", "shadertoy", "sheet-music",
              "system-monitor", "threejs", "transcript", "video-resource", "wiki-explorer"]
PLAIN = ["brave-search", "context7", "everart", "everything", "github", "gitlab", "google-maps", "memory", "playwright",
         "sequential-thinking", "slack", "bmi-calculator", "calculator", "calculator-yf", "converter", "diff-python", "fetch",
         "git", "time"]
CALLS = {
    "everything": ("echo", {"message": "hi"}),
    "memory": ("read_graph", {}),
    "sequential-thinking": ("sequentialthinking", {"thought": "x", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}),
    "time": ("get_current_time", {"timezone": "UTC"}),
}


class Client:
    """A plain client over the standard streams of a server."""

    def __init__(self, command, environment, folder):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=folder
        )
        self.number, self.buffer = 0, b""
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "interop", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def send(self, message):
        self.process.stdin.write((json.dumps(message) + "\n").encode())
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        until = time.monotonic() + PATIENCE
        while True:
            while b"\n" not in self.buffer:
                if not select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))[0]:
                    raise TimeoutError(method)
                read = os.read(self.process.stdout.fileno(), 1 << 20)
                if not read:
                    raise EOFError(method)
                self.buffer += read
            line, self.buffer = self.buffer.split(b"\n", 1)
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("id") == self.number and "method" not in message:
                return message

    def call(self, tool, arguments):
        """Says what came of a call, and its first text."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result", {"isError": True, "content": []})
        texts = [part["text"] for part in result.get("content", []) if part.get("type") == "text"]
        return "error" if result.get("isError") else "answer", "".join(texts[:1])


def known(folders, home):
    """The servers that are there, by name."""
    servers = {}
    extra = {"filesystem": [home], "sqlite": ["--db-path", os.path.join(home, "x.db")], "postgres": ["postgresql://127.0.0.1:1/x"]}
    for folder in folders:
        for program in sorted(os.listdir(folder)):
            if "mcp" not in program:
                continue
            name = program.replace("mcp-server-", "").replace("mcp-", "").removesuffix("-server").removesuffix("-mcp")
            arguments = ["--stdio"] if name in OVER_STDIO else [] if name in PLAIN else extra.get(name)
            if arguments is not None:
                servers[name] = (os.path.join(os.path.abspath(folder), program), arguments)
    return servers


def made_up(schema):
    """Arguments that a schema takes: what is required, of its type."""
    values = {"number": 1, "integer": 1, "boolean": True, "array": [], "object": {}}
    arguments = {}
    for name in schema.get("required", []):
        of = schema.get("properties", {}).get(name, {})
        kind = of.get("type", "string")
        choices = of.get("enum") or [values.get(kind if isinstance(kind, str) else kind[0], "x")]
        arguments[name] = of.get("default", choices[0])
    return arguments


def directly(command, arguments, environment, home, name):
    with Client([command, *arguments], environment, home) as client:
        tools = client.ask("tools/list", {})["result"]["tools"]
        tool, values = CALLS.get(name) or (tools[0]["name"], made_up(tools[0].get("inputSchema", {})))
        if name == "git":
            tool, values = "git_status", {"repo_path": home}
        about = next((one.get("description") or tool for one in tools if one["name"] == tool), tool)
        return len(tools), tool, values, about[:200], client.call(tool, values)[0]


def behind(climax, listed, environment, home, tool, values, about):
    subprocess.run([climax, "refresh", "--servers", listed, "--headless-approve"], env=environment, cwd=home,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * PATIENCE, check=True)
    with Client([climax, "run", "--servers", listed, "--headless-approve"], environment, home) as client:
        search = lambda **request: json.loads(client.call("climax_search", {"server": "s", **request})[1])
        count = search(detail="names", limit=1)["total_matches"]
        found = [one["tool_name"] for one in search(query=about, limit=5)["results"]]
        return count, f"s.{tool}" in found, client.call("climax_call", {"tool_name": f"s.{tool}", "args": values})[0]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    climax, worse, dead = os.path.abspath(sys.argv[1]), 0, []
    home = tempfile.mkdtemp()
    subprocess.run(["git", "init", "-q", home], check=True)
    own = {**dict.fromkeys(KEYS, "x"), "SLACK_BOT_TOKEN": "xoxb-1", "SLACK_TEAM_ID": "T1", "PATH": os.environ["PATH"]}
    state = {"HOME": home, "XDG_STATE_HOME": f"{home}/state", "XDG_CONFIG_HOME": f"{home}/config"}
    print("| server | tools | behind climax | found | a call | behind climax |\n|---|---|---|---|---|---|")
    for name, (command, arguments) in known(sys.argv[2:], home).items():
        environment = {**os.environ, **own, **state}
        try:
            count, tool, values, about, ended = directly(command, arguments, environment, home, name)
        except (EOFError, TimeoutError, BrokenPipeError, KeyError, IndexError) as error:
            dead.append(f"{name} ({type(error).__name__} {error})")
            continue
        listed = os.path.join(home, f"{name}.json")
        with open(listed, "w", encoding="utf-8") as file:
            json.dump({"mcpServers": {"s": {"command": command, "args": arguments, "env": own}}}, file)
        try:
            many, found, too = behind(climax, listed, {**os.environ, **state}, home, tool, values, about)
        except (EOFError, TimeoutError, KeyError, subprocess.SubprocessError) as error:
            many, found, too = 0, False, f"{type(error).__name__} {error}"
        # One that asks what its client can do may offer climax more than a client without questions.
        worse += not (many >= count and found and ended == too)
        print(f"| {name} | {count} | {many} | {'yes' if found else 'no'} | {ended} | {too} |", flush=True)
    print(f"\nNot the same: {worse}. Not started by themselves either: {', '.join(dead) or 'none'}.")
    sys.exit(1 if worse else 0)


main()
