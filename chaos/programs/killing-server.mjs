/*
 * An MCP server with one tool, `step`, which adds its number to the file in `RUNS`. At the call in the file in `KILL`, `{at, moment, pid}`,
 * it kills that process, once: when it has the call, when it has made it, or when it has answered.
 */
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { RUNS, KILL } = process.env;
const tool = { name: 'step', inputSchema: { type: 'object', properties: { at: { type: 'number' } } } };

createInterface({ input: process.stdin }).on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined || method === undefined) return;
	if (method === 'initialize') {
		const serverInfo = { name: 'killing', version: '1' };
		return reply(id, { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
	}
	if (method === 'tools/list') return reply(id, { result: { tools: [tool] } });
	if (method !== 'tools/call') return reply(id, { error: { code: -32601, message: 'no such method' } });
	const { at } = params.arguments;
	if (kills(at, 'received')) return;
	appendFileSync(RUNS, `${at}\n`);
	if (kills(at, 'made')) return;
	reply(id, { result: { content: [{ type: 'text', text: String(at) }] } });
	kills(at, 'answered');
});

/** Whether the hub was killed. */
function kills(at, moment) {
	let order;
	try {
		order = JSON.parse(readFileSync(KILL, 'utf8'));
	} catch {
		return false; // it was killed already
	}
	if (order.at !== at || order.moment !== moment) return false;
	rmSync(KILL);
	process.kill(order.pid, 'SIGKILL');
	return true;
}

function reply(id, outcome) {
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
