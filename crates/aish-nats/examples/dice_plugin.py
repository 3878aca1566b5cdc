"""A plugin in Python: a dice roller, offered as the tool `pydice.roll`.

Needs nats-py (`pip install nats-py`). Usage: dice_plugin.py [URL] [PREFIX]

It registers, beats every second, registers again when a worker asks for it, and answers calls.
"""

import asyncio
import json
import random
import re
import sys
import uuid

import nats

URL = sys.argv[1] if len(sys.argv) > 1 else "nats://127.0.0.1:4222"
PREFIX = sys.argv[2] if len(sys.argv) > 2 else "rosey"
PLUGIN = "pydice"
SUBJECT = f"{PREFIX}.plugin.{PLUGIN}.roll"
INSTANCE = uuid.uuid4().hex

REGISTRATION = {
    "plugin": PLUGIN,
    "instance": INSTANCE,
    "version": "1",
    "ttl_s": 3,
    "tools": [
        {
            "name": "roll",
            "description": "Roll dice, e.g. '2d6'.",
            "category": "fun",
            "subject": SUBJECT,
            "parameters": {
                "type": "object",
                "properties": {"notation": {"type": "string", "description": "Dice notation NdS"}},
                "required": ["notation"],
            },
        }
    ],
}


def roll(notation):
    match = re.fullmatch(r"(\d{1,3})d(\d{1,4})", notation.strip().lower())
    if not match:
        raise ValueError(f"Invalid dice notation: {notation}")
    count, sides = int(match[1]), int(match[2])
    if not (1 <= count <= 100 and 2 <= sides <= 1000):
        raise ValueError(f"Invalid dice notation: {notation}")
    rolls = [random.SystemRandom().randint(1, sides) for _ in range(count)]
    return f"Rolled {notation}: {rolls} = **{sum(rolls)}**"


async def main():
    bus = await nats.connect(URL, name="dice_plugin.py")

    async def say(operation, payload):
        """Sends to the registry and tells whether it agreed; no answer is no."""
        try:
            reply = await bus.request(f"{PREFIX}.llm.tools.{operation}", json.dumps(payload).encode(), timeout=2)
            return json.loads(reply.data).get("success", False)
        except nats.errors.Error:
            return False

    async def on_call(message):
        call = json.loads(message.data)
        reply = {"tool_call_id": call["call_id"], "success": True}
        try:
            reply["result"] = roll(call["arguments"]["notation"])
        except (KeyError, ValueError) as error:
            reply.update(success=False, error=str(error))
        await message.respond(json.dumps(reply).encode())

    async def on_announce(_message):
        await say("register", REGISTRATION)

    await bus.subscribe(SUBJECT, queue=PLUGIN, cb=on_call)
    await bus.subscribe(f"{PREFIX}.llm.tools.announce", cb=on_announce)
    me = {"plugin": PLUGIN, "instance": INSTANCE}
    try:
        while True:
            if not await say("heartbeat", me):
                await say("register", REGISTRATION)
            await asyncio.sleep(1)
    finally:
        await bus.publish(f"{PREFIX}.llm.tools.unregister", json.dumps(me).encode())
        await bus.drain()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
