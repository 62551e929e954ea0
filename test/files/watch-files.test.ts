import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchFiles } from '../../src/files/watch-files.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

describe('watchFiles', () => {
	it('reports a file that is created, changed and deleted in an existing folder', async () => {
		const { file, reported } = watched('config.json');
		for (const change of [() => write(file), () => write(file, '{ }'), () => rmSync(file)])
			await reported(change);
	});

	it('reports a file whose folders are created after the watch began', async () => {
		const { file, reported } = watched('a/b/c/config.json');
		await reported(() => write(file));
		await reported(() => write(file, '{ }'));
	});

	it('reports a folder that is moved into place with the file in it', async () => {
		const { root, file, reported } = watched('a/b/config.json');
		writeFiles(root, { 'made/b/config.json': '{}' });
		await reported(() => renameSync(join(root, 'made'), join(root, 'a')));
		await reported(() => write(file, '{ }'));
	});

	it('sees a folder go and come back, again and again', async () => {
		const { root, file, reported } = watched('a/b/config.json');
		for (let round = 0; round < 3; round++) {
			await reported(() => write(file));
			await reported(() => rmSync(join(root, 'a'), { recursive: true }));
		}
		await reported(() => write(file));
		await reported(() => renameSync(dirname(file), join(root, 'aside')));
		await reported(() => renameSync(join(root, 'aside'), dirname(file)));
		await reported(() => write(file, '{ }'));
	});

	it('reports no other files, and no folder that comes without the file', async () => {
		const { root, count } = watched('a/config.json');
		const last = watched('config.json');
		writeFiles(root, { 'a/other.json': '{}', 'b/config.json': '{}', 'config.json': '{}' });
		await last.reported(() => write(last.file));
		expect(count()).toBe(0);
	});

	it.skipIf(process.platform !== 'linux')('leaves no watch open once it is ended', async () => {
		const [openBefore, aliveBefore] = [openWatches(), keptAlive()];
		const { root, file, reported, stop } = watched('a/b/config.json');
		await reported(() => write(file));
		await reported(() => rmSync(join(root, 'a'), { recursive: true }));
		expect([openWatches(), keptAlive()]).toEqual([openBefore + 1, aliveBefore]);
		stop();
		expect(openWatches()).toBe(openBefore);
	});
});

interface Watched {
	root: string;
	file: string;
	/** Make the change, and wait until it is reported. */
	reported: (change: () => void) => Promise<void>;
	count: () => number;
	stop: () => void;
}

function watched(name: string): Watched {
	const root = temporaryFolder();
	const file = join(root, name);
	let count = 0;
	let onReport: () => void = () => {};
	const stop = watchFiles([file], () => {
		count++;
		onReport();
	});
	onTestFinished(stop);
	const reported = (change: () => void): Promise<void> =>
		new Promise((resolve) => {
			onReport = resolve;
			change();
		});
	return { root, file, reported, count: () => count, stop };
}

function write(file: string, text = '{}'): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

/** How many folders this process has the system watch. */
function openWatches(): number {
	return readdirSync('/proc/self/fd')
		.map((fd) => readInfo(`/proc/self/fdinfo/${fd}`))
		.reduce((sum, text) => sum + text.split('\n').filter((line) => line.startsWith('inotify')).length, 0);
}

function readInfo(path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return ''; // closed while we looked
	}
}

function keptAlive(): number {
	return process.getActiveResourcesInfo().filter((kind) => kind === 'FSEventWrap').length;
}
