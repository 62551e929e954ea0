/* A list that changes all the time, and a client that is notified of it. */
import { describe, expect, it } from 'vitest';
import { nextGapMs } from '../../src/hub/sources/mcp/list-changes.ts';
import { ListThrottle } from '../../src/mcp/server/list-throttle.ts';
import type { ListKind } from '../../src/protocol/item-lists.ts';
import { until } from '../support/waiting.ts';

describe('list_changed', () => {
	it('is sent at once, and changes that follow are one notification', async () => {
		const sent: ListKind[] = [];
		const throttle = new ListThrottle((kind) => sent.push(kind));
		for (let at = 0; at < 100; at++) throttle.changed('tools');
		expect(sent).toEqual(['tools']);
		throttle.changed('prompts');
		expect(sent).toEqual(['tools', 'prompts']);
		await until('the gap has ended', () => sent.length > 2);
		expect(sent).toEqual(['tools', 'prompts', 'tools']);
	});

	it('is not sent after the session was closed', async () => {
		const sent: ListKind[] = [];
		const [closed, open] = [
			new ListThrottle((kind) => sent.push(kind)),
			new ListThrottle(() => sent.push('resources')),
		];
		for (const throttle of [closed, closed, open, open]) throttle.changed('tools');
		closed.close();
		await until('the gap of the other one has ended', () => sent.length > 2);
		expect(sent).toEqual(['tools', 'resources', 'resources']);
	});
});

describe('the lists of a server that changes with each list', () => {
	it('are read less and less often, until the server is quiet', () => {
		const gaps: number[] = [];
		let gap = 0;
		for (let at = 0; at < 8; at++) gaps.push((gap = nextGapMs(gap, 0)));
		expect(gaps).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
		expect(nextGapMs(gap, gap)).toBe(500);
	});
});
