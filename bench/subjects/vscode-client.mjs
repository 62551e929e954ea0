/* A client of an echo server that speaks Content-Length framing, on `vscode-jsonrpc`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { info } from './echo-tool.mjs';

/** Start a server and open a session with it. The caller closes. */
export async function connect({ cmd, args }) {
	const child = spawn(cmd, args, { stdio: ['pipe', 'pipe', 'inherit'] });
	const connection = createMessageConnection(
		new StreamMessageReader(child.stdout),
		new StreamMessageWriter(child.stdin),
	);
	connection.listen();
	const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
	await connection.sendRequest('initialize', hello);
	return {
		pid: child.pid,
		list: async () => (await connection.sendRequest('tools/list', {})).tools,
		call: async (text) => {
			const result = await connection.sendRequest('tools/call', { name: 'echo', arguments: { text } });
			return result.content[0].text;
		},
		close: async () => {
			connection.end();
			child.stdin.end();
			await once(child, 'exit');
			connection.dispose();
		},
	};
}
