/*
 * MCP servers behind the hub, beside other gateways: the same echo server called
 * directly, through a pipe of bytes, through programs that only splice ids or only parse
 * and write again, through `mctl serve`, `mcp-proxy`, `mcp-hub-mcp` and a gateway on the Go SDK.
 * Client and server speak the older era, except where a row says another pair.
 *
 * A gateway and its child share a core, the caller has the other. Then what only we
 * claim: 100 known servers listed without a process, 100 servers started by 100 calls
 * at once, and a result of 10 MiB.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openServer } from './measure/driver.mjs';
import { buildGoGateway } from './measure/go-gateway.mjs';
import { memory, pinApart, pinDriver } from './measure/process.mjs';
import { fixed, median, megabytes, note, printTable, times } from './measure/report.mjs';
import { script, TEXT } from './measure/requests.mjs';

const GO_GATEWAY = 'a gateway on the Go SDK';
const otherGateways = new Set(['mcp-proxy', 'mcp-hub-mcp', GO_GATEWAY]);
const IN_FLIGHT = 64;
const SERVERS = 100;
const SETTLE_MS = 1500;
const LARGE = 10 * 1024 * 1024;
const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const hubMcp = resolve(import.meta.dirname, 'node_modules/mcp-hub-mcp/dist/index.js');
const fileOf = (name) => join(import.meta.dirname, 'subjects', name);
const server = fileOf('gateway-server.mjs');
const plans = {
	full: { rounds: 5, warmMs: 1500, ms: 800, turnMs: 500, starts: 7 },
	quick: { rounds: 2, warmMs: 600, ms: 300, turnMs: 300, starts: 3 },
};

/** Run the suite, print its tables, and give back the numbers. */
export async function run({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	const home = mkdtempSync(join(tmpdir(), 'orchestra-bench-'));
	const place = echoPlace(home, 'one', [server, 'legacy']);
	try {
		pinDriver();
		const calls = await interleaved(subjectsIn(home, place), plan.rounds, (subject) =>
			callRound(subject, plan),
		);
		printCalls(calls);
		const known = await knownServers(home, plan);
		printKnown(known);
		return { calls, known };
	} finally {
		hub(place, 'stop');
		remove(home);
	}
}

/** A subject that failed may still write there: its failure is the one to tell. */
function remove(folder) {
	try {
		rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	} catch (error) {
		note(`  ${folder} is left: ${error.message}`);
	}
}

function subjectsIn(home, place) {
	const modern = echoPlace(home, 'both', [server]);
	const hubConfig = join(home, 'hub-mcp.json');
	writeFileSync(
		hubConfig,
		JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [server, 'legacy'] } } }),
	);
	const program = buildGoGateway(home);
	const goGateway = { name: GO_GATEWAY, args: ['stdio', process.execPath, server, 'legacy'], program };
	return [
		{ name: 'direct', args: [server, 'legacy'] },
		{ name: 'byte pipe', args: [fileOf('byte-pipe.mjs'), server, 'legacy'] },
		{ name: 'splice of ids', args: [fileOf('splice-pipe.mjs'), server, 'legacy'] },
		{ name: 'parse and stringify', args: [fileOf('parse-pipe.mjs'), server, 'legacy'] },
		{ name: 'mctl serve', args: [main, 'serve'], ...place },
		{ name: 'mctl serve, modern client and server', args: [main, 'serve'], ...modern, era: 'modern' },
		{ name: 'mctl serve, legacy client, modern server', args: [main, 'serve'], ...modern },
		{ name: 'mctl bridge and its hub', args: [main, 'bridge'], ...startHub(place) },
		{ name: 'mcp-proxy', args: [fileOf('mcp-proxy.mjs'), server, 'legacy'] },
		{ name: 'mcp-hub-mcp', args: [hubMcp, '--config-path', hubConfig], talk: hubTalk },
		...(program ? [goGateway] : []),
	];
}

/** Start the shared hub of a place, on the core of the subjects. */
function startHub(place) {
	hub(place, 'start');
	const { pid: hubPid } = JSON.parse(hub(place, 'status', '--json').stdout);
	pinApart(hubPid);
	return { ...place, hubPid };
}

function hub({ cwd, env }, ...args) {
	const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' };
	return spawnSync(process.execPath, [main, 'hub', ...args], options);
}

/** `mcp-hub-mcp` has one tool that calls the others, and its answer is the JSON of theirs. */
const hubTalk = {
	params: (text) => ({
		name: 'call-tool',
		arguments: { serverName: 'echo', toolName: 'echo', toolArgs: { text } },
	}),
	textOf: (result) => JSON.parse(result.content[0].text).content[0].text,
};

/** A folder with the echo server configured. */
function echoPlace(home, name, args) {
	return openPlace(home, name, { echo: { command: process.execPath, args, prefix: false } });
}

/** A folder with MCP servers configured, and a home of its own. */
function openPlace(home, name, mcpServers) {
	const cwd = join(home, name);
	mkdirSync(cwd);
	const limits = { resultBytes: 64 * 1024 * 1024, messageBytes: 64 * 1024 * 1024 };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers, limits }));
	return {
		cwd,
		env: {
			HOME: home,
			XDG_STATE_HOME: join(home, `${name}-state`),
			LOG_LEVEL: 'error',
			ORCHESTRA_TRUST: 'all',
		},
	};
}

async function interleaved(subjects, rounds, measure) {
	const samples = new Map(subjects.map(({ name }) => [name, []]));
	for (let round = 1; round <= rounds; round++) {
		note(`  calls: round ${round} of ${rounds}`);
		for (const subject of subjects) samples.get(subject.name).push(await measure(subject));
	}
	return [...samples].map(([name, rows]) => {
		const keys = Object.keys(rows[0]);
		return { name, ...Object.fromEntries(keys.map((key) => [key, median(rows.map((row) => row[key]))])) };
	});
}

async function callRound(subject, { warmMs, ms, turnMs }) {
	const talk = script(subject.era ?? 'legacy', 'lines', subject.talk);
	const driver = await openServer(subject.args, talk, subject);
	await driver.letPass(talk.call(2, 'hello'), SETTLE_MS);
	await driver.check();
	const flight = await driver.throughput(IN_FLIGHT, { warmMs, ms, hubPid: subject.hubPid });
	await driver.inTurn(turnMs / 2);
	const { p50Micros, p99Micros } = await driver.inTurn(turnMs);
	const isCalledAlike = subject.talk === undefined && subject.era === undefined;
	const largeMs = isCalledAlike ? await largeResult(driver, false) : undefined;
	const denseMs = isCalledAlike ? await largeResult(driver, true) : undefined;
	await driver.close();
	return {
		...flight,
		p50Micros,
		p99Micros,
		largeMs,
		denseMs,
	};
}

/** The fastest of three, in milliseconds. */
async function largeResult(driver, isDense) {
	const took = [];
	for (const id of [3, 4, 5]) {
		const params = { name: 'big', arguments: { size: LARGE, isDense } };
		const request = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
		took.push(await driver.receiveLarge(request, LARGE));
	}
	return Math.min(...took);
}

function printCalls(rows) {
	const of = (name) => rows.find((row) => row.name === name);
	const direct = of('direct');
	printTable(
		'The same echo server, directly and through gateways (caller on one core, the rest on the other)',
		[
			['', ({ name }) => name],
			['p50 µs', ({ p50Micros }) => fixed(p50Micros, 1)],
			['added µs', ({ p50Micros }) => fixed(p50Micros - direct.p50Micros, 1)],
			['p99 µs', ({ p99Micros }) => fixed(p99Micros, 1)],
			[`calls/s, ${IN_FLIGHT} in flight`, ({ perSecond }) => fixed(perSecond)],
			['of the byte pipe', ({ perSecond }) => times(perSecond, of('byte pipe').perSecond)],
			['CPU µs a call', ({ cpuMicros: micros }) => fixed(micros, 1)],
			['10 MiB result ms', ({ largeMs }) => fixed(largeMs, 1)],
			['of small values', ({ denseMs }) => fixed(denseMs, 1)],
		],
		rows,
	);
	const ours = of('mctl serve');
	const others = rows.filter(({ name }) => otherGateways.has(name));
	const best = Math.max(...others.map(({ perSecond }) => perSecond));
	process.stdout.write(
		`\nmctl serve makes ${times(ours.perSecond, best)} the calls of the best other gateway\n`,
	);
}

/** 100 servers that were seen before: the first list, and 100 calls at once. */
async function knownServers(home, { starts }) {
	const names = Array.from({ length: SERVERS }, (_, at) => `s${at}`);
	const servers = Object.fromEntries(
		names.map((name) => [name, { command: process.execPath, args: [server, name] }]),
	);
	const place = openPlace(home, 'hundred', servers);
	note('  100 servers: seen once');
	spawnSync(process.execPath, [main, 'list', 'servers', '--check', '--json'], {
		cwd: place.cwd,
		env: { ...process.env, ...place.env },
		stdio: 'ignore',
	});
	const lists = [];
	const bare = [];
	for (let round = 0; round < starts; round++) {
		bare.push((await firstList([server])).ms);
		lists.push(await firstList([main, 'serve'], place));
	}
	const last = lists.at(-1);
	return {
		bareMs: median(bare),
		listMs: median(lists.map(({ ms }) => ms)),
		tools: last.tools,
		children: last.children,
		residentBytes: last.residentBytes,
		...(await callAll(place, names)),
	};
}

async function firstList(args, place = {}) {
	const talk = script('legacy', 'lines');
	const startedAt = performance.now();
	const driver = await openServer(args, talk, { ...place, isFree: true });
	const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n';
	const { result } = await driver.ask(Buffer.from(list));
	const ms = performance.now() - startedAt;
	const { now } = memory(driver.pid) ?? {};
	const children = childrenOf(driver.pid);
	await driver.close();
	return { ms, tools: result.tools.length, children, residentBytes: now };
}

async function callAll(place, names) {
	note('  100 servers: a call to each at once');
	const file = join(place.cwd, 'delay');
	const env = {
		...place.env,
		NODE_OPTIONS: `--import=${fileOf('loop-delay.mjs')}`,
		BENCH_LOOP_DELAY_FILE: file,
	};
	const talk = script('legacy', 'lines');
	const driver = await openServer([main, 'serve'], talk, { ...place, env, isFree: true });
	await driver.ask(Buffer.from('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n'));
	await new Promise((done) => setTimeout(done, SETTLE_MS));
	const startedAt = performance.now();
	const calls = names.map((name, at) =>
		Buffer.from(
			`${JSON.stringify({ jsonrpc: '2.0', id: 10 + at, method: 'tools/call', params: { name: `${name}__echo`, arguments: { text: TEXT } } })}\n`,
		),
	);
	const answers = await driver.askAll(calls, 60_000);
	const allMs = performance.now() - startedAt;
	const right = answers.filter(({ result }) => result?.content?.[0]?.text === TEXT).length;
	await driver.close(20_000);
	return { allMs, right, loopDelayMs: Number(readFileSync(file, 'utf8')) };
}

function childrenOf(pid) {
	const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
	return stdout.trim() === '' ? 0 : stdout.trim().split('\n').length;
}

function printKnown(row) {
	printTable(
		'100 servers that are known',
		[
			['', () => 'mctl serve'],
			['first tools/list ms', ({ listMs }) => fixed(listMs, 1)],
			['over bare Node ms', ({ listMs, bareMs }) => fixed(listMs - bareMs, 1)],
			['tools', ({ tools }) => fixed(tools)],
			['children', ({ children }) => fixed(children)],
			['resident MB', ({ residentBytes }) => megabytes(residentBytes)],
			['100 calls at once ms', ({ allMs }) => fixed(allMs)],
			['right answers', ({ right }) => fixed(right)],
			['longest loop delay ms', ({ loopDelayMs }) => fixed(loopDelayMs, 1)],
		],
		[row],
	);
}
