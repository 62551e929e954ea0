/*
 * The fabric beside a direct TLS connection: latency, calls per second, a large result, and what a new
 * hub costs with a thousand workers. One worker process, one server, this process is the hub. For
 * comparison: the direct connection between two hubs, and a bare request through the NATS server. At last the
 * whole path of a user: an MCP client, `mctl serve`, NATS, `mctl worker`, an MCP server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { ensureNatsServer, freePort } from '../scripts/nats-server.mjs';
import { root } from '../scripts/steps.mjs';
import { firstOutput, stop } from './measure/process.mjs';
import { note } from './measure/report.mjs';

const main = join(root, 'dist/cli/main.js');
const DAY_MS = 86_400_000;
const GIVE_UP_MS = 60_000;
const LARGE_BYTES = 64 * 1024 * 1024;
const IN_FLIGHT = 64;
const IDLE_MS = 4000;
/** Longer than a busy machine needs to write all workers. */
const PRESENCE_TTL_MS = 600_000;

export async function run({ isQuick }) {
	const program = ensureNatsServer();
	if (program === undefined) {
		note('  there is no nats-server, and no Go to build it with: nothing is measured');
		return undefined;
	}
	const folder = mkdtempSync(join(tmpdir(), 'orchestra-bench-fabric-'));
	const cache = join(root, 'node_modules/.cache/orchestra-bench');
	const ends = [];
	try {
		mkdirSync(cache, { recursive: true });
		const file = join(cache, 'fabric-member.mjs');
		await bundle(file);
		const product = await import(pathToFileURL(file).href);
		const place = await startServer(product, { program, folder, ends });
		return await measure(product, { ...place, folder, file, ends, isQuick });
	} finally {
		for (const end of ends.reverse()) await end();
		rmSync(folder, { recursive: true, force: true });
	}
}

async function bundle(file) {
	await build({
		input: join(import.meta.dirname, 'subjects/fabric-member.mjs'),
		platform: 'node',
		external: (id) => !id.startsWith('.') && !id.startsWith('/'),
		output: { file, format: 'esm', codeSplitting: false },
		logLevel: 'warn',
	});
}

async function startServer(product, { program, folder, ends }) {
	const authority = product.newAuthority();
	const validity = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) };
	const leaf = product.makeLeaf('localhost', validity, authority);
	const files = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
	writeFileSync(files.ca, product.certifyAuthority(authority, validity).certificate);
	writeFileSync(files.cert, leaf.certificate);
	writeFileSync(files.key, leaf.key);
	const port = await freePort();
	const tls = `tls { cert_file: "${files.cert}", key_file: "${files.key}", min_version: "1.3" }`;
	const text = `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${join(folder, 'data')}" }\n${tls}\n`;
	writeFileSync(join(folder, 'nats.conf'), text);
	const server = spawn(program, ['-c', join(folder, 'nats.conf')], { stdio: 'ignore' });
	ends.push(() => stop(server, 0));
	return { url: `tls://localhost:${port}`, ...files };
}

async function measure(product, { url, ca, cert, key, folder, file, ends, isQuick }) {
	const worker = spawn(process.execPath, [file, 'worker', url, ca, cert, key], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	ends.push(() => void worker.kill('SIGKILL'));
	const direct = await openDirect(Number(await firstOutput(worker)), ca);
	ends.push(() => direct.close());
	const access = { servers: [url], name: 'bench-hub', ca };
	const source = new product.FabricSource({ access, patterns: ['*'], log: product.Log.silent });
	const hub = new product.Hub({ sources: [source] });
	ends.push(() => hub.close());
	const hasTool = async () => (await source.list('tools')).some(({ name }) => name === 'bench__echo');
	await until('the worker advertises its tool', hasTool, 20);
	const remote = (input) => product.callHub(hub, { name: 'bench__echo', arguments: input });
	const near = directHub(product, direct);
	ends.push(() => near.close());
	const hubs = (input) => product.callHub(near, { name: 'echo', arguments: input });
	const bare = await product.connect({ servers: url, tls: { caFile: ca } });
	ends.push(() => bare.close());
	const floor = (input) => bare.request('bench.echo', JSON.stringify(input), { timeout: 5000 });
	const rounds = isQuick ? 3 : 5;
	const results = {};
	const times = {
		direct: [],
		hubs: [],
		floor: [],
		fabric: [],
		directRate: [],
		floorRate: [],
		fabricRate: [],
		directLarge: [],
		fabricLarge: [],
	};
	const calls = isQuick ? 1000 : 3000;
	for (const call of [direct.call, hubs, floor, remote]) await rate(call, calls);
	// Interleaved: a disturbance of the machine meets both.
	for (let round = 0; round < rounds; round++) {
		times.direct.push(await latency(direct.call, 500));
		times.hubs.push(await latency(hubs, 500));
		times.floor.push(await latency(floor, 500));
		times.fabric.push(await latency(remote, 500));
		times.directRate.push(await rate(direct.call, calls * 2));
		times.floorRate.push(await rate(floor, calls * 2));
		times.fabricRate.push(await rate(remote, calls * 2));
		times.directLarge.push(await large(direct.call));
		times.fabricLarge.push(await large(remote));
	}
	for (const [name, values] of Object.entries(times)) results[name] = median(values);
	print(
		`one call at a time        direct TLS ${us(results.direct)}   two hubs over TLS ${us(results.hubs)}   bare NATS request ${us(results.floor)}`,
	);
	print(
		`                          fabric ${us(results.fabric)}   ${ratio(results.fabric, results.direct)} of direct (goal 3.5×)   ${ratio(results.fabric, results.floor)} of bare NATS`,
	);
	print(
		`${IN_FLIGHT} calls in flight       direct TLS ${perSecond(results.directRate)}   bare NATS ${perSecond(results.floorRate)}   fabric ${perSecond(results.fabricRate)} (goal 8,000)`,
	);
	print(
		`a result of 64 MB         direct TLS ${ms(results.directLarge)}   fabric ${ms(results.fabricLarge)}   ${ratio(results.fabricLarge, results.directLarge)} (goal 2×)`,
	);
	Object.assign(results, await measureWhole(direct, { url, ca, folder, file, ends, rounds }));
	Object.assign(results, await measureCatalogue(product, { access, ends, isQuick }));
	if (!isQuick) results.deathMs = await measureDeath(worker, source);
	return results;
}

/** As a user has it: all programs are processes, and the client speaks MCP on the stdio of `mctl serve`. */
async function measureWhole(direct, { url, ca, folder, file, ends, rounds }) {
	const limits = { messageBytes: 4 * LARGE_BYTES, resultBytes: 4 * LARGE_BYTES };
	const mcpServers = { mine: { command: process.execPath, args: [file, 'server'] } };
	const fabric = { servers: [url], ca };
	const start = (name, words, config) => {
		const home = join(folder, name);
		mkdirSync(home);
		writeFileSync(join(home, 'orchestra.json'), JSON.stringify({ ...config, limits }));
		const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state'), ORCHESTRA_TRUST: 'all' };
		const child = spawn(process.execPath, [main, ...words], {
			cwd: home,
			env,
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		ends.push(() => stop(child, 2000));
		return child;
	};
	const worker = start('far', ['worker', '--json'], { mcpServers, fabric: { ...fabric, name: 'far' } });
	await firstOutput(worker);
	const open = async (name, tool, config) => {
		const { stdin, stdout } = start(name, ['serve'], config);
		const request = lineCalls(stdout, stdin);
		const clientInfo = { name: 'bench', version: '1' };
		await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
		const hasTool = async () => (await request('tools/list', {})).tools.some((each) => each.name === tool);
		await until(`${tool} is listed`, hasTool, 50);
		return (input) => request('tools/call', { name: tool, arguments: input });
	};
	const whole = await open('near', 'far__mine__echo', { fabric: { ...fabric, name: 'near' } });
	const local = await open('alone', 'mine__echo', { mcpServers });
	const times = {
		wholeDirect: [],
		local: [],
		whole: [],
		wholeDirectLarge: [],
		localLarge: [],
		wholeLarge: [],
	};
	for (const call of [whole, local]) await rate(call, 1000);
	for (let round = 0; round < rounds; round++) {
		times.wholeDirect.push(await latency(direct.call, 500));
		times.local.push(await latency(local, 500));
		times.whole.push(await latency(whole, 500));
		times.wholeDirectLarge.push(await large(direct.call));
		times.localLarge.push(await large(local));
		times.wholeLarge.push(await large(whole));
	}
	const results = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
	print(
		`through an MCP client     direct TLS ${us(results.wholeDirect)}   mctl serve and a server ${us(results.local)}   the same over the fabric ${us(results.whole)}   ${ratio(results.whole, results.wholeDirect)} of direct, ${ratio(results.whole, results.local)} of local`,
	);
	print(
		`64 MB, the same           direct TLS ${ms(results.wholeDirectLarge)}   mctl serve and a server ${ms(results.localLarge)}   the same over the fabric ${ms(results.wholeLarge)}   ${ratio(results.wholeLarge, results.wholeDirectLarge)} of direct, ${ratio(results.wholeLarge, results.localLarge)} of local`,
	);
	return results;
}

/** How long a hub lists a worker that was killed. */
async function measureDeath(worker, source) {
	const killedAt = performance.now();
	worker.kill('SIGKILL');
	await until('the hub notices the death', () => source.workersOf('bench').length === 0, 5);
	const deathMs = performance.now() - killedAt;
	print(`a worker is killed        noticed after ${ms(deathMs)} (goal 20,000 ms)`);
	return deathMs;
}

/** A hub whose only tool is called over the direct connection, at another hub. */
function directHub(product, direct) {
	return new product.Hub({
		sources: [
			{
				id: 'direct',
				kind: 'tools',
				status: { state: 'ready' },
				capabilities: ['tools'],
				list: () => [{ name: 'echo', inputSchema: { type: 'object' } }],
				request: ({ params }) => direct.call(params.arguments, true),
				close: async () => {},
			},
		],
	});
}

/** A thousand workers with twenty tools each: what a new hub pays, and how fast it notices. */
async function measureCatalogue(product, { access, ends, isQuick }) {
	const count = isQuick ? 200 : 1000;
	const link = new product.FabricLink({ ...access, name: 'bench-writer' }, product.Log.silent);
	ends.push(() => link.close());
	link.open();
	await until('the writer is connected', () => link.isUp, 5);
	const hashes = new Map();
	const names = Array.from({ length: count }, (_none, at) => `worker-${at}`);
	const presence = async (name) => {
		const tools = Array.from({ length: 20 }, (_none, at) => ({
			name: `tool-${at}`,
			description: `Tool ${at} of ${name}, which does something useful with its input and says what it did`,
			inputSchema: {
				type: 'object',
				properties: { path: { type: 'string' }, depth: { type: 'integer' } },
				required: ['path'],
			},
		}));
		const [body] = product.advertisementBodies(tools, () => {});
		await product.putKey(link, product.bodyKey(name, body.hash), body.text, { ttlMs: 3_600_000 });
		hashes.set(name, body.hash);
		await beat(name, body.hash);
	};
	const beat = (name, hash) =>
		product.putKey(link, product.presenceKey(name, name), JSON.stringify({ h: [hash] }), {
			ttlMs: PRESENCE_TTL_MS,
		});
	for (let at = 0; at < names.length; at += 50) await Promise.all(names.slice(at, at + 50).map(presence));
	const fresh = new product.FabricSource({
		access: { ...access, name: 'bench-fresh' },
		patterns: ['*'],
		log: product.Log.silent,
	});
	ends.push(() => fresh.close());
	fresh.warm();
	await until('the new hub is connected', () => fresh.link.isUp, 1);
	const startedAt = performance.now();
	await until(
		'the hub has all advertisements',
		async () => (await fresh.list('tools')).length >= count * 20,
		1,
	);
	const loadMs = performance.now() - startedAt;
	const idleBytes = await measureIdle(fresh, names, (name) => beat(name, hashes.get(name)));
	const noticed = await measureNotice(product, { access, fresh });
	print(
		`a new hub, ${count} workers × 20 tools   loaded ${ms(loadMs)} (goal 200 ms)   join ${ms(noticed.joinMs)} (50)   clean leave ${ms(noticed.leaveMs)} (50)   idle ${(idleBytes / 1000).toFixed(0)} KB/s (30)`,
	);
	return { workers: count, loadMs, idleBytesPerSecond: idleBytes, ...noticed };
}

/** Bytes per second that a hub receives while all workers only say that they are there. */
async function measureIdle(hub, names, beat) {
	const everyMs = names.length > 500 ? 10_000 : 5000;
	const before = hub.link.receivedBytes;
	// The library counts headers and bodies; each has a line `HMSG subject id header-size size` and a line end.
	const lineBytes = 'HMSG orc.cat.w.worker-100.worker-100 10 250 300\r\n\r\n'.length;
	const startedAt = performance.now();
	let sent = 0;
	while (performance.now() - startedAt < IDLE_MS) {
		const due = Math.floor(((performance.now() - startedAt) / everyMs) * names.length);
		for (; sent < due; sent++) beat(names[sent % names.length]).catch(() => {});
		await sleep(20);
	}
	return (hub.link.receivedBytes - before + sent * lineBytes) / ((performance.now() - startedAt) / 1000);
}

async function measureNotice(product, { access, fresh }) {
	const worker = new product.FabricWorker({
		access: { ...access, name: 'bench-joiner' },
		group: 'joiner',
		patterns: ['*'],
		hub: product.echoHub(),
		log: product.Log.silent,
	});
	const isThere = () => fresh.workersOf('joiner').length > 0;
	await worker.open();
	await until('the joiner is connected', () => worker.link.isUp, 0);
	const joinedAt = performance.now();
	await until('the joiner is listed', isThere, 0);
	const joinMs = performance.now() - joinedAt;
	const leftAt = performance.now();
	const closed = worker.close();
	await until('the joiner is gone', () => !isThere(), 0);
	const leaveMs = performance.now() - leftAt;
	await closed;
	return { joinMs, leaveMs };
}

/** Calls as JSON-RPC lines over one TLS connection to the same process. */
async function openDirect(port, ca) {
	const socket = connect({
		port,
		host: '127.0.0.1',
		servername: 'localhost',
		ca: readFileSync(ca),
		minVersion: 'TLSv1.3',
	});
	await once(socket, 'secureConnect');
	socket.setNoDelay(true);
	const request = lineCalls(socket, socket);
	const call = (input, isHub) => request('tools/call', { name: 'echo', arguments: input }, { isHub });
	return { call, close: () => socket.destroy() };
}

/** Requests as JSON-RPC lines; answers may come in any order. */
function lineCalls(input, output) {
	input.setEncoding('utf8');
	const pending = new Map();
	let parts = [];
	input.on('data', (chunk) => {
		if (!chunk.includes('\n')) return void parts.push(chunk);
		const lines = (parts.join('') + chunk).split('\n');
		parts = [lines.pop()];
		for (const line of lines) {
			const { id, result } = JSON.parse(line);
			pending.get(id)?.(result);
			pending.delete(id);
		}
	});
	let last = 0;
	return (method, params, more) =>
		new Promise((resolve) => {
			pending.set(++last, resolve);
			output.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params, ...more })}\n`);
		});
}

async function latency(call, count) {
	const times = [];
	for (let at = 0; at < count; at++) {
		const startedAt = performance.now();
		await call({ text: 'hello' });
		times.push(performance.now() - startedAt);
	}
	return median(times);
}

async function rate(call, count) {
	const startedAt = performance.now();
	let at = 0;
	const one = async () => {
		while (at++ < count) await call({ text: 'hello' });
	};
	await Promise.all(Array.from({ length: IN_FLIGHT }, one));
	return count / ((performance.now() - startedAt) / 1000);
}

async function large(call) {
	const startedAt = performance.now();
	const { content } = await call({ bytes: LARGE_BYTES });
	if (content[0].text.length !== LARGE_BYTES) throw new Error('the result is not whole');
	return performance.now() - startedAt;
}

/** Look every `everyMs`, with 0 each turn of the event loop, until the condition holds. */
async function until(what, condition, everyMs) {
	const giveUpAt = performance.now() + GIVE_UP_MS;
	while (!(await condition())) {
		if (performance.now() > giveUpAt) throw new Error(`not within ${GIVE_UP_MS} ms: ${what}`);
		await (everyMs === 0 ? nextTurn() : sleep(everyMs));
	}
}

function median(values) {
	return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

const print = (line) => console.log(line);
const us = (value) => `${Math.round(value * 1000)} µs`;
const ms = (value) => `${Math.round(value)} ms`;
const perSecond = (value) => `${Math.round(value).toLocaleString('en')} calls/s`;
const ratio = (one, other) => `${(one / other).toFixed(2)}×`;
