/* The thread of a request: it ends at its deadline, with its caller, and within bounds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLookRequest } from '../../../../src/hub/results/look/look-request.ts';
import { LookThreads } from '../../../../src/hub/results/look/run-look.ts';
import { temporaryFolder } from '../../../support/workspace.ts';

const LIMIT = 8000;
const threads = new LookThreads(120_000);
describe('LookThreads', () => {
	it('reads bytes that are not UTF-8 as text', async () => {
		const path = join(temporaryFolder(), 'bytes');
		writeFileSync(path, Buffer.from([0x68, 0x69, 0xff, 0xfe, 0x0a, 0xc3]));
		const source = { path, from: 0 };
		const answer = await threads.run({ source, request: readLookRequest({ op: 'head' }), limit: LIMIT });
		expect(answer).toMatchObject({ text: 'hi\uFFFD\uFFFD\n\uFFFD', about: 'lines 1–2 of 2' });
	});

	it('matches a pattern that backtracks in bounded time', async () => {
		const job = jobOf(`${'a'.repeat(900)}!\n`.repeat(50), { op: 'count', pattern: '/^(a+)+$/' });
		expect((await threads.run(job)).text).toBe('0');
		await expect(threads.run(jobOf('a', { op: 'grep', pattern: '/(a)\\1/' }))).rejects.toMatchObject({
			code: 'bad_input',
		});
	});

	it('ends a request at its deadline', async () => {
		const slow = JSON.stringify(Array.from({ length: 3000 }, (_, at) => at));
		const select = 'map(&sort(map(&to_string(@), [@, @])), [*].[@, @][])';
		const job = jobOf(`[${Array.from({ length: 300 }, () => slow).join(',')}]`, { op: 'distinct', select });
		await expect(new LookThreads(50).run(job)).rejects.toMatchObject({ code: 'timeout' });
	});

	it('bounds what an expression multiplies', async () => {
		const select = `[${Array.from({ length: 600 }, () => '@').join(',')}]`;
		const job = jobOf(JSON.stringify({ text: 'y'.repeat(1_000_000) }), { op: 'select', select });
		await expect(threads.run(job)).rejects.toMatchObject({
			code: 'bad_input',
			message: expect.stringContaining('too large'),
		});
	});

	it('gives up when its caller does', async () => {
		const job = jobOf('[]', { op: 'select', select: '@' });
		const reason = new Error('no longer wanted');
		await expect(threads.run(job, AbortSignal.abort(reason))).rejects.toBe(reason);
	});
});

function jobOf(text: string, request: Record<string, unknown>): Parameters<LookThreads['run']>[0] {
	return { source: { text }, request: readLookRequest(request), limit: LIMIT };
}
