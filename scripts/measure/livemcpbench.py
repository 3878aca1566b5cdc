"""Makes sets for `cargo xtask eval search` of LiveMCPBench: `python3 scripts/measure/livemcpbench.py CLONE FOLDER`.

CLONE is a clone of icip-cas/LiveMCPBench (revision a928e57 was used). Written into FOLDER: its steps and its tasks, each with the
tools as climax's gateway lists them (`SERVER.TOOL`, with the server as the group), and both with bare names. SERVER is the key of
the server's entry in the settings that the set gives for it.

A task counts its tools that some server has. Where it has as many steps as tools, each step is a request for the tool of its
number. Which server a tool of several belongs to is not annotated: all tools of that name are asked for, and of bare names an index keeps
one. Some pairs of steps and tools do not belong together ("Write the report." stands beside `reverse_geocode`), so no search finds
all of them.
"""

import json
import os
import re
import sys


def lines(text):
    """Splits a numbered list."""
    return [re.sub(r"^\s*\d+[.)]\s*", "", line).strip() for line in text.split("\n") if line.strip()]


def main(clone, folder):
    with open(os.path.join(clone, "tools/LiveMCPTool/tools.json"), encoding="utf-8") as file:
        entries = json.load(file)
    with open(os.path.join(clone, "annotated_data/all_annotations.json"), encoding="utf-8") as file:
        tasks = json.load(file)
    docs, named = [], {}
    for entry in entries:
        for server, listed in entry["tools"].items():
            for tool in listed.get("tools", []):
                named.setdefault(tool["name"], []).append(len(docs))
                docs.append({
                    "name": f"{server}.{tool['name']}",
                    "description": tool.get("description") or "",
                    "group": server,
                    "schema": tool.get("inputSchema"),
                })
    bare = [doc | {"name": doc["name"].removeprefix(doc["group"] + ".")} for doc in docs]
    steps, wishes = [], []
    for task in tasks:
        told = lines(task["Annotator Metadata"]["Steps"])
        tools = lines(task["Annotator Metadata"]["Tools"])
        if len(told) == len(tools):
            steps += [(step, named[tool]) for step, tool in zip(told, tools) if tool in named]
        wanted = list(dict.fromkeys(at for tool in tools for at in named.get(tool, [])))
        if wanted:
            wishes.append((task["Question"], wanted))
    os.makedirs(folder, exist_ok=True)
    sets = [("steps", docs, steps), ("steps-bare", bare, steps), ("tasks", docs, wishes), ("tasks-bare", bare, wishes)]
    for name, tools, pairs in sets:
        made = {"docs": tools, "queries": [pair[0] for pair in pairs], "gold": [pair[1] for pair in pairs]}
        with open(os.path.join(folder, f"livemcpbench-{name}.json"), "w", encoding="utf-8") as file:
            json.dump(made, file, ensure_ascii=False)
        print(f"{name}: {len(pairs)} requests, {len(tools)} tools")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
