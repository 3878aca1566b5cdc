#!/usr/bin/env python3
"""Measures the embedded model against llama.cpp's own server: tokens a second, same file, threads, prompt and length.

Usage: embedded.py BIN [ROUNDS] [TOKENS] [THREADS]   (7, 200, the physical cores as aish-model counts them)
BIN is the folder of aish-model (release); AISH_TEST_GGUF names the model's file; this Python has xllamacpp (PyPI).
The two take turns, each alone with the machine: the other is stopped (SIGSTOP), as its threads may wait busily; both are warm, and read the prompt from their cache. Prints a Markdown table:
the rate of an answer is its tokens but the first over the time from its first token to its last, as the client sees them.
"""

import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import time

OURS, THEIRS = "aish-model", "llama.cpp's server"
PROMPT = "Tell me a long story about a lighthouse keeper, a storm and a ship that comes back after a hundred years."

# Printing its address is all that this process does; the server's threads do the work.
SERVER = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, threads = sys.argv[1], int(sys.argv[2])
params.n_ctx, params.n_parallel, params.port, params.use_jinja = 2048, 1, 0, True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


class Embedded:
    """aish-model, spoken to over its pipes."""

    def __init__(self, folder, file, threads):
        self.child = subprocess.Popen(
            [os.path.join(folder, "aish-model"), file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "GOMP_SPINCOUNT": "1000"},
        )
        self.event()
        self.number = 0
        load = {"op": "load", "path": file, "context": 2048, **({"threads": threads} if threads else {})}
        self.threads = self.ask(load)[-1][1]["info"]["threads"]

    def event(self):
        return json.loads(self.child.stdout.readline())

    def ask(self, request):
        """Returns the events of an answer, each with the time at which it came."""
        self.number += 1
        self.child.stdin.write(json.dumps({**request, "id": self.number}) + "\n")
        self.child.stdin.flush()
        events = []
        while not events or events[-1][1]["event"] not in ("loaded", "end", "error"):
            event = self.event()
            events.append((time.perf_counter(), event))
        if events[-1][1]["event"] == "error":
            raise SystemExit(f"aish-model: {events[-1][1]['message']}")
        return events

    def rate(self, tokens):
        events = self.ask({"op": "chat", "max_tokens": tokens, "temperature": 0,
                           "messages": [{"role": "user", "content": PROMPT}]})
        texts = [at for at, event in events if event["event"] == "text"]
        count = events[-1][1]["usage"]["completion"]
        return count, (count - 1) / (texts[-1] - texts[0])

    def end(self):
        self.child.stdin.close()
        self.child.wait()


class LlamaCpp:
    """llama.cpp's server, spoken to over HTTP as its clients do."""

    def __init__(self, file, threads):
        self.child = subprocess.Popen(
            [sys.executable, "-c", SERVER, file, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        self.address = self.child.stdout.readline().strip().removeprefix("http://")
        while True:
            try:
                connection = http.client.HTTPConnection(self.address)
                connection.request("GET", "/health")
                if json.loads(connection.getresponse().read()).get("status") == "ok":
                    break
            except OSError:
                pass
            time.sleep(0.05)

    def rate(self, tokens):
        body = {"messages": [{"role": "user", "content": PROMPT}], "max_tokens": tokens, "temperature": 0, "stream": True,
                "stream_options": {"include_usage": True}}
        # It closes a connection that waits for the other's turn.
        connection = http.client.HTTPConnection(self.address)
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        if reply.status != 200:
            raise SystemExit(f"llama.cpp: {reply.status} {reply.read()[:200]}")
        texts, count = [], 0
        while line := reply.readline():
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[6:])
            if any(choice["delta"].get("content") for choice in chunk.get("choices", [])):
                texts.append(time.perf_counter())
            count = (chunk.get("usage") or {}).get("completion_tokens", count)
        return count, (count - 1) / (texts[-1] - texts[0])

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def main():
    folder, file = os.path.abspath(sys.argv[1]), os.environ["AISH_TEST_GGUF"]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    tokens = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    ours = Embedded(folder, file, int(sys.argv[4]) if len(sys.argv) > 4 else None)
    theirs = LlamaCpp(file, ours.threads)
    rates = {OURS: [], THEIRS: []}
    try:
        for model in (ours, theirs):
            model.rate(16)
        for model in (ours, theirs):
            model.child.send_signal(signal.SIGSTOP)
        for number in range(rounds):
            pair = [(OURS, ours), (THEIRS, theirs)]
            for name, model in pair if number % 2 == 0 else reversed(pair):
                model.child.send_signal(signal.SIGCONT)
                count, rate = model.rate(tokens)
                model.child.send_signal(signal.SIGSTOP)
                if count != tokens:
                    print(f"{name}: {count} tokens instead of {tokens}", file=sys.stderr)
                rates[name].append(rate)
    finally:
        for model in (ours, theirs):
            model.child.send_signal(signal.SIGCONT)
        ours.end()
        theirs.end()
    middle = {name: statistics.median(all_rates) for name, all_rates in rates.items()}
    print(f"{os.path.basename(file)}, {tokens} tokens, {ours.threads} threads, {rounds} rounds\n")
    print("| what | tokens/s, median | lowest | highest |\n|---|---:|---:|---:|")
    for name, all_rates in rates.items():
        print(f"| {name} | {middle[name]:.1f} | {min(all_rates):.1f} | {max(all_rates):.1f} |")
    print(f"\naish-model is {middle[OURS] / middle[THEIRS]:.2f} times as fast.")


if __name__ == "__main__":
    main()
