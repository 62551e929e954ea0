/* `mctl plan`: run a program, look at it, make it again from its record, keep it as a tool of the project. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MctlResult, mctl } from '../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const server = createRequire(import.meta.url).resolve(
	'@modelcontextprotocol/server-filesystem/dist/index.js',
);
const program = `const { content } = await tools.files.readTextFile({ path: input.path });
return content.length;`;

describe('mctl plan', () => {
	it('runs a program, and makes it again from its record', async () => {
		const { run, folder } = project();
		const input = JSON.stringify({ path: join(folder, 'a.txt') });
		expect(await run('run', 'p.ts', '--input', input)).toMatchObject({ stdout: '5\n', code: 0 });
		const { plans } = JSON.parse((await run('ls', '--json')).stdout) as { plans: { id: string }[] };
		expect(plans).toMatchObject([{ status: 'completed', calls: 1, client: 'mctl' }]);
		const id = plans[0]?.id ?? '';
		writeFiles(folder, {
			'a.txt': 'another text',
			'q.ts': program.replace('content.length', `content + '!'`),
		});
		expect(await run('replay', id)).toMatchObject({ stdout: '5\n', code: 0 });
		expect(await run('replay', id, 'q.ts')).toMatchObject({
			stdout: '- 5\n+ "first!"\n',
			code: 1,
		});
		expect((await run('show', id)).stdout).toMatch(/call 1: files__read_text_file \(line 1, column \d+\) ok/);
	});

	it('keeps a plan as a tool, whose parameters are its input', async () => {
		const { run, folder, call } = project();
		await run('run', 'p.ts', '--input', JSON.stringify({ path: join(folder, 'a.txt') }));
		const { plans } = JSON.parse((await run('ls', '--json')).stdout) as { plans: { id: string }[] };
		const saved = await run('save', plans[0]?.id ?? '', 'size-of', '--description', 'The size of a file.');
		expect(saved.code).toBe(0);
		const file = join(folder, 'plans/size-of.ts');
		const text = readFileSync(file, 'utf8');
		expect(text).toBe(`/**\n * The size of a file.\n */\n${program}\n`);
		writeFiles(folder, { 'plans/size-of.ts': text.replace(' */', ' * @param {string} path The file\n */') });
		expect(await call('size-of', `path=${join(folder, 'b.txt')}`)).toMatchObject({ stdout: '6\n', code: 0 });
		expect((await call('size-of', 'pth=x')).stderr).toMatch(/path/);
	});

	it('is a tool of the project only as long as its file is trusted', async () => {
		const { folder, run, call, trust } = project({}, { ORCHESTRA_TRUST: '' });
		const file = join(folder, 'plans/size-of.ts');
		const untrusted = { stderr: expect.stringContaining('is not trusted'), code: 64 };
		const text = `/** The size of a file. */\n${program.replace('input.path', `'${folder}/a.txt'`)}`;
		// Of two files with one name the program in TypeScript counts.
		writeFiles(folder, { 'plans/size-of.ts': text, 'plans/size-of.js': 'return 0' });
		expect(await call('size-of')).toMatchObject(untrusted);
		expect((await trust('--dry-run')).stdout).toMatch(/plan size-of: \/\*\* The size of a file\. \*\//);
		await trust();
		expect(await call('size-of')).toMatchObject({ stdout: '5\n', code: 0 });
		writeFileSync(file, readFileSync(file, 'utf8').replace('a.txt', 'b.txt'));
		const changed = {
			stderr: expect.stringMatching(/size-of\.ts was changed since it was trusted/),
			code: 64,
		};
		expect(await call('size-of')).toMatchObject(changed);
		expect(await run('run', 'size-of')).toMatchObject(changed);
		await trust();
		expect(await run('run', 'size-of')).toMatchObject({ code: 0 });
		const { plans } = JSON.parse((await run('ls', '--json')).stdout) as { plans: { id: string }[] };
		await run('save', plans[0]?.id ?? '', 'other', '--description', 'Saved by its user.');
		expect(await call('other')).toMatchObject({ stdout: '6\n', code: 0 });
		await trust('--revoke');
		expect(await call('other')).toMatchObject(untrusted);
	});

	it('says how to turn plans on', async () => {
		const { run } = project({ plans: false });
		expect(await run('run', 'p.ts')).toMatchObject({
			stderr: expect.stringContaining('"plans": true'),
			code: 64,
		});
	});
});

function project(
	more: object = {},
	variables: object = {},
): {
	folder: string;
	run: (...args: string[]) => Promise<MctlResult>;
	call: (...args: string[]) => Promise<MctlResult>;
	trust: (...args: string[]) => Promise<MctlResult>;
} {
	const folder = temporaryFolder();
	const mcpServers = { files: { command: process.execPath, args: [server, folder] } };
	writeFiles(folder, {
		'orchestra.json': JSON.stringify({ plans: true, mcpServers, ...more }),
		'a.txt': 'first',
		'b.txt': 'second',
		'p.ts': program,
	});
	const env = { HOME: folder, XDG_STATE_HOME: join(folder, 'state'), ORCHESTRA_TRUST: 'all', ...variables };
	const mctlHere =
		(command: string) =>
		(...args: string[]) =>
			mctl([command, ...args], { cwd: folder, env });
	return { folder, run: mctlHere('plan'), call: mctlHere('call'), trust: mctlHere('trust') };
}
