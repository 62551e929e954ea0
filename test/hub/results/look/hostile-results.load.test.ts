/* Requests about hostile results: each ends, with an answer or with an error that says what to do. */
import { describe, expect, it } from 'vitest';
import { readLookRequest } from '../../../../src/hub/results/look/look-request.ts';
import { LookThreads } from '../../../../src/hub/results/look/run-look.ts';

const LIMIT = 8000;
const threads = new LookThreads(120_000);
const depth = 200_000;
const hostile: Record<string, string> = {
	'one line of 10 MB': `${'x'.repeat(10_000_000)}needle`,
	'200,000 levels': `${'['.repeat(depth)}1${']'.repeat(depth)}`,
	'1,000,000 keys': `{${Array.from({ length: 1_000_000 }, (_, at) => `"key${at}":${at}`).join(',')}}`,
	'names of prototypes': '{"__proto__":{"a":1},"constructor":2,"toString":3}',
	nothing: '',
};

describe('a hostile result', () => {
	it.each(Object.entries(hostile))('answers any request about %s within its limit', async (_name, text) => {
		const requests = [
			{ op: 'tail', lines: 1 },
			{ op: 'grep', pattern: 'needle' },
			{ op: 'select', select: '@' },
		];
		for (const request of requests) {
			const answer = await threads.run(jobOf(text, request)).catch((error: unknown) => error);
			if (answer instanceof Error) expect(answer).toMatchObject({ code: 'bad_input' });
			else expect(JSON.stringify(answer).length).toBeLessThan(LIMIT * 3);
		}
	});

	it('answers about a million keys within the deadline of agents or says that it is over, and then about others', async () => {
		const usual = new LookThreads();
		const job = jobOf(hostile['1,000,000 keys'] ?? '', { op: 'distinct', select: 'values(@)' });
		const answers = await Promise.all([job, job, job].map((each) => usual.run(each).catch((error) => error)));
		for (const answer of answers)
			if (answer instanceof Error)
				expect(answer).toMatchObject({ code: 'timeout', hint: expect.any(String) });
			else expect(answer.about).toContain('1,000,000');
		expect((await usual.run(jobOf('one line', { op: 'head' }))).text).toBe('one line');
	});

	it('finds a text in a line of 10 MB, and a key among a million', async () => {
		const found = await threads.run(
			jobOf(hostile['one line of 10 MB'] ?? '', { op: 'grep', pattern: 'needle' }),
		);
		expect(found.text).toContain('needle');
		const key = await threads.run(
			jobOf(hostile['1,000,000 keys'] ?? '', { op: 'select', select: 'key999999' }),
		);
		expect(key.text).toBe('999999');
	});
});

function jobOf(text: string, request: Record<string, unknown>): Parameters<LookThreads['run']>[0] {
	return { source: { text }, request: readLookRequest(request), limit: LIMIT };
}
