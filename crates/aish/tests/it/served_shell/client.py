"""An official Python client of MCP, of either generation: calls tools of a server one after the other, answers what it is
asked, and prints what came as JSON.

The only argument is {"generation": 1 or 2, "command": [PROGRAM, ARGUMENT...], "folder": FOLDER, "asks": whether it can be
asked, "steps": [{"tool": NAME, "arguments": {...}, "answers": [{"action": ..., "content": {...}}]}]}.
"""

import asyncio
import json
import os
import pathlib
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client


def tree(folder):
    paths = [path for path in sorted(pathlib.Path(folder).rglob("*")) if ".git" not in path.parts and path.is_file()]
    return {str(path.relative_to(folder)): path.read_text("latin-1") for path in paths}


class Person:
    def __init__(self, folder):
        self.folder, self.answers, self.questions = folder, [], []

    async def ask(self, context, params):
        asked = params.model_dump(mode="json", by_alias=True, exclude_none=True)
        self.questions.append({**asked, "tree": tree(self.folder)})
        return types.ElicitResult(**self.answers.pop(0))


@asynccontextmanager
async def connected(job, callback):
    words = job["command"]
    server = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ), cwd=job["folder"])
    if job["generation"] == 2:
        from mcp import Client

        async with Client(server, elicitation_callback=callback) as client:
            yield client
    else:
        async with stdio_client(server) as streams:
            async with ClientSession(streams[0], streams[1], elicitation_callback=callback) as session:
                await session.initialize()
                yield session


async def main():
    job = json.loads(sys.argv[1])
    person, done = Person(job["folder"]), []
    async with connected(job, person.ask if job["asks"] else None) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        for step in job["steps"]:
            person.answers, person.questions = list(step.get("answers", [])), []
            result = await client.call_tool(step["tool"], step["arguments"])
            failed = getattr(result, "is_error", None) or getattr(result, "isError", None)
            text = "".join(getattr(part, "text", "") for part in result.content)
            done.append({"text": text, "failed": bool(failed), "questions": person.questions,
                         "unused": [] if "any" in step else person.answers, "tree": tree(job["folder"])})
    print(json.dumps({"tools": tools, "steps": done}))


asyncio.run(main())
