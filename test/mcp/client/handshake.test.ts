/* Which era a server belongs to, against servers that answer the probe in every way. */
import { describe, expect, it } from 'vitest';
import { memoryPair } from '../../../src/transport/memory-transport.ts';
import type { Transport } from '../../../src/transport/transport.ts';
import { sdkServer } from '../../support/interop-servers.ts';
import {
	connected,
	failure,
	fixtureServer,
	installedServer,
	misbehaving,
	starting,
} from '../../support/servers.ts';

describe('the era of a server', () => {
	it.each([
		['our own server', fixtureServer('mcp-server.mjs'), 'modern', '2026-07-28'],
		['a server on the SDK 1.x', fixtureServer('sdk-server-v1.mjs'), 'legacy', '2025-11-25'],
		['a server on the SDK 2.x', fixtureServer('sdk-server-v2.mjs'), 'modern', '2026-07-28'],
		['the reference server everything', installedServer('everything'), 'legacy', '2025-11-25'],
		['a server that refuses the probe', misbehaving('normal'), 'legacy', '2025-11-25'],
		[
			'a server that answers the probe with an empty result',
			misbehaving('empty-on-probe'),
			'legacy',
			'2025-11-25',
		],
		['a server that offers only a legacy version', misbehaving('lists-legacy'), 'legacy', '2025-11-25'],
		['a server that chooses an old version', misbehaving('normal', '2024-11-05'), 'legacy', '2024-11-05'],
		['a server that prints to stdout', misbehaving('prints'), 'legacy', '2025-11-25'],
		['a hand-written modern server', misbehaving('modern'), 'modern', '2026-07-28'],
	])('of %s is found with one process', async (_name, record, era, version) => {
		const start = starting(record);
		const connection = await connected(start);
		expect(connection).toMatchObject({ era, revision: { version } });
		expect((await connection.listAll('tools')).items.map(({ name }) => name)).toContain('echo');
		expect(start.started).toHaveLength(1);
	});

	it.each([fixtureServer('mcp-server.mjs'), fixtureServer('sdk-server-v2.mjs')])(
		'is not probed when it is known to be legacy: %j',
		async (record) => {
			const connection = await connected(record, { knownEra: 'legacy' });
			expect(connection.era).toBe('legacy');
			const result = await connection.request('tools/call', { name: 'echo', arguments: { text: 'hi' } });
			expect(result).toMatchObject({ content: [{ text: 'hi' }] });
			expect(result).not.toHaveProperty('resultType');
		},
	);

	it('is legacy after the known era turns out to be wrong', async () => {
		expect(await connected(misbehaving('normal'), { knownEra: 'modern' })).toMatchObject({ era: 'legacy' });
	});

	it('is modern after the known era turns out to be wrong', async () => {
		const connection = await connected(misbehaving('slow-modern'), { knownEra: 'legacy' });
		expect(connection.era).toBe('modern');
	});

	it('is legacy after silence', async () => {
		expect(await connected(misbehaving('silent-on-probe'), { probeMs: 20 })).toMatchObject({ era: 'legacy' });
	});

	it('is modern when a server that was too slow for the probe refuses initialize', async () => {
		expect(await connected(misbehaving('slow-modern'), { probeMs: 20 })).toMatchObject({ era: 'modern' });
	});

	it.each(['slowly', 'lost'])('is modern when the server refuses initialize as unknown: %s', async (how) => {
		const server = misbehaving('refuses-initialize', how);
		expect(await connected(server, { probeMs: 1 })).toMatchObject({ era: 'modern' });
	});

	it('is modern for a server on the SDK 2.x that starts too slowly for the probe and knows no other era', async () => {
		const { command, args } = sdkServer('v2', 'two', 'modern');
		const connection = await connected({ command, args: [...args] }, { probeMs: 1 });
		expect(connection.era).toBe('modern');
		expect((await connection.listAll('tools')).items.map(({ name }) => name)).toContain('echo');
	});

	it.each([
		['of our own server', fixtureServer('mcp-server.mjs')],
		['of a server on the SDK 2.x', fixtureServer('sdk-server-v2.mjs')],
		['after that to initialize', misbehaving('answers-probe-late')],
	])('is legacy but not proven when the answer to the probe comes late: %s', async (_name, record) => {
		const connection = await connected(record, { probeMs: 1 });
		expect((await connection.listAll('tools')).items.map(({ name }) => name)).toContain('echo');
		expect(connection).toMatchObject({ era: 'legacy', isEraProven: false });
	});

	it('is proven to be legacy by an answer to initialize without one to the probe, and by a late error', async () => {
		for (const how of ['silent-on-probe', 'normal']) {
			const connection = await connected(misbehaving(how), { probeMs: 1 });
			await connection.listAll('tools');
			expect(connection).toMatchObject({ era: 'legacy', isEraProven: true });
		}
	});

	it('is legacy for a server that exits on the probe, which is started once more', async () => {
		const start = starting(misbehaving('exits-on-probe'));
		const connection = await connected(start);
		expect(connection.era).toBe('legacy');
		expect(start.started).toHaveLength(2);
	});

	it('is legacy for a server that exits on the probe after it was silent', async () => {
		const start = starting(misbehaving('dies-at', 'server/discover'));
		expect(await connected(start, { probeMs: 1 })).toMatchObject({ era: 'legacy' });
		expect(start.started).toHaveLength(2);
	});
});

describe('a handshake that fails', () => {
	it.each([
		['wrong-version', '1999-01-01'],
		['modern-of-the-future', '2099-01-01'],
	])('names the versions of both sides: %s', async (how, theirs) => {
		const error = await failure(connected(misbehaving(how)));
		expect(error.message).toContain('wrong protocol version');
		expect(error.message).toContain(theirs);
		expect(error.message).toContain('2025-11-25');
		expect(error.data['phase']).toBe('initialize');
	});

	it('has the exit code and the last stderr lines of a server that exits', async () => {
		const start = starting(misbehaving('dies-at', 'initialize'));
		const error = await failure(connected(start));
		expect(error).toMatchObject({ code: 'closed', data: { phase: 'initialize', exitCode: 7 } });
		expect(error.data['stderr']).toEqual(['dying at initialize']);
		expect(start.started).toHaveLength(2);
	});

	it('says that a server exited silently', async () => {
		const error = await failure(connected(misbehaving('exits-at-once', '0')));
		expect(error).toMatchObject({ code: 'closed', data: { exitCode: 0 } });
		expect(error.hint).toContain('It printed nothing on stderr');
	});

	it('is not repeated for a known legacy server', async () => {
		const start = starting(misbehaving('dies-at', 'initialize'));
		await failure(connected(start, { knownEra: 'legacy' }));
		expect(start.started).toHaveLength(1);
	});

	it.each([
		['prints nothing', 'cat > /dev/null', 'It printed nothing'],
		['prints no JSON', 'echo "<html>404</html>"; cat > /dev/null', '<html>'],
	])('ends with its deadline and stops a process that %s', async (_, script, hint) => {
		// A shell prints long before the deadline, also on a busy machine.
		const start = starting({ command: 'sh', args: ['-c', script] });
		const error = await failure(connected(start, { probeMs: 10, startMs: 1000 }));
		expect(error).toMatchObject({
			code: 'timeout',
			data: { phase: 'initialize', kind: 'start', timeoutMs: 1000 },
		});
		expect(error.hint).toContain(hint);
		expect(await start.started[0]?.exited).toBeDefined();
	});

	it('has the phase spawn for a program that does not exist', async () => {
		const error = await failure(connected({ command: 'no-such-program-here' }));
		expect(error).toMatchObject({ code: 'spawn', data: { phase: 'spawn' } });
	});

	it('releases its caller at once when it is canceled, and stops the process', async () => {
		const start = starting(misbehaving('silent'));
		const abort = new AbortController();
		const opening = failure(connected(start, { signal: abort.signal }));
		while (start.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
		abort.abort();
		expect(await opening).toMatchObject({ code: 'canceled', data: { phase: 'initialize' } });
		expect(await start.started[0]?.exited).toBeDefined();
	});

	it('does not start a server for a caller that canceled before', async () => {
		const start = starting(misbehaving('normal'));
		expect(await failure(connected(start, { signal: AbortSignal.abort() }))).toMatchObject({
			code: 'canceled',
		});
		expect(start.started).toHaveLength(0);
	});

	it('closes a transport that opens after the deadline', async () => {
		const [ours] = memoryPair();
		let open: (transport: Transport) => void = () => {};
		const late = new Promise<Transport>((resolve) => (open = resolve));
		const error = await failure(connected(() => late, { startMs: 5 }));
		expect(error).toMatchObject({ code: 'timeout', data: { phase: 'spawn' } });
		open(ours);
		await late;
		await new Promise((resolve) => setImmediate(resolve));
		expect(ours.isClosed).toBe(true);
	});
});
