/* The record of a running hub, as others find it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HubFolder } from '../../../src/hub/shared/hub-folder.ts';
import { identityOf } from '../../../src/hub/shared/process-identity.ts';
import { temporaryFolder } from '../../support/workspace.ts';

it('reads the features of a hub, and treats damaged ones as unknown', () => {
	const folder = announced();
	expect(folder.running()).toMatchObject({ address: 'localhost:1', features: ['mcp-tunnel'] });
	const file = join(folder.path, 'hub.json');
	const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
	writeFileSync(file, JSON.stringify({ ...Object(record), features: 5 }));
	expect(folder.running()).toMatchObject({ address: 'localhost:1', features: undefined });
	writeFileSync(file, '{"pid":');
	expect(folder.running()).toBeUndefined();
});

it.each([
	['address', 'localhost'],
	['address', 'localhost:0'],
	['address', 5],
	['certsDir', null],
	['root', 5],
	['startedAt', undefined],
	['pid', 1.5],
])('ignores a record whose %s is %j', (name, value) => {
	const folder = announced();
	const file = join(folder.path, 'hub.json');
	const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
	writeFileSync(file, JSON.stringify({ ...Object(record), [name]: value }));
	expect(folder.running()).toBeUndefined();
});

it('keeps the record of another running hub', () => {
	const folder = announced();
	const other = identityOf(process.ppid);
	if (other === undefined) throw new Error('the parent has no identity');
	const place = { address: 'localhost:2', certsDir: '/', root: '/', startedAt: '' };
	folder.renew({ ...other, ...place });
	expect(folder.running()).toMatchObject({ pid: process.pid, address: 'localhost:1' });
});

function announced(): HubFolder {
	const root = temporaryFolder();
	const folder = new HubFolder(root, { HOME: root, XDG_STATE_HOME: root });
	mkdirSync(folder.path, { recursive: true });
	const identity = identityOf(process.pid);
	if (identity === undefined) throw new Error('this process has no identity');
	const place = { address: 'localhost:1', certsDir: root, root, startedAt: new Date().toISOString() };
	folder.announce({ ...identity, ...place, features: ['mcp-tunnel'] });
	return folder;
}
