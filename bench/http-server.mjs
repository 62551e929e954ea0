/*
 * Our HTTP listener beside the official SDK's: an echo tool behind each, called with
 * one request and with 64 requests in flight, in both eras.
 *
 * Ours checks Host, Origin and the token of every request; the other one, as its
 * documentation shows it, checks nothing. In the legacy era ours has a session, the
 * other one its stateless fallback.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { askOnce, drive, encodeHttp, openLines } from './measure/http-driver.mjs';
import { cpuMicros, firstOutput, pinDriver, startNode, stop } from './measure/process.mjs';
import { fixed, median, note, printTable, times } from './measure/report.mjs';
import { TEXT } from './measure/requests.mjs';

const IN_FLIGHT = [1, 64];
const LARGE = 10 * 1024 * 1024;
const LARGE_CALLS = 5;
const plans = {
	full: { rounds: 5, warmMs: 1000, ms: 1000 },
	quick: { rounds: 2, warmMs: 400, ms: 400 },
};
const VERSION = '2026-07-28';
const meta = {
	'io.modelcontextprotocol/protocolVersion': VERSION,
	'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
	'io.modelcontextprotocol/clientCapabilities': {},
};
const token = randomUUID();
const authorized = { Authorization: `Bearer ${token}` };
const subjects = [
	{ name: 'orchestra listener', file: 'http-echo-server.mjs', headers: authorized },
	{ name: 'sdk v2 server', file: 'http-sdk2-node-server.mjs', headers: {} },
];

/** Measure the listeners, print the tables, and give back the numbers. */
export async function measureListeners({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	pinDriver();
	const samples = new Map();
	for (let round = 1; round <= plan.rounds; round++) {
		note(`  http server: round ${round} of ${plan.rounds}`);
		for (const subject of subjects) {
			for (const [key, value] of Object.entries(await measure(subject, plan))) {
				const id = `${subject.name}|${key}`;
				samples.set(id, [...(samples.get(id) ?? []), value]);
			}
		}
	}
	const of = (name, key) => median(samples.get(`${name}|${key}`) ?? []);
	const rows = ['modern', 'legacy'].flatMap((era) => IN_FLIGHT.map((inFlight) => rowOf(era, inFlight, of)));
	print(rows);
	const largeMs = Object.fromEntries(subjects.map(({ name }) => [name, of(name, 'large ms')]));
	printLarge(largeMs);
	return { rows, largeMs };
}

async function measure({ file, headers }, { warmMs, ms }) {
	const child = startNode([join(import.meta.dirname, 'subjects', file), token]);
	try {
		const url = await firstOutput(child);
		const found = {};
		for (const era of ['modern', 'legacy']) {
			const lines = await openLines(url, Math.max(...IN_FLIGHT));
			// The tool answers at once, so one id is never in flight twice.
			const bytes = era === 'modern' ? modernCall(url, headers) : (await legacyCalls(url, headers, lines))[0];
			const answer = await askOnce(lines, bytes);
			if (!answer.includes(TEXT)) throw new Error(`a wrong answer: ${answer.slice(0, 300)}`);
			await drive(lines, bytes, warmMs);
			for (const inFlight of IN_FLIGHT) {
				const [cpu, startedAt] = [cpuMicros(child.pid), performance.now()];
				const count = await drive(lines.slice(0, inFlight), bytes, ms);
				found[`${era} ${inFlight} speed`] = (count * 1000) / (performance.now() - startedAt);
				found[`${era} ${inFlight} cpu`] =
					cpu === undefined ? undefined : (cpuMicros(child.pid) - cpu) / count;
			}
			if (era === 'modern') found['large ms'] = await largeResult(url, headers, lines);
			for (const line of lines) line.close();
		}
		return found;
	} finally {
		await stop(child);
	}
}

/** The fastest of some, in milliseconds. */
async function largeResult(url, headers, lines) {
	const bytes = modernCall(url, headers, { name: 'large', arguments: {} });
	let best = Number.POSITIVE_INFINITY;
	for (let count = 0; count < LARGE_CALLS; count++) {
		const startedAt = performance.now();
		const answer = await askOnce(lines, bytes);
		best = Math.min(best, performance.now() - startedAt);
		if (answer.length < LARGE) throw new Error(`a wrong answer: ${answer.slice(0, 300)}`);
	}
	return best;
}

/** A call of a tool in the modern era. */
export function modernCall(
	url,
	headers,
	{ name, arguments: input } = { name: 'echo', arguments: { text: TEXT } },
) {
	const params = { name, arguments: input, _meta: meta };
	const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
	const more = { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
	return encodeHttp(url, { ...headers, ...more }, body);
}

/** A call for each line, in one session. Each has an id of its own. */
export async function legacyCalls(url, headers, lines) {
	const client = {
		protocolVersion: '2025-11-25',
		capabilities: {},
		clientInfo: meta['io.modelcontextprotocol/clientInfo'],
	};
	const open = encodeHttp(
		url,
		headers,
		JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: client }),
	);
	const answer = await askOnce(lines, open);
	const session = /mcp-session-id: (\S+)/i.exec(answer)?.[1];
	const more = session === undefined ? {} : { 'Mcp-Session-Id': session };
	const params = { name: 'echo', arguments: { text: TEXT } };
	return lines.map((_, at) => {
		const body = JSON.stringify({ jsonrpc: '2.0', id: at + 2, method: 'tools/call', params });
		return encodeHttp(url, { ...headers, ...more, 'MCP-Protocol-Version': '2025-11-25' }, body);
	});
}

function rowOf(era, inFlight, of) {
	const [ours, theirs] = subjects.map(({ name }) => ({
		speed: of(name, `${era} ${inFlight} speed`),
		cpu: of(name, `${era} ${inFlight} cpu`),
	}));
	return { era, inFlight, ours, theirs };
}

function print(rows) {
	printTable(
		'HTTP listener: calls per second, and CPU of the server per call',
		[
			['calls', ({ era, inFlight }) => `${era}, ${inFlight} in flight`],
			['orchestra /s', ({ ours }) => fixed(ours.speed)],
			['sdk v2 /s', ({ theirs }) => fixed(theirs.speed)],
			['', ({ ours, theirs }) => times(ours.speed, theirs.speed)],
			['orchestra µs', ({ ours }) => fixed(ours.cpu)],
			['sdk v2 µs', ({ theirs }) => fixed(theirs.cpu)],
			['less CPU', ({ ours, theirs }) => times(theirs.cpu, ours.cpu)],
		],
		rows,
	);
}

function printLarge(largeMs) {
	printTable(
		'HTTP listener: a result of 10 MiB',
		[
			['server', ([name]) => name],
			['ms', ([, ms]) => fixed(ms, 1)],
		],
		Object.entries(largeMs),
	);
}
