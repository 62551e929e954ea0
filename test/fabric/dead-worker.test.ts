/* How long a dead worker is listed. It takes 20 s, so `npm run test:fabric` runs it and `npm test` does not. */

import { join } from 'node:path';
import { describe, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { startWorker, useFabric } from '../support/fabric-place.ts';
import { natsServer, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe.skipIf(natsServer === undefined || !runsAllTests)('a worker that died', () => {
	it('is removed by the hubs within 20 s, also one that wrote its presence just before', async () => {
		const server = await startNats();
		const worker = await startWorker([server.url], join(temporaryFolder(), 'runs'), { name: 'one' });
		const hub = await useFabric([server.url]);
		await hub.sees('gpu__slow');
		worker.kill();
		await until('it is removed', () => hub.source.workersOf('gpu').length === 0);
	});
});
