// The official TypeScript client: lists and calls what servers offer, and prints what came as JSON.
//
// The only argument is {"modules": FOLDER, "generation": 1 or 2, "servers": [{"command": [PROGRAM, ARGUMENT...]} or
// {"url": URL, "token": TOKEN}], "tool": NAME, "arguments": {...}}; FOLDER holds node_modules. Standard output is
// [{"tools": [NAME...], "text": TEXT, "is_error": BOOL}], one for each server.
const { createRequire } = require('node:module');

const job = JSON.parse(process.argv[2]);
const load = createRequire(`${job.modules}/client.cjs`);
const packages = {
  1: ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js',
    '@modelcontextprotocol/sdk/client/streamableHttp.js'],
  2: ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'],
};
const { Client, StdioClientTransport, StreamableHTTPClientTransport } =
  Object.assign({}, ...packages[job.generation].map((name) => load(name)));

function transport(server) {
  if (server.command) {
    return new StdioClientTransport({ command: server.command[0], args: server.command.slice(1), env: process.env });
  }
  const headers = server.token ? { Authorization: `Bearer ${server.token}` } : {};
  return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } });
}

async function talk(server) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport(server));
  const { tools } = await client.listTools();
  const result = await client.callTool({ name: job.tool, arguments: job.arguments });
  await client.close();
  const text = result.content.map((part) => part.text ?? '').join('');
  return { tools: tools.map((tool) => tool.name), text, is_error: result.isError === true };
}

(async () => {
  const talks = [];
  for (const server of job.servers) talks.push(await talk(server));
  process.stdout.write(JSON.stringify(talks), () => process.exit(0));
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
