/*
 * Signals to MCP servers, bridges and the shared hub while agents call.
 *
 * Each agent calls servers of all scopes through its own `mctl bridge`. Each round one
 * process gets SIGKILL, SIGTERM, or SIGSTOP and a while later SIGCONT. Every call has an
 * id of its own, which the server appends to a file when it runs the call and answers with.
 *
 * What must hold: no call runs twice; a call whose error says that it did not run has not
 * run; an answer is the answer to its own call; every call ends while its bridge lives;
 * nothing lives at the end.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../scripts/steps.mjs';
import { endHubs, hubsOf, main, processesOf } from '../support/hub-processes.mjs';
import { holdsWithin, signalIt } from '../support/processes.mjs';

export const title =
	'servers, bridges and the hub are killed at random; no call runs twice, hangs or gets the answer of another';

const program = join(root, 'chaos/programs/recording-server.mjs');
const servers = ['shared', 'session', 'call'];
const AGENTS = 3;
/** Calls in flight of each agent. */
const CALLERS = 3;
/** How long an answer may take: a suspended hub is noticed after 7 s, and a request waits 20 s for its first hub. */
const ANSWER_MS = 60_000;
/** A round without a process to signal is over after this. */
const TARGET_MS = 5000;

export async function run({ random, rounds, folder, note }) {
	const place = preparePlace(folder);
	const load = { isOver: false, calls: new Map(), said: new Map() };
	const left = [];
	const counts = { rounds, server: 0, bridge: 0, hub: 0, SIGKILL: 0, SIGTERM: 0, SIGSTOP: 0 };
	const agents = Array.from({ length: AGENTS }, (_, number) => new Agent(place, number));
	const callers = agents.flatMap((agent) => Array.from({ length: CALLERS }, (_, n) => agent.load(load, n)));
	try {
		for (let round = 0; round < rounds; round++) {
			await sleep(random.integer(250));
			await strike({ random, place, agents, counts });
		}
		load.isOver = true;
		await Promise.all(callers);
	} finally {
		load.isOver = true;
		for (const agent of agents) agent.end();
		left.push(...(await endHubs(place)));
	}
	const { outcomes, failures } = judge(load, place);
	for (const [message, count] of load.said) note(`${count} × ${message}`);
	return { ...counts, ...outcomes, failures: [...failures, ...left] };
}

/** One signal to one process; a suspended one continues a while later. */
async function strike({ random, place, agents, counts }) {
	const dice = random.next();
	const kind = dice < 0.7 ? 'server' : dice < 0.85 ? 'bridge' : 'hub';
	const signal = random.pick(['SIGKILL', 'SIGTERM', 'SIGSTOP']);
	let pids = [];
	await holdsWithin(TARGET_MS, () => {
		pids = kind === 'bridge' ? agents.map(({ pid }) => pid) : pidsOf(place, kind);
		return pids.length > 0;
	});
	if (pids.length === 0) return;
	const pid = random.pick(pids);
	counts[kind]++;
	counts[signal]++;
	signalIt(pid, signal);
	if (signal !== 'SIGSTOP') return;
	await sleep(random.integer(400));
	signalIt(pid, 'SIGCONT');
}

/** What happened to the calls, against what ran. */
function judge({ calls }, { runs }) {
	const outcomes = { calls: calls.size, answered: 0, unknown: 0, refused: 0, failed: 0, lost: 0, hung: 0 };
	const failures = [];
	const ran = new Map();
	for (const id of existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n') : [])
		ran.set(id, (ran.get(id) ?? 0) + 1);
	for (const [id, count] of ran) if (count > 1) failures.push(`call ${id} ran ${count} times`);
	for (const [id, outcome] of calls) {
		outcomes[outcome]++;
		if (outcome === 'hung') failures.push(`call ${id} stayed unanswered for ${ANSWER_MS} ms`);
		if (outcome === 'wrong') failures.push(`call ${id} got the answer of another`);
		if (outcome === 'refused' && ran.has(id)) failures.push(`call ${id} ran, but its error says it did not`);
		if (outcome === 'answered' && !ran.has(id)) failures.push(`call ${id} was answered and did not run`);
		if (outcome === 'failed' && ran.has(id))
			failures.push(`call ${id} ran, and its error does not say that the outcome is unknown`);
	}
	if (outcomes.answered === 0) failures.push('no call was answered');
	return { outcomes: { ...outcomes, ran: ran.size }, failures: failures.slice(0, 20) };
}

/** An agent with a bridge of its own, which is started again when it ends. */
class Agent {
	#place;
	#number;
	#child;
	#waiting = new Map();
	#starts = 0;

	constructor(place, number) {
		this.#place = place;
		this.#number = number;
		this.#start();
	}

	get pid() {
		return this.#child.pid;
	}

	/** Call after call until the load is over. */
	async load(load, caller) {
		for (let n = 0; !load.isOver; n++) {
			const id = `${this.#number}-${caller}-${n}`;
			const server = servers[(n + caller) % servers.length];
			const { outcome, message } = await this.#call(id, server);
			load.calls.set(id, outcome);
			if (outcome === 'answered') continue;
			const said = `${outcome}: ${(message ?? '').split('\n')[0].replaceAll(/\d+/g, 'N').slice(0, 160)}`;
			load.said.set(said, (load.said.get(said) ?? 0) + 1);
			await sleep(50);
		}
	}

	end() {
		const child = this.#child;
		this.#child = undefined;
		signalIt(child.pid, 'SIGCONT');
		child.stdin.end();
	}

	#start() {
		const start = ++this.#starts;
		const child = spawn(process.execPath, [main, 'bridge'], {
			cwd: this.#place.cwd,
			env: this.#place.env,
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		this.#child = child;
		child.stdin.on('error', () => {}); // a killed bridge reads no more
		createInterface({ input: child.stdout }).on('line', (line) => {
			const { id, result, error } = JSON.parse(line);
			this.#settle(id, outcomeOf(id, result, error));
		});
		child.once('close', () => {
			for (const [id, waiting] of [...this.#waiting])
				if (waiting.start === start) this.#settle(id, { outcome: 'lost' });
			if (this.#child === child) this.#start();
		});
	}

	#call(id, server) {
		const { promise, resolve } = withResolvers();
		const timer = setTimeout(() => this.#settle(id, { outcome: 'hung' }), ANSWER_MS);
		this.#waiting.set(id, { start: this.#starts, resolve, timer });
		const params = { name: `${server}__record`, arguments: { id, ms: id.length } };
		this.#child?.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
		return promise;
	}

	#settle(id, outcome) {
		const waiting = this.#waiting.get(id);
		this.#waiting.delete(id);
		clearTimeout(waiting?.timer);
		waiting?.resolve(outcome);
	}
}

function outcomeOf(id, result, error) {
	if (error === undefined) {
		const text = result?.content?.[0]?.text;
		return text === id ? { outcome: 'answered' } : { outcome: 'wrong', message: JSON.stringify(result) };
	}
	const { message } = error;
	if (/outcome is unknown|may have run|outcome unknown/.test(message)) return { outcome: 'unknown', message };
	if (/did not run|was not sent|not started/.test(message)) return { outcome: 'refused', message };
	return { outcome: 'failed', message };
}

function preparePlace(folder) {
	const cwd = join(folder, 'work');
	mkdirSync(cwd);
	const runs = join(folder, 'runs');
	const entry = (scope) => ({ command: process.execPath, args: [program], env: { RUNS: runs }, scope });
	const mcpServers = Object.fromEntries(servers.map((scope) => [scope, entry(scope)]));
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ mcpServers }));
	const { PATH } = process.env;
	return {
		cwd,
		runs,
		home: folder,
		env: { PATH, HOME: folder, XDG_STATE_HOME: join(folder, 'state'), ORCHESTRA_TRUST: 'all' },
	};
}

function pidsOf(place, kind) {
	return kind === 'server' ? processesOf(place, [program]) : hubsOf(place);
}

function withResolvers() {
	let resolve;
	const promise = new Promise((done) => {
		resolve = done;
	});
	return { promise, resolve };
}
