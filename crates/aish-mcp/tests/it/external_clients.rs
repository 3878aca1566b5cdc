//! The official clients and the inspector, with our server over both transports.
//!
//! They need packages that `./test` installs; without them these tests say so and count as skipped.

use std::process::Command;

use aish_testkit::mcp_clients::{OfficialClient, Target, inspect};
use serde_json::json;

use crate::external::{conformance_server, example, python_program, skip};

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

fn targets(url: &str) -> [Target; 2] {
    let program = example("conformance_server").to_string_lossy().into_owned();
    [Target::Stdio { command: vec![program, "stdio".into()] }, Target::Http { url: url.to_owned(), token: None }]
}

#[test]
fn the_inspector_uses_our_server_over_both_transports() {
    let home = tempfile::tempdir().unwrap();
    let (_running, url) = conformance_server();
    for target in targets(&url) {
        let call = ["--method", "tools/call", "--tool-name", "test_simple_text"];
        let Some(called) = inspect(home.path(), &target, &call).unwrap() else { return };
        let text = &called["result"]["content"][0]["text"];
        assert_eq!(text, "This is a simple text response for testing.", "{target:?}");
        let listed = inspect(home.path(), &target, &["--method", "prompts/list"]).unwrap().unwrap();
        assert_eq!(listed["result"]["prompts"].as_array().map(Vec::len), Some(5), "{target:?}");
    }
}

#[test]
fn the_official_typescript_clients_use_our_server_over_both_transports() {
    let home = tempfile::tempdir().unwrap();
    let (_running, url) = conformance_server();
    for client in [OfficialClient::TypeScript1, OfficialClient::TypeScript2] {
        let talks = client.talk(home.path(), &targets(&url), "test_simple_text", &json!({})).unwrap();
        for talk in talks.unwrap_or_default() {
            assert_eq!(talk.tools.len(), 27, "{client:?}");
            assert_eq!(talk.text, "This is a simple text response for testing.", "{client:?}");
        }
    }
}
