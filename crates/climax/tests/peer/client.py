"""The official client of MCP's first era: lists and calls what a server offers, and writes what came as JSON.

Standard input is {"server": [PROGRAM, ARGUMENT...] or "http://...", "calls": [[TOOL, ARGUMENTS], ...]}; standard output
is {"tools": [{"name", "description", "inputSchema"}], "results": [{"text", "is_error"}]}.
"""

import json
import os
import sys

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def talk(streams, calls):
    async with ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        listed = (await session.list_tools()).tools
        tools = [{"name": tool.name, "description": tool.description, "inputSchema": tool.inputSchema} for tool in listed]
        results = []
        for name, arguments in calls:
            result = await session.call_tool(name, arguments)
            text = "".join(part.text for part in result.content)
            results.append({"text": text, "is_error": bool(result.isError)})
        return {"tools": tools, "results": results}


async def main():
    job = json.load(sys.stdin)
    server, calls = job["server"], job["calls"]
    if isinstance(server, str):
        async with streamablehttp_client(server) as streams:
            print(json.dumps(await talk(streams, calls)))
    else:
        parameters = StdioServerParameters(command=server[0], args=server[1:], env=dict(os.environ), cwd=os.getcwd())
        async with stdio_client(parameters) as streams:
            print(json.dumps(await talk(streams, calls)))


anyio.run(main)
