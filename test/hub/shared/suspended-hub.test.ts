/* A hub that is suspended is noticed, named and can be ended. */

import { describe, expect, it } from 'vitest';
import { blockedMessage, openHubPlace } from '../../support/hub-place.ts';
import { isAlive } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';

describe('a hub that is suspended', () => {
	it('is named by status with its pid, shown by ls, and ended by stop --force', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		process.kill(pid, 'SIGSTOP');
		const status = await place.run('hub', 'status');
		expect([status.code, status.stderr]).toEqual([124, expect.stringMatching(blockedMessage(pid))]);
		expect(status.stderr).toContain('mctl hub stop --force');
		const { hubs } = JSON.parse((await place.run('hub', 'ls', '--json')).stdout);
		expect(hubs).toMatchObject([{ pid, clients: null }]);
		expect((await place.run('hub', 'stop', '--force')).stdout).toBe('The hub is stopped.\n');
		expect(isAlive(pid)).toBe(false);
	}, 60_000);

	it('is reported to the client of a bridge: calls in flight fail, new ones get the reason, and calls work again when it continues', async () => {
		const place = openHubPlace();
		const bridge = place.bridge();
		await bridge.ready();
		const pid = await place.runningPid();
		process.kill(pid, 'SIGSTOP');
		const answer = await bridge.client.call(2, 'tools/list');
		expect(answer.error?.message).toMatch(blockedMessage(pid));
		const late = await bridge.client.call(3, 'tools/list');
		expect(late.error?.message).toMatch(blockedMessage(pid));
		process.kill(pid, 'SIGCONT');
		await until(
			'it serves again',
			async () => (await bridge.client.call(Math.random().toString(), 'tools/list')).result !== undefined,
			20_000,
		);
		expect(place.hubs()).toEqual([pid]);
	}, 60_000);
});
