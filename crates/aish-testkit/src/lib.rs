//! Scripted model server, fake MCP server, terminal sessions and case runner for tests.
