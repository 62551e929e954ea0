/* Plans against real servers: what a program gets, what it cannot do, and what is recorded. */
import { describe, expect, it } from 'vitest';
import { planHub, runPlan } from '../../support/plans.ts';

describe('run_plan', () => {
	it('calls tools of several servers, and returns what the program returns', async () => {
		const { client, folder } = await planHub();
		const text = await runPlan(
			client,
			`
			const names: string[] = ['a.txt', 'b.txt'];
			const texts = await Promise.all(names.map((name) => tools.files.readTextFile({ path: input.folder + '/' + name })));
			await tools.memory.createEntities({ entities: texts.map(({ content }, at) => ({ name: names[at], entityType: 'file', observations: [content] })) });
			const { entities } = await tools.memory.readGraph();
			return entities.map(({ name, observations }) => name + ': ' + observations[0]).sort();`,
			{ folder },
		);
		expect(text).toBe('x');expect(JSON.parse(text)).toEqual(['a.txt: first', 'b.txt: second']);
	});
});
