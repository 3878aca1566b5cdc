//! Command-line programs as MCP tools.
