/* Unauthenticated traffic: bounded memory, bounded work, and honest clients are served meanwhile. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_HANDSHAKES } from '../../src/link/link-limits.ts';
import { dial } from '../../src/link/open-link.ts';
import { exchange, type Identities, identities, openPair } from '../support/links.ts';
import { until } from '../support/waiting.ts';

describe.runIf(process.platform === 'linux')('a quic listener under a flood of early CRYPTO data', () => {
	it('buffers a bounded part of it, and serves an honest client meanwhile', async () => {
		const who = await identities();
		const { pid, address } = await startListener(who);
		const link = await dial({ kind: 'quic', address, identity: who.client });
		onTestFinished(() => link.close());
		await attack('garbage', address, 2_000);
		const before = residentMb(pid);
		// Two megabytes a connection, of which the server must keep a small part.
		const attacking = attack('crypto', address, 60);
		let isOver = false;
		void attacking.then(() => (isOver = true));
		for (let calls = 0; !isOver || calls < 10; calls++) await exchange(link, Buffer.from('call'));
		expect((await attacking).bytes).toBeGreaterThan(100_000_000);
		expect(residentMb(pid) - before).toBeLessThan(64);
	});

	// The allocator keeps the memory of the first flood; each later one reuses it.
	it('does not grow with repeated floods of every kind', async () => {
		const { pid, address } = await startListener(await identities());
		const flood = async (): Promise<void> => {
			await attack('garbage', address, 3_000);
			await attack('initials', address, 2_000);
			await attack('half-open', address, 20);
			await attack('crypto', address, 30);
		};
		await flood();
		const before = residentMb(pid);
		for (let round = 0; round < 3; round++) await flood();
		expect(residentMb(pid) - before).toBeLessThan(24);
	});
});

describe('a quic listener with many incomplete handshakes', () => {
	it('bounds their number, and still accepts an honest client', async () => {
		const { listener, identities: who } = await openPair('quic');
		await attack('half-open', listener.address, 40);
		expect(listener.counts.open).toBeLessThanOrEqual(MAX_HANDSHAKES + 1);
		const link = await dial({ kind: 'quic', address: listener.address, identity: who.client });
		expect(await exchange(link, Buffer.from('hello'))).toHaveLength(1);
		await link.close();
	});
});

describe('a unix listener with many idle connections', () => {
	it('drops connections above its limit, and serves an open link', async () => {
		const { link, listener } = await openPair('unix', { maxConnections: 4 });
		const stream = link.openStream();
		const answers: string[] = [];
		stream.receive({
			frame: (payload) => void answers.push(Buffer.from(payload).toString()),
			end: () => void answers.push('end'),
			fail: () => void answers.push('fail'),
		});
		const path = listener.address.slice('unix:'.length);
		let dropped = 0;
		const sockets = Array.from({ length: MAX_HANDSHAKES + 20 }, () =>
			connect(path)
				.on('error', () => {})
				.on('close', () => void dropped++),
		);
		onTestFinished(() => void sockets.map((socket) => socket.destroy()));
		for (const socket of sockets) socket.resume();
		await until('some were dropped', () => dropped > 0);
		stream.send(Buffer.from('still here'));
		await until('it was answered', () => answers.length > 0);
		expect(answers).toEqual(['still here']);
	});
});

async function startListener({ folder }: Identities): Promise<{ pid: number; address: string }> {
	const program = new URL('../fixtures/link-peer.mjs', import.meta.url).pathname;
	const child = spawn(process.execPath, [program, 'listen', 'quic', folder], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
	return { pid: child.pid ?? 0, address: chunk.toString().trim() };
}

/** Resolves when the attacker has sent everything. */
async function attack(kind: string, address: string, count: number): Promise<{ bytes: number }> {
	const program = new URL('../../chaos/programs/quic-attacker.mjs', import.meta.url).pathname;
	const port = address.split(':').at(-1) ?? '';
	const child = spawn(process.execPath, [program, kind, port, String(count)], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	let text = '';
	child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
	await once(child, 'close');
	return JSON.parse(text);
}

function residentMb(pid: number): number {
	const text = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024;
}
