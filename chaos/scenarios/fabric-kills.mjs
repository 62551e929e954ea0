/*
 * Kills of the NATS server and of workers under open-loop load. Each run of the tool writes its id to a
 * file; the file is the judge. At the end the same id is called twice on purpose: the judge must see it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findNatsServer, freePort } from '../../scripts/nats-server.mjs';
import { root } from '../../scripts/steps.mjs';

export const title =
	'no call is run twice while servers and workers are killed, and every call is answered once';

/** One kill each. */
export const rounds = 30;
const CALL_EVERY_MS = 50;
/** Longer than the slowest rule about silence. */
const ANSWERS_MS = 45_000;
const READY_MS = 30_000;
const main = join(root, 'dist/cli/main.js');
const tool = `#!/bin/sh
read request
id=$(printf '%s' "$request" | sed 's/.*"id":"\\([a-z0-9]*\\)".*/\\1/')
echo "$id" >> "$RUNS"
sleep 0.05
printf '{"type":"result","ts":"2025-02-25T10:00:00.000Z","toolId":"record","payload":{"ok":true,"data":{"id":"%s"}}}\\n' "$id"
`;

export function run(parts) {
	return runKills(parts, 1);
}

/**
 * With more than one node the servers are a cluster. Each round is one disturbance, by default the kill of a server or a
 * worker.
 */
export async function runKills({ random, rounds, folder, note }, nodes, disturb = kill) {
	const program = findNatsServer();
	if (program === undefined) {
		note('there is no nats-server: npm run test:fabric builds it');
		return { skipped: 1 };
	}
	const place = await preparePlace(folder, program, nodes);
	const counts = {
		calls: 0,
		results: 0,
		unknown: 0,
		notRun: 0,
		serverKills: 0,
		workerKills: 0,
		slowestSuspectMs: 0,
		failures: [],
	};
	try {
		await runRounds(place, { random, rounds, counts, disturb });
		await judge(place, counts);
	} finally {
		for (const child of place.children()) {
			child.kill('SIGCONT');
			child.kill('SIGKILL');
		}
	}
	return counts;
}

async function preparePlace(folder, program, nodes) {
	const servers = await prepareServers(folder, program, nodes);
	const runs = join(folder, 'runs');
	const fabric = { servers: servers.map(({ url }) => url) };
	writeProject(join(folder, 'hub'), { fabric: { ...fabric, name: 'hub' } });
	for (const name of ['one', 'two']) {
		const config = {
			fabric: { ...fabric, name, group: 'w', offer: ['record'] },
			tools: { roots: ['./tools'] },
		};
		writeProject(join(folder, name), config);
		const at = join(folder, name, 'tools/record');
		mkdirSync(at, { recursive: true });
		const manifest = {
			manifestVersion: 1,
			id: 'record',
			version: '1.0.0',
			name: 'record',
			description: 'Record',
			command: ['sh', 'main.sh'],
			env: ['RUNS'],
		};
		writeFileSync(join(at, 'manifest.json'), JSON.stringify(manifest));
		writeFileSync(join(at, 'main.sh'), tool);
		chmodSync(join(at, 'main.sh'), 0o755);
	}
	const start = {
		...Object.fromEntries(servers.map(({ name, start: startServer }) => [name, startServer])),
		one: () => startMctl(folder, 'one', ['worker'], runs),
		two: () => startMctl(folder, 'two', ['worker'], runs),
	};
	const running = Object.fromEntries(Object.entries(start).map(([name, begin]) => [name, begin()]));
	const hub = startMctl(folder, 'hub', ['serve'], runs);
	return { runs, start, running, ...clientOf(hub), children: () => [...Object.values(running), hub] };
}

/** The servers, each with how to start it. */
async function prepareServers(folder, program, nodes) {
	const ports = await Promise.all(Array.from({ length: nodes * 2 }, freePort));
	const routes = ports.slice(nodes).map((port) => `nats://127.0.0.1:${port}`);
	return ports.slice(0, nodes).map((port, at) => {
		const file = join(folder, `nats-${at}.conf`);
		const cluster = `server_name: n${at}\ncluster { name: c, listen: "127.0.0.1:${ports[nodes + at]}", ping_interval: "2s", ping_max: 2, routes: ${JSON.stringify(routes)} }\n`;
		const text = `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${join(folder, `store-${at}`)}" }\n`;
		writeFileSync(file, nodes > 1 ? text + cluster : text);
		const start = () => spawn(program, ['-c', file], { stdio: 'ignore' });
		return { name: `server${at}`, url: `nats://127.0.0.1:${port}`, start };
	});
}

async function runRounds(place, { random, rounds, counts, disturb }) {
	const { call } = place;
	place.answers = new Map();
	await until(async () => (await call('ready')).includes('ready'), READY_MS, 'the fabric is ready');
	const load = setInterval(() => {
		const id = `k${counts.calls++}`;
		const calledAt = performance.now();
		const answer = call(id).then((text) => ({ text, ms: performance.now() - calledAt }));
		place.answers.set(id, answer);
	}, CALL_EVERY_MS);
	for (let round = 0; round < rounds; round++) await disturb(place, { random, counts });
	clearInterval(load);
}

/** The names of the servers. */
export function serversOf({ start }) {
	return Object.keys(start).filter((each) => each.startsWith('server'));
}

async function kill(place, { random, counts }) {
	const { running, start } = place;
	await sleep(200 + random.integer(800));
	const servers = serversOf(place);
	const name = random.pick(random.pick([servers, ['one', 'two']]));
	counts[servers.includes(name) ? 'serverKills' : 'workerKills']++;
	const exited = once(running[name], 'exit');
	running[name].kill('SIGKILL');
	await exited;
	await sleep(random.integer(500));
	running[name] = start[name]();
}

async function judge({ answers, runs, call }, counts) {
	const texts = await Promise.race([
		Promise.all([...answers].map(async ([id, text]) => [id, await text])),
		sleep(ANSWERS_MS).then(() => undefined),
	]);
	if (texts === undefined) return void counts.failures.push('not every call was answered');
	const executed = idsIn(runs);
	for (const [id, { text, ms }] of texts) {
		if (text.includes('its worker left')) counts.failures.push(`${id} blames its worker: ${text}`);
		if (text.includes('not run') && text.includes('the link to the fabric is'))
			counts.slowestSuspectMs = Math.max(counts.slowestSuspectMs, Math.round(ms));
		if (text.includes('outcome unknown')) counts.unknown++;
		else if (text.includes('not run')) {
			counts.notRun++;
			if (executed.includes(id)) counts.failures.push(`${id} was answered with "not run" and ran`);
		} else if (text.includes(id)) counts.results++;
		else counts.failures.push(`${id} was answered with ${text}`);
	}
	for (const id of twice(executed).filter((each) => each !== 'ready'))
		counts.failures.push(`${id} was run twice`);
	await until(async () => (await call('control')).includes('control'), READY_MS, 'the fabric works again');
	await until(async () => (await call('control')).includes('control'), READY_MS, 'the fabric works again');
	if (!twice(idsIn(runs)).includes('control'))
		counts.failures.push('the judge does not see a call that is run twice');
}

/** `call(id)` gives the text of the answer. */
function clientOf(hub) {
	const pending = new Map();
	let last = 0;
	createInterface({ input: hub.stdout }).on('line', (line) => {
		const { id } = JSON.parse(line);
		pending.get(id)?.(line);
		pending.delete(id);
	});
	const request = (method, params) =>
		new Promise((resolve) => {
			pending.set(++last, resolve);
			hub.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
		});
	return { call: (id) => request('tools/call', { name: 'w__record', arguments: { id } }) };
}

function startMctl(folder, name, words, runs) {
	const home = join(folder, name);
	const env = {
		...process.env,
		HOME: home,
		XDG_STATE_HOME: join(home, 'state'),
		ORCHESTRA_TRUST: 'all',
		RUNS: runs,
	};
	const child = spawn(process.execPath, [main, ...words], {
		cwd: home,
		env,
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	child.stdin.on('error', () => {}); // a killed worker reads nothing
	return child;
}

function writeProject(folder, config) {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'orchestra.json'), JSON.stringify(config));
}

function idsIn(file) {
	return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

function twice(ids) {
	const seen = new Set();
	return ids.filter((id) => seen.has(id) || !seen.add(id));
}

async function until(condition, ms, what) {
	const giveUpAt = performance.now() + ms;
	while (!(await condition())) {
		if (performance.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
		await sleep(100);
	}
}
