/* A hub whose event loop is busy is noticed, named and can be ended. */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blockedMessage, type HubPlace, openHubPlace } from '../../support/hub-place.ts';
import { isAlive } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';
import { writeFiles } from '../../support/workspace.ts';

describe('a hub whose event loop is busy', () => {
	it('is named by status with its pid, shown by ls, and ended by stop --force', async () => {
		const { place, block } = openBlockable();
		const pid = await place.start();
		await block();
		const status = await place.run('hub', 'status');
		expect([status.code, status.stderr]).toEqual([124, expect.stringMatching(blockedMessage(pid))]);
		expect(status.stderr).not.toContain('kill -CONT');
		const { hubs } = JSON.parse((await place.run('hub', 'ls', '--json')).stdout);
		expect(hubs).toMatchObject([{ pid, clients: null }]);
		expect((await place.run('hub', 'stop', '--force')).stdout).toBe('The hub is stopped.\n');
		expect(isAlive(pid)).toBe(false);
	}, 60_000);

	it('is reported to the client of a bridge, which is served again by the same hub when it continues', async () => {
		const { place, block, unblock } = openBlockable();
		const bridge = place.bridge();
		await bridge.ready();
		const pid = await place.runningPid();
		await block();
		expect((await bridge.client.call(2, 'tools/list')).error?.message).toMatch(blockedMessage(pid));
		expect((await bridge.client.call(3, 'tools/list')).error?.message).toMatch(blockedMessage(pid));
		unblock();
		await until(
			'it serves again',
			async () => (await bridge.client.call(Math.random().toString(), 'tools/list')).result !== undefined,
			20_000,
		);
		expect(place.hubs()).toEqual([pid]);
	}, 60_000);
});

/** A place whose hub runs a module of the test that keeps its event loop busy on demand. */
function openBlockable(): { place: HubPlace; block: () => Promise<void>; unblock: () => void } {
	const place = openHubPlace();
	const file = join(place.home, 'block');
	const module = new URL('../../fixtures/block-hub.mjs', import.meta.url).href;
	Object.assign(place.env, { NODE_OPTIONS: `--import=${module}`, BLOCK_HUB_FILE: file });
	const unblock = (): void => rmSync(file, { force: true });
	onTestFinished(unblock);
	const block = (): Promise<void> => {
		writeFiles(place.home, { block: '' });
		return until('the event loop is busy', () => existsSync(`${file}ed`));
	};
	return { place, block, unblock };
}
