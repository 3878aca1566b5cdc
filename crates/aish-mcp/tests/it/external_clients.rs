//! The official clients and the inspector, with our server over both transports.
//!
//! They need packages that `./test` installs; without them these tests say so and count as skipped.

use std::process::Command;

use crate::external::{conformance_server, example, node_file, python_program, skip};

const PYTHON_CLIENT: &str = r"
import asyncio, sys
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client import streamable_http
server, url = sys.argv[1:]
async def use(session):
    await session.initialize()
    assert len((await session.list_tools()).tools) == 27
    result = await session.call_tool('test_simple_text', {})
    assert result.content[0].text == 'This is a simple text response for testing.'
    assert len((await session.list_prompts()).prompts) == 5
    read = await session.read_resource('test://static-text')
    assert read.contents[0].text.startswith('This is the content')
async def main():
    async with stdio_client(StdioServerParameters(command=server, args=['stdio'])) as (r, w):
        async with ClientSession(r, w) as session: await use(session)
    async with streamable_http.streamable_http_client(url) as streams:
        async with ClientSession(streams[0], streams[1]) as session: await use(session)
    async with Client(url) as client:
        assert client.protocol_version == '2026-07-28'
        result = await client.call_tool('test_simple_text', {})
        assert result.content[0].text == 'This is a simple text response for testing.'
    print('all well')
asyncio.run(main())
";

#[test]
fn the_official_python_client_uses_our_server_over_both_transports() {
    let Some(python) = python_program("mcp").map(|program| program.with_file_name("python")) else {
        return skip("mcp of PyPI");
    };
    let (_running, url) = conformance_server();
    let mut command = Command::new(python);
    let output = command.args(["-c", PYTHON_CLIENT]).arg(example("conformance_server")).arg(url).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("all well"), "{output:?}");
}

#[test]
fn the_inspector_uses_our_server_over_both_transports() {
    let (Some(inspector), Some(node)) = (node_file(".bin/mcp-inspector"), node_file("node/bin/node")) else {
        return skip("@modelcontextprotocol/inspector");
    };
    let (_running, url) = conformance_server();
    let server = example("conformance_server");
    let targets = [vec![server.to_str().unwrap(), "stdio"], vec![url.as_str(), "--transport", "http"]];
    let path = format!("{}:{}", node.parent().unwrap().display(), std::env::var("PATH").unwrap());
    for target in targets {
        let mut command = Command::new(&node);
        command.arg(&inspector).arg("--cli").args(&target).args(["--method", "tools/call"]).env("PATH", &path);
        let output = command.args(["--tool-name", "test_simple_text"]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("This is a simple text response for testing."), "{target:?}: {output:?}");
    }
}

const TYPESCRIPT_CLIENT: &str = r"
import { pathToFileURL } from 'node:url';
const [sdk, server, url] = process.argv.slice(1);
const load = (path) => import(pathToFileURL(`${sdk}/dist/esm/${path}`));
const { Client } = await load('client/index.js');
const { StdioClientTransport } = await load('client/stdio.js');
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js');
for (const transport of [
  new StdioClientTransport({ command: server, args: ['stdio'] }),
  new StreamableHTTPClientTransport(new URL(url)),
]) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  if (tools.length !== 27) throw new Error(`${tools.length} tools`);
  const result = await client.callTool({ name: 'test_simple_text', arguments: {} });
  if (result.content[0].text !== 'This is a simple text response for testing.') throw new Error(JSON.stringify(result));
  const { prompts } = await client.listPrompts();
  if (prompts.length !== 5) throw new Error(`${prompts.length} prompts`);
  await client.close();
}
console.log('all well');
";

#[test]
fn the_official_typescript_client_uses_our_server_over_both_transports() {
    let (Some(sdk), Some(node)) = (node_file("@modelcontextprotocol/sdk"), node_file("node/bin/node")) else {
        return skip("@modelcontextprotocol/sdk");
    };
    let (_running, url) = conformance_server();
    let mut command = Command::new(node);
    command.args(["--input-type=module", "-e", TYPESCRIPT_CLIENT, "--"]);
    let output = command.arg(sdk).arg(example("conformance_server")).arg(url).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("all well"), "{output:?}");
}
