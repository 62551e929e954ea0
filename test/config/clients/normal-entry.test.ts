import { describe, expect, it } from 'vitest';
import type { ClientId } from '../../../src/config/clients/client-table.ts';
import { lostSettings } from '../../../src/config/clients/lost-settings.ts';
import { isSameEntry, normalEntry } from '../../../src/config/clients/normal-entry.ts';
import { translateReferences } from '../../../src/config/clients/references.ts';

describe('normalEntry', () => {
	it.each<[ClientId, object, object]>([
		['cursor', { type: 'stdio', command: 'a', args: [], env: {} }, { command: 'a' }],
		[
			'claude-code',
			{ type: 'stdio', command: 'a' },
			{ command: 'a', timeoutMs: 1_800_000, maxMs: 100_800_000 },
		],
		[
			'claude-code',
			{ type: 'sse', url: 'https://a', timeout: 900 },
			{ type: 'sse', url: 'https://a', timeoutMs: 300_000, maxMs: 100_800_000 },
		],
		[
			'claude-code',
			{ type: 'ws', url: 'wss://a', headersHelper: 'print-token', timeout: 5000, alwaysLoad: true },
			{
				type: 'ws',
				url: 'wss://a',
				headersHelper: 'print-token',
				timeoutMs: 5000,
				maxMs: 5000,
				alwaysLoad: true,
			},
		],
		[
			'vscode',
			{ command: 'a', envFile: '.env', env: { PATH: '/x' }, sandboxEnabled: true },
			{ command: 'a', envFile: '.env', env: { PATH: '${PATH}:/x' }, sandbox: true },
		],
		['vscode', { command: 'a', sandbox: { filesystem: { allowWrite: ['/x'] } } }, { command: 'a' }],
		[
			'vscode',
			{ command: 'a', sandboxEnabled: true, sandbox: { filesystem: { allowWrite: ['/x'] } } },
			{ command: 'a', sandbox: { write: ['/x'] } },
		],
		[
			'cursor',
			{ url: 'https://a', auth: { CLIENT_ID: 'c', CLIENT_SECRET: '${S}', scopes: ['x'] } },
			{ type: 'http', url: 'https://a', oauth: { clientId: 'c', clientSecret: '${S}', scopes: ['x'] } },
		],
		[
			'opencode',
			{ type: 'remote', url: 'https://a', oauth: { clientId: 'c', scope: 'x y' } },
			{ type: 'http', url: 'https://a', oauth: { clientId: 'c', scopes: 'x y' } },
		],
		['opencode', { type: 'remote', url: 'https://a', oauth: false }, { type: 'http', url: 'https://a' }],
		['opencode', { type: 'local', command: ['a'], timeout: 9000 }, { command: 'a', startMs: 9000 }],
		[
			'cursor',
			{ url: 'https://a', headers: { A: 'b' } },
			{ type: 'http', url: 'https://a', headers: { A: 'b' } },
		],
		[
			'windsurf',
			{ serverUrl: 'https://a', disabled: true },
			{ type: 'http', url: 'https://a', disabled: true },
		],
		['gemini', { command: 'a', timeout: 9000 }, { command: 'a', timeoutMs: 9000, maxMs: 9000 }],
		['claude-code', { command: 'a', timeout: 9000 }, { command: 'a', timeoutMs: 9000, maxMs: 9000 }],
		['cline', { command: 'a', timeout: 90 }, { command: 'a', timeoutMs: 90_000, maxMs: 90_000 }],
		[
			'gemini',
			{ httpUrl: 'https://a' },
			{ type: 'http', url: 'https://a', timeoutMs: 600_000, maxMs: 600_000 },
		],
		[
			'gemini',
			{ url: 'https://a', includeTools: ['x'], timeout: 1 },
			{ type: 'sse', url: 'https://a', allow: ['x'], timeoutMs: 1, maxMs: 1 },
		],
		[
			'zed',
			{ command: { path: 'a', args: ['b'], env: { C: 'd' } } },
			{ command: 'a', args: ['b'], env: { C: 'd' } },
		],
		['zed', { source: 'custom', command: 'a', enabled: false }, { command: 'a', disabled: true }],
		[
			'opencode',
			{ type: 'local', command: ['a', 'b'], environment: { C: 1 } },
			{ command: 'a', args: ['b'], env: { C: '1' } },
		],
		[
			'opencode',
			{ type: 'remote', url: 'https://a', enabled: false },
			{ type: 'http', url: 'https://a', disabled: true },
		],
		[
			'continue',
			{ name: 'x', type: 'streamable-http', url: 'https://a', requestOptions: { headers: { A: 'b' } } },
			{ type: 'http', url: 'https://a', headers: { A: 'b' } },
		],
		[
			'codex',
			{ url: 'https://a', bearer_token_env_var: 'T', http_headers: { A: 'b' }, env_http_headers: { C: 'D' } },
			{
				type: 'http',
				url: 'https://a',
				headers: { A: 'b', C: '${D}', Authorization: 'Bearer ${T}' },
				timeoutMs: 60_000,
				maxMs: 60_000,
			},
		],
		[
			'codex',
			{
				command: 'a',
				env_vars: ['X'],
				startup_timeout_sec: 1.5,
				tool_timeout_sec: 60,
				disabled_tools: ['y'],
			},
			{ command: 'a', env: { X: '${X:-}' }, startMs: 1500, timeoutMs: 60_000, maxMs: 60_000, deny: ['y'] },
		],
	])('reads an entry of %s: %j', (client, raw, expected) => {
		expect(normalEntry(raw, client)).toEqual(expected);
	});

	it.each([
		[{ source: 'extension' }, 'is an extension of the client'],
		[{ args: [] }, 'has neither a command nor a url'],
		['text', 'is not an object'],
	])('says why %j is not one', (raw, reason) => {
		expect(normalEntry(raw, 'zed')).toBe(reason);
	});

	it('names what an import cannot keep, with the reason, and nothing that changes nothing', () => {
		const raw = {
			command: 'a',
			description: 'x',
			trust: true,
			autoApprove: [],
			oauth: { clientId: 'c', nonce: 1 },
		};
		expect(lostSettings({ ...raw, made_up: 1 }, 'gemini')).toEqual([
			expect.stringMatching(/^trust \(.*approve them once more/),
			'oauth.nonce (a setting of gemini that the hub does not have)',
			'made_up (a setting of gemini that the hub does not have)',
		]);
	});

	it('names a timeout of a client that has none of this name', () => {
		const raw = { command: 'a', timeout: 5000 };
		expect(lostSettings(raw, 'cursor')).toEqual([expect.stringContaining('write timeoutMs')]);
		expect(lostSettings(raw, 'opencode')).toEqual([]);
	});

	it('compares without the order of keys, without defaults and without disabled', () => {
		expect(
			isSameEntry(
				{ command: 'a', env: { A: '1', B: '2' } },
				{ env: { B: '2', A: '1' }, command: 'a', disabled: true },
			),
		).toBe(true);
		expect(isSameEntry({ url: 'https://a', type: 'http' }, { url: 'https://a' })).toBe(true);
		expect(isSameEntry({ command: 'a', args: ['b'] }, { command: 'a', args: ['c'] })).toBe(false);
	});
});

describe('translateReferences', () => {
	it.each<[ClientId, string, string]>([
		['cursor', '${env:TOKEN}', '${TOKEN}'],
		['vscode', '${workspaceFolder}/x', './x'],
		['vscode', '${userHome}/x', '${HOME}/x'],
		['opencode', 'Bearer {env:TOKEN}', 'Bearer ${TOKEN}'],
		['continue', '${{ secrets.TOKEN }}', '${TOKEN}'],
		['gemini', '$TOKEN and ${OTHER}', '${TOKEN} and ${OTHER}'],
		['claude-code', '${A:-b}', '${A:-b}'],
	])('writes %s %s as %s', (client, text, expected) => {
		expect(translateReferences([text], client, 'project')).toEqual({ entry: [expected], foreign: [] });
	});

	it.each<[ClientId, 'user' | 'project', string]>([
		['vscode', 'project', '${input:token}'],
		['vscode', 'user', '${workspaceFolder}'],
		['opencode', 'user', '{file:~/.token}'],
	])('reports what only %s can resolve (%s): %s', (client, scope, text) => {
		expect(translateReferences({ a: [text] }, client, scope).foreign).toEqual([text]);
	});
});
