/* The picture of who talks to what, as data. */
import { describe, expect, it } from 'vitest';
import type { ClientRow, SourceRow } from '../../../src/dashboard/api/api-types.ts';
import { flowPicture } from '../../../src/dashboard/page/screens/overview/flow-model.ts';
import { reportOf } from '../../../src/hub/source-status.ts';

const NOBODY = { client: '', backend: '' };
const flows = [
	{ client: 'claude', backend: 'files', count: 9, errors: 1 },
	{ client: 'claude', backend: 'git', count: 1, errors: 0 },
	{ client: 'cursor', backend: 'files', count: 2, errors: 0 },
];

describe('the picture of clients and servers', () => {
	it('has clients by their calls, also those that left, and built-ins apart from servers', () => {
		const state = {
			clients: [client('cursor'), client('dashboard')],
			backends: [source('tools', 'tools'), source('files'), source('git')],
		};
		const picture = flowPicture(state, flows, { choice: NOBODY });
		expect(picture.clients.map(({ id, caption, count }) => [id, caption, count])).toEqual([
			['claude', 'gone', 10],
			['cursor', 'connected', 2],
		]);
		expect(picture.servers.map(({ id, count, errors }) => [id, count, errors])).toEqual([
			['files', 11, 1],
			['git', 1, 0],
		]);
		expect(picture.builtIns.map(({ id }) => id)).toEqual(['tools']);
	});

	it('counts only the calls of the client or server that is chosen', () => {
		const state = { clients: [], backends: [source('files'), source('git')] };
		const ofClient = flowPicture(state, flows, { choice: { client: 'cursor', backend: '' } });
		expect(ofClient.servers.map(({ count }) => count)).toEqual([2, 0]);
		const ofServer = flowPicture(state, flows, { choice: { client: '', backend: 'git' } });
		expect(ofServer.clients.map(({ id, count }) => [id, count])).toEqual([
			['claude', 1],
			['cursor', 0],
		]);
	});

	it('has the page as a connected client when it called something', () => {
		const state = { clients: [client('dashboard')], backends: [source('files')] };
		const own = [{ client: 'dashboard', backend: 'files', count: 1, errors: 0 }];
		const { clients } = flowPicture(state, own, { choice: NOBODY });
		expect(clients).toMatchObject([{ id: 'dashboard', caption: 'connected' }]);
	});

	it('says of a server that wants a sign-in that it does, whatever its last start came to', () => {
		const state = {
			clients: [],
			backends: [{ ...source('tracker'), state: 'stopped' as const, needsSignIn: true }],
		};
		const { servers } = flowPicture(state, [], { choice: NOBODY });
		expect(servers).toMatchObject([{ caption: 'needs a sign-in', health: 'warn' }]);
	});

	it('shows of many servers those that are chosen, do not work or have calls', () => {
		const many = Array.from({ length: 100 }, (_, at) => source(`s${at}`));
		const broken = { ...source('broken'), state: 'failed' as const };
		const state = { clients: [], backends: [...many, broken] };
		const calls = [{ client: 'claude', backend: 's70', count: 1, errors: 0 }];
		const { servers, moreServers } = flowPicture(state, calls, { choice: { client: '', backend: 's90' } });
		expect(servers.map(({ id }) => id).slice(-3)).toEqual(['s70', 's90', 'broken']);
		expect(servers.length + moreServers).toBe(101);
	});

	it('shows with the lens for access what a client may call', () => {
		const state = { clients: [], backends: [source('files')] };
		const sources = [{ backend: 'files', tools: 4, hidden: 1, allow: 2, ask: 1, deny: 0 }];
		const picture = flowPicture(state, [], { choice: NOBODY, reach: { client: 'c', view: null, sources } });
		expect(picture.servers).toMatchObject([
			{ caption: '2 allowed, 1 ask, 1 not in view', figure: '2 of 4', reach: { allow: 0.5, ask: 0.25 } },
		]);
	});
});

function client(name: string): ClientRow {
	return {
		sessionId: name,
		name,
		version: null,
		era: null,
		revision: null,
		transport: 'http',
		since: 0,
		calls: 0,
		lastCallAt: null,
	};
}

function source(id: string, kind = 'mcp'): SourceRow {
	const report = reportOf({ id, kind, status: { state: 'ready', tools: 4 } }, () => null);
	return { ...report, callsPerMinute: [], errorRate: 0, actions: [] };
}
