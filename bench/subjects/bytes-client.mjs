/* A promise per line over a byte echo: what a client costs that does not know JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Start a byte echo. The caller closes. */
export async function connect({ cmd, args }) {
	const child = spawn(cmd, args, { stdio: ['pipe', 'pipe', 'inherit'] });
	const waiting = [];
	let rest = '';
	child.stdout.setEncoding('latin1');
	child.stdout.on('data', (chunk) => {
		const lines = (rest + chunk).split('\n');
		rest = lines.pop();
		for (const line of lines) waiting.shift()(line);
	});
	return {
		pid: child.pid,
		list: () => Promise.resolve([]),
		call: (text) =>
			new Promise((resolve) => {
				waiting.push(resolve);
				child.stdin.write(`${text}\n`, 'latin1');
			}),
		close: async () => {
			child.stdin.end();
			await once(child, 'exit');
		},
	};
}
