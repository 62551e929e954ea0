/* A bridge whose certificate authority has expired or is not yet valid, with a real hub. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Validity } from '../../src/link/certificates/x509.ts';
import { initialize, startBridge } from '../support/bridges.ts';
import { writeForeignAuthority, writeOwnAuthority } from '../support/foreign-authority.ts';
import { configuredFolder, pluginWith, type ServedFolder } from '../support/plugins.ts';
import { temporaryFolder } from '../support/workspace.ts';

const DAY_MS = 24 * 60 * 60_000;
const days = (count: number): Date => new Date(Date.now() + count * DAY_MS);
const expired: Validity = { from: days(-400), to: days(-35) };
const future: Validity = { from: days(30), to: days(395) };

describe('an authority that cannot be used', () => {
	it.each([
		['has expired', expired],
		['is not yet valid', future],
	])(
		'is made anew when it is ours and %s: the agent gets its tools',
		async (_what, validity) => {
			const place = placeWith((folder) => writeOwnAuthority(folder, validity));
			const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'a' } };
			const { stdout, code } = await place.mctl(['bridge'], lines(initialize, call));
			expect(stdout).toContain('"result":{"content":[{"type":"text","text":"a"}]}');
			expect(code).toBe(0);
		},
		60_000,
	);

	it('is the answer to the first request when it is of another tool, and the exit code is 64', async () => {
		const folder = temporaryFolder();
		writeForeignAuthority(folder, expired);
		const { client, child, exited } = startBridge({ address: 'localhost:1', folder, close: async () => {} });
		client.send(initialize);
		const { error } = JSON.parse(await client.answer(1));
		expect(error.message).toContain(`${join(folder, 'ca.crt')} expired on`);
		expect(JSON.stringify(error)).toContain('delete the whole folder');
		child.stdin.end();
		expect(await exited).toEqual([64, null]);
	});
});

/** A project with a plugin, in a home with these certificates; its hub is stopped at the end. */
function placeWith(write: (folder: string) => void): ServedFolder {
	const place = configuredFolder({ plugins: [pluginWith('tools.a', `a: tool(() => 'a')`)] });
	const certs = join(place.home, '.orchestra/certs');
	mkdirSync(certs, { recursive: true, mode: 0o700 });
	write(certs);
	onTestFinished(async () => void (await place.mctl(['hub', 'stop'])));
	return place;
}

function lines(...messages: object[]): string {
	return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}
