#!/usr/bin/env python3
"""Measures the chat service: requests a second through two workers, with a scripted model that answers at once.

Usage: service.py BIN [REQUESTS_A_SECOND] [SECONDS]   (500, 20)
BIN is the folder of aish and testkit-model-server (release). Needs nats-server, and nats-py in this Python.
Prints a Markdown table; the floor is a bare request and reply over the same bus at the same rate.
"""

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import nats

BIN = os.path.abspath(sys.argv[1])
RATE = int(sys.argv[2]) if len(sys.argv) > 2 else 500
SECONDS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
CHANNELS = 200


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


async def load(send):
    """Sends at an even rate, whatever the answers do, and returns the waits in milliseconds and the failures."""
    waits, failures, tasks = [], [], []
    begun = time.perf_counter()

    async def one(number):
        at = begun + number / RATE
        try:
            await send(number)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            failures.append(repr(error))
            return
        # From when it should have been sent: a late sender is no excuse.
        waits.append((time.perf_counter() - at) * 1000)

    for number in range(RATE * SECONDS):
        late = begun + number / RATE - time.perf_counter()
        if late > 0:
            await asyncio.sleep(late)
        tasks.append(asyncio.create_task(one(number)))
    await asyncio.gather(*tasks)
    return waits, failures


def row(name, waits, failures):
    waits.sort()
    p99 = waits[int(len(waits) * 0.99) - 1] if waits else float("nan")
    middle = statistics.median(waits) if waits else float("nan")
    print(f"| {name} | {len(waits)} | {len(failures)} | {middle:.1f} | {p99:.1f} | {waits[-1] if waits else 0:.1f} |")
    for failure in sorted(set(failures))[:3]:
        print(f"  {failure}", file=sys.stderr)


async def main():
    folder = tempfile.TemporaryDirectory()
    port = free_port()
    url = f"nats://127.0.0.1:{port}"
    server = subprocess.Popen(
        ["nats-server", "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", folder.name],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"},
    )
    model = subprocess.Popen([f"{BIN}/testkit-model-server", "--tokens", "1"], stdout=subprocess.PIPE, text=True)
    workers = []
    try:
        endpoint = model.stdout.readline().strip()
        config = os.path.join(folder.name, "config.toml")
        with open(config, "w") as file:
            file.write("[service]\nper_minute = 1000000\nper_hour = 1000000\nper_day = 1000000\n")
        environment = {"HOME": folder.name, "PATH": os.environ["PATH"], "OPENAI_BASE_URL": endpoint,
                       "OPENAI_MODEL": "scripted", "AISH_CONFIG": config}
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                await asyncio.sleep(0.01)
        client = await nats.connect(url, connect_timeout=10, max_reconnect_attempts=50)
        for _ in range(2):
            worker = subprocess.Popen([f"{BIN}/aish", "service", "--nats", url], env=environment, cwd=folder.name,
                                      stderr=subprocess.PIPE, text=True)
            while "answers on" not in worker.stderr.readline():
                if worker.poll() is not None:
                    raise SystemExit("a worker did not start")
            workers.append(worker)

        async def echo(message):
            await message.respond(message.data)

        await client.subscribe("floor", cb=echo)

        async def bare(number):
            await client.request("floor", b"{}", timeout=10)

        async def chat(number):
            payload = {"channel": f"#{number % CHANNELS}", "user": f"u{number % CHANNELS}", "message": "hi"}
            reply = await client.request("rosey.llm.chat", json.dumps(payload).encode(), timeout=10)
            answer = json.loads(reply.data)
            if not answer.get("success"):
                raise RuntimeError(answer.get("error"))

        for number in range(20):
            await chat(number)
        print(f"{RATE} requests a second for {SECONDS} s, two workers, {CHANNELS} channels\n")
        print("| what | answered | failed | median ms | p99 ms | longest ms |\n| --- | --- | --- | --- | --- | --- |")
        row("bare request and reply", *await load(bare))
        row("chat", *await load(chat))
        await client.close()
    finally:
        for process in [*workers, model, server]:
            process.terminate()
            process.wait()
        folder.cleanup()


asyncio.run(main())
