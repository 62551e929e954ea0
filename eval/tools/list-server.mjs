/* A server that offers a collected tool list and answers no call: `node list-server.mjs <list.json>`. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { name, tools } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) return;
	const { protocolVersion } = params ?? {};
	const serverInfo = { name, version: '1' };
	if (method === 'initialize')
		send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
	else if (method === 'tools/list') send({ id, result: { tools } });
	else send({ id, error: { code: -32601, message: `no ${method}` } });
});

function send(message) {
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
