"""A model for scripts/agents.sh: it wants one command run, and then says that it is done.

Usage: model.py PORTFILE. The command is read from the file COMMAND beside it at each request. It speaks the Messages API (Claude
Code, opencode) and the Responses API (Codex).
"""

import http.server
import json
import pathlib
import sys

port_file = pathlib.Path(sys.argv[1])
command_file = port_file.with_name("COMMAND")


def events(pairs):
    return "".join(f"event: {data['type']}\ndata: {json.dumps(data)}\n\n" for data in pairs).encode()


def messages(body):
    """The Messages API: a call of the shell tool, or a text behind its result."""
    asked = json.dumps(body.get("messages", []))
    tools = [tool.get("name") for tool in body.get("tools", [])]
    block, stop = {"type": "text", "text": ""}, "end_turn"
    delta = {"type": "text_delta", "text": "done"}
    name = next((name for name in ("Bash", "bash") if name in tools), None)
    if name and "tool_result" not in asked:
        block, stop = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}, "tool_use"
        arguments = {"command": command_file.read_text(), "description": "does it"}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [], "stop_reason": None}
    if not body.get("stream"):
        return "application/json", json.dumps({**head, "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn", "usage": usage}).encode()
    return "text/event-stream", events([
        {"type": "message_start", "message": {**head, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ])


def responses(body):
    """The Responses API: a call of the shell tool, whatever it is called, or a text behind its result."""
    tools = {tool.get("name"): tool for tool in body.get("tools", [])}
    name = next((name for name in ("exec_command", "shell_command", "shell") if name in tools), None)
    item = {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
    if name and "function_call_output" not in json.dumps(body.get("input", [])):
        command = command_file.read_text()
        arguments = {"exec_command": {"cmd": command}, "shell_command": {"command": command}}.get(name, {"command": ["bash", "-lc", command]})
        item = {"type": "function_call", "id": "f1", "call_id": "call_1", "name": name, "arguments": json.dumps(arguments)}
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": 2}
    return "text/event-stream", events([
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r1", "usage": usage}},
    ])


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if "count_tokens" in self.path:
            kind, answer = "application/json", b'{"input_tokens": 1}'
        else:
            kind, answer = responses(body) if self.path.split("?")[0].endswith("/responses") else messages(body)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"data": [], "models": []}')

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
port_file.write_text(str(server.server_port))
server.serve_forever()
