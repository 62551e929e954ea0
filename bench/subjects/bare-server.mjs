/* The echo server as a good programmer writes it by hand, with no library: split, parse, answer, write. */
import { answer } from './echo-tool.mjs';

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
	const lines = (rest + chunk).split('\n');
	rest = lines.pop();
	for (const line of lines) {
		const { id, method, params } = JSON.parse(line);
		if (id !== undefined) process.stdout.write(`${JSON.stringify(reply(id, method, params))}\n`);
	}
});

function reply(id, method, params) {
	try {
		return { jsonrpc: '2.0', id, result: answer(method, params) };
	} catch ({ code, message, data }) {
		return { jsonrpc: '2.0', id, error: { code, message, data } };
	}
}
