/* Garbage, cut lines and changed requests on the stdin of `mctl serve`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/steps.mjs';

export const title = '`mctl serve` answers or ignores any line, and stays usable';

const ANSWER_MS = 20_000;
const LINES_A_ROUND = 50;

const requests = [
	'{"jsonrpc":"2.0","id":1,"method":"ping"}',
	'{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}}',
	'{"jsonrpc":"2.0","id":2.5,"method":"tools/call","params":{"name":"no-such","arguments":{"é":"\\ud83d"}}}',
	'{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
	'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
	'{"jsonrpc":"2.0","id":9007199254740993,"result":{}}',
	'[{"jsonrpc":"2.0","id":4,"method":"ping"},5,[],{"id":77,"method":"notifications/odd"}]',
	'{"jsonrpc":"2.0","id":20}',
];

export async function run({ random, rounds, folder }) {
	const counts = { lines: 0, answers: 0, failures: [] };
	const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), 'serve'], {
		cwd: folder,
		env: { ...process.env, HOME: folder, LOG_LEVEL: 'error' },
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const exited = once(child, 'exit');
	child.stdin.on('error', () => {}); // a server that ended is reported by its missing answer
	const waiting = new Map();
	createInterface({ input: child.stdout }).on('line', (line) => {
		counts.answers++;
		try {
			waiting.get(JSON.parse(line).id)?.();
		} catch {
			counts.failures.push(`not JSON on stdout: ${line.slice(0, 200)}`);
		}
	});
	for (let round = 0; round < rounds && counts.failures.length === 0; round++) {
		for (let n = 0; n < LINES_A_ROUND; n++) {
			child.stdin.write(fuzzed(random));
			counts.lines++;
		}
		// A line that was cut ends here.
		child.stdin.write(`\n{"jsonrpc":"2.0","id":"alive-${round}","method":"ping"}\n`);
		const isAlive = await within(ANSWER_MS, new Promise((resolve) => waiting.set(`alive-${round}`, resolve)));
		if (!isAlive) counts.failures.push(`round ${round}: no answer to a ping within ${ANSWER_MS} ms`);
	}
	child.stdin.end();
	if (!(await within(ANSWER_MS, exited))) {
		counts.failures.push(`still runs ${ANSWER_MS} ms after the end of input`);
		child.kill('SIGKILL');
	}
	const [code] = await exited;
	if (code !== 0) counts.failures.push(`exit code ${code}`);
	return counts;
}

/** A line, or a part of one without an end. */
function fuzzed(random) {
	const bytes = Buffer.from(`${random.pick(requests)}\n`);
	switch (random.integer(6)) {
		case 0:
			return Buffer.from(Array.from({ length: random.integer(300) }, () => random.integer(256)));
		case 1:
			return bytes.subarray(0, random.integer(bytes.length));
		case 2:
			for (let n = 0; n <= random.integer(4); n++) bytes[random.integer(bytes.length)] = random.integer(256);
			return bytes;
		case 3:
			return Buffer.concat([bytes.subarray(0, random.integer(bytes.length)), bytes]);
		case 4:
			return `${'['.repeat(random.integer(20_000))}\n`;
		default:
			return bytes;
	}
}

async function within(ms, promise) {
	let timer;
	const late = new Promise((resolve) => {
		timer = setTimeout(resolve, ms, false);
	});
	const isDone = await Promise.race([promise.then(() => true), late]);
	clearTimeout(timer);
	return isDone;
}
