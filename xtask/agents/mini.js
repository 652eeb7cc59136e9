// An MCP server on standard input and output with one tool, `echo`. A call
// makes the file `@MARKER@`, which the harness looks for.
const marker = '@MARKER@';
const tool = {
  name: 'echo',
  description: 'Says the text again',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'mini', version: '1' },
      };
    case 'tools/list':
      return { tools: [tool] };
    case 'tools/call':
      require('node:fs').writeFileSync(marker, 'ran\n');
      return { content: [{ type: 'text', text: `echo:${params.arguments.text}` }] };
    case 'resources/list':
      return { resources: [{ uri: 'mini://secret', name: 'secret', mimeType: 'text/plain' }] };
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    case 'resources/read':
      require('node:fs').writeFileSync(marker, 'ran\n');
      return { contents: [{ uri: params.uri, mimeType: 'text/plain', text: 'RESOURCE-WORD' }] };
    default:
      return {};
  }
}

require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) })}\n`);
});
