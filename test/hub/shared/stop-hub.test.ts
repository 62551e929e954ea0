/* The end of a shared hub: nothing of it lives and none of its files is left, whatever its plugins or the hub itself do. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HubFolder } from '../../../src/hub/shared/hub-folder.ts';
import { identityOf } from '../../../src/hub/shared/process-identity.ts';
import { stopHub } from '../../../src/hub/shared/stop-hub.ts';
import { mctl, startMctl } from '../../support/mctl.ts';
import { isAlive, thrownBy } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const packageRoot = resolve(import.meta.dirname, '../../..');

describe('stopping a hub', () => {
	it('waits for a plugin that answers no shutdown and ignores SIGTERM', async () => {
		const { folder, run, foreground } = openPlace([stubborn]);
		const exited = once(foreground(), 'exit');
		const plugin = await pluginOf(folder);
		expect((await run('hub', 'stop')).stdout).toBe('The hub is stopped.\n');
		expect([isAlive(plugin), hubFiles(folder)]).toEqual([false, []]);
		expect(await exited).toEqual([0, null]); // by itself, not because its time was up
	});

	it('kills a hub that hangs, waits until its plugins are gone and removes its files', async () => {
		const { folder, run } = openPlace([stubborn]);
		const { pid } = JSON.parse((await run('hub', 'start', '--json')).stdout);
		const plugin = await pluginOf(folder);
		process.kill(pid, 'SIGSTOP');
		expect(await stopHub(folder, { stopMs: 100 })).toBe(true);
		expect([isAlive(pid), isAlive(plugin)]).toEqual([false, false]);
		expect(hubFiles(folder)).toEqual([]);
	});

	it('works by the lock when the record is deleted', async () => {
		const { folder, run } = openPlace();
		const { pid } = JSON.parse((await run('hub', 'start', '--json')).stdout);
		process.kill(pid, 'SIGSTOP'); // so that it cannot write the record again
		rmSync(join(folder.path, 'hub.json'));
		const stopping = stopHub(folder);
		process.kill(pid, 'SIGCONT');
		expect([await stopping, isAlive(pid), hubFiles(folder)]).toEqual([true, false, []]);
	});

	it('waits for a hub that another process is starting, and stops it', async () => {
		const folder = folderWithoutHub();
		const lock = await folder.startLock();
		const stopping = stopHub(folder);
		const hub = await startIdle();
		writeState(folder, { 'hub.lock': identityOf(hub) });
		expect([await stopping, isAlive(hub)]).toEqual([true, false]);
		lock?.release();
	});

	it('names the processes that it could not stop, and stores their list for the next stop', async () => {
		const folder = folderWithoutHub();
		const hub = await startIdle();
		const stays = await startIdle(); // no leader of a group, so it cannot be ended as one
		writeState(folder, { 'hub.lock': identityOf(hub), 'processes.json': [identityOf(stays)] });
		const error = await thrownBy(() => stopHub(folder, { guardMs: 100 }));
		expect(error).toMatchObject({ code: 'timeout', data: { pids: [stays] } });
		expect(String(error)).toContain(String(stays));
		expect([isAlive(hub), folder.orphans()]).toEqual([false, [identityOf(stays)]]);
	});

	it('stops the processes that a killed hub left, and reports that no hub ran', async () => {
		const folder = folderWithoutHub();
		const left = await startIdle({ detached: true });
		writeState(folder, {
			'hub.lock': { pid: 1, startTime: 'long ago' },
			'processes.json': [identityOf(left)],
		});
		expect(await stopHub(folder, { guardMs: 100 })).toBe(false);
		expect([isAlive(left), hubFiles(folder)]).toEqual([false, []]);
	});
});

describe('a hub that lives', () => {
	it.each([
		['deleted', undefined],
		['cut short', '{"pid":'],
		['of no use', '{"pid":1,"startTime":"1","address":"nowhere","certsDir":5,"root":null}'],
	])(
		'writes its record again when it is %s',
		async (_what, text) => {
			const { folder, run } = openPlace();
			const { pid, address } = JSON.parse((await run('hub', 'start', '--json')).stdout);
			const file = join(folder.path, 'hub.json');
			if (text === undefined) rmSync(file);
			else writeFileSync(file, text);
			const status = await run('hub', 'status', '--json');
			expect(JSON.parse(status.stdout)).toMatchObject({ pid, address });
			expect(folder.running()).toMatchObject({ pid, address });
		},
		60_000,
	);

	it('keeps running when its whole folder is deleted', async () => {
		const { folder, run } = openPlace();
		const { pid } = JSON.parse((await run('hub', 'start', '--json')).stdout);
		rmSync(folder.path, { recursive: true });
		await until('it is back', () => folder.running() !== undefined && hubFiles(folder).includes('hub.lock'));
		expect(folder.owner()).toMatchObject({ pid });
	});
});

type Run = (...args: string[]) => ReturnType<typeof mctl>;

interface Place {
	folder: HubFolder;
	run: Run;
	/** The hub as a child of this test. */
	foreground: () => ChildProcess;
}

/** A project with these plugins and a hub of its own, stopped in the end. */
function openPlace(plugins: readonly string[] = []): Place {
	const home = temporaryFolder();
	const cwd = join(home, 'work');
	const configured = plugins.map((text, index) => {
		const file = `plugin${index}.mjs`;
		writeFiles(home, { [file]: text });
		return { id: 'tools.stubborn', binary: process.execPath, args: [join(home, file)] };
	});
	writeFiles(home, { 'work/orchestra.json': JSON.stringify({ plugins: configured }) });
	const env = { HOME: home, XDG_STATE_HOME: join(home, 'state') };
	const run: Run = (...args) => mctl(args, { cwd, env });
	onTestFinished(async () => {
		await run('hub', 'stop');
	});
	return {
		folder: new HubFolder(cwd, env),
		run,
		foreground: () => startMctl(['hub', 'run'], { cwd, env }),
	};
}

const stubborn = `import { definePlugin } from ${JSON.stringify(join(packageRoot, 'dist/plugin/index.js'))};
process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
await definePlugin({
	id: 'tools.stubborn',
	version: '1.0.0',
	tools: { fine: { description: 'x', run: () => 'fine' } },
	onShutdown: () => new Promise(() => {}),
}).run();
`;

function folderWithoutHub(): HubFolder {
	const home = temporaryFolder();
	return new HubFolder('/', { HOME: home, XDG_STATE_HOME: home });
}

/** The process of the one plugin, once it serves. */
async function pluginOf(folder: HubFolder): Promise<number> {
	await until('the plugin is written down', () => folder.orphans().length === 1);
	await until('it serves', () => readFileSync(folder.logFile, 'utf8').includes('registered'));
	return folder.orphans()[0]?.pid ?? 0;
}

/** The files that only a living hub has. */
function hubFiles(folder: HubFolder): string[] {
	if (!existsSync(folder.path)) return [];
	return readdirSync(folder.path).filter((name) => /^(hub\.json|hub\.lock|processes\.json)/.test(name));
}

function writeState(folder: HubFolder, files: Record<string, unknown>): void {
	mkdirSync(folder.path, { recursive: true });
	for (const [name, value] of Object.entries(files))
		writeFileSync(join(folder.path, name), JSON.stringify(value));
}

/** A process that does nothing, ended with the test. */
async function startIdle(options: { detached?: boolean } = {}): Promise<number> {
	const child: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options);
	await once(child, 'spawn');
	onTestFinished(() => {
		child.kill('SIGKILL');
	});
	return child.pid ?? 0;
}
