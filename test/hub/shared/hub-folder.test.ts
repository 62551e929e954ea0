/* The record of a running hub, as others find it. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

it('leaves the record of another running hub', () => {
	const folder = announced();
	const other = identityOf(process.ppid);
	if (other === undefined) throw new Error('the parent has no identity');
	const place = { address: 'localhost:2', certsDir: '/', root: '/', startedAt: '' };
	folder.renew({ ...other, ...place });
	expect(folder.running()).toMatchObject({ pid: process.pid, address: 'localhost:1' });
});

it.each(['hub.json', 'hub.lock'])(
	'restores %s when it is deleted or damaged between two heartbeats',
	(name) => {
		const folder = announced();
		const record = folder.running();
		if (record === undefined) throw new Error('it is not announced');
		folder.renew(record);
		const file = join(folder.path, name);
		const intact = readFileSync(file, 'utf8');
		for (const damage of [() => rmSync(file), () => writeFileSync(file, '{')]) {
			folder.renew(record);
			damage();
			folder.renew(record);
			expect(readFileSync(file, 'utf8')).toBe(intact);
		}
	},
);

it('writes the list of processes when it changes or is gone, and not with every heartbeat', () => {
	const folder = announced();
	const file = join(folder.path, 'processes.json');
	const written = (pids: readonly number[]): number => {
		folder.saveProcesses(pids);
		return statSync(file).ino;
	};
	const first = written([process.pid]);
	expect(written([process.pid])).toBe(first);
	const second = written([process.pid, process.ppid]);
	expect([second === first, folder.orphans().length]).toEqual([false, 2]);
	rmSync(file);
	written([process.pid, process.ppid]);
	expect(folder.orphans()).toHaveLength(2);
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
