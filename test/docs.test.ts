/*
 * The documentation is run. In every markdown file: a `js` block is executed as a
 * module, and a `console` block is typed line by line: what follows `$ ` is run in
 * a shell (`> ` continues it), and the lines below it are compared with what it printed.
 * A line of three dots stands for anything. Links and paths of source files must exist.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/workspace.ts';

/** Only what hangs comes near. */
const GIVE_UP_MS = 60_000;

const root = resolve(import.meta.dirname, '..');
const files = [root, join(root, 'docs'), join(root, 'docs/decisions')].flatMap((folder) =>
	readdirSync(folder)
		.filter((name) => name.endsWith('.md'))
		.map((name) => relative(root, join(folder, name))),
);

describe.each(files)('%s', (file) => {
	const text = readFileSync(join(root, file), 'utf8');

	it.each(blocks(text, 'js'))('the code at line %i runs', (_, code) => {
		// Evaluated in the root of the package, so that `orchestra-hub/…` means this checkout.
		const args = ['--input-type=module', '-e', code];
		const { status, stderr } = spawnSync(process.execPath, args, {
			cwd: root,
			encoding: 'utf8',
			input: '',
			timeout: GIVE_UP_MS,
		});
		expect(stderr).not.toContain('Error');
		expect(status).toBe(0);
	});

	it.each(blocks(text, 'console'))('the session at line %i shows what is printed', (_, session) => {
		const home = temporaryFolder();
		for (const { command, printed } of commandsOf(session)) {
			const { stdout, stderr } = spawnSync('sh', ['-c', command], {
				cwd: root,
				encoding: 'utf8',
				timeout: GIVE_UP_MS,
				env: {
					...process.env,
					HOME: home,
					PATH: `${root}${delimiter}${process.env['PATH']}`,
					ORCHESTRA_TRUST: '', // as for a reader
				},
			});
			expect(`${stdout}${stderr}`.trimEnd()).toMatch(asPattern(printed));
		}
	});

	it('links only to files that exist', () => {
		for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
			expect(() => readFileSync(resolve(root, file, '..', target)), `${file} → ${target}`).not.toThrow(
				/ENOENT/,
			);
		}
	});

	it('names only source files that exist', () => {
		for (const [, path = ''] of text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs|py|proto))`/g)) {
			const isThere = [root, join(root, 'src')].some((folder) => existsSync(join(folder, path)));
			expect(isThere, `${file} → ${path}`).toBe(true);
		}
	});
});

function blocks(text: string, language: string): [number, string][] {
	return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => [
		text.slice(0, match.index).split('\n').length,
		match[1] ?? '',
	]);
}

function commandsOf(session: string): { command: string; printed: string }[] {
	return session
		.split(/^\$ /m)
		.slice(1)
		.map((part) => {
			const [first = '', ...lines] = part.trimEnd().split('\n');
			const end = lines.findIndex((line) => !line.startsWith('> '));
			const more = end === -1 ? lines : lines.slice(0, end);
			const command = [first, ...more.map((line) => line.slice(2))].join('\n');
			return { command, printed: lines.slice(more.length).join('\n').trimEnd() };
		});
}

function asPattern(printed: string): RegExp {
	const escaped = printed.split('\n').map((line) => (line.trim() === '...' ? '[\\s\\S]*' : escape(line)));
	return new RegExp(`^${escaped.join('\\n')}$`);
}

function escape(line: string): string {
	return line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
