/*
 * The documentation is run. In every markdown file: a `js` block is executed as a
 * module, and a `console` block is typed line by line: what follows `$ ` is run in
 * a shell (`> ` continues it), and the lines below it are compared with what it printed.
 * A line of three dots stands for any lines, `…` for anything within a line, `/home/me` for
 * the home. Before a session, a block such as `json file=orchestra.json` is a file of its
 * folder, and a comment that begins with `setup` is run: readers see what matters, and no
 * more. Links, their headings and paths of source files must exist, and lines have a bound.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPython } from './support/programs.ts';
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

	it.for(sessions(text))('the session at line %i shows what is printed', ([, page], { skip }) => {
		const { session, files, setup } = page;
		if (session.includes('python3') && !hasPython) skip('there is no python3');
		const home = temporaryFolder();
		const env = {
			...process.env,
			HOME: home,
			ROOT: root,
			PATH: `${root}${delimiter}${process.env['PATH']}`,
			ORCHESTRA_TRUST: '', // as for a reader
		};
		let cwd = root;
		if (setup !== '' || files.length > 0) {
			cwd = join(home, 'project');
			mkdirSync(cwd);
		}
		for (const [name, content] of files) writeFileSync(join(cwd, name), content);
		const type = (command: string): string => {
			// Where the command leaves the shell, the next one begins.
			const script = `exec 2>&1; trap 'pwd > "$HOME/.cwd"' EXIT\n${command}`;
			const { stdout } = spawnSync('sh', ['-c', script], {
				cwd,
				encoding: 'utf8',
				timeout: GIVE_UP_MS,
				env,
			});
			cwd = readFileSync(join(home, '.cwd'), 'utf8').trimEnd();
			const text = stdout.trimEnd().replaceAll(home, '/home/me');
			return text === '' ? '' : `${text}\n`;
		};
		if (setup !== '') type(`set -e\n${setup}`);
		for (const { command, printed } of commandsOf(session)) expect(type(command)).toMatch(asPattern(printed));
	});

	it('links only to files that exist', () => {
		for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
			expect(() => readFileSync(resolve(root, file, '..', target)), `${file} → ${target}`).not.toThrow(
				/ENOENT/,
			);
		}
	});

	it('links only to headings that exist', () => {
		for (const [, target = '', heading = ''] of text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)) {
			const page = target === '' ? join(root, file) : resolve(root, file, '..', target);
			if (page.endsWith('.md'))
				expect(headings(readFileSync(page, 'utf8')), `${file} → ${target}#${heading}`).toContain(heading);
		}
	});

	// The changelog has a line for each entry.
	it.skipIf(file === 'CHANGELOG.md')('has no line over 160 characters', () => {
		expect(text.split('\n').filter((line) => line.length > 160)).toEqual([]);
	});

	it('names only source files that exist', () => {
		for (const [, path = ''] of text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs|py|proto))`/g)) {
			const isThere = [root, join(root, 'src')].some((folder) => existsSync(join(folder, path)));
			expect(isThere, `${file} → ${path}`).toBe(true);
		}
	});
});

/** The anchors that a host such as GitHub makes of the headings of a page. */
function headings(page: string): string[] {
	return [...page.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
		title
			.toLowerCase()
			.replaceAll(/[^\w\- ]/g, '')
			.replaceAll(' ', '-'),
	);
}

function blocks(text: string, language: string): [number, string][] {
	return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => [
		text.slice(0, match.index).split('\n').length,
		match[1] ?? '',
	]);
}

interface Session {
	readonly session: string;
	/** Names and contents of the files in its folder. */
	readonly files: readonly (readonly [string, string])[];
	readonly setup: string;
}

/** The sessions with their lines, each with the files and the setup between the one before and itself. */
function sessions(text: string): [number, Session][] {
	const found: [number, Session][] = [];
	let files: [string, string][] = [];
	let setup = '';
	const blocks =
		/^```(?:\w+ file=(?<name>\S+)|console)\n(?<code>[\s\S]*?)^```$|^<!-- setup\n(?<setup>[\s\S]*?)^-->$/gm;
	for (const { groups = {}, index } of text.matchAll(blocks)) {
		const { name, code = '' } = groups;
		if (groups['setup'] !== undefined) setup = groups['setup'];
		else if (name !== undefined) files.push([name, code]);
		else {
			found.push([text.slice(0, index).split('\n').length, { session: code, files, setup }]);
			[files, setup] = [[], ''];
		}
	}
	return found;
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
	// An empty text has no line.
	const lines = printed === '' ? [] : printed.split('\n');
	const parts = lines.map((line) => (line.trim() === '...' ? '(?:.*\n)*' : `${escape(line)}\n`));
	return new RegExp(`^${parts.join('')}$`);
}

function escape(line: string): string {
	return line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
}
