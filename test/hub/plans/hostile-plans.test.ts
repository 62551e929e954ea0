/* Programs that want out, or want too much: each ends, says why, and reaches nothing. */
import { describe, expect, it } from 'vitest';
import { Interpreter } from '../../../src/hub/plans/interpreter.ts';
import { PLAN_LOG_CHARACTERS } from '../../../src/hub/plans/plan-limits.ts';
import { planHub, runPlan } from '../../support/plans.ts';

const hostile: readonly [what: string, code: string, says: RegExp][] = [
	['an endless loop', 'for (;;);', /too many steps/],
	['an endless chain of promises', 'for (;;) await null;', /too many steps/],
	['a wait for nothing', 'await new Promise(() => {})', /waits for something that never comes/],
	['a memory bomb', `const all = []; for (;;) all.push('x'.repeat(100000) + all.length)`, /out of memory/],
	['a flood of promises', 'for (let at = 0; at < 1e6; at++) Promise.resolve().then(() => {})', /memory/],
	['a string of 100 MB', `return 'x'.repeat(100 * 1024 * 1024)`, /out of memory|characters as JSON/],
	[
		'a large argument',
		`await tools.files.readTextFile({ path: 'x'.repeat(9e6) })`,
		/the argument has 9000011 characters/,
	],
	['endless recursion', 'const f = () => f() + 1; return f()', /stack/i],
	[
		'thousands of calls',
		`await Promise.all(Array.from({ length: 5000 }, () => tools.memory.readGraph()))`,
		/more than 1000 calls/,
	],
	[
		'large arguments of many calls',
		`const path = 'x'.repeat(4e6); await Promise.all([1, 2, 3, 4, 5].map(() => tools.files.readTextFile({ path })))`,
		/arguments of calls that wait have more than/,
	],
	['a result that is a circle', 'const a = {}; a.a = a; return a', /circular/i],
	['a forged server', `await tools['__proto__'].readGraph()`, /there is no server "__proto__"/],
	['a forged tool', `const n = 'constructor'; await tools.files[n]({})`, /files has no tool "constructor"/],
	['arguments that are no object', `await tools.memory.readGraph([1])`, /one object/],
	['a plan in a plan', `await tools.plans.runPlan({ code: '' })`, /there is no server "plans"/],
	['an import', `return (await import('node:fs')).readdirSync('/')`, /failed/],
	[
		'a way to the host by its functions',
		`return tools.files.constructor.constructor('return process')()`,
		/has no tool "constructor"/,
	],
];

describe('a hostile program', () => {
	it('is ended with the reason, and the hub goes on', async () => {
		const { client } = await planHub();
		for (const [what, code, says] of hostile) expect(await runPlan(client, code), what).toMatch(says);
		expect(await runPlan(client, 'return 1 + 1')).toBe('2');
	});

	it('that no parser gets to the end of is given up', async () => {
		const code = `return ${'(a = '.repeat(60)}1${') => 1'.repeat(60)}`;
		await expect(Interpreter.open(code, { startMs: 500 })).rejects.toThrow(/could not be read within 500 ms/);
	});

	it('that logs without end gets the start of it back', async () => {
		const { client } = await planHub();
		const code = `for (let at = 0; at < 50000; at++) console.log(at % 2 ? '' : 'x'); return 1`;
		const result = await client.request('tools/call', { name: 'run_plan', arguments: { code } });
		const [, log] = result['content'] as { text: string }[];
		expect(log?.text.length).toBeLessThan(PLAN_LOG_CHARACTERS + 100);
		expect(log?.text).toMatch(/\(58616 more characters\)$/);
	});

	it('that changes the prototypes changes its own world alone', async () => {
		const { client, folder } = await planHub();
		const code = `
			Object.prototype.isError = true; Array.prototype.map = () => ['changed']; JSON.parse = () => 'forged'; JSON.stringify = () => '{}';
			Promise.prototype.then = undefined; Function.prototype.call = Function.prototype.apply = () => 'caught';
			Object.prototype.toJSON = () => 'forged';
			const { content } = await tools.files.readTextFile({ path: input + '/a.txt' });
			return content`;
		expect(await runPlan(client, code, folder)).toMatch(/first|forged|failed/);
		expect(({} as { isError?: unknown }).isError).toBeUndefined();
		expect(await runPlan(client, 'return [1].map((x) => x)[0]')).toBe('1');
	});

	it('gets results as data, whatever keys they have', async () => {
		const { client, folder } = await planHub();
		const code = `await tools.files.writeFile({ path: input + '/c.txt', content: '{"__proto__": {"polluted": 1}}' });
			const { content } = await tools.files.readTextFile({ path: input + '/c.txt' });
			return [JSON.parse(content).polluted ?? 'no', ({}).polluted ?? 'no']`;
		expect(JSON.parse(await runPlan(client, code, folder))).toEqual(['no', 'no']);
	});
});
