"""The official Python client: lists and calls what servers offer, and prints what came as JSON.

The only argument is {"generation": 1 or 2, "servers": [{"command": [PROGRAM, ARGUMENT...]} or {"url": URL, "token":
TOKEN}], "tool": NAME, "arguments": {...}}. Standard output is [{"tools": [NAME...], "text": TEXT, "is_error": BOOL}],
one for each server.
"""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def program(command):
    return StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))


def headers(server):
    return {"Authorization": f"Bearer {server['token']}"} if server.get("token") else {}


@asynccontextmanager
async def first(server):
    from mcp.client.streamable_http import streamablehttp_client

    if "command" in server:
        transport = stdio_client(program(server["command"]))
    else:
        transport = streamablehttp_client(server["url"], headers=headers(server))
    async with transport as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def second(server):
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    if "command" in server:
        async with Client(program(server["command"])) as client:
            yield client
    else:
        async with httpx2.AsyncClient(headers=headers(server)) as http:
            async with Client(streamable_http_client(server["url"], http_client=http)) as client:
                yield client


async def talk(server, job):
    async with (first if job["generation"] == 1 else second)(server) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        result = await client.call_tool(job["tool"], job["arguments"])
        failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
        text = "".join(getattr(part, "text", "") for part in result.content)
        return {"tools": tools, "text": text, "is_error": bool(failed)}


async def main():
    job = json.loads(sys.argv[1])
    print(json.dumps([await talk(server, job) for server in job["servers"]]))


asyncio.run(main())
