/* The bucket in a cluster: three replicas, or none at all and the reason. */
import { describe, expect, it } from 'vitest';
import { messageOf } from '../../src/errors.ts';
import { createBucket } from '../../src/fabric/advertisements/bucket-setup.ts';
import { FabricLink } from '../../src/fabric/link/fabric-link.ts';
import { Log } from '../../src/log.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { atEnd } from '../support/at-end.ts';
import { natsServer, startCluster } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';

describe.skipIf(natsServer === undefined || !runsAllTests)('the bucket of a cluster', () => {
	it('is not made with fewer replicas when the cluster is too small for three', async () => {
		const link = await connected((await startCluster(2)).map(({ url }) => url));
		await expect(createBucket(link)).rejects.toMatchObject({
			code: 'io',
			message: expect.stringContaining('the NATS server did not make the bucket of the fabric: '),
			hint: 'A cluster needs three servers with JetStream. mctl fabric setup tries again.',
		});
	}, 90_000);

	it('is not made while the cluster has no leader, and the error says so', async () => {
		const [first, ...others] = await startCluster();
		const link = new FabricLink({ servers: [first?.url ?? ''], name: 'admin' }, Log.silent);
		atEnd(() => link.close());
		link.open();
		await until('the link is up', () => link.isUp);
		for (const server of others) await server.kill();
		// A leader that lost the others notices it after a while.
		await until('the leader is gone', async () => {
			const error = await createBucket(link).then(() => undefined, messageOf);
			return (
				error?.includes('elects a leader of the bucket, or has lost more than half of its servers') === true
			);
		});
	}, 120_000);

	it('has three replicas', async () => {
		const link = await connected((await startCluster(3)).map(({ url }) => url));
		expect(await createBucket(link)).toBe(3);
		// Again, as an upgrade does.
		expect(await createBucket(link)).toBe(3);
	}, 90_000);
});

async function connected(servers: string[]): Promise<FabricLink> {
	const link = new FabricLink({ servers, name: 'test' }, Log.silent);
	atEnd(() => link.close());
	link.open();
	await until('the link is up', () => link.isUp, 10_000);
	return link;
}
