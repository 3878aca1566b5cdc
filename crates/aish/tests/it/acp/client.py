"""An editor over the Python SDK of the Agent Client Protocol: starts the agent, talks to it, prints what came as JSON.

Usage: client.py AGENT FOLDER whole|at-once|STEPS, where STEPS is a JSON array of prompts: each has `answers`, one for each
question (an option's id; `cancel` cancels the turn instead), and perhaps the `mode` that holds from then on. A step with `saves`
makes it an editor with files of its own: `typed` is what is not saved, by name.
"""

import asyncio
import json
import os
import pathlib
import sys

import acp
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    EmbeddedResourceContentBlock,
    FileSystemCapabilities,
    Implementation,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TextContentBlock,
    TextResourceContents,
    WriteTextFileResponse,
)


class Editor:
    def __init__(self):
        self.updates, self.questions, self.answer = [], [], "once"
        # Answers in order, in place of the one answer; what there is in the folder is noted at each question.
        self.answers, self.folder, self.cancel = None, None, None
        self.seen = asyncio.Event()
        # What is typed into open files and not saved, by name; how files are saved; what was read and written, in order.
        self.typed, self.saves, self.files = {}, "plain", []

    async def read_text_file(self, path, session_id, **kwargs):
        name = os.path.basename(path)
        self.files.append(["read", name])
        if self.saves == "never answers":
            await asyncio.Event().wait()
        return ReadTextFileResponse(content=self.typed.get(name, pathlib.Path(path).read_text()))

    async def write_text_file(self, content, path, session_id, **kwargs):
        self.files.append(["write", os.path.basename(path)])
        if self.saves == "fails":
            raise acp.RequestError.internal_error()
        if self.saves != "lies":
            pathlib.Path(path).write_text(content.upper() if self.saves == "formats" else content)
        return WriteTextFileResponse()

    async def session_update(self, session_id, update, **kwargs):
        self.updates.append(update.model_dump(mode="json", by_alias=True, exclude_none=True))
        self.seen.set()

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        asked = tool_call.model_dump(mode="json", by_alias=True, exclude_none=True)
        self.questions.append({"call": asked, "options": [[o.option_id, o.kind] for o in options]})
        self.seen.set()
        if self.answers is not None:
            self.questions[-1]["tree"] = tree(self.folder)
            self.answer = self.answers.pop(0)
            if self.answer == "cancel":
                await self.cancel()
                self.answer = None
        if self.answer is None:
            await asyncio.Event().wait()
        if self.answer == "cancelled":
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=self.answer))

    def taken(self):
        taken = {"updates": self.updates, "questions": self.questions}
        self.updates, self.questions = [], []
        return taken


def tree(folder):
    paths = [path for path in sorted(pathlib.Path(folder).rglob("*")) if ".git" not in path.parts and path.is_file()]
    return {str(path.relative_to(folder)): path.read_text("latin-1") for path in paths}


async def play(editor, connection, session, folder, steps):
    editor.folder, played = folder, []
    editor.cancel = lambda: connection.cancel(session_id=session)
    for step in steps:
        if "mode" in step:
            await connection.set_session_mode(session_id=session, mode_id=step["mode"])
        editor.answers = list(step["answers"])
        editor.typed, editor.saves, editor.files = step.get("typed", {}), step.get("saves", "plain"), []
        done = await connection.prompt(session_id=session, prompt=[text("go on")])
        played.append({"stop": done.stop_reason, **editor.taken(), "unused": [] if "any" in step else editor.answers, "tree": tree(folder), "files": editor.files})
    return played


def text(words):
    return TextContentBlock(type="text", text=words)


async def main(agent, folder, mode):
    editor, told = Editor(), {}
    async with acp.spawn_agent_process(editor, agent, "acp", cwd=folder, env=dict(os.environ)) as (connection, process):
        opens = mode.startswith("[") and any("saves" in step for step in json.loads(mode))
        files = FileSystemCapabilities(read_text_file=opens, write_text_file=opens)
        hello = await connection.initialize(
            protocol_version=1,
            client_capabilities=ClientCapabilities(fs=files),
            client_info=Implementation(name="tester", version="1"),
        )
        told["hello"] = hello.model_dump(mode="json", by_alias=True, exclude_none=True)
        session = await connection.new_session(cwd=folder, mcp_servers=[])
        told["modes"] = [mode.id for mode in session.modes.available_modes]
        told["mode"] = session.modes.current_mode_id
        if mode.startswith("["):
            told["steps"] = await play(editor, connection, session.session_id, folder, json.loads(mode))
            print(json.dumps(told))
            return
        if mode == "at-once":
            told["stops"] = []
            for _ in range(5):
                running = asyncio.create_task(connection.prompt(session_id=session.session_id, prompt=[text("go on")]))
                await asyncio.sleep(0)
                await connection.cancel(session_id=session.session_id)
                told["stops"].append((await running).stop_reason)
            print(json.dumps(told))
            return
        other = await connection.new_session(cwd=folder, mcp_servers=[])
        told["two"] = session.session_id != other.session_id

        attached = TextResourceContents(uri="file:///srv/plan.md", text="remove the notes")
        prompt = [text("do as the plan says"), EmbeddedResourceContentBlock(type="resource", resource=attached)]
        done = await connection.prompt(session_id=session.session_id, prompt=prompt)
        told["approved"] = {"stop": done.stop_reason, **editor.taken()}

        editor.answer = "no"
        done = await connection.prompt(session_id=session.session_id, prompt=[text("and the other")])
        told["refused"] = {"stop": done.stop_reason, **editor.taken()}

        # The answer never ends: the editor stops it.
        running = asyncio.create_task(connection.prompt(session_id=session.session_id, prompt=[text("tell me more")]))
        editor.seen.clear()
        await editor.seen.wait()
        await connection.cancel(session_id=session.session_id)
        told["cancelled"] = {"stop": (await running).stop_reason, **editor.taken()}

        # A question that is never answered: cancelled all the same.
        editor.answer = None
        running = asyncio.create_task(connection.prompt(session_id=session.session_id, prompt=[text("once more")]))
        while not editor.questions:
            editor.seen.clear()
            await editor.seen.wait()
        await connection.cancel(session_id=session.session_id)
        told["cancelled_at_the_question"] = {"stop": (await running).stop_reason, **editor.taken()}

        await connection.set_session_mode(session_id=session.session_id, mode_id="plan")
        done = await connection.prompt(session_id=session.session_id, prompt=[text("now plan")])
        told["planned"] = {"stop": done.stop_reason, **editor.taken()}

        listed = await connection.list_sessions(cwd=folder)
        told["listed"] = session.session_id in [known.session_id for known in listed.sessions]
        await connection.close_session(session_id=session.session_id)
        await connection.load_session(cwd=folder, session_id=session.session_id, mcp_servers=[])
        told["loaded"] = editor.taken()
        try:
            await connection.load_session(cwd=folder, session_id="no-such", mcp_servers=[])
        except acp.RequestError as error:
            told["unknown"] = error.code
    # The end of its input ends the agent.
    told["code"] = await asyncio.wait_for(process.wait(), 60)
    print(json.dumps(told))


asyncio.run(main(*sys.argv[1:]))
