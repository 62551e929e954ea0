/* Paths that only their owner may write. */
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TrustRecord } from '../../src/config/trust/trust-record.ts';
import { MemberKeys } from '../../src/fabric/administration/member-keys.ts';
import { assertPrivate } from '../../src/files/private-path.ts';
import { fileJournal } from '../../src/hub/journal/journal.ts';
import { Log } from '../../src/log.ts';
import { userRecordings } from '../../src/record/recording-files.ts';
import { ApprovalFiles } from '../../src/trust/approval-files.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('assertPrivate', () => {
	it('accepts our own folder, and a path that does not exist', () => {
		const folder = temporaryFolder();
		assertPrivate(folder);
		assertPrivate(join(folder, 'missing'));
	});

	it('refuses a folder that others may write', () => {
		const folder = temporaryFolder();
		chmodSync(folder, 0o777);
		expect(() => assertPrivate(folder)).toThrow('can be written by other users');
	});

	it('refuses a folder of another user', () => {
		const folder = temporaryFolder();
		const other = (process.getuid?.() ?? 0) + 1;
		expect(() => assertPrivate(folder, other)).toThrow('not to you');
	});

	it('refuses a symbolic link', () => {
		const folder = temporaryFolder();
		symlinkSync('/', join(folder, 'link'));
		expect(() => assertPrivate(join(folder, 'link'))).toThrow('is a symbolic link');
	});
});

const entry = { client: 'c', backend: 'b', method: 'tools/call', name: 't', ms: 1, outcome: 'ok' } as const;
const approval = {
	client: 'c',
	session: 's',
	tool: 't',
	argumentsSha256: '',
	policyVersion: '',
	id: 'abcdef',
};
const about = {
	arguments: [],
	rule: '',
	reason: undefined,
	root: '/',
	pid: 1,
	askedAt: '',
	expiresAt: '',
};

const users: [path: string, use: (home: string) => unknown][] = [
	[
		'state/journal.ndjson',
		(home) => {
			const journal = fileJournal(join(home, 'state/journal.ndjson'), Log.fromEnvironment('hub'));
			journal.write({ ...entry, startedAt: new Date() });
			return journal.close();
		},
	],
	[
		'.local/state/orchestra/approvals/',
		(home) => ApprovalFiles.ofUser({ HOME: home }).publish({ ...approval, ...about }),
	],
	[
		'.local/state/orchestra/recordings/',
		(home) => userRecordings({ HOME: home }, Log.fromEnvironment('record')),
	],
	['.local/state/orchestra/trust/', (home) => TrustRecord.ofUser({ HOME: home }).revoke(() => false)],
	['.orchestra/fabric/admin.nk', (home) => MemberKeys.ofUser({ HOME: home }).administratorSeed()],
];

describe('a path that others can read', () => {
	it.each(users)('is repaired with a warning before it is used: %s', async (name, use) => {
		const home = temporaryFolder();
		const path = join(home, name);
		mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true, mode: 0o700 });
		if (!name.endsWith('/')) writeFileSync(path, '');
		chmodSync(path, name.endsWith('/') ? 0o755 : 0o644);
		const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
		onTestFinished(() => stderr.mockRestore());
		await use(home);
		expect(statSync(path).mode & 0o777).toBe(name.endsWith('/') ? 0o700 : 0o600);
		expect(stderr.mock.calls.join('')).toMatch(/had mode (755|644), open to other users/);
	});
});
