/* Plans that were interrupted: what is made again, what is asked about, and who goes on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interpreter } from '../../../src/hub/plans/interpreter.ts';
import type { PlanHead, PlanLine } from '../../../src/hub/plans/plan-record.ts';
import { type CallOutcome, type LiveCalls, PlanRun } from '../../../src/hub/plans/plan-run.ts';
import { runsAllTests } from '../../support/all-tests.ts';
import { planHub } from '../../support/plans.ts';
import { type HubClient, type HubClientOptions, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const TASKS = 'io.modelcontextprotocol/tasks';

const twentyCalls = `
	const seen = [];
	const step = (given) => tools.a.step(given).catch((error) => error.outcome);
	for (let at = 0; at < 8; at++) seen.push(await step({ at }));
	seen.push(...(await Promise.all([8, 9, 10, 11].map((at) => step({ at })))));
	for (let at = 12; at < 20; at++) seen.push(await step({ at, now: Date.now(), random: Math.random() }));
	return seen;`;

describe('a plan of 20 calls', () => {
	it('makes no call twice, wherever it is cut', async () => {
		const whole = new CountingCalls();
		const lines = await linesOf([], whole);
		expect(lines).toHaveLength(40);
		for (let cut = 0; cut <= lines.length; cut += runsAllTests ? 1 : 3) {
			const before = lines.slice(0, cut);
			const sent = before.flatMap((line) => ('sent' in line ? [line.sent] : []));
			const answered = before.flatMap((line) => ('number' in line ? [line.number] : []));
			const unknown = sent.filter((number) => !answered.includes(number));
			const calls = new CountingCalls();
			await linesOf(before, calls);
			expect(calls.asked).toEqual(unknown);
			expect(calls.made.filter((number) => sent.includes(number))).toEqual([]);
			expect([...calls.made, ...sent].sort(byNumber)).toEqual(whole.made);
		}
	});

	it('stops where the program is another one than that of the record', async () => {
		const lines = await linesOf([], new CountingCalls());
		const other = twentyCalls.replace('at < 8', 'at < 7');
		await expect(linesOf(lines, new CountingCalls(), other)).rejects.toThrow(
			/does not follow its record: call 8 is/,
		);
	});
});

describe('the task of a plan', () => {
	it('goes on in the next hub, which asks about the call that was running', async () => {
		const first = await serveServers(
			{ work: taskServer },
			{ more: { plans: true, tasks: { always: ['run_plan'] } } },
		);
		const client = await modern(first);
		const code = `const greeting = await tools.work.greet({ name: 'Ada' });
			return greeting + ' ' + (await tools.work.slowCompute({ seconds: input, label: 'sum' }).catch((error) => error.outcome));`;
		const task = await client.request('tools/call', { name: 'run_plan', arguments: { code, input: 60 } });
		expect(task).toMatchObject({ resultType: 'task' });
		await until('the second call is recorded', () => recordOf(first.folder).includes('"sent":2'));
		const next = await modern(await first.again());
		const { taskId } = task;
		let state: Record<string, unknown> = {};
		const reached = (status: string) => async () => {
			state = await next.request('tasks/get', { taskId });
			return state['status'] === status;
		};
		await until('the plan asks', reached('input_required'));
		const [key = ''] = Object.keys(state['inputRequests'] as object);
		expect(JSON.stringify(state['inputRequests'])).toMatch(/Call 2 of the plan, work__slow_compute/);
		const decision = { action: 'accept', content: { decision: 'let the plan see an error' } };
		await next.request('tasks/update', { taskId, inputResponses: { [key]: decision } });
		await until('the plan has ended', reached('completed'));
		expect(state['result']).toMatchObject({ content: [{ text: 'Hello, Ada! unknown' }] });
	});

	it('is stopped, and says how to go on, for a client that cannot ask', async () => {
		const { served, folder } = await planHub({ servers: { work: taskServer } });
		const client = await served.client();
		const code = `await tools.files.readTextFile({ path: input + '/a.txt' }); await tools.work.slowCompute({ seconds: 60 }); return 'end'`;
		const running = client.request('tools/call', { name: 'run_plan', arguments: { code, input: folder } });
		running.catch(() => {});
		await until('the second call is recorded', () => recordOf(served.folder).includes('"sent":2'));
		const again = await (await served.again()).client();
		const [id = ''] = /[\da-f]{32}/.exec(recordOf(served.folder, '.json')) ?? [];
		const text = await again.call('run_plan', { resume: id });
		expect(text).toMatch(
			/Call 2 of the plan, work__slow_compute \(line 1, column \d+\), was sent[^]*mctl plan resume/,
		);
	});

	it('needs another approval when another client goes on with it', async () => {
		const elicitations: string[] = [];
		const asked = (decision: string): HubClientOptions => ({
			capabilities: { elicitation: {} },
			onClientRequest: (_method, params) => {
				elicitations.push((params as { message: string }).message);
				return { action: 'accept', content: { decision } };
			},
		});
		const policy = [{ tools: 'work__*', action: 'ask', plan: 'once' }];
		const { served, client } = await planHub({
			servers: { work: taskServer },
			more: { policy },
			...asked('allow once'),
		});
		const code = `await tools.work.slowCompute({ seconds: 60 })`;
		client.request('tools/call', { name: 'run_plan', arguments: { code } }).catch(() => {});
		await until('the call is recorded', () => recordOf(served.folder).includes('"sent":1'));
		const again = await served.again();
		const [id = ''] = /[\da-f]{32}/.exec(recordOf(served.folder, '.json')) ?? [];
		const other = await again.client({ name: 'other', ...asked('deny') });
		expect(await other.call('run_plan', { resume: id })).toBe('The plan was not run: its user denied it.');
		const same = await again.client(asked('stop the plan'));
		expect(await same.call('run_plan', { resume: id })).toMatch(/Call 1 of the plan/);
		expect(elicitations.map((text) => text.slice(0, 26))).toEqual([
			'Allow the call of run_plan',
			'Allow the call of run_plan',
			expect.stringMatching(/^Call 1/),
		]);
	});
});

const taskServer = {
	command: process.execPath,
	args: [resolve(import.meta.dirname, '../../fixtures/servers/task-server.mjs')],
	env: { STARTS: '${STARTS}' },
};

/** Counts what reaches the tools, and answers at once. */
class CountingCalls implements LiveCalls {
	readonly made: number[] = [];
	readonly asked: number[] = [];

	async make(
		{ number, json }: { number: number; json: string },
		onSend: (name: string) => void,
	): Promise<CallOutcome> {
		onSend('a__step');
		this.made.push(number);
		return { isOk: true, text: json, name: 'a__step' };
	}

	async decide({ sent }: { sent: number }): Promise<'fail'> {
		this.asked.push(sent);
		return 'fail';
	}
}

/** The lines of a run that goes on after these. */
async function linesOf(
	before: readonly PlanLine[],
	live: CountingCalls,
	code = twentyCalls,
): Promise<PlanLine[]> {
	const lines = [...before];
	const interpreter = await Interpreter.open(code);
	const plan = { head, input: 'null', lines: before };
	const run = new PlanRun({ interpreter, plan, live, write: (line) => lines.push(line) });
	await run.run().finally(() => interpreter.close());
	return lines;
}

const head: PlanHead = {
	id: '0'.repeat(32),
	principal: 'test',
	root: '/',
	client: 'test',
	code: twentyCalls,
	sha256: '',
	startedAt: 1_000_000,
	seed: 7,
	tools: ['a__step'],
	owner: { pid: 0, startTime: '' },
};

function byNumber(one: number, other: number): number {
	return one - other;
}

function modern(served: { client(options: object): Promise<HubClient> }): Promise<HubClient> {
	return served.client({ era: 'modern', capabilities: { elicitation: {}, extensions: { [TASKS]: {} } } });
}

/** The text of the record of the only plan. */
function recordOf(folder: string, ending = '.ndjson'): string {
	const plans = join(folder, 'state/orchestra/plans');
	try {
		const [principal = ''] = readdirSync(plans);
		const file = readdirSync(join(plans, principal)).find((name) => name.endsWith(ending));
		return file === undefined ? '' : readFileSync(join(plans, principal, file), 'utf8');
	} catch {
		return ''; // there is none yet
	}
}
