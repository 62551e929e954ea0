/* A client of any echo server as a good programmer writes it by hand, with no library. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { info } from './echo-tool.mjs';

/** Start a server and open a session with it. The caller closes. */
export async function connect({ cmd, args }) {
	const child = spawn(cmd, args, { stdio: ['pipe', 'pipe', 'inherit'] });
	const pending = new Map();
	let nextId = 1;
	let rest = '';
	child.stdout.setEncoding('utf8');
	child.stdout.on('data', (chunk) => {
		const lines = (rest + chunk).split('\n');
		rest = lines.pop();
		for (const line of lines) {
			const { id, result, error } = JSON.parse(line);
			const { resolve, reject } = pending.get(id);
			pending.delete(id);
			if (error) reject(new Error(error.message));
			else resolve(result);
		}
	});

	function request(method, params) {
		return new Promise((resolve, reject) => {
			const id = nextId++;
			pending.set(id, { resolve, reject });
			child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		});
	}

	await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info });
	return {
		pid: child.pid,
		list: async () => (await request('tools/list')).tools,
		call: async (text) =>
			(await request('tools/call', { name: 'echo', arguments: { text } })).content[0].text,
		close: async () => {
			child.stdin.end();
			await once(child, 'exit');
		},
	};
}
