/*
 * A plan of twenty calls, four of them at once, whose hub gets SIGKILL at every call: when the server has it, when the
 * server has made it, when the server has answered. The next hub goes on with the plan.
 *
 * No call may be made twice, none may be left out unless it was asked about, and the plan must end with the right result.
 * A control says "call it again" about a call that was made, and must see it twice.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { livingWith, readOr, signalIt } from '../support/processes.mjs';
import { ServeClient } from '../support/serve-client.mjs';

export const title = 'a plan whose hub is killed at any of its calls goes on, and makes none twice';
export const rounds = 60;

const CALLS = 20;
const moments = ['received', 'made', 'answered'];
const program = join(import.meta.dirname, '../programs/killing-server.mjs');
const code = `
	const step = async (at) => tools.work.step({ at }).catch((error) => error.outcome ?? error.message);
	const seen = [];
	for (let at = 0; at < 8; at++) seen.push(await step(at));
	seen.push(...(await Promise.all([8, 9, 10, 11].map(step))));
	for (let at = 12; at < ${CALLS}; at++) seen.push(await step(at));
	return seen;`;

export async function run({ rounds: count, folder }) {
	const failures = [];
	const counts = { kills: 0, asked: 0, calls: 0 };
	for (let round = 0; round < count; round++) {
		const at = Math.floor(round / moments.length) % CALLS;
		const moment = moments[round % moments.length];
		const { runs, asked, result } = await killedAt({
			at,
			moment,
			folder,
			decision: 'let the plan see an error',
		});
		counts.kills++;
		counts.asked += asked.length;
		counts.calls += runs.length;
		const problems = problemsOf(runs, asked, result);
		failures.push(...problems.map((problem) => `call ${at}, ${moment}: ${problem}`));
	}
	const control = await killedAt({ at: 5, moment: 'made', folder, decision: 'call it again' });
	if (!problemsOf(control.runs, control.asked, control.result).includes('call 5 was made 2 times'))
		failures.push(`control: a second call was not seen: ${control.runs.join()}`);
	return { ...counts, failures };
}

function problemsOf(runs, asked, result) {
	const problems = [];
	for (let at = 0; at < CALLS; at++) {
		const times = runs.filter((run) => run === at).length;
		// Calls count from 1.
		const isAsked = asked.includes(at + 1);
		if (times > 1 || (times === 0 && !isAsked)) problems.push(`call ${at} was made ${times} times`);
		const expected = isAsked ? 'unknown' : String(at);
		if (result?.[at] !== expected && times <= 1)
			problems.push(`call ${at} gave ${result?.[at]}, not ${expected}`);
	}
	return problems;
}

/** What the server was called with, the calls that were asked about, and the result of the plan. */
async function killedAt({ at, moment, folder, decision }) {
	const place = makePlace(folder);
	const asked = [];
	const onClientRequest = ({ message }) => {
		asked.push(Number(/^Call (\d+)/.exec(message)?.[1]));
		return { action: 'accept', content: { decision } };
	};
	try {
		const first = await ServeClient.start(place);
		writeFileSync(place.kill, JSON.stringify({ at, moment, pid: first.pid }));
		// The hub of the last call may have the result before it is killed.
		const answer = await first.request('tools/call', { name: 'run_plan', arguments: { code } });
		await first.end();
		const next = await ServeClient.start({ ...place, onClientRequest });
		const resumed = await next.request('tools/call', {
			name: 'run_plan',
			arguments: { resume: planIn(place.state) },
		});
		await next.end();
		const text = (resumed ?? answer)?.result?.content?.[0]?.text;
		return { runs: runsOf(place), asked, result: parsed(text) };
	} finally {
		livingWith('HOME', place.env.HOME).forEach((pid) => signalIt(pid, 'SIGKILL'));
		rmSync(place.cwd, { recursive: true });
	}
}

function makePlace(folder) {
	const cwd = join(folder, 'work');
	mkdirSync(cwd);
	const [kill, runs, state] = ['kill', 'runs', 'state'].map((name) => join(cwd, name));
	const work = { command: process.execPath, args: [program], env: { RUNS: runs, KILL: kill } };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ plans: true, mcpServers: { work } }));
	return { cwd, kill, runs, state, env: { HOME: cwd, XDG_STATE_HOME: state } };
}

function planIn(state) {
	const plans = join(state, 'orchestra/plans');
	const [principal] = readdirSync(plans);
	return readdirSync(join(plans, principal))
		.find((name) => name.endsWith('.ndjson'))
		.slice(0, 32);
}

function runsOf({ runs }) {
	return readOr(runs).split('\n').slice(0, -1).map(Number);
}

function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined; // it failed, and says why
	}
}
