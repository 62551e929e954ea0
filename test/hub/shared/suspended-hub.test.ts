/* A hub that is suspended is noticed, named and can be ended. */

import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../../support/all-tests.ts';
import { endBlockedHub, expectServedAfterBlock, openHubPlace } from '../../support/hub-place.ts';

describe('a hub that is suspended', () => {
	it.runIf(runsAllTests)(
		'is named by status with its pid, shown by ls, and ended by stop --force',
		async () => {
			const place = openHubPlace();
			const pid = await place.start();
			process.kill(pid, 'SIGSTOP');
			expect(await endBlockedHub(place, pid)).toContain('mctl hub stop --force');
		},
	);

	it('is reported to the client of a bridge: calls in flight fail, new ones get the reason, and calls work again when it continues', async () => {
		await expectServedAfterBlock(
			openHubPlace(),
			(pid) => process.kill(pid, 'SIGSTOP'),
			(pid) => process.kill(pid, 'SIGCONT'),
		);
	});
});
