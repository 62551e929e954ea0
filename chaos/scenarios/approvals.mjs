/*
 * Signals to hubs, bridges and servers while calls wait for a person and while the journal
 * is written.
 *
 * Agents call a tool that the policy asks about, through the shared hub and through a hub
 * of their own. A person allows some calls, denies some and leaves some; at the same time
 * one process gets SIGKILL, SIGTERM or SIGSTOP. A call may fail. It may not run without an
 * approval, and not twice, and the chain of the journal holds or names the line that was cut.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countingPlace } from '../support/counting-tool.mjs';
import { endHubs, hubsOf, main, mctl } from '../support/hub-processes.mjs';
import { holdsWithin, signalIt } from '../support/processes.mjs';

export const title =
	'no call runs without its approval or twice, and the journal names a cut line, whatever is killed';

/** Agents of each round: `mctl bridge` to the shared hub, and `mctl serve` with a hub of its own. */
const COMMANDS = ['bridge', 'bridge', 'serve'];
const CALLS = 2;
const ASK_MS = 15_000;
const END_MS = 5000;

export async function run({ random, rounds, folder, note }) {
	const place = countingPlace(folder, { policy: [{ tools: 'count', action: 'ask' }] });
	const counts = { calls: 0, allowed: 0, denied: 0, ran: 0, cut: 0, SIGKILL: 0, SIGTERM: 0, SIGSTOP: 0 };
	const failures = [];
	/** Calls that a person allowed, as far as they know. */
	const allowed = new Set();
	try {
		for (let round = 0; round < rounds; round++) {
			await oneRound({ random, round, place, counts, allowed });
			failures.push(...(await verified(place, counts)).map((text) => `round ${round}: ${text}`));
			if (failures.length > 0) break;
		}
	} finally {
		failures.push(...(await endHubs(place)));
	}
	const ran = callsIn(join(place.cwd, 'count'));
	counts.ran = ran.length;
	for (const call of ran) if (!allowed.has(call)) failures.push(`call ${call} ran without an approval`);
	const twice = ran.filter((call, at) => ran.indexOf(call) !== at);
	for (const call of twice) failures.push(`call ${call} ran twice`);
	// A scenario in which nobody is asked proves nothing.
	if (counts.allowed === 0 || counts.ran === 0) failures.push('no call was allowed and ran');
	note(`${COMMANDS.length} agents, ${CALLS} calls each a round`);
	return { ...counts, failures };
}

async function oneRound({ random, round, place, counts, allowed }) {
	const agents = COMMANDS.map((command) => startAgent(place, command));
	for (const [index, agent] of agents.entries()) {
		for (let call = 0; call < CALLS; call++) {
			counts.calls++;
			agent.call(`${round}-${index}-${call}`);
		}
	}
	await holdsWithin(ASK_MS, () => requestsOf(place).length >= agents.length * CALLS);
	const requests = requestsOf(place);
	const strike = sleep(random.integer(600)).then(() => strikeOne({ random, place, agents, counts }));
	for (const { id, call } of requests) {
		const decision = random.pick(['allow', 'allow', 'deny', 'leave']);
		if (decision === 'leave') continue;
		// A decision that was written counts, also when the process that asked died before it took it.
		if (decision === 'allow') allowed.add(call);
		counts[decision === 'allow' ? 'allowed' : 'denied']++;
		await mctl(place, 'approve', decision, id);
	}
	await strike;
	for (const agent of agents) agent.end();
	const hasEnded = ({ child }) => child.exitCode !== null || child.signalCode !== null;
	await holdsWithin(END_MS, () => agents.every(hasEnded));
	for (const { child } of agents) signalIt(child.pid, 'SIGKILL');
}

/** One signal to one process; a suspended one goes on a while later. */
async function strikeOne({ random, place, agents, counts }) {
	const [hub] = hubsOf(place);
	const pid = hub !== undefined && random.next() < 0.5 ? hub : random.pick(agents).child.pid;
	const signal = random.pick(['SIGKILL', 'SIGTERM', 'SIGSTOP']);
	counts[signal]++;
	signalIt(pid, signal);
	if (signal !== 'SIGSTOP') return;
	await sleep(random.integer(1500));
	signalIt(pid, 'SIGCONT');
}

function startAgent(place, command) {
	const child = spawn(process.execPath, [main, command], {
		cwd: place.cwd,
		env: place.env,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	child.stdin.on('error', () => {}); // a killed process reads no more
	const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	const clientInfo = { name: 'chaos', version: '1' };
	send({
		id: 0,
		method: 'initialize',
		params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
	});
	send({ method: 'notifications/initialized' });
	return {
		child,
		call: (id) => send({ id, method: 'tools/call', params: { name: 'count', arguments: { call: id } } }),
		end: () => {
			signalIt(child.pid, 'SIGCONT');
			child.stdin.end();
		},
	};
}

/** The calls that wait: the id to answer, and the name that the agent gave the call. */
function requestsOf({ home }) {
	const folder = join(home, 'state/orchestra/approvals');
	if (!existsSync(folder)) return [];
	return readdirSync(folder)
		.filter((name) => /^[\da-f]+\.json$/.test(name))
		.flatMap((name) => {
			let text;
			try {
				text = readFileSync(join(folder, name), 'utf8');
			} catch {
				return []; // it was answered while we looked
			}
			const { id, arguments: rows } = JSON.parse(text);
			return [{ id, call: JSON.parse(rows.find((row) => row.name === 'call').text) }];
		});
}

/** What is wrong with the journal, besides lines that a signal cut. */
async function verified(place, counts) {
	const { findings = [] } = JSON.parse((await mctl(place, 'log', 'verify', '--json')) || '{}');
	counts.cut += findings.filter(({ kind }) => kind === 'cut').length;
	return findings.filter(({ kind }) => kind !== 'cut').map(({ kind, message }) => `${kind}: ${message}`);
}

function callsIn(file) {
	if (!existsSync(file)) return [];
	const lines = readFileSync(file, 'utf8').trim().split('\n');
	return lines.filter((line) => line !== '').map((line) => JSON.parse(line).input.call);
}
