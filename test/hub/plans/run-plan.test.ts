/* Plans against real servers: what a program gets, what it cannot do, and what is recorded of it. */
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/hub/journal/journal.ts';
import { planHub, runPlan } from '../../support/plans.ts';

describe('run_plan', () => {
	it('calls tools of several servers, and returns what the program returns', async () => {
		const { client, folder } = await planHub();
		const text = await runPlan(
			client,
			`const names: string[] = ['a.txt', 'b.txt'];
			const read = (name: string) => tools.files.readTextFile({ path: input.folder + '/' + name });
			const texts = await Promise.all(names.map(read));
			const entities = texts.map(({ content }, at) => ({ name: names[at], entityType: 'file', observations: [content] }));
			await tools.memory.createEntities({ entities });
			const graph = await tools.memory.readGraph();
			return graph.entities.map(({ name, observations }) => name + ': ' + observations[0]).sort();`,
			{ folder },
		);
		expect(JSON.parse(text)).toEqual(['a.txt: first', 'b.txt: second']);
	});

	it('is listed only with the setting, beside the search tools', async () => {
		const on = await planHub({ more: { toolList: { expose: 'search' } } });
		const off = await planHub({ more: { plans: false } });
		expect(await namesOf(on.client)).toEqual(['call_tool', 'describe_tool', 'find_tools', 'run_plan']);
		expect(await namesOf(off.client)).not.toContain('run_plan');
	});

	it('finds tools and logs, as the agent would', async () => {
		const { client } = await planHub();
		const result = await client.request('tools/call', {
			name: 'run_plan',
			arguments: {
				code: `console.log('seen', { a: 1 }); return (await find('read a text file')).split('\\n')[0]`,
			},
		});
		expect(result['content']).toMatchObject([
			{ text: expect.stringContaining('files__read') },
			{ text: 'Log:\nseen {"a":1}' },
		]);
	});

	it('says line and column of a mistake in the program, of a name and of an argument', async () => {
		const { client } = await planHub();
		expect(await runPlan(client, 'const a = 1;\nconst b: string = ;')).toMatch(
			/mistake at line 2, column 19/,
		);
		expect(await runPlan(client, 'const a: number = 1;\nawait tools.files.readTextFiel({});')).toMatch(
			/line 2, column 7: files has no tool "readTextFiel"; did you mean readTextFile/,
		);
		expect(
			await runPlan(client, 'const a: number = 1;\n\nreturn await tools.files.readTextFile({ paht: 1 });'),
		).toMatch(/tools\.files\.readTextFile \(line 3, column \d+\): .*path/);
	});

	it.each([
		['lines that end with CR LF', 'const a: number = 1;\r\n\r\n', 3, 1],
		['types over several lines', 'interface A {\n\ta: string;\n}\nconst a: Array<{\n\tb: A }> = [];\n', 6, 1],
		['types before it on its line', `const a: { b: string } = { b: 'x' }; `, 1, 38],
		['the mark at the start of a file', '\uFEFF', 1, 1],
		['characters of two units', `const a: string = '🎉🎉'; `, 1, 27],
		['a separator of lines in a string', `const a = '\u2028';\n`, 2, 1],
	])('says the place of a call and of a name after %s', async (_, before, line, column) => {
		const { client } = await planHub();
		const wrong = `${before}await tools.files.readTextFile({ paht: 1 })`;
		// A call is at its bracket, a name at its first letter.
		const call = `line ${line}, column ${column + 'await tools.files.readTextFile'.length}`;
		expect(await runPlan(client, wrong)).toContain(`tools.files.readTextFile (${call}): `);
		const name = `line ${line}, column ${column + 'await '.length}`;
		expect(await runPlan(client, wrong.replace('TextFile', 'TextFiel'))).toContain(`${name}: files has no`);
	});

	it('refuses arguments as deep as it refuses from a client', async () => {
		const { client } = await planHub();
		const code = `let deep = {}; for (let at = 0; at < 600; at++) deep = { deep };
			await tools.memory.readGraph(deep)`;
		expect(await runPlan(client, code)).toMatch(/deeper than 512 levels[^]*It made no calls/);
	});

	it('sees the failure of a tool as an error that it can catch', async () => {
		const { client, folder } = await planHub();
		const read = `await tools.files.readTextFile({ path: '${folder}/none' })`;
		expect(
			await runPlan(client, `try { ${read} } catch (error) { return 'caught ' + error.message }`),
		).toMatch(/caught tools\.files\.readTextFile \(line 1, column \d+\): ENOENT/);
		expect(await runPlan(client, read)).toMatch(/The plan failed: .*ENOENT[^]*which are not undone: 1/);
	});

	it('makes each call through policy and journal, which has the id of the plan', async () => {
		const lines: JournalEntry[] = [];
		const { client, folder } = await planHub({
			more: { policy: [{ tools: 'files__write*', action: 'deny', reason: 'read only' }] },
			journal: { write: (line) => lines.push(line), close: async () => {} },
		});
		const text = await runPlan(
			client,
			`await tools.files.readTextFile({ path: input + '/a.txt' });
			await tools.files.writeFile({ path: input + '/c.txt', content: 'x' });`,
			folder,
		);
		expect(text).toContain('files__write_file was not called: read only');
		expect(text).toMatch(/which are not undone: 1; the last: files__read_text_file\./);
		const id = expect.stringMatching(/^[\da-f]{32}$/);
		expect(lines).toMatchObject([
			{ name: 'files__read_text_file', outcome: 'ok', plan: id },
			{ name: 'files__write_file', outcome: 'failed', policy: 'deny', plan: id },
			{ name: 'run_plan', outcome: 'failed', plan: id },
		]);
	});

	it('has a clock and random numbers that come from its record, and no way out', async () => {
		const { client } = await planHub();
		const text = await runPlan(
			client,
			`const names = ['process', 'require', 'fetch', 'setTimeout', 'performance', 'std', 'os', 'Worker'];
			return [Date.now() === Date.now(), new Date().getTimezoneOffset(), typeof Math.random(), names.filter((name) => name in globalThis)]`,
		);
		expect(JSON.parse(text)).toEqual([true, 0, 'number', []]);
		expect(await runPlan(client, `return await import('node:fs')`)).toMatch(/The plan failed/);
	});
});

async function namesOf(client: Awaited<ReturnType<typeof planHub>>['client']): Promise<string[]> {
	const { tools } = await client.request('tools/list');
	return (tools as { name: string }[]).map(({ name }) => name).sort();
}
