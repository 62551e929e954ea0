/* `mctl run` in a project that is not trusted, and trust that was recorded under another state folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MctlResult, mctl } from '../support/mctl.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

describe('mctl run in a project that is not trusted', () => {
	it('says that tools.config is blocked, and hints at mctl trust for what is missing', async () => {
		const { run, cwd } = project({ tools: { config: { azdo: { token: 'x' } } } });
		const denied = await run('run', 'needy');
		expect(denied.stderr).toContain('orchestra.json is not trusted, so the setting tools.config is blocked');
		expect(denied.stderr).toContain(`hint: run "mctl trust" in ${cwd}`);
		expect(denied.stdout + denied.stderr).toContain('Required configuration is missing: "azdo.token"');
		const { stdout } = await run('run', 'needy', '--json');
		expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
			payload: { code: 'CONFIG_MISSING', hint: expect.stringContaining(`run "mctl trust" in ${cwd}`) },
		});
		expect((await run('doctor')).stdout).toContain(`tools.config is blocked: run "mctl trust" in ${cwd}`);
		await run('trust');
		const allowed = await run('run', 'needy');
		expect(allowed).toMatchObject({ code: 0 });
		expect(allowed.stderr).not.toContain('blocked');
	});

	it.each(['run', 'call', 'show'])(
		'says to mctl %s that a plugin is blocked that may have the tool',
		async (command) => {
			const { run, cwd } = project({ plugins: [{ id: 'tools.own', binary: '/bin/false' }] });
			const { code, stderr } = await run(command, 'list_features');
			expect([code, stderr]).toEqual([
				64,
				expect.stringContaining('It may belong to a plugin that is blocked:'),
			]);
			expect(stderr).toContain(`run "mctl trust" in ${cwd}`);
		},
	);

	it('says nothing when only servers are blocked, and never hints at trust without a blocked setting', async () => {
		const { run } = project({ mcpServers: { a: { command: 'cat' } } });
		const { stderr, stdout } = await run('run', 'needy');
		expect(stderr + stdout).toContain('Set azdo.token under tools.config');
		expect(stderr + stdout).not.toContain('trust');
	});
});

describe('a project that is trusted under another state folder', () => {
	it('is blocked, and the message says where it is trusted and what to do', async () => {
		const { run, home, cwd } = project({ mcpServers: { files: { command: 'cat' } } });
		const elsewhere = { XDG_STATE_HOME: join(home, 'other-state') };
		expect((await run('trust', elsewhere)).stdout).toContain('Trusted');
		const { stderr } = await run('list', 'servers');
		expect(stderr).toContain(`is not trusted in the state folder ${home}/.local/state/orchestra`);
		expect(stderr).toContain(
			`it is trusted in ${home}/other-state/orchestra: XDG_STATE_HOME is another one here`,
		);
		expect(stderr).toContain(`pass XDG_STATE_HOME=${home}/other-state on`);
		// What the hint says works, and so does the way back.
		const command = /run "XDG_STATE_HOME=(\S+) mctl trust"/.exec(stderr)?.[1] ?? '';
		expect((await run('trust', { XDG_STATE_HOME: command })).stdout).toContain('Trusted');
		expect((await run('list', 'servers')).stderr).not.toContain('blocked');
		const third = { XDG_STATE_HOME: join(home, 'third') };
		expect((await run('list', 'servers', third)).stderr).toContain(`it is trusted in ${home}/.local/state`);
		expect(existsSync(join(cwd, '.local'))).toBe(false);
	});

	it('is not trusted by the list of state folders, nor by a record of other bytes', async () => {
		const { run, home, cwd } = project({ mcpServers: { files: { command: 'cat' } } });
		await run('trust', { XDG_STATE_HOME: join(home, 'other-state') });
		const list = join(home, '.local/state/orchestra/trust/state-folders.json');
		expect(JSON.parse(readFileSync(list, 'utf8'))).toEqual({
			stateFolders: [`${home}/other-state/orchestra`],
		});
		expect((await run('list', 'servers')).stdout).not.toContain('files');
		writeFiles(cwd, { 'orchestra.json': '{ "mcpServers": { "files": { "command": "dog" } } }' });
		expect((await run('list', 'servers')).stderr).toMatch(/orchestra\.json is not trusted, so/);
	});
});

type Word = string | Record<string, string>;

/** A project with a tool that needs a setting; `run` takes words, and variables as the last one. */
function project(configuration: object): {
	home: string;
	cwd: string;
	run: (...words: Word[]) => Promise<MctlResult>;
} {
	const home = temporaryFolder();
	const cwd = join(home, 'work');
	writeFiles(cwd, {
		'orchestra.json': JSON.stringify(configuration),
		'tools/needy/manifest.json': manifestOf('needy', { requiredConfig: ['azdo.token'] }),
		'tools/needy/main.sh': `${shellEvent('needy')}\nevent result '{}'\nevent done '{"status":"ok"}'\n`,
	});
	const env = { HOME: home, XDG_STATE_HOME: '', XDG_CONFIG_HOME: join(home, 'config'), ORCHESTRA_TRUST: '' };
	return {
		home,
		cwd,
		run: (...words) => {
			const texts = words.filter((word) => typeof word === 'string');
			const more = words.find((word) => typeof word === 'object');
			return mctl(texts, { cwd, env: { ...env, ...more } });
		},
	};
}
