/*
 * An MCP server with one tool, `label`, which returns its label after 600 ms, longer than the hub waits for a first question. Each begin is a line of the
 * file in `RUNS`, each result that it gave a line of the file in `ENDS`.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const RUN_MS = 600;
const tool = { name: 'label', inputSchema: { type: 'object', properties: { label: { type: 'string' } } } };

createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined || method === undefined) return;
	if (method === 'initialize') {
		const capabilities = { tools: {} };
		const serverInfo = { name: 'labelled', version: '1' };
		return reply(id, { result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
	}
	if (method === 'tools/list') return reply(id, { result: { tools: [tool] } });
	if (method !== 'tools/call') return reply(id, { error: { code: -32601, message: 'no such method' } });
	const { label } = params.arguments;
	appendFileSync(process.env.RUNS, `${label}\n`);
	setTimeout(() => {
		process.stdout.write(
			`${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: label }] } })}\n`,
			() => appendFileSync(process.env.ENDS, `${label}\n`),
		);
	}, RUN_MS);
});

function reply(id, outcome) {
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
