/* A gateway that parses every message and writes it again, and does nothing else. */
import { spawn } from 'node:child_process';

const child = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
const ids = new Map();
let last = 0;
eachLine(process.stdin, (line) => {
	const message = JSON.parse(line);
	if (message.id !== undefined) {
		ids.set(++last, message.id);
		message.id = last;
	}
	child.stdin.write(`${JSON.stringify(message)}\n`);
});
eachLine(child.stdout, (line) => {
	const message = JSON.parse(line);
	const id = ids.get(message.id);
	ids.delete(message.id);
	process.stdout.write(`${JSON.stringify({ ...message, id })}\n`);
});
process.stdin.on('end', () => child.stdin.end());
child.on('exit', (code) => process.exit(code ?? 1));

function eachLine(stream, take) {
	let pieces = [];
	stream.setEncoding('utf8').on('data', (text) => {
		let from = 0;
		for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
			pieces.push(text.slice(from, at));
			take(pieces.join(''));
			pieces = [];
			from = at + 1;
		}
		if (from < text.length) pieces.push(text.slice(from));
	});
}
