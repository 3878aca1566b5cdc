"""Sends labelled lines through every agent's hook: `python3 scripts/measure/hooks.py AISH LINES…`.

LINES are files of `{"command": …, "label": "destructive" or "safe"}`, one a line, or of tab-separated command and label; lines
with other labels are passed over. Prints for each agent how many destructive lines were stopped and how many safe ones, where
the hook says other than `aish check`, and how long a hook takes from its start to its end (the median and the 95th
percentile in milliseconds) beside the load of the machine. Exit code 1 where a hook and `aish check` differ.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

AISH = os.path.abspath(sys.argv[1])
EACH = int(os.environ.get("EACH", "1"))


def lines(path):
    for line in open(path, encoding="utf-8", errors="replace"):
        if path.endswith(".tsv"):
            command, label, *_ = line.rstrip("\n").split("\t")
        else:
            row = json.loads(line)
            command, label = row["command"], row["label"]
        if label in ("destructive", "safe"):
            yield command, label


def payload(agent, command, folder):
    common = {"session_id": "s", "cwd": folder}
    tool_input = {"command": command}
    match agent:
        case "cursor":
            return "beforeShellExecution", {"conversation_id": "s", "command": command, "cwd": folder}
        case "gemini":
            return "BeforeTool", common | {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": tool_input}
        case "opencode":
            return "tool.execute.before", {"sessionID": "s", "callID": "c", "tool": "bash", "args": tool_input, "cwd": folder}
        case "copilot":
            return "preToolUse", {"sessionId": "s", "timestamp": 1, "cwd": folder, "toolName": "bash", "toolArgs": tool_input}
        case "goose":
            return "PreToolUse", {"event": "PreToolUse", "session_id": "s", "tool_name": "developer__shell", "tool_input": tool_input, "working_dir": folder, "tool_call_id": "c"}
        case "crush":
            return "PreToolUse", {"event": "PreToolUse", "session_id": "s", "cwd": folder, "tool_name": "bash", "tool_input": tool_input}
        case "qwen":
            return "PreToolUse", common | {"hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "run_shell_command", "tool_input": tool_input, "tool_use_id": "t"}
        case _:
            return "PreToolUse", common | {"hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash", "tool_input": tool_input, "tool_use_id": "t"}


def stopped(output):
    """Says whether an answer keeps the agent from running the command without a person."""
    if output.returncode == 2:
        return True
    if not output.stdout.strip():
        return False
    answer = json.loads(output.stdout)
    words = json.dumps(answer.get("hookSpecificOutput", answer))
    return any(f'"{word}"' in words for word in ("deny", "block", "ask"))


def main():
    labelled = [pair for path in sys.argv[2:] for pair in lines(path)][::EACH]
    differing = 0
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "project")
        os.makedirs(os.path.join(folder, ".git"))
        environment = {"HOME": home, "PATH": os.environ["PATH"]}

        def run(arguments, text=None):
            return subprocess.run([AISH, *arguments], input=text, capture_output=True, text=True, cwd=folder, env=environment)

        judged = run(["check", "-0", "--json"], "".join(command + "\0" for command, _ in labelled)).stdout.splitlines()
        halts = [json.loads(line)["verdict"] == "halt" for line in judged]
        assert len(halts) == len(labelled)
        print(f"{len(labelled)} lines, load {os.getloadavg()[0]:.1f}")
        print(f"{'':10} {'destructive':>14} {'safe':>14} {'as check':>9} {'median':>8} {'p95':>8}")
        for agent in ("claude", "codex", "gemini", "opencode", "cursor", "copilot", "qwen", "goose", "crush"):
            count = {"destructive": [0, 0], "safe": [0, 0]}
            same, times = 0, []
            for (command, label), halt in zip(labelled, halts):
                event, sent = payload(agent, command, folder)
                started = time.perf_counter()
                output = run(["hook", "run", agent, event], json.dumps(sent))
                times.append((time.perf_counter() - started) * 1000)
                is_stopped = stopped(output)
                count[label][0] += is_stopped
                count[label][1] += 1
                # Under Codex a program that waits for typed text is denied, whatever is said of the line.
                same += is_stopped == halt or (agent == "codex" and "hook.typed-input" in output.stdout)
                if is_stopped != halt and "hook.typed-input" not in output.stdout:
                    print(f"    {agent}: stopped {is_stopped}, check halts {halt}: {command!r}")
            differing += len(labelled) - same
            rates = [f"{hit} of {all_}" for hit, all_ in count.values()]
            p95 = statistics.quantiles(times, n=20)[18]
            print(f"{agent:10} {rates[0]:>14} {rates[1]:>14} {same:>9} {statistics.median(times):8.1f} {p95:8.1f}")
    sys.exit(differing > 0)


main()
