import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../../src/cli/command-table.ts';
import { clientHome, SECRET } from '../../support/client-home.ts';
import { mctl } from '../../support/mctl.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

/** Their output is a protocol, a log, a stored text, a program text or a show, so there is no object to print. */
const withoutJson = [
	'bridge',
	'completion',
	'demo',
	'hub run',
	'pipe',
	'record',
	'results show',
	'serve',
	'types',
];

it('is a flag of every command that prints an answer', async () => {
	const loaded = await Promise.all(
		[...commands].map(async ([name, { load }]) => ({ name, ...(await load()) })),
	);
	const without = loaded.filter(({ flags }) => flags['json'] === undefined).map(({ name }) => name);
	expect(without.sort()).toEqual(withoutJson);
});

describe('--json of the commands that edit one server', () => {
	it('prints what changed, in which file', async () => {
		const place = openPlace();
		const file = join(place.cwd, 'orchestra.json');
		const edit = { schema: 'orchestra.edit-server/1', name: 'a', scope: 'project', file };
		expect(await place.json('add', 'a', '--json', '--', 'cat')).toEqual({
			...edit,
			change: 'added',
			wasChanged: true,
		});
		expect(await place.json('disable', 'a', '--json')).toEqual({
			...edit,
			change: 'disabled',
			wasChanged: true,
		});
		expect(await place.json('disable', 'a', '--json')).toEqual({
			...edit,
			change: 'disabled',
			wasChanged: false,
		});
		expect(await place.json('enable', 'a', '--json')).toEqual({
			...edit,
			change: 'enabled',
			wasChanged: true,
		});
		expect(await place.json('remove', 'a', '--json')).toEqual({
			...edit,
			change: 'removed',
			wasChanged: true,
		});
	});

	it('prints an error as JSON on stderr', async () => {
		const { code, stdout, stderr } = await openPlace().run('remove', 'nothing', '--json');
		expect([code, stdout]).toEqual([64, '']);
		expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'bad_input', data: { name: 'nothing' } } });
	});
});

describe('mctl init --json', () => {
	it('prints the servers, the files and the warnings, without secrets, and the diffs with --dry-run', async () => {
		const { env, project: cwd } = clientHome();
		const dry = await mctl(['init', '--dry-run', '--json'], { cwd, env });
		const planned = JSON.parse(dry.stdout);
		expect(planned).toMatchObject({ schema: 'orchestra.init/1', isDryRun: true });
		expect(planned.servers).toContainEqual(
			expect.objectContaining({ name: 'from-cursor', clients: ['Cursor'], isChosen: true }),
		);
		expect(planned.warnings.join()).toContain('looks like a secret');
		expect(planned.files.every(({ diff }: { diff: string }) => diff.includes('\n+'))).toBe(true);
		expect(dry.stdout).not.toContain(SECRET);
		const done = JSON.parse((await mctl(['init', '--yes', '--json'], { cwd, env })).stdout);
		const paths = ({ files }: typeof planned): string[] => files.map(({ path }: { path: string }) => path);
		expect(paths(done)).toEqual(paths(planned));
		expect(done.files[0]).not.toHaveProperty('diff');
		const { restored } = JSON.parse((await mctl(['init', '--undo', '--json'], { cwd, env })).stdout);
		expect([...restored].sort()).toEqual(expect.arrayContaining(paths(done).sort()));
	});

	it('starts a project without a client', async () => {
		const place = openPlace();
		expect(await place.json('init', '--json')).toEqual({
			schema: 'orchestra.init/1',
			files: [{ path: join(place.cwd, 'orchestra.json'), isNew: true }],
			imported: [],
			elsewhere: 0,
		});
	});
});

describe('--json of mctl new and mctl hub logs', () => {
	it('names what was written', async () => {
		const place = openPlace();
		expect(await place.json('new', 'tool', 'mine', '--lang', 'sh', '--json')).toMatchObject({
			schema: 'orchestra.new/1',
			kind: 'tool',
			path: join(place.cwd, 'tools/mine'),
			files: expect.arrayContaining(['manifest.json']),
		});
		const { path, entry } = await place.json('new', 'plugin', 'tools.mine', '--json');
		expect(readFileSync(String(path), 'utf8')).toContain('definePlugin');
		expect(entry).toMatchObject({ id: 'tools.mine', args: [path] });
	});

	it('has the last lines of a log, and no end to follow', async () => {
		const place = openPlace();
		await place.run('hub', 'start');
		try {
			const lastLine = async (): Promise<unknown> =>
				(await place.json('hub', 'logs', '--lines', '1', '--json'))['lines'];
			await until('the hub has logged something', async () => String(await lastLine()) !== '');
			expect(await lastLine()).toHaveLength(1);
			expect((await place.run('hub', 'logs', '-f', '--json')).code).toBe(64);
		} finally {
			await place.run('hub', 'stop', '--force');
		}
	});
});

function openPlace() {
	const home = temporaryFolder();
	const cwd = writeFiles(join(home, 'work'), { 'note.txt': 'a project' });
	const env = { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') };
	const run = (...words: string[]) => mctl(words, { cwd, env });
	const json = async (...words: string[]): Promise<Record<string, unknown>> => {
		const { stdout, stderr } = await run(...words);
		if (stdout === '') throw new Error(stderr);
		return JSON.parse(stdout);
	};
	return { cwd, run, json };
}
