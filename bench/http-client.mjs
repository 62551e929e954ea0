/*
 * Clients of MCP over HTTP: ours beside the official SDK's and a bare `node:http` client,
 * each in a process of its own, against a bare server and against the SDK's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DRIVER_CORE, firstOutput, nodeOn, startNode, stop } from './measure/process.mjs';
import { fixed, median, note, printTable, times } from './measure/report.mjs';

const plans = { full: { rounds: 5, ms: 2000, largeCalls: 10 }, quick: { rounds: 1, ms: 800, largeCalls: 4 } };
const subjectFile = (name) => join(import.meta.dirname, 'subjects', name);
const servers = [
	{ name: 'bare server', file: 'http-bare-server.mjs' },
	{ name: 'SDK 2 server', file: 'http-sdk2-server.mjs' },
];
const clients = ['bare', 'orchestra', 'sdk2'];

/** Measure the clients, print the tables, and give back the numbers. */
export async function measureClients({ isQuick = false } = {}) {
	const plan = isQuick ? plans.quick : plans.full;
	const data = {};
	for (const { name, file } of servers) {
		note(`  ${name}`);
		data[name] = await measureServer(file, plan);
		print(name, data[name]);
	}
	return data;
}

async function measureServer(file, plan) {
	const server = startNode([subjectFile(file)]);
	const samples = Object.fromEntries(clients.map((client) => [client, []]));
	try {
		const url = `http://127.0.0.1:${Number(await firstOutput(server))}/mcp`;
		for (let round = 0; round < plan.rounds; round++) {
			for (const client of clients) samples[client].push(await measureClient(client, url, plan));
		}
	} finally {
		await stop(server);
	}
	return clients.map((client) => ({ client, ...medians(samples[client]) }));
}

async function measureClient(client, url, { ms, largeCalls }) {
	const one = await round(client, url, { inFlight: 1, ms });
	const many = await round(client, url, { inFlight: 64, ms });
	const { largeMs } = await round(client, url, { largeCalls });
	return {
		inTurn: one.callsPerSecond,
		inTurnCpuMicros: one.cpuMicros,
		inFlight: many.callsPerSecond,
		inFlightCpuMicros: many.cpuMicros,
		largeMs,
	};
}

async function round(client, url, plan) {
	const { cmd, args } = nodeOn(DRIVER_CORE, [
		subjectFile('http-client.mjs'),
		client,
		url,
		JSON.stringify(plan),
	]);
	const child = spawn(cmd, args, { stdio: ['ignore', 'pipe', 'inherit'] });
	let output = '';
	child.stdout.on('data', (chunk) => {
		output += chunk;
	});
	const [code] = await once(child, 'close');
	if (code !== 0) throw new Error(`the client ${client} ended with ${code}`);
	return JSON.parse(output);
}

function medians(rows) {
	return Object.fromEntries(Object.keys(rows[0]).map((key) => [key, median(rows.map((row) => row[key]))]));
}

function print(title, rows) {
	const sdk = rows.find(({ client }) => client === 'sdk2');
	printTable(
		`HTTP client, ${title}`,
		[
			['client', ({ client }) => client],
			['1 in flight, calls/s', ({ inTurn }) => fixed(inTurn)],
			['CPU µs', ({ inTurnCpuMicros }) => fixed(inTurnCpuMicros)],
			['64 in flight, calls/s', ({ inFlight }) => fixed(inFlight)],
			['CPU µs', ({ inFlightCpuMicros }) => fixed(inFlightCpuMicros)],
			['vs SDK 2', ({ inFlight }) => times(inFlight, sdk.inFlight)],
			['10 MiB, ms', ({ largeMs }) => fixed(largeMs, 1)],
		],
		rows,
	);
}
