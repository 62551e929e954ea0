/* Who is not let in, on every kind of link. */

import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { loadIdentity } from '../../../src/link/certificates/certificates.ts';
import { certifyAuthority, makeLeaf, newAuthority } from '../../../src/link/certificates/x509.ts';
import type { DialOptions, Identity, LinkKind, LinkStream } from '../../../src/link/link.ts';
import { dial, listen } from '../../../src/link/open-link.ts';
import { echo, exchange, identities, openPair, rejection } from '../../support/links.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const DAY_MS = 24 * 60 * 60_000;

for (const kind of ['quic', 'tls', 'unix'] as const) {
	describe(`a ${kind} listener`, () => {
		it('refuses a client without a certificate', async () => {
			const { error, streams } = await tryAs(kind, (client) => ({ ...client, certificate: '', key: '' }));
			expect([error.code, streams]).toEqual(['closed', 0]);
		});

		it('refuses a client whose certificate is from another authority', async () => {
			const other = await loadIdentity(temporaryFolder(), 'tester-client');
			const { error, streams } = await tryAs(kind, (client) => ({ ...other, ca: client.ca }));
			expect([error.code, streams]).toEqual(['closed', 0]);
		});

		it('refuses a client whose certificate has expired', async () => {
			const { error, streams } = await tryAs(kind, (client, expired) => ({ ...client, ...expired }));
			expect([error.code, streams]).toEqual(['closed', 0]);
		});

		it('refuses a client that speaks another protocol', async () => {
			const { error, streams } = await tryAs(kind, (client) => client, { protocol: 'h3' });
			expect([error.code, streams]).toEqual(['closed', 0]);
		});

		it('still serves valid clients after all of that', async () => {
			const { link } = await openPair(kind);
			expect(await exchange(link, Buffer.from('hello'))).toHaveLength(1);
		});
	});

	describe(`a ${kind} client`, () => {
		it('refuses a server whose certificate is from another authority', async () => {
			const { listener } = await openPair(kind);
			const identity = await loadIdentity(temporaryFolder(), 'tester-client');
			const error = await rejection(dial({ kind, address: listener.address, identity }));
			expect(OrchestraError.is(error, 'closed')).toBe(true);
		});

		it('refuses a server without the expected host name', async () => {
			const { listener, identities: who } = await openPair(kind);
			const options = { kind, address: listener.address, identity: who.client, serverName: 'somebody.else' };
			expect(OrchestraError.is(await rejection(dial(options)), 'closed')).toBe(true);
		});

		it('refuses a server with a certificate of our authority for another name', async () => {
			const { listener, identities: who } = await openPair(kind);
			const options = { kind, address: listener.address, identity: who.client };
			const error = await rejection(dial({ ...options, peerName: 'tools.features' }));
			expect(error).toMatchObject({
				code: 'closed',
				data: { name: 'orchestrator', expected: 'tools.features' },
			});
		});

		it('accepts a server with the expected name, and exposes its name', async () => {
			const { link } = await openPair(kind, {}, { peerName: 'orchestrator' });
			expect(link.peerName).toBe('orchestrator');
			expect(await exchange(link, Buffer.from('hello'))).toHaveLength(1);
		});
	});
}

describe('a tls listener', () => {
	it('refuses a client that offers no protocol at all', async () => {
		const { listener, identities: who } = await openPair('tls');
		const [, port] = listener.address.split(':');
		const { ca, certificate: cert, key } = who.client;
		const socket = connectTls({
			host: '127.0.0.1',
			port: Number(port),
			ca,
			cert,
			key,
			servername: 'localhost',
		});
		socket.on('error', () => {}).resume();
		await new Promise((resolve) => socket.once('close', resolve));
		expect(listener.counts).toMatchObject({ accepted: 1, refused: 1 });
	});
});

describe('a quic listener', () => {
	it('refuses addresses other than loopback unless `allowRemote` is set', async () => {
		const { server } = await identities();
		const error = await rejection(
			listen({ kind: 'quic', address: '0.0.0.0:0', identity: server, onStream: echo }),
		);
		expect(OrchestraError.is(error, 'bad_input')).toBe(true);
	});
});

/** Dial, call once, and return the error and the counts of the server. */
async function tryAs(
	kind: LinkKind,
	change: (client: Identity, expired: { certificate: string; key: string }) => Identity,
	options: Partial<DialOptions> = {},
): Promise<{ error: OrchestraError; streams: number }> {
	let streams = 0;
	const onStream = (stream: LinkStream): void => {
		streams++;
		echo(stream);
	};
	const who = await strangers();
	const address = kind === 'unix' ? `unix:${temporaryFolder()}/test.sock` : 'localhost:0';
	const listener = await listen({ kind, address, identity: who.server, onStream });
	const identity = change(who.client, who.expired);
	const attempt = async (): Promise<void> => {
		const link = await dial({ kind, address: listener.address, identity, ...options });
		try {
			await exchange(link, Buffer.from('let me in'));
		} finally {
			await link.close();
		}
	};
	const error = OrchestraError.from(await rejection(attempt()));
	await listener.close();
	return { error, streams };
}

/** An authority of our own, so that a leaf can be made that ended yesterday. */
async function strangers(): Promise<{
	server: Identity;
	client: Identity;
	expired: { certificate: string; key: string };
}> {
	const authority = newAuthority();
	const now = Date.now();
	const valid = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
	const { certificate: ca } = certifyAuthority(authority, valid);
	const identity = (name: string): Identity => ({ name, ca, ...makeLeaf(name, valid, authority) });
	const over = { from: new Date(now - 2 * DAY_MS), to: new Date(now - DAY_MS) };
	return {
		server: identity('orchestrator'),
		client: identity('tester-client'),
		expired: makeLeaf('tester-client', over, authority),
	};
}
