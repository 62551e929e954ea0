/*
 * The server that every client is measured against: as little work per answer as
 * can be, so that the client is what is measured. A call in the usual form is
 * answered by copying its id and its text; anything else is parsed. With
 * `--framed` it speaks Content-Length headers, which `vscode-jsonrpc` needs.
 */
import { answer } from './echo-tool.mjs';

const isFramed = process.argv.includes('--framed');
const usual =
	/^\{"jsonrpc":"2\.0","id":(\d+),"method":"tools\/call","params":\{"name":"echo","arguments":\{"text":("[^"\\]*")\}\}\}$/;

let rest = '';
process.stdin.setEncoding('latin1');
process.stdin.on('data', (chunk) => {
	rest += chunk;
	const answers = isFramed ? takeFrames() : takeLines();
	if (answers !== '') process.stdout.write(answers, 'latin1');
});

function takeLines() {
	const lines = rest.split('\n');
	rest = lines.pop();
	let answers = '';
	for (const line of lines) {
		const text = reply(line);
		if (text !== undefined) answers += `${text}\n`;
	}
	return answers;
}

function takeFrames() {
	let answers = '';
	let at = 0;
	for (;;) {
		const body = rest.indexOf('\r\n\r\n', at) + 4;
		if (body === 3) break;
		const end = body + Number(/Content-Length: (\d+)/.exec(rest.slice(at, body))[1]);
		if (end > rest.length) break;
		const text = reply(rest.slice(body, end));
		if (text !== undefined) answers += `Content-Length: ${text.length}\r\n\r\n${text}`;
		at = end;
	}
	rest = rest.slice(at);
	return answers;
}

function reply(line) {
	const known = usual.exec(line);
	if (known)
		return `{"jsonrpc":"2.0","id":${known[1]},"result":{"content":[{"type":"text","text":${known[2]}}]}}`;
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) return undefined;
	try {
		return JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) });
	} catch ({ code, message }) {
		return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
	}
}
