import { spawnSync } from 'node:child_process';
import { delimiter, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mctl } from '../../support/mctl.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const root = resolve(import.meta.dirname, '../../..');

describe('mctl completion', () => {
	it.each([
		[['h'], ['hub', 'help']],
		[
			['hub', 'st'],
			['start', 'stop', 'status'],
		],
		[
			['hub', 'stop', '--'],
			['--all', '--force', '--json', '--quiet', '--help'],
		],
		[['help', 'ne'], ['new']],
		[
			['new', 'p'],
			['plugin', 'prompt'],
		],
		[['--json', 'li'], ['list']],
		[['list', 'to'], ['tools']],
		[['list', '--json', 'to'], ['tools']],
		[['run', 'hello-w'], ['hello-world']],
		[['run', 'hello-world', 'hello'], []],
		[['run', 'hello-world', 'na'], ['name=']],
		[['run', 'hello-world', 'name=x', ''], []],
		[
			['call', 'word-count', ''],
			['path=', 'text=', 'top='],
		],
		[['run', '--timeout', ''], []],
		[['constructor', ''], []],
	])('offers for %j what can stand there', async (words, candidates) => {
		const { code, stdout } = await mctl(['completion', 'words', '--', ...words]);
		expect([code, stdout.split('\n').filter(Boolean)]).toEqual([0, candidates]);
	});

	it.each(['remove', 'enable', 'disable'])(
		'completes the servers of the configuration for mctl %s',
		async (command) => {
			const cwd = writeFiles(temporaryFolder(), {
				'orchestra.json': '{"mcpServers":{"files":{"command":"x","disabled":true}}}',
			});
			const { stdout } = await mctl(['completion', 'words', '--', command, 'fi'], { cwd });
			expect(stdout).toBe('files\n');
		},
	);

	it.each(['enable', 'disable'])(
		'completes the plugins of the configuration for mctl %s',
		async (command) => {
			const cwd = writeFiles(temporaryFolder(), {
				'orchestra.json': '{"plugins":[{"id":"a.b","binary":"x"}]}',
			});
			const { stdout } = await mctl(['completion', 'words', '--', command, 'a'], { cwd });
			expect(stdout).toBe('a.b\n');
		},
	);

	it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
		const { code, stdout } = await mctl(['completion', shell]);
		expect([code, stdout]).toEqual([0, expect.stringContaining('mctl completion words --')]);
	});

	it('completes in bash', () => {
		expect(completedByBash(['mctl', 'hub', 'sta'])).toEqual(['start', 'status']);
		expect(completedByBash(['mctl', ''])).toContain('run');
	});

	it.skipIf(!isInstalled('fish'))('completes in fish', () => {
		const script = 'mctl completion fish | source; complete -C "mctl hub sta"';
		expect(printedBy('fish', ['--no-config', '-c', script]).split('\n')).toEqual(['start', 'status']);
	});

	it.skipIf(!isInstalled('zsh'))('completes in zsh, at a terminal', () => {
		const script = `zmodload zsh/zpty; zpty z zsh -f -i
			zpty -w z 'autoload -Uz compinit && compinit -u -D; source <(mctl completion zsh); echo RE""ADY'
			zpty -r -m z out '*READY*'
			zpty -w -n z $'mctl hub stat\\t'; zpty -r -m z out '*hub status*' && echo completed; zpty -d z`;
		expect(printedBy('zsh', ['-f', '-c', script])).toBe('completed');
	});

	it('evaluates no name that comes from outside', () => {
		const cwd = writeFiles(temporaryFolder(), { 'prompts/$(touch owned).md': 'x', 'prompts/plain.md': 'x' });
		expect(completedByBash(['mctl', 'prompt', ''], cwd)).toContain('plain');
		expect(spawnSync('ls', [cwd], { encoding: 'utf8' }).stdout).toBe('prompts\n');
	});
});

/** What bash has after Tab at the end of `words`. */
function completedByBash(words: string[], cwd = root): string[] {
	const quoted = words.map((word) => `'${word}'`).join(' ');
	const script = `eval "$(mctl completion bash)"; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _mctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
	return printedBy('bash', ['-c', script], cwd).split('\n');
}

function printedBy(shell: string, args: string[], cwd = root): string {
	const env = { ...process.env, PATH: `${root}${delimiter}${process.env['PATH']}` };
	return spawnSync(shell, args, { cwd, env, encoding: 'utf8', timeout: 60_000 }).stdout.trim();
}

function isInstalled(shell: string): boolean {
	return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}
