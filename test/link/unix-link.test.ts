/* What only a link over a Unix socket does: the file of the socket, and a peer whose death is noticed at once. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import type { LinkListener, LinkStream } from '../../src/link/link.ts';
import { dial, listen } from '../../src/link/open-link.ts';
import {
	echo,
	exchange,
	firstEvent,
	type Identities,
	identities,
	openPair,
	rejection,
} from '../support/links.ts';
import { until } from '../support/waiting.ts';

const ignored = { frame: (): void => {}, end: (): void => {}, fail: (): void => {} };

describe('the file of a Unix socket', () => {
	it('is for its owner alone, and is removed when the listener closes', async () => {
		const { listener, identities: who } = await openPair('unix');
		const path = join(who.folder, 'test.sock');
		expect((await lstat(path)).mode & 0o777).toBe(0o600);
		await listener.close();
		expect(await readdir(who.folder)).not.toContain('test.sock');
	});

	it('is replaced when a killed process left it behind', async () => {
		const who = await identities();
		const address = addressIn(who);
		const child = await startPeer('listen', 'unix', who.folder, address);
		child.kill('SIGKILL');
		await once(child, 'exit');
		expect((await lstat(join(who.folder, 'own.sock'))).isSocket()).toBe(true);
		await listenAt(address, who);
		const link = await dial({ address, identity: who.client });
		onTestFinished(() => link.close());
		expect(await exchange(link, Buffer.from('hello'))).toHaveLength(1);
	});

	it('is not replaced while another process listens on it', async () => {
		const { link, listener, identities: who } = await openPair('unix');
		const error = await rejection(listenAt(listener.address, who));
		expect(error).toMatchObject({ code: 'io', message: expect.stringContaining('another process listens') });
		expect(await exchange(link, Buffer.from('still here'))).toHaveLength(1);
	});

	it('is not removed by a listener when another has replaced it', async () => {
		const who = await identities();
		const address = addressIn(who);
		const first = await listenAt(address, who);
		const path = join(who.folder, 'own.sock');
		await unlink(path);
		await listenAt(address, who);
		await first.close();
		expect((await lstat(path)).isSocket()).toBe(true);
	});

	it('never replaces a file that is not a socket', async () => {
		const who = await identities();
		const path = join(who.folder, 'own.sock');
		await writeFile(path, 'precious');
		expect(OrchestraError.is(await rejection(listenAt(`unix:${path}`, who)), 'bad_input')).toBe(true);
		expect(await readFile(path, 'utf8')).toBe('precious');
	});

	it('is not made in a folder that others can write to', async () => {
		const who = await identities();
		await chmod(who.folder, 0o777);
		const error = await rejection(listenAt(addressIn(who), who));
		expect(error).toMatchObject({ code: 'bad_input', message: expect.stringContaining('other users') });
	});

	it('has a path within the system limit, else the error names both lengths', async () => {
		const who = await identities();
		const address = `unix:/tmp/${'x'.repeat(120)}.sock`;
		for (const error of [
			await rejection(listenAt(address, who)),
			await rejection(dial({ address, identity: who.client })),
		]) {
			expect(error).toMatchObject({ code: 'bad_input', data: { lengthBytes: 130 } });
		}
		const relative = await rejection(dial({ address: 'unix:hub.sock', identity: who.client }));
		expect(OrchestraError.is(relative, 'bad_input')).toBe(true);
	});
});

describe('a unix link', () => {
	it.each(['idle', 'waiting for an answer'])(
		'is closed at once when the server is killed, %s',
		async (state) => {
			const who = await identities();
			const address = addressIn(who);
			const child = await startPeer('listen', 'unix', who.folder, address);
			const link = await dial({ address, identity: who.client });
			await firstEvent(link, Buffer.from('ready?'));
			const waiting = state === 'idle' ? undefined : rejection(firstEvent(link, Buffer.from('hold')));
			child.kill('SIGKILL');
			await once(child, 'exit');
			// The kernel has closed the sockets by now; what is left is to notice it.
			expect((await link.closed).code).toBe('closed');
			expect(waiting === undefined || OrchestraError.is(await waiting, 'closed')).toBe(true);
			expect(() => link.openStream()).toThrowError(/closed/);
		},
	);

	it('is closed when the server dies after it broke off the handshakes of spare connections', async () => {
		const who = await identities();
		await listenAt(addressIn(who), who);
		const place = await startFullPlace(join(who.folder, 'full.sock'), join(who.folder, 'own.sock'));
		const link = await dial({ address: `unix:${place.path}`, identity: who.client });
		onTestFinished(() => link.close());
		const waiting = firstEvent(link, Buffer.from('the only connection'));
		expect(await waiting).toHaveLength(19);
		await until('spare connections were refused', () => place.refused() > 1);
		place.die();
		expect((await link.closed).code).toBe('closed');
	});

	it('ends the streams of a client that was killed', async () => {
		const who = await identities();
		const address = addressIn(who);
		const events: Promise<string>[] = [];
		let opened: () => void = () => {};
		const isOpen = new Promise<void>((resolve) => (opened = resolve));
		await listenAt(address, who, (stream) => {
			const over = new Promise<string>((resolve) =>
				stream.receive({ frame: opened, end: () => resolve('end'), fail: () => resolve('fail') }),
			);
			events.push(over);
		});
		const child = await startPeer('dial', 'unix', who.folder, address);
		await isOpen;
		child.kill('SIGKILL');
		for (const event of await Promise.all(events)) expect(['end', 'fail']).toContain(event);
	});

	it('needs no handshake for the next stream, and leaks no connection', async () => {
		const { link, listener } = await openPair('unix');
		for (let count = 0; count < 20; count++) await exchange(link, Buffer.from('call'));
		await link.close();
		await until('no connection is open', () => listener.counts.open === 0);
		expect(listener.counts.accepted).toBeLessThanOrEqual(42);
	});

	it('collects no listeners from those who wait for it to drain', async () => {
		const { link } = await openPair('unix', { onStream: (stream) => stream.receive(ignored) });
		const warnings: string[] = [];
		const onWarning = ({ name }: Error): unknown => warnings.push(name);
		process.on('warning', onWarning);
		onTestFinished(() => void process.off('warning', onWarning));
		const stream = link.openStream();
		stream.receive(ignored);
		for (let round = 0; round < 20; round++) {
			while (stream.send(Buffer.alloc(256 * 1024)));
			await Promise.all([stream.drained(), stream.drained()]);
		}
		await new Promise((resolve) => setImmediate(resolve));
		expect(warnings).toEqual([]);
	});

	it('is selected by its address, and no other kind accepts that address', async () => {
		const { link, identities: who } = await openPair('unix', {}, { kind: 'auto' } as object);
		expect(link.kind).toBe('unix');
		for (const [kind, address] of [
			['quic', 'unix:/tmp/x.sock'],
			['unix', 'localhost:1'],
		] as const) {
			const error = await rejection(dial({ kind, address, identity: who.client }));
			expect(OrchestraError.is(error, 'bad_input')).toBe(true);
		}
	});
});

function addressIn({ folder }: Identities): string {
	return `unix:${join(folder, 'own.sock')}`;
}

async function listenAt(
	address: string,
	who: Identities,
	onStream: (stream: LinkStream) => void = echo,
): Promise<LinkListener> {
	const listener = await listen({ address, identity: who.server, onStream });
	onTestFinished(() => listener.close());
	return listener;
}

interface FullPlace {
	readonly path: string;
	readonly refused: () => number;
	readonly die: () => void;
}

/** Passes one connection on to the socket at `target` and breaks off the others. */
async function startFullPlace(path: string, target: string): Promise<FullPlace> {
	let served: Socket | undefined;
	let refused = 0;
	const server = createServer((client) => {
		client.on('error', () => {});
		if (served) {
			refused++;
			client.destroy();
			return;
		}
		served = client;
		const peer = connect(target).on('error', () => {});
		client.pipe(peer).pipe(client);
	});
	const die = (): void => {
		served?.destroy();
		server.close();
	};
	onTestFinished(die);
	await new Promise<void>((resolve) => server.listen(path, resolve));
	return { path, refused: () => refused, die };
}

/** The peer has said that it is there. */
async function startPeer(...args: string[]): Promise<ChildProcess> {
	const program = new URL('../fixtures/link-peer.mjs', import.meta.url).pathname;
	const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
	onTestFinished(() => void child.kill('SIGKILL'));
	await once(child.stdout, 'data');
	return child;
}
