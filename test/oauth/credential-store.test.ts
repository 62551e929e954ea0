import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Log } from '../../src/log.ts';
import { accountOf } from '../../src/oauth/account.ts';
import { CredentialStore } from '../../src/oauth/credential-store.ts';
import { type Credentials, decodeCredentials, encodeCredentials } from '../../src/oauth/credentials.ts';
import { thrownBy } from '../support/programs.ts';
import { temporaryFolder } from '../support/workspace.ts';

const url = 'https://example.com/mcp';
const account = accountOf({ url });

describe('the credential store', () => {
	it.each([['000'], ['077'], ['777']])(
		'writes a private file in a private folder with umask %s',
		async (mask) => {
			const { store, folder } = await storeWith(mask);
			expect([modeOf(folder), modeOf(dirname(store.fileOf(account)))]).toEqual(['700', '700']);
			expect(modeOf(store.fileOf(account))).toBe('600');
			expect(store.read(account)).toEqual(credentials());
		},
	);

	it('leaves nothing but the record behind', async () => {
		const { store } = await storeWith('022');
		expect(readdirSync(dirname(store.fileOf(account)))).toEqual(['credentials.json']);
	});

	it('narrows a file and a folder that others can read, with a warning', async () => {
		const { store, folder, lines } = await storeWith('022');
		chmodSync(store.fileOf(account), 0o644);
		chmodSync(folder, 0o755);
		expect(store.read(account)).toEqual(credentials());
		expect([modeOf(folder), modeOf(store.fileOf(account))]).toEqual(['700', '600']);
		expect(lines.filter((line) => line.includes('open to other users'))).toHaveLength(2);
	});

	it('refuses a symbolic link', async () => {
		const { store } = await storeWith('022');
		const place = new CredentialStore(join(temporaryFolder(), 'auth'), Log.silent);
		mkdirSync(dirname(place.fileOf(account)), { recursive: true, mode: 0o700 });
		symlinkSync(store.fileOf(account), place.fileOf(account));
		expect(await thrownBy(() => place.read(account))).toMatchObject({ code: 'bad_input' });
	});

	it('ignores a damaged record with a warning', async () => {
		const { store, lines } = await storeWith('022');
		writeFileSync(store.fileOf(account), '{"format":1,"url":');
		expect(store.read(account)).toBeUndefined();
		expect(lines.join('')).toContain('is damaged and is ignored');
	});

	it('keeps two servers of one host apart', async () => {
		const { store } = await storeWith('022');
		expect(store.read(accountOf({ url: `${url}/other` }))).toBeUndefined();
		expect(store.read(accountOf({ url: 'https://example.com/MCP' }))).toBeUndefined();
	});

	it('reads back what it wrote, and nothing from other JSON', () => {
		const anyText = fc.string({ minLength: 1 });
		fc.assert(
			fc.property(anyText, fc.option(anyText, { nil: undefined }), (accessToken, refreshToken) => {
				const record = credentials({ accessToken, refreshToken });
				expect(decodeCredentials(encodeCredentials(record))).toEqual(record);
			}),
		);
		fc.assert(fc.property(fc.json(), (text) => decodeCredentials(text) === undefined));
	});
});

/** A store that a process with this umask has written to. */
async function storeWith(mask: string) {
	const lines: string[] = [];
	const write = (line: string) => void lines.push(line);
	const log = new Log('auth', { level: 'info', format: 'text', write, now: () => new Date() });
	const folder = join(temporaryFolder(), 'state', 'auth');
	const store = new CredentialStore(folder, log);
	mkdirSync(dirname(folder), { mode: 0o755 });
	const before = process.umask(Number.parseInt(mask, 8));
	try {
		await store.locked(account, async () => store.write(account, credentials()));
	} finally {
		process.umask(before);
	}
	return { store, folder, lines };
}

function credentials(tokens: { accessToken?: string; refreshToken?: string | undefined } = {}): Credentials {
	return {
		url,
		key: 'default',
		entry: undefined,
		issuer: 'https://issuer.example',
		resource: url,
		tokenEndpoint: 'https://issuer.example/token',
		revocationEndpoint: undefined,
		client: {
			id: 'id',
			secret: 'secret',
			authMethod: 'client_secret_basic',
			redirectUri: 'http://127.0.0.1:1/callback',
			kind: 'registered',
		},
		account: undefined,
		tokens: {
			accessToken: 'access',
			refreshToken: 'refresh',
			obtainedAt: 1,
			expiresAt: 2,
			scopes: ['a'],
			generation: 'g',
			...tokens,
		},
	};
}

function modeOf(path: string): string {
	return (statSync(path).mode & 0o777).toString(8);
}
