/*
 * Kills while tasks are in flight.
 *
 * Agents call through their own `mctl bridge`; each call becomes a task at once. Each round one
 * process gets SIGKILL at one moment of the life of a task: the server has begun it (created), its
 * record is on disk (recorded), the agent has its id (announced), the server has given the result
 * (completed), the end is on disk (stored). The victim is the client, its bridge, the hub or the server;
 * the client is in this process, so its end is that of its pipes.
 *
 * No task that was announced may be unknown later, none may run twice, and a result that the server
 * gave while its hub lived must be there. Results that were seen must be there at the end.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { endHubs, hubsOf, main, processesOf } from '../support/hub-processes.mjs';
import { readOr, signalIt } from '../support/processes.mjs';

export const title = 'no task is lost, unknown or run twice, whatever is killed';
export const rounds = 30;

const TASKS = 3;
/** Tasks of the last rounds whose results must be there at the end: the store has a bound, and drops the oldest. */
const STORED = 500;
const SETTLE_MS = 60_000;
/** How exactly a moment is met. */
const LOOK_MS = 2;
const moments = ['created', 'recorded', 'announced', 'completed', 'stored'];
const victims = ['client', 'bridge', 'hub', 'server'];
const program = join(import.meta.dirname, '../programs/labelled-server.mjs');

export async function run({ random, rounds: count, folder, note }) {
	const place = makePlace(folder);
	const counts = { tasks: 0, completed: 0, failed: 0, unannounced: 0, kills: 0 };
	const failures = [];
	const tasks = [];
	let agent = new Agent(place);
	try {
		for (let round = 0; round < count; round++) {
			const moment = moments[round % moments.length];
			const victim = victims[round % victims.length];
			const begun = await strikeDuring({ random, place, agent, round, moment, victim });
			counts.kills += begun.kills;
			if (agent.hasEnded) agent = new Agent(place);
			for (const task of begun.tasks) {
				counts.tasks++;
				if (task.id === undefined) counts.unannounced++;
				else tasks.push(task);
				const problem =
					task.id === undefined
						? undefined
						: await settle(place, () => (agent = living(agent, place)), task, victim);
				if (problem) failures.push(`round ${round}, ${victim} at ${moment}: ${problem}`);
				if (task.status) counts[task.status] = (counts[task.status] ?? 0) + 1;
			}
		}
		agent = living(agent, place);
		const stored = tasks.slice(-STORED);
		failures.push(...(await lostResults(agent, stored)), ...twice(runsOf(place)));
		failures.push(...(await controls(place, agent, stored)));
	} finally {
		agent.end();
		failures.push(...(await endHubs(place)));
	}
	note(`${TASKS} tasks a round, killed at ${moments.join(', ')}; victims: ${victims.join(', ')}`);
	return { ...counts, failures };
}

/** Begin tasks, and kill one process when the first of them reaches the moment. */
async function strikeDuring({ random, place, agent, round, moment, victim }) {
	const before = { begun: runsOf(place).length, ended: endsOf(place).length, files: filesOf(place) };
	// By name, because a full store drops others.
	const isNew = (kind) => [...filesOf(place)].some((name) => name.endsWith(kind) && !before.files.has(name));
	const calls = Array.from({ length: TASKS }, (_, index) => {
		const label = `${round}-${index}-${random.integer(1e9)}`;
		return agent.call(label).then((answer) => ({ label, id: answer?.result?.taskId }));
	});
	const isReached = {
		created: () => runsOf(place).length > before.begun,
		recorded: () => isNew('.json'),
		announced: () => agent.announced > 0,
		completed: () => endsOf(place).length > before.ended,
		stored: () => isNew('.end'),
	}[moment];
	agent.announced = 0;
	const giveUpAt = performance.now() + SETTLE_MS;
	while (!isReached() && performance.now() < giveUpAt) await sleep(LOOK_MS);
	const kills = victim === 'client' ? agent.die() : killAll(pidsOf(victim, place, agent));
	// No process that lives now writes the ends of a hub that was killed.
	const after = filesOf(place);
	const tasks = await Promise.all(calls);
	return { tasks: tasks.map((task) => ({ ...task, wasStored: after.has(`${task.id}.end`) })), kills };
}

function pidsOf(victim, place, agent) {
	return { bridge: [agent.pid], hub: hubsOf(place), server: processesOf(place, [program]) }[victim];
}

function killAll(pids) {
	for (const pid of pids) signalIt(pid, 'SIGKILL');
	return pids.length;
}

/** Wait until a task has ended. Returns what is wrong with it. */
async function settle(place, currentAgent, task, victim) {
	const giveUpAt = performance.now() + SETTLE_MS;
	while (performance.now() < giveUpAt) {
		const { result, error } = (await currentAgent().get(task.id)) ?? {};
		if (error?.code === -32602) return `the task ${task.label} is unknown`;
		if (result && result.status !== 'working') return ended(place, task, result, victim);
		await sleep(50);
	}
	return `the task ${task.label} has not ended`;
}

function ended(place, task, { status, result, error }, victim) {
	task.status = status;
	if (status === 'completed')
		return result.content[0].text === task.label
			? undefined
			: `the task ${task.label} has the result of another`;
	if (status !== 'failed') return `the task ${task.label} is ${status}`;
	if (victim === 'hub' && task.wasStored) return `the result of ${task.label} was stored, and is lost`;
	if (error.data?.outcome === undefined) return `the failure of ${task.label} says nothing about its outcome`;
	const wasGiven = endsOf(place).includes(task.label);
	return wasGiven && victim !== 'hub' ? `the result of ${task.label} was given, and is lost` : undefined;
}

/** Results that an agent has seen, and that are not there any more. */
async function lostResults(agent, tasks) {
	const lost = [];
	for (const { id, label, status } of tasks) {
		if (status !== 'completed') continue;
		const { result } = (await agent.get(id)) ?? {};
		if (result?.result?.content?.[0]?.text !== label) lost.push(`the result of ${label} is gone`);
	}
	return lost;
}

function twice(labels) {
	return labels.filter((label, at) => labels.indexOf(label) !== at).map((label) => `${label} ran twice`);
}

/** Seen on purpose: a result whose files were removed, and a tool that was called twice with one label. */
async function controls(place, agent, tasks) {
	const failures = [];
	const victim = tasks.find(({ status }) => status === 'completed');
	if (victim === undefined) return ['control: no task was completed'];
	const [folder, name] = taskFiles(place).find(([, file]) => file === `${victim.id}.end`) ?? [];
	rmSync(join(folder, name));
	rmSync(join(folder, `${victim.id}.json`));
	const lost = await lostResults(agent, [victim]);
	if (lost.length !== 1) failures.push('control: a lost result was not seen');
	const before = twice(runsOf(place)).length;
	const second = (await agent.call(victim.label))?.result?.taskId;
	const problem = await settle(place, () => agent, { label: victim.label, id: second });
	if (problem) failures.push(`control: ${problem}`);
	if (twice(runsOf(place)).length !== before + 1) failures.push('control: a second run was not seen');
	return failures;
}

function makePlace(folder) {
	const cwd = join(folder, 'work');
	mkdirSync(cwd, { recursive: true });
	const env = { RUNS: join(folder, 'runs'), ENDS: join(folder, 'ends') };
	const work = { command: process.execPath, args: [program], env };
	const configuration = { mcpServers: { work }, tasks: { always: ['*'] } };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify(configuration));
	const { PATH } = process.env;
	const state = join(folder, 'state');
	return {
		cwd,
		home: folder,
		state,
		...env,
		env: { PATH, HOME: folder, XDG_STATE_HOME: state, ORCHESTRA_TRUST: 'all' },
	};
}

function linesOf(file) {
	return readOr(file)
		.split('\n')
		.filter((line) => line !== '');
}

function runsOf({ RUNS }) {
	return linesOf(RUNS);
}

function endsOf({ ENDS }) {
	return linesOf(ENDS);
}

/** Folder and name of every file of the store. */
function taskFiles({ state }) {
	const root = join(state, 'orchestra/tasks');
	const names = (path) => {
		try {
			return readdirSync(path);
		} catch {
			return []; // nothing is stored yet
		}
	};
	return names(root).flatMap((folder) => names(join(root, folder)).map((name) => [join(root, folder), name]));
}

function filesOf(place) {
	return new Set(taskFiles(place).map(([, name]) => name));
}

function living(agent, place) {
	return agent.hasEnded ? new Agent(place) : agent;
}

/** An agent with tasks and a bridge of its own. */
class Agent {
	hasEnded = false;
	announced = 0;
	#child;
	#waiting = new Map();
	#nextId = 1;

	constructor(place) {
		this.#child = spawn(process.execPath, [main, 'bridge'], {
			cwd: place.cwd,
			env: place.env,
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		this.#child.stdin.on('error', () => {}); // a killed bridge reads no more
		createInterface({ input: this.#child.stdout }).on('line', (line) => {
			const message = JSON.parse(line);
			if (message.result?.resultType === 'task') this.announced++;
			this.#waiting.get(message.id)?.(message);
			this.#waiting.delete(message.id);
		});
		this.#child.once('close', () => {
			this.hasEnded = true;
			for (const settle of this.#waiting.values()) settle(undefined);
		});
	}

	get pid() {
		return this.#child.pid;
	}

	call(label) {
		return this.#request('tools/call', { name: 'work__label', arguments: { label } });
	}

	get(taskId) {
		return this.#request('tasks/get', { taskId });
	}

	end() {
		this.#child.stdin.end();
	}

	/** What the system does with the pipes of a process that is killed. Returns how many were. */
	die() {
		this.hasEnded = true;
		this.#child.stdin.destroy();
		this.#child.stdout.destroy();
		for (const settle of this.#waiting.values()) settle(undefined);
		return 1;
	}

	/** The response; undefined when the bridge ends first, or no response comes. */
	#request(method, params) {
		if (this.hasEnded) return Promise.resolve(undefined);
		const id = this.#nextId++;
		const meta = {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientInfo': { name: 'chaos', version: '1' },
			'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
		};
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, SETTLE_MS);
			this.#waiting.set(id, (message) => {
				clearTimeout(timer);
				resolve(message);
			});
			this.#child.stdin.write(
				`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } })}\n`,
			);
		});
	}
}
