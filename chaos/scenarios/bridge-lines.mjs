/*
 * Random lines through a bridge: valid, malformed, huge, repeated ids, batches, cancelled
 * requests, and random ends of the bridge and of its hub.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../scripts/steps.mjs';

export const title =
	'each id is answered at most once, exactly once when the bridge may finish, and every line out is JSON';

const LINES = 120;
const HUGE_CHARACTERS = 11 * 1024 * 1024;
/** How long a bridge may take to end. */
const END_MS = 30_000;

const malformed = [
	'{',
	'nonsense',
	'{"jsonrpc":"2.0","id":"a\u0001","method":"ping"}',
	'{"jsonrpc":"2.0","id":"bad","method":"tools/call","params":{x}}',
	'[]',
	'{"jsonrpc":"2.0","id":77,"method":"notifications/odd"}',
	'[{"jsonrpc":"2.0","id":"in-batch","method":"ping"}]',
];

export async function run({ random, rounds, folder }) {
	const counts = { bridges: 0, lines: 0, answers: 0, kills: 0, hubKills: 0, failures: [] };
	for (let round = 0; round < rounds; round++) {
		const hub = await startHub(folder);
		try {
			await runRound({ random, folder, hub, round, counts });
		} finally {
			hub.child.kill('SIGKILL');
			await hub.exited;
		}
	}
	return counts;
}

async function runRound({ random, folder, hub, round, counts }) {
	const bridge = startBridge(folder, hub.address);
	const fate = random.pick(['finish', 'finish', 'signal', 'kill', 'hub']);
	const sent = { owed: new Set(), once: new Set() };
	const cutAt = random.integer(LINES);
	// Before a process runs, nothing takes its signals.
	bridge.child.stdin.write('{"jsonrpc":"2.0","id":"up","method":"ping"}\n');
	await bridge.firstLine;
	for (let at = 0; at < LINES && !bridge.isOver(); at++) {
		if (at === cutAt && fate === 'kill') bridge.child.kill('SIGKILL');
		if (at === cutAt && fate === 'hub') hub.child.kill('SIGKILL');
		if (at === cutAt && fate === 'signal') bridge.child.kill('SIGTERM');
		bridge.child.stdin.write(`${line(random, `r${at}`, sent)}\n`);
		counts.lines++;
		if (random.integer(10) === 0) await new Promise((resolve) => setImmediate(resolve));
	}
	bridge.child.stdin.end();
	const [code] = await bridge.exited;
	counts.bridges++;
	if (fate === 'kill') counts.kills++;
	if (fate === 'hub') counts.hubKills++;
	const fail = (text) => counts.failures.push(`round ${round} (${fate}): ${text}`);
	if (fate !== 'kill' && code !== 0) fail(`the bridge ended with ${code}`);
	const answers = answersIn(bridge.output(), fate === 'kill', fail);
	counts.answers += answers.length;
	check(answers, sent, fate === 'finish' || fate === 'hub', fail);
}

/** One line, and what is owed for it: ids that must be answered, and ids that may be answered once. */
function line(random, id, { owed, once: atMostOnce }) {
	const kind = random.pick([
		'call',
		'call',
		'call',
		'ping',
		'list',
		'bad',
		'bad',
		'repeat',
		'cancel',
		'huge',
	]);
	const request = (method, params = {}) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
	if (kind === 'bad') return random.pick(malformed);
	if (kind === 'cancel') {
		const [last] = [...owed].slice(-1);
		if (last === undefined) return 'null';
		owed.delete(last);
		return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: last } });
	}
	if (kind === 'repeat') {
		const used = random.pick([...atMostOnce, 'none']);
		// An id that is used again may be answered again.
		atMostOnce.delete(used);
		owed.delete(used);
		return JSON.stringify({ jsonrpc: '2.0', id: used, method: 'ping' });
	}
	owed.add(id);
	atMostOnce.add(id);
	if (kind === 'ping') return request('ping');
	if (kind === 'list') return request('tools/list');
	const isHuge = kind === 'huge' && random.integer(5) === 0;
	const text = 'ü'.repeat(isHuge ? HUGE_CHARACTERS / 2 : random.integer(5000));
	return request('tools/call', { name: 'echo', arguments: { text } });
}

function answersIn(output, wasKilled, fail) {
	const lines = output.split('\n');
	// A bridge that was killed may have been in the middle of a line.
	const rest = lines.pop();
	if (rest !== '' && !wasKilled) fail(`the last line has no end: ${rest.slice(0, 100)}`);
	return lines.flatMap((text) => {
		try {
			return [JSON.parse(text)].flat();
		} catch {
			fail(`a line is not JSON: ${text.slice(0, 100)}`);
			return [];
		}
	});
}

function check(answers, sent, mayFinish, fail) {
	const byId = new Map();
	for (const { id, method } of answers) if (method === undefined) byId.set(id, (byId.get(id) ?? 0) + 1);
	for (const id of sent.once) if ((byId.get(id) ?? 0) > 1) fail(`${id} was answered ${byId.get(id)} times`);
	if (!mayFinish) return;
	for (const id of sent.owed) if (!byId.has(id)) fail(`${id} was not answered`);
}

async function startHub(folder) {
	const program = join(root, 'test', 'fixtures', 'tunnel-hub.mjs');
	const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
	const exited = once(child, 'exit');
	const [address] = await once(child.stdout, 'data');
	return { child, exited, address: String(address).trim() };
}

function startBridge(folder, address) {
	const args = [
		join(root, 'dist', 'cli', 'main.js'),
		'bridge',
		'--orchestrator-addr',
		address,
		'--certs-dir',
		folder,
	];
	const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
	child.stdin.on('error', () => {}); // it may be gone before the next line
	const chunks = [];
	child.stdout.on('data', (chunk) => chunks.push(chunk));
	const firstLine = once(child.stdout, 'data');
	const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
	const exited = once(child, 'close').finally(() => clearTimeout(timer));
	return {
		child,
		exited,
		firstLine,
		isOver: () => child.exitCode !== null || child.signalCode !== null,
		output: () => Buffer.concat(chunks).toString(),
	};
}
