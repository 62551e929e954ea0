/*
 * Tasks through a hub between a client and a server on the official Rust SDK. The peer is built by cargo, which fetches
 * the SDK once; without cargo, or without the network then, the test is skipped.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openHubPlace } from '../support/hub-place.ts';
import { main } from '../support/mctl.ts';

const run = promisify(execFile);
const BUILD_MS = 10 * 60_000;
const crate = resolve(import.meta.dirname, '../fixtures/rust-peer');
const target = resolve(import.meta.dirname, '../../node_modules/.cache/rust-peer');

const built = await run('cargo', ['build', '--quiet', '--locked', '--target-dir', target], {
	cwd: crate,
	timeout: BUILD_MS,
}).then(
	() => ({ peer: resolve(target, 'debug/rust-peer') }),
	(error: unknown) => ({ reason: String(error).split('\n').slice(0, 2).join(' ') }),
);
if ('reason' in built)
	console.warn(`skipped, tasks of the Rust SDK: its peer cannot be built: ${built.reason}`);

it.skipIf('reason' in built)(
	'reach the Rust client of a Rust server, and its older handshake gets the plain result',
	async () => {
		const { peer = '' } = built as { peer?: string };
		const { cwd, env } = openHubPlace({ mcpServers: { rust: { command: peer } } });
		const { stdout } = await run(peer, [process.execPath, main, 'serve'], {
			cwd,
			env: { PATH: process.env['PATH'], ...env },
		});
		expect(JSON.parse(stdout)).toMatchObject({
			plain: [{ text: '42' }],
			sum: { status: 'completed', result: { content: [{ text: '42' }] } },
			confirm: { status: 'completed', result: { content: [{ text: expect.stringContaining('"ok":true') }] } },
			fail: { status: 'failed', error: { code: -32603, message: 'it went wrong' } },
			hang: { status: 'cancelled' },
			unknown: -32602,
		});
	},
);
