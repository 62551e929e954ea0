/* Two tenants on one server, each in an account of NATS: the same names, and nothing crosses. */

import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { offerFabric, useFabric } from '../support/fabric-place.ts';
import { freePort, natsServer, startNats } from '../support/nats-server.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe.skipIf(natsServer === undefined)('tenants in accounts of NATS', () => {
	it('use the same names and see only their own', async () => {
		const [one, two] = [newUser(), newUser()];
		const folder = temporaryFolder();
		const port = await freePort();
		const { url } = await startNats({
			port,
			folder,
			whole: `listen: "127.0.0.1:${port}"
				jetstream { store_dir: ${JSON.stringify(join(folder, 'data'))} }
				system_account: SYS
				accounts {
					SYS {}
					ONE { jetstream: enabled, users: [ { nkey: ${one.key} } ] }
					TWO { jetstream: { max_file: 512MB, max_mem: 0 }, users: [ { nkey: ${two.key} } ] }
				}`,
		});
		await offerFabric([url], { name: 'worker-of-one', group: 'gpu', credentials: one.seed });
		await offerFabric([url], { name: 'worker-of-two', group: 'gpu', credentials: two.seed });
		for (const [tenant, worker] of [
			[one, 'worker-of-one'],
			[two, 'worker-of-two'],
		] as const) {
			const hub = await useFabric([url], { credentials: tenant.seed });
			await hub.sees('gpu__who');
			expect(hub.source.workersOf('gpu')).toEqual([worker]);
			const answers = await Promise.all(Array.from({ length: 8 }, () => hub.call('gpu__who')));
			expect(new Set(answers)).toEqual(new Set([worker]));
		}
	}, 30_000);
});

function newUser(): { key: string; seed: string } {
	const pair = nkeys.createUser();
	return { key: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
}
