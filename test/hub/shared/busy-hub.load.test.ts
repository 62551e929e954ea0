/* A hub whose event loop is busy is noticed, named and can be ended. */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
	endBlockedHub,
	expectServedAfterBlock,
	type HubPlace,
	openHubPlace,
} from '../../support/hub-place.ts';
import { until } from '../../support/waiting.ts';
import { writeFiles } from '../../support/workspace.ts';

describe('a hub whose event loop is busy', () => {
	it('is named by status with its pid, shown by ls, and ended by stop --force', async () => {
		const { place, block } = openBlockable();
		const pid = await place.start();
		await block();
		expect(await endBlockedHub(place, pid)).not.toContain('kill -CONT');
	});

	it('is reported to the client of a bridge, which is served again by the same hub when it continues', async () => {
		const { place, block, unblock } = openBlockable();
		await expectServedAfterBlock(place, block, unblock);
	});
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
