/* `mctl skills`: listed lazily, read with digests, installed after an approval of the files. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mctl } from '../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const fixture = resolve(import.meta.dirname, '../fixtures/servers/skills-server.mjs');

describe('mctl skills', () => {
	it('lists, shows and installs a skill of a server', async () => {
		const place = placeOf();
		const listed = await mctl(['skills', 'ls', '--json'], place);
		const uris: string[] = JSON.parse(listed.stdout).skills.map(({ uri }: { uri: string }) => uri);
		expect(uris.filter((uri) => !uri.startsWith('skill://library/'))).toEqual([
			'skill://docs/pdf/SKILL.md',
			'skill://docs/team/release-notes/SKILL.md',
		]);
		expect((await mctl(['skills', 'show', 'pdf'], place)).stdout).toContain('# pdf');
		const { code, stderr } = await mctl(['skills', 'install', 'pdf', '--yes'], place);
		expect(stderr).toBe('');
		expect(code).toBe(0);
		const folder = join(place.cwd, '.claude/skills/pdf');
		expect(readFileSync(join(folder, 'templates/deep/form.md'), 'utf8')).toBe('# Form\r\n');
		expect((await mctl(['skills', 'install', 'skill://docs/pdf/SKILL.md'], place)).code).toBe(0);
	});

	it('asks again when a file changed since it was approved', async () => {
		const place = placeOf();
		expect((await mctl(['skills', 'install', 'release-notes', '--yes'], place)).code).toBe(0);
		rewrite(place, ['changed']);
		const { code, stderr } = await mctl(
			['skills', 'install', 'skill://docs/team/release-notes/SKILL.md'],
			place,
		);
		expect(code).toBe(64);
		expect(stderr).toContain('no terminal to ask on');
	});

	it('refuses bytes that are not those of the list, and writes nothing', async () => {
		const place = placeOf(['tampered']);
		expect(await mctl(['skills', 'show', 'pdf'], place)).toMatchObject({ code: 64, stdout: '' });
		const { stderr } = await mctl(['skills', 'install', 'pdf', '--yes'], place);
		expect(stderr).toMatch(/skill:\/\/docs\/pdf\/\S+ is not used: it has \d+ bytes/);
		expect(existsSync(join(place.cwd, '.claude/skills/pdf'))).toBe(false);
	});

	it('leaves a folder alone that it did not install', async () => {
		const place = placeOf();
		writeFiles(place.cwd, { '.claude/skills/pdf/notes.txt': 'mine' });
		const { code, stderr } = await mctl(['skills', 'install', 'pdf', '--yes'], place);
		expect(code).toBe(64);
		expect(stderr).toContain('was not installed by mctl');
		expect(readFileSync(join(place.cwd, '.claude/skills/pdf/notes.txt'), 'utf8')).toBe('mine');
	});
});

interface Place {
	cwd: string;
	env: Record<string, string>;
}

function placeOf(how: readonly string[] = []): Place {
	const home = temporaryFolder();
	const place = {
		cwd: join(home, 'work'),
		env: { HOME: home, XDG_STATE_HOME: join(home, 'state'), ORCHESTRA_TRUST: 'all' },
	};
	rewrite(place, how);
	return place;
}

function rewrite({ cwd }: Place, how: readonly string[]): void {
	const docs = { command: process.execPath, args: [fixture, ...how] };
	writeFiles(cwd, { 'orchestra.json': JSON.stringify({ mcpServers: { docs } }) });
}
