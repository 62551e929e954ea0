/* Keys and permissions: the configuration that we print, in a real server with TLS. */

import { join } from 'node:path';
import {
	connect,
	headers,
	type MsgHdrs,
	type NatsConnection,
	nkeyAuthenticator,
	nkeys,
} from '@nats-io/transport-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADMINISTRATOR, type Member, serverConfig } from '../../src/fabric/administration/server-config.ts';
import { createBucket } from '../../src/fabric/advertisements/bucket-setup.ts';
import { FabricLink } from '../../src/fabric/link/fabric-link.ts';
import { certifyAuthority, makeLeaf, newAuthority } from '../../src/link/certificates/x509.ts';
import { Log } from '../../src/log.ts';
import { atEnd } from '../support/at-end.ts';
import { offerFabric, runsIn, useFabric } from '../support/fabric-place.ts';
import { freePort, natsServer, startNats } from '../support/nats-server.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const DAY_MS = 86_400_000;
const seeds = new Map<string, string>();
let servers: string[] = [];
let ca = '';

describe.skipIf(natsServer === undefined)('permissions of the fabric', () => {
	beforeAll(async () => {
		await startSecured();
	});

	it('let the administrator make the bucket, workers offer and hubs call, over TLS', async () => {
		await offerFabric(servers, { name: 'gpu-1', group: 'gpu', ca, credentials: seedOf('gpu-1') });
		const hub = await useFabric(servers, { name: 'laptop', ca, credentials: seedOf('laptop') });
		await hub.sees('gpu__echo');
		expect(await hub.call('gpu__echo', { text: 'safe' })).toBe('safe');
	});

	it('refuse a call that the hub may not make, and it is not run', async () => {
		await offerFabric(servers, { name: 'other', ca, credentials: seedOf('other') });
		const hub = await useFabric(servers, { name: 'laptop', ca, credentials: seedOf('laptop') });
		await hub.sees('other__echo');
		expect(await hub.call('other__echo')).toContain(
			'not run: echo of other: the NATS server does not permit this hub to call it',
		);
	});

	it('keep calls away from a worker that has the key of another', async () => {
		const { worker, log } = await offerFabric(servers, {
			name: 'wrong',
			group: 'gpu',
			ca,
			credentials: seedOf('gpu-1'),
		});
		await offerFabric(servers, { name: 'gpu-1', group: 'gpu', ca, credentials: seedOf('gpu-1') });
		const hub = await useFabric(servers, { name: 'laptop', ca, credentials: seedOf('laptop') });
		await hub.sees('gpu__echo');
		const answers = await Promise.all(
			Array.from({ length: 16 }, () => hub.call('gpu__echo', { text: 'safe' })),
		);
		expect(new Set(answers)).toEqual(new Set(['safe']));
		expect(worker.link.isUp).toBe(true);
		expect(log.join('')).toContain('does not permit publish to');
	});

	it('say to a hub with the key of another that its name is wrong', async () => {
		const hub = await useFabric(servers, { name: 'wrong', ca, credentials: seedOf('laptop') });
		await until('the reason is known', () =>
			hub.log.join('').includes('does not permit its key to use _INBOX.wrong.'),
		);
	});

	it('that are granted later are used without a restart', async () => {
		const folder = temporaryFolder();
		const port = await freePort();
		const members = [member('boss', ['*'], undefined), member('late', [], 'another')];
		const storeDir = join(folder, 'data');
		const listen = `127.0.0.1:${port}`;
		const printed = serverConfig({ members, listen, tls: undefined, storeDir });
		// The first has all rights here, to make the bucket.
		const whole = printed.replace(/, permissions: .* (?=} # boss)/, ' ');
		const server = await startNats({ port, folder, whole });
		const hub = await useFabric([server.url], { name: 'boss', credentials: seedOf('boss') });
		const { log } = await offerFabric([server.url], { name: 'late', credentials: seedOf('late') });
		await until('it is refused', () => log.join('').includes('does not permit'));
		writeFiles(folder, { 'nats.conf': whole.replaceAll('.another.', '.late.') });
		process.kill(server.pid, 'SIGHUP');
		await hub.sees('late__echo');
		expect(await hub.call('late__echo', { text: 'now' })).toBe('now');
	});

	it('that are revoked while a call runs leave its outcome unknown, and end what comes later', async () => {
		const folder = temporaryFolder();
		const port = await freePort();
		const members = [member('boss', ['*'], undefined), member('fired', [], 'fired')];
		const printed = serverConfig({
			members,
			listen: `127.0.0.1:${port}`,
			tls: undefined,
			storeDir: join(folder, 'data'),
		});
		const whole = printed.replace(/, permissions: .* (?=} # boss)/, ' ');
		const server = await startNats({ port, folder, whole });
		const hub = await useFabric([server.url], { name: 'boss', credentials: seedOf('boss') });
		const { worker, file } = await offerFabric([server.url], { name: 'fired', credentials: seedOf('fired') });
		await hub.sees('fired__slow');
		const without = (name: string): void => {
			const lines = whole.split('\n').filter((line) => !line.endsWith(`# ${name}`));
			writeFiles(folder, { 'nats.conf': lines.join('\n') });
			process.kill(server.pid, 'SIGHUP');
		};
		const called = hub.call('fired__slow', { ms: 3000 });
		await until('it runs', () => worker.running === 1);
		without('fired');
		await until('it is disconnected', () => !worker.link.isUp);
		expect(await hub.call('fired__echo')).toContain('not run');
		expect(await called).toContain('outcome unknown: slow of fired');
		expect(runsIn(file)).toEqual(['fired slow']);
		without('boss');
		await until('the hub is disconnected', () => !hub.source.link.isUp);
		expect(await hub.call('fired__echo')).toContain('not run: echo of fired: the link to the fabric is down');
	});

	it('refuse everything that a worker or a hub publishes in the name of another', async () => {
		const forged = [
			'orc.out.gpu-1.laptop.PPPPPPPP.AAAAAAAAAAAAAAAA',
			'$KV.ORC.w.gpu.other',
			'$KV.ORC.w.gpu.gpu-1',
			'$KV.ORC.o.gpu-1.abcd',
			'orc.call.laptop.gpu.echo',
			'orc.ctl.gpu-1.laptop.PPPPPPPP.AAAAAAAAAAAAAAAA',
			'orc.cat.w.gpu.other',
			'$JS.API.STREAM.DELETE.KV_ORC',
		];
		expect(await refused('other', forged)).toEqual(forged);
		const asHub = [
			'$JS.API.CONSUMER.CREATE.KV_ORC',
			'$JS.API.CONSUMER.CREATE.KV_ORC.x.y',
			'$JS.API.STREAM.CREATE.KV_ORC',
			'$JS.API.STREAM.CREATE.SPY',
			'$KV.ORC.w.gpu.laptop',
			'orc.out.laptop.laptop.PPPPPPPP.AAAAAAAAAAAAAAAA',
			'orc.call.other.gpu.echo',
		];
		expect(await refused('laptop', asHub)).toEqual(asHub);
	});

	it('do not let a member read what is sent to another', async () => {
		const connection = await connectAs('other');
		const subjects = [
			'orc.out.*.laptop.*.*',
			'orc.call.*.gpu.*',
			'orc.ctl.gpu-1.*.*.*',
			'_INBOX.laptop.>',
			'orc.>',
		];
		const refusals = await Promise.all(subjects.map(async (subject) => connection.subscribe(subject).closed));
		expect(refusals.every((error) => error instanceof Error)).toBe(true);
		const equal = await connectAs('gpu-1');
		const calls = 'orc.call.*.gpu.*';
		// Outside the queue group it would receive the calls of all equal workers.
		expect(await equal.subscribe(calls).closed).toBeInstanceOf(Error);
		expect(await equal.subscribe(calls, { queue: 'x' }).closed).toBeInstanceOf(Error);
	});

	it('do not let a member send in the name of another through the bucket', async () => {
		const { file } = await offerFabric(servers, {
			name: 'gpu-1',
			group: 'gpu',
			ca,
			credentials: seedOf('gpu-1'),
		});
		const hub = await useFabric(servers, { name: 'laptop', ca, credentials: seedOf('laptop') });
		await hub.sees('gpu__record');
		const connection = await connectAs('ci');
		const call = { 'Orc-Call': 'PPPPPPPP.AAAAAAAAAAAAAAAA', 'Orc-Expires': String(Date.now() + 60_000) };
		const params = '{"arguments":{"id":"forged"}}';
		// The server answers a direct get at any reply subject.
		await relay(connection, { value: params, reply: 'orc.call.laptop.gpu.record', stored: call });
		const presence = { value: '{"h":["abcd"]}', reply: '$KV.ORC.w.forged.gpu-1' };
		const subject = { 'Nats-TTL': '60s', 'Nats-Subject': '$KV.ORC.w.forged.gpu-2', 'Nats-Sequence': '9999' };
		await relay(connection, { ...presence, stored: { 'Nats-TTL': '60s' } });
		await relay(connection, { ...presence, request: { no_hdr: true } });
		await relay(connection, { ...presence, stored: subject, reply: 'orc.cat.w.forged.gpu-2' });
		expect(await hub.call('gpu__record', { id: 'real' })).toBe('real');
		expect(runsIn(file)).toEqual(['gpu-1 real']);
		expect(hub.source.workersOf('forged')).toEqual([]);
		const later = await useFabric(servers, { name: 'laptop', ca, credentials: seedOf('laptop') });
		await later.sees('gpu__record');
		expect(later.source.workersOf('forged')).toEqual([]);
	});

	it('do not let a member empty the bucket', async () => {
		const connection = await connectAs('other');
		const answer = await connection.request('$KV.ORC.o.other.x', '', {
			headers: headersOf({ 'Nats-Rollup': 'all' }),
			timeout: 60_000,
		});
		expect(answer.json()).toMatchObject({ error: { description: expect.stringContaining('rollup') } });
	});

	it('do not let a member in without its key', async () => {
		const hub = await useFabric(servers, { name: 'laptop', ca, credentials: freshSeed() });
		await until('the reason is known', () => /authorization/i.test(hub.source.status.error?.message ?? ''));
		expect(await hub.tools()).toEqual([]);
	});
});

async function startSecured(): Promise<void> {
	const folder = temporaryFolder();
	const now = Date.now();
	const authority = newAuthority();
	const validity = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
	const { key, certificate } = makeLeaf('localhost', validity, authority);
	writeFiles(folder, {
		'key.pem': key,
		'cert.pem': certificate,
		'ca.pem': certifyAuthority(authority, validity).certificate,
	});
	ca = join(folder, 'ca.pem');
	const members = [
		member(ADMINISTRATOR, [], undefined),
		member('laptop', ['gpu'], undefined),
		member('gpu-1', [], 'gpu'),
		member('other', [], 'other'),
		member('ci', ['gpu'], 'ci'),
	];
	const port = await freePort();
	const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
	const whole = serverConfig({ members, listen: `127.0.0.1:${port}`, tls, storeDir: join(folder, 'data') });
	await startNats({ port, whole });
	servers = [`tls://localhost:${port}`];
	const access = { servers, name: ADMINISTRATOR, ca, credentials: async () => seedOf(ADMINISTRATOR) };
	const link = new FabricLink(access, Log.silent);
	link.open();
	await until('the administrator is connected', () => link.isUp);
	await createBucket(link);
	await link.close();
}

function member(name: string, calls: string[], offers: string | undefined): Member {
	const pair = nkeys.createUser();
	seeds.set(name, new TextDecoder().decode(pair.getSeed()));
	return { name, key: pair.getPublicKey(), calls, offers };
}

function seedOf(name: string): string {
	return seeds.get(name) ?? '';
}

function freshSeed(): string {
	return new TextDecoder().decode(nkeys.createUser().getSeed());
}

async function connectAs(name: string): Promise<NatsConnection> {
	const seed = new TextEncoder().encode(seedOf(name));
	const connection = await connect({
		servers,
		authenticator: nkeyAuthenticator(seed),
		tls: { caFile: ca },
		inboxPrefix: `_INBOX.${name}`,
	});
	atEnd(() => connection.close());
	return connection;
}

interface Relayed {
	readonly value: string;
	readonly reply: string;
	readonly stored?: Readonly<Record<string, string>>;
	readonly request?: object;
}

/** Store a message as a member, and have the server send it somewhere else. */
async function relay(
	connection: NatsConnection,
	{ value, reply, stored = {}, request }: Relayed,
): Promise<void> {
	await connection.request('$KV.ORC.o.ci.x', value, { headers: headersOf(stored), timeout: 60_000 });
	const get = JSON.stringify({ last_by_subj: '$KV.ORC.o.ci.x', ...request });
	connection.publish('$JS.API.DIRECT.GET.KV_ORC', get, { reply });
	// Answered after it, so the first has been sent.
	await connection.request('$JS.API.DIRECT.GET.KV_ORC', get);
}

function headersOf(values: Readonly<Record<string, string>>): MsgHdrs {
	const made = headers();
	for (const [name, value] of Object.entries(values)) made.append(name, value);
	return made;
}

/** The subjects that the server refuses to take from a member. */
async function refused(name: string, subjects: readonly string[]): Promise<string[]> {
	const connection = await connectAs(name);
	const found: string[] = [];
	const following = (async () => {
		for await (const status of connection.status()) {
			if (status.type === 'error' && 'subject' in status.error) found.push(String(status.error.subject));
		}
	})();
	for (const subject of subjects) connection.publish(subject, '{}');
	await connection.flush();
	await connection.close();
	await following;
	return found;
}
