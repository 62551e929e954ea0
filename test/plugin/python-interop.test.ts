/* A client written with aioquic against our server. Left out where Python has no aioquic. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadIdentity } from '../../src/link/certificates/certificates.ts';
import { servePlugin } from '../../src/plugin/server/plugin-server.ts';
import { identities } from '../support/links.ts';

const python = process.env['ORCHESTRA_TEST_PYTHON'] ?? 'python3';
const hasPeer = spawnSync(python, ['-c', 'import aioquic']).status === 0;
if (!hasPeer) console.warn('skipped, Python interoperability: python3 with aioquic is not here');

describe.skipIf(!hasPeer)('with a client written in Python', () => {
	it('answers calls, with the bytes that the protocol says', async () => {
		const who = await identities();
		await loadIdentity(who.folder, 'python-client');
		const server = await servePlugin({
			kind: 'quic',
			address: 'localhost:0',
			identity: who.server,
			handlers: {},
		});
		onTestFinished(() => server.close());
		const program = new URL('../fixtures/python_peer.py', import.meta.url).pathname;
		const { stdout } = await promisify(execFile)(python, [program, who.folder, server.address, '10']);
		const ids = Array.from({ length: 10 }, (_, index) => Buffer.from(`p${index}`).toString('hex'));
		expect(stdout.trim().split('\n')).toEqual(ids.map((id) => `0000000c0a02${id}6a06080112026f6b`));
	});
});
