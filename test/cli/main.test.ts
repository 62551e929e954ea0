import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { commandHelp, overview } from '../../src/cli/help.ts';
import { nearest } from '../../src/cli/nearest.ts';
import { mctl } from '../support/mctl.ts';

const SCREEN_LINES = 24;

describe('mctl', () => {
	it('prints a help that fits one screen, with no words and with --help', async () => {
		const [bare, asked] = await Promise.all([mctl([]), mctl(['--help'])]);
		expect(bare.stdout).toBe(asked.stdout);
		expect(overview(commands).split('\n').length).toBeLessThanOrEqual(SCREEN_LINES);
		expect([bare.code, bare.stderr]).toEqual([0, '']);
	});

	it.each(Object.keys(commands))('mctl %s --help fits one screen and shows examples', async (name) => {
		const command = await commands[name]?.load();
		if (command === undefined) throw new Error(`no command ${name}`);
		const help = commandHelp(command);
		expect(help.split('\n').length).toBeLessThanOrEqual(SCREEN_LINES);
		for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
		expect(command.examples.length).toBeGreaterThan(0);
		expect(command.usage.startsWith(`mctl ${name}`)).toBe(true);
	});

	it('tells its version', async () => {
		expect((await mctl(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
	});

	it('guesses a mistyped command and exits 64', async () => {
		const { code, stderr, stdout } = await mctl(['reqest']);
		expect([code, stdout]).toEqual([64, '']);
		expect(stderr).toBe('mctl: there is no command "reqest"\nhint: did you mean: mctl request\n');
	});

	it('points to the help when it cannot guess', async () => {
		expect((await mctl(['qqqqqqqq'])).stderr).toContain('hint: mctl --help lists the commands');
	});

	it('refuses an unknown flag with the usage and exit 64, as JSON for programs', async () => {
		const plain = await mctl(['request', '--nonsense']);
		expect([plain.code, plain.stderr]).toEqual([
			64,
			"mctl: Unknown option '--nonsense'\nhint: usage: mctl request <stdio:URI> <method> [params JSON] [--timeout MS] [--raw] [--json]\n",
		]);
		const json = await mctl(['request', '--nonsense', '--json']);
		expect(JSON.parse(json.stderr)).toMatchObject({
			error: { code: 'bad_input', message: "Unknown option '--nonsense'" },
		});
	});
});

describe('nearest', () => {
	it('finds what was meant, best first, and nothing far away', () => {
		expect(nearest('helo-world', ['hello-world', 'hello', 'word-count'])).toEqual(['hello-world']);
		expect(nearest('zzz', ['hello'])).toEqual([]);
		expect(nearest('ab', ['ab', 'abc', 'abd'], 2)).toEqual(['ab', 'abc']);
	});
});
