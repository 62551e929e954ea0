/* The least that a gateway must do to share a server: another id for each request, and the own one in its response. No JSON is read. */
import { spawn } from 'node:child_process';

const child = spawn(process.execPath, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
const ids = new Map();
let last = 0;
const ID = /"id":(\d+)/;
eachLine(process.stdin, (line) => {
	const found = ID.exec(line);
	if (found === null) return child.stdin.write(`${line}\n`);
	ids.set(++last, found[1]);
	child.stdin.write(
		`${line.slice(0, found.index)}"id":${last}${line.slice(found.index + found[0].length)}\n`,
	);
});
eachLine(child.stdout, (line) => {
	const found = ID.exec(line);
	const id = found && ids.get(Number(found[1]));
	if (id === undefined || id === null) return process.stdout.write(`${line}\n`);
	ids.delete(Number(found[1]));
	process.stdout.write(
		`${line.slice(0, found.index)}"id":${id}${line.slice(found.index + found[0].length)}\n`,
	);
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
