import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TreeWatch } from '../../src/files/watch-tree.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('TreeWatch', () => {
	it('reports a file that is written right after it was opened', async () => {
		const root = temporaryFolder();
		const changes = watchTree(root);
		writeFileSync(join(root, 'a'), '');
		await until('it is reported', () => changes() === 1);
	});

	it('picks up a root whose parents do not exist either', async () => {
		const root = join(temporaryFolder(), 'a', 'b', 'tools');
		const changes = watchTree(root);
		mkdirSync(root, { recursive: true });
		writeFileSync(join(root, 'tool'), '');
		await until('it is reported', () => changes() > 0);
		const before = changes();
		writeFileSync(join(root, 'second'), '');
		await until('what comes later is reported too', () => changes() > before);
	});

	it('watches folders that are created later, and their folders', async () => {
		const root = temporaryFolder();
		const changes = watchTree(root);
		mkdirSync(join(root, 'a', 'b'), { recursive: true });
		await until('the folder is reported', () => changes() > 0);
		const before = changes();
		writeFileSync(join(root, 'a', 'b', 'file'), '');
		await until('the file is reported', () => changes() > before);
	});

	it('detects a folder that is replaced by another of the same name', async () => {
		const folder = temporaryFolder();
		const root = join(folder, 'root');
		mkdirSync(join(root, 'a'), { recursive: true });
		mkdirSync(join(folder, 'new'));
		const changes = watchTree(root);
		rmSync(join(root, 'a'), { recursive: true });
		renameSync(join(folder, 'new'), join(root, 'a'));
		await until('that is reported', () => changes() > 0);
		const before = changes();
		writeFileSync(join(root, 'a', 'file'), '');
		await until('the file in the new one is reported', () => changes() > before);
	});

	it('reports nothing after it was closed', async () => {
		const root = temporaryFolder();
		let changes = 0;
		const watch = new TreeWatch(root, () => changes++);
		writeFileSync(join(root, 'a'), '');
		watch.close();
		const other = watchTree(root);
		writeFileSync(join(root, 'b'), '');
		await until('another watch reports it', () => other() > 0);
		expect(changes).toBe(0);
	});
});

function watchTree(root: string): () => number {
	let changes = 0;
	const watch = new TreeWatch(root, () => changes++);
	onTestFinished(() => watch.close());
	return () => changes;
}
