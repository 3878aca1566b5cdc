"""The least of another agent, on the Python SDK of MCP: each line goes to the tool `shell` of `aish mcp serve --shell`, a word with a
colon before it to the tool of that name, and what the server asks is put to the person."""

import asyncio
import os

from mcp import Client, StdioServerParameters, types

DIM, BOLD, PLAIN = "\033[2m", "\033[1m", "\033[0m"


async def ask(_context, params):
    print(f"{BOLD}{params.message}{PLAIN}")
    # A form without a field is a question of yes or no.
    field, form = next(iter(params.requested_schema["properties"].items()), (None, {"enum": ["yes", "no"]}))
    answer = await asyncio.to_thread(input, f"{' or '.join(form['enum'])}> ")
    if answer not in form["enum"] or answer == "no":
        return types.ElicitResult(action="decline")
    return types.ElicitResult(action="accept", content={field: answer} if field else {})


async def main():
    server = StdioServerParameters(command="aish", args=["mcp", "serve", "--shell"], env=dict(os.environ))
    async with Client(server, elicitation_callback=ask) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        print(f"{DIM}tools: {', '.join(tools[-3:])}, and {len(tools) - 3} more{PLAIN}")
        while True:
            line = await asyncio.to_thread(input, "shell> ")
            tool, arguments = (line[1:], {}) if line.startswith(":") else ("shell", {"command": line})
            result = await client.call_tool(tool, arguments)
            print("".join(getattr(part, "text", "") for part in result.content).rstrip())


asyncio.run(main())
