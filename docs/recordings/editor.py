"""The least of an editor, on the Python SDK of the Agent Client Protocol: a prompt goes to `aish acp`, what comes is printed, and a
question for permission is answered by the number of an option."""

import asyncio
import difflib
import os

import acp
from acp.schema import AllowedOutcome, ClientCapabilities, Implementation, RequestPermissionResponse, TextContentBlock

DIM, BOLD, RED, GREEN, PLAIN = "\033[2m", "\033[1m", "\033[31m", "\033[32m", "\033[0m"


def show_diff(part):
    old, new = (part.old_text or "").splitlines(), part.new_text.splitlines()
    print(f"  {BOLD}{os.path.basename(part.path)}{PLAIN}")
    for line in list(difflib.unified_diff(old, new, lineterm="", n=1))[3:]:
        color = {"-": RED, "+": GREEN}.get(line[:1], DIM)
        print(f"  {color}{line}{PLAIN}")


class Editor:
    async def session_update(self, session_id, update, **kwargs):
        kind = update.session_update
        if kind == "agent_message_chunk":
            print(update.content.text, end="", flush=True)
        elif kind == "tool_call":
            print(f"\n{DIM}[{update.kind}]{PLAIN} {BOLD}{update.title}{PLAIN}")
        elif kind == "tool_call_update" and update.status in ("completed", "failed"):
            self.show(update.content)
            print(f"{DIM}[{update.status}]{PLAIN}")

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        self.show(tool_call.content)
        print("   ".join(f"{at}: {option.name}" for at, option in enumerate(options, 1)))
        choice = int(await asyncio.to_thread(input, "answer> "))
        chosen = AllowedOutcome(outcome="selected", option_id=options[choice - 1].option_id)
        return RequestPermissionResponse(outcome=chosen)

    def show(self, content):
        for part in content or []:
            if part.type == "diff":
                show_diff(part)
            elif part.type == "content":
                # Output comes as code.
                print("  " + part.content.text.replace("```", "").strip().replace("\n", "\n  "))


async def main():
    async with acp.spawn_agent_process(Editor(), "aish", "acp", env=dict(os.environ)) as (agent, _process):
        ours = Implementation(name="editor", version="1")
        await agent.initialize(protocol_version=1, client_capabilities=ClientCapabilities(), client_info=ours)
        session = await agent.new_session(cwd=os.getcwd(), mcp_servers=[])
        while True:
            words = await asyncio.to_thread(input, "prompt> ")
            await agent.prompt(session_id=session.session_id, prompt=[TextContentBlock(type="text", text=words)])
            print()


asyncio.run(main())
