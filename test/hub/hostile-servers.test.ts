/*
 * One `mctl serve` with a good MCP server and many that harm it, each in its own way. The good server answers,
 * nothing hangs, memory is bounded, the errors explain, and nothing is left at the end.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { type Answer, BridgeClient, initialize } from '../support/bridges.ts';
import { startMctl } from '../support/mctl.ts';
import { livingWith } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const fixture = fileURLToPath(new URL('../fixtures/servers/hostile-server.mjs', import.meta.url));

/** What the call of each server gives: its text, or the error. */
const outcomes: Readonly<Record<string, string | RegExp>> = {
	'crashes-on-start': /exited with code 3/,
	'crashes-in-an-answer': /ended during the call; the outcome is unknown/,
	'prints-to-stdout': 'done',
	'never-answers': /did not answer the call[^]*raise timeoutMs/,
	'answers-twice': 'first',
	'answers-with-another-id': /did not answer the call/,
	'floods-stderr': 'done',
	forks: 'done',
	'closes-stdout': /the outcome is unknown/,
	'ignores-sigterm': 'done',
	'nests-schemas': 'done',
	'has-odd-names': 'done',
	'answers-with-an-array': /array|not an object|result/,
	'answers-with-invalid-utf8': 'a\ufffd\ufffd\ufffdb',
	...(runsAllTests && {
		'changes-each-time': 'done',
		'describes-at-length': 'done',
		'answers-with-a-number': /number|not an object|result/,
		'floods-notifications': 'done',
		'floods-stdout': 'done',
		'has-100000-tools': 'done',
		'lists-50-mb': 'done',
	}),
};
/** Resident memory of the hub, in MiB: itself, the largest result twice, and the garbage of a moment. */
const MEMORY_LIMIT = 700;

const home = temporaryFolder();
const entry = (how: string, settings: object = {}): object => ({
	command: process.execPath,
	args: [fixture, how],
	...settings,
});
let hub: ReturnType<typeof startMctl>;
let client: BridgeClient;
let nextId = 10;

describe('a good server beside hostile ones', () => {
	beforeAll(async () => {
		const names = [...Object.keys(outcomes), 'crashes-on-third-call', 'answers-with-60-mb'];
		// Only those that never answer are given up soon: a busy machine takes its time for the others.
		const timeoutMs = (how: string): number =>
			String(outcomes[how]).includes('did not answer') ? 1500 : 30_000;
		const hostile = names.map((how) => [how, entry(how, { timeoutMs: timeoutMs(how) })]);
		const mcpServers = { good: entry('good'), ...Object.fromEntries(hostile) };
		writeFiles(home, {
			'orchestra.json': JSON.stringify({
				mcpServers,
				limits: { listMs: 15_000 },
				toolList: { expose: 'all' },
			}),
		});
		hub = startMctl(['serve'], { cwd: home, env: { HOME: home, XDG_STATE_HOME: `${home}/state` } });
		hub.stderr.resume();
		client = new BridgeClient(hub.stdin, hub.stdout);
		client.send(initialize);
		await client.answer(1);
	});

	it('is listed with the tools of the others, within bounds', async () => {
		const names = new Set<string>();
		let cursor: unknown;
		do {
			const { result } = await request('tools/list', cursor === undefined ? {} : { cursor });
			for (const { name } of (result?.['tools'] ?? []) as { name: string }[]) names.add(name);
			cursor = result?.['nextCursor'];
		} while (cursor !== undefined);
		expect([...names]).toEqual(
			expect.arrayContaining(['good__go', 'nests-schemas__go', 'has-odd-names__a__b']),
		);
		const many = [...names].filter((name) => name.startsWith('has-100000-tools__'));
		expect(many.length).toBeLessThanOrEqual(10_000);
		// It could not be encoded, and would fail the whole list.
		expect(names).not.toContain('nests-schemas__deep');
		expect([...names].filter((name) => !/^[\w.-]{1,64}$/.test(name))).toEqual([]);
	});

	it.each(Object.entries(outcomes))('answers while the other one %s', async (how, expected) => {
		const bad = call(how);
		expect(await call('good')).toBe('done');
		const got = await bad;
		if (typeof expected === 'string') expect(got).toBe(expected);
		else expect(got).toMatch(expected);
		expect(await call('good')).toBe('done');
	});

	it('answers while the other one crashes on its third call, and is started again', async () => {
		const how = 'crashes-on-third-call';
		expect([await call(how), await call(how)]).toEqual(['1', '2']);
		expect(await call(how)).toMatch(/exited with code 7/);
		expect(await call(how)).toBe('1');
	});

	it.runIf(runsAllTests)('answers while the other one answers with 60 MB', async () => {
		const big = call('answers-with-60-mb');
		expect(await call('good')).toBe('done');
		expect((await big).length).toBeGreaterThan(0);
		expect(await call('good')).toBe('done');
	});

	it.skipIf(process.platform !== 'linux')('leaves the hub with bounded memory', () => {
		const status = readFileSync(`/proc/${hub.pid}/status`, 'utf8');
		const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
		expect(peak).toBeLessThan(MEMORY_LIMIT);
	});

	afterAll(async () => {
		const exited = new Promise((resolve) => hub.once('exit', resolve));
		client.end();
		expect(await exited).toBe(0);
		await until('nothing is left', () => livingWith('HOME', home).length === 0);
	});
});

async function request(method: string, params: object): Promise<Answer> {
	return client.call(nextId++, method, params);
}

/** The text of the result, or the message of the error. */
async function call(server: string): Promise<string> {
	const { result, error } = await request('tools/call', { name: `${server}__go`, arguments: {} });
	if (error) return error.message;
	const [block] = (result?.['content'] ?? []) as { text?: string }[];
	return block?.text ?? JSON.stringify(result);
}
