/* Real links for tests: certificates in a folder of their own, echo servers, and calls over them. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import type {
	DialOptions,
	Identity,
	Link,
	LinkKind,
	LinkListener,
	LinkStream,
	ListenOptions,
} from '../../src/link/link.ts';
import { dial, listen } from '../../src/link/open-link.ts';
import { unixAddress } from '../../src/link/tls/unix-address.ts';
import { temporaryFolder } from './workspace.ts';

export interface Identities {
	folder: string;
	server: Identity;
	client: Identity;
}

export async function identities(): Promise<Identities> {
	const folder = temporaryFolder();
	return {
		folder,
		server: await loadIdentity(folder, 'orchestrator'),
		client: await loadIdentity(folder, 'tester-client'),
	};
}

/** Sends every frame back, and ends when the peer does. */
export function echo(stream: LinkStream): void {
	stream.receive({
		frame: (payload) => {
			stream.send(payload);
		},
		end: () => stream.end(),
		fail: () => {},
	});
}

export interface Pair {
	link: Link;
	listener: LinkListener;
	identities: Identities;
}

export async function openPair(
	kind: LinkKind,
	options: Partial<ListenOptions> = {},
	dialing: Partial<DialOptions> = {},
): Promise<Pair> {
	const who = await identities();
	const listener = await listen({
		kind,
		address: kind === 'unix' ? unixAddress(join(who.folder, 'test.sock')) : 'localhost:0',
		identity: who.server,
		onStream: echo,
		...options,
	});
	onTestFinished(() => listener.close());
	const link = await dial({ kind, address: listener.address, identity: who.client, ...dialing });
	onTestFinished(() => link.close());
	return { link, listener, identities: who };
}

/** Everything that comes back on one stream for these frames. */
export function exchange(link: Link, ...payloads: Uint8Array[]): Promise<Uint8Array[]> {
	return new Promise((resolve, reject) => {
		const stream = link.openStream();
		const got: Uint8Array[] = [];
		const end = (): void => (got.length > 0 ? resolve(got) : reject(noAnswer()));
		stream.receive({ frame: (payload) => void got.push(payload), end, fail: reject });
		for (const payload of payloads) stream.send(payload);
		stream.end();
	});
}

/** The first thing that happens on a stream that is opened and sent `payload`, without ending it. */
export function firstEvent(link: Link, payload: Uint8Array): Promise<Uint8Array> {
	return new Promise((resolve, reject) => {
		const stream = link.openStream();
		stream.receive({ frame: resolve, end: () => reject(noAnswer()), fail: reject });
		stream.send(payload);
	});
}

function noAnswer(): OrchestraError {
	return new OrchestraError('closed', 'the stream ended without an answer');
}

export async function rejection(promise: Promise<unknown>): Promise<unknown> {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	throw new Error('expected a rejection');
}
