/*
 * Signals to hubs and bridges while agents call a tool that counts.
 *
 * Each agent calls through its own `mctl bridge`. Each round one hub or bridge gets
 * SIGKILL, SIGTERM, or SIGSTOP and a while later SIGCONT. A call may fail; it may
 * not run twice and it may not stay unanswered while its bridge lives.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { countingPlace } from '../support/counting-tool.mjs';
import { endHubs, hubsOf, main } from '../support/hub-processes.mjs';
import { holdsWithin, signalIt } from '../support/processes.mjs';

export const title = 'no call runs twice or stays unanswered, and there is one hub, whatever is killed';

const AGENTS = 3;
const CALLS = 3;
/** How long an answer may take: a suspended hub is noticed after 7 s, and a request waits 20 s for its first hub. */
const ANSWER_MS = 40_000;
const SETTLE_MS = 20_000;

export async function run({ random, rounds, folder, note }) {
	const place = countingPlace(folder);
	const counts = { calls: 0, answered: 0, failed: 0, lost: 0, kills: 0, stops: 0, terms: 0 };
	const failures = [];
	const agents = Array.from({ length: AGENTS }, () => new Agent(place));
	try {
		for (let round = 0; round < rounds; round++) {
			const calls = agents.flatMap((agent, index) =>
				Array.from({ length: CALLS }, (_, call) => agent.call(`${round}-${index}-${call}`)),
			);
			await sleep(random.integer(150));
			const done = await strike({ random, place, agents, counts });
			for (const outcome of await Promise.all(calls)) {
				counts.calls++;
				counts[outcome]++;
				if (outcome === 'hung') failures.push(`round ${round}: a call stayed unanswered for ${ANSWER_MS} ms`);
			}
			const hubs = await holdsWithin(SETTLE_MS, () => hubsOf(place).length <= 1);
			if (!hubs) failures.push(`round ${round}, ${done}: ${hubsOf(place).length} hubs run`);
			for (const [index, agent] of agents.entries()) if (agent.hasEnded) agents[index] = new Agent(place);
		}
	} finally {
		for (const agent of agents) agent.end();
		failures.push(...(await endHubs(place)));
	}
	failures.push(...twice(join(folder, 'work/count')));
	note(`${AGENTS} agents, ${CALLS} calls each a round`);
	return { ...counts, failures };
}

/** One signal to one process; a suspended one goes on a while later. */
async function strike({ random, place, agents, counts }) {
	const hub = hubsOf(place)[0];
	const isHub = hub !== undefined && random.next() < 0.6;
	const pid = isHub ? hub : random.pick(agents).pid;
	const signal = random.pick(['SIGKILL', 'SIGTERM', 'SIGSTOP']);
	counts[{ SIGKILL: 'kills', SIGTERM: 'terms', SIGSTOP: 'stops' }[signal]]++;
	signalIt(pid, signal);
	if (signal === 'SIGSTOP') {
		await sleep(random.integer(1500));
		signalIt(pid, 'SIGCONT');
	}
	return `${signal} to ${isHub ? 'the hub' : 'a bridge'}`;
}

/** An agent with a bridge of its own. */
class Agent {
	hasEnded = false;
	#child;
	#waiting = new Map();

	constructor(place) {
		this.#child = spawn(process.execPath, [main, 'bridge'], {
			cwd: place.cwd,
			env: place.env,
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		this.#child.stdin.on('error', () => {}); // a killed bridge reads no more
		createInterface({ input: this.#child.stdout }).on('line', (line) => {
			const { id, error } = JSON.parse(line);
			this.#settle(id, error === undefined ? 'answered' : 'failed');
		});
		this.#child.once('close', () => {
			this.hasEnded = true;
			for (const id of [...this.#waiting.keys()]) this.#settle(id, 'lost');
		});
	}

	get pid() {
		return this.#child.pid;
	}

	call(id) {
		if (this.hasEnded) return Promise.resolve('lost');
		return new Promise((resolve) => {
			const timer = setTimeout(() => this.#settle(id, 'hung'), ANSWER_MS);
			this.#waiting.set(id, (outcome) => {
				clearTimeout(timer);
				resolve(outcome);
			});
			const params = { name: 'count', arguments: { call: id } };
			this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
		});
	}

	end() {
		signalIt(this.pid, 'SIGCONT');
		this.#child.stdin.end();
	}

	#settle(id, outcome) {
		const settle = this.#waiting.get(id);
		this.#waiting.delete(id);
		settle?.(outcome);
	}
}

/** Calls that ran more than once, as failures. */
function twice(file) {
	const seen = new Map();
	for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
		const { call } = JSON.parse(line).input;
		seen.set(call, (seen.get(call) ?? 0) + 1);
	}
	return [...seen].filter(([, count]) => count > 1).map(([call, count]) => `call ${call} ran ${count} times`);
}
