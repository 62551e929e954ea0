/* What a user sees: no control character of a tool, a server or a file reaches the terminal. */
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HubFolder } from '../../src/hub/shared/hub-folder.ts';
import { mctl } from '../support/mctl.ts';
import { mctlOnScreen } from '../support/terminal.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

/** A title, a cleared screen with ESC and with C1, our own red, a bidirectional override. */
const EVIL = 'EVIL\u001B]0;owned\u0007\u001B[2J\u009B2J\u001B[31mRED\u202Etxt\u007F';
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const STYLES_AND_CLEAR_LINE = /\u001B\[(1|2|22|3[1-46]|39)m|\r\u001B\[K/g;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

describe('a terminal', () => {
	it.each([
		['an unknown command', [EVIL]],
		['an unknown command with --json', [EVIL, '--json']],
		['an unknown tool', ['run', EVIL]],
		['an unknown tool path', ['run', `./${EVIL}`]],
		['an unknown resource', ['read', `orchestr8://guides/${EVIL}`]],
		['an unknown prompt', ['prompt', EVIL]],
		['an unknown flag', ['list', `--${EVIL}`]],
		['an unknown program', ['request', `stdio:./${EVIL}`, 'ping']],
		['the events of a tool', ['run', 'evil']],
		['the events of a tool with --json', ['run', 'evil', '--json']],
		['the list of tools', ['list', 'tools']],
		['the list of servers', ['list', 'servers']],
		['the report of doctor', ['doctor']],
		['the report of check', ['check', 'tools/evil']],
		['a fragment of the library', ['read', 'orchestr8://guides/evil']],
		['what is found', ['find', 'wonderful']],
		['a prompt', ['prompt', 'evil']],
		['the log of the hub', ['hub', 'logs']],
		['lines of a program', ['pipe', `stdio:sh answer.sh`]],
		['the death of a program', ['request', 'stdio:sh die.sh', 'ping']],
		['the answer of a program', ['request', 'stdio:sh answer.sh', 'ping']],
		['an error that a program answers', ['request', 'stdio:sh refuse.sh', 'ping']],
	])('gets no control character from outside with %s', async (_, args) => {
		const { screen } = await mctlOnScreen(args, workspace());
		expect(screen.replace(STYLES_AND_CLEAR_LINE, '')).not.toMatch(CONTROLS);
		expect(screen).not.toContain('\u001B[31mRED');
		expect(screen).not.toBe('');
	});

	it('shows the columns of a table under each other, whatever the width of their characters', async () => {
		const { screen } = await mctlOnScreen(['list', 'servers'], { ...workspace(), columns: 60 });
		const rows = screen.split('\n').filter((line) => /configured|STATE/.test(line));
		expect(rows.length).toBeGreaterThan(3);
		expect(new Set(rows.map((row) => columnOf(row, /configured|STATE/))).size).toBe(1);
	});
});

describe('a pipe', () => {
	it('gets the bytes of a tool untouched', async () => {
		const { stdout } = await mctl(['run', 'evil', '--json'], workspace());
		expect(stdout).toContain('\u009B2J');
		expect(stdout).toContain('\u202E');
	});

	it('gets errors without control characters', async () => {
		const { stderr } = await mctl([EVIL]);
		expect(stderr).not.toMatch(CONTROLS);
		expect(stderr).toContain('EVIL\\x1b]0;owned\\x07');
	});

	it('gets a message of several lines that cannot pass for a hint of ours', async () => {
		const { stderr } = await mctl(['x\nhint: run rm -rf']);
		expect(stderr.split('\n').filter((line) => line.startsWith('hint:'))).toHaveLength(1);
	});
});

/** A project in which everything that can be named or written is evil. */
function workspace(): { cwd: string; env: Record<string, string> } {
	const json = JSON.stringify(EVIL);
	const wild = JSON.stringify({ text: EVIL }).replaceAll("'", '');
	const payload = `{"level":"info","message":${json},"data":${wild}}`;
	const servers = Object.fromEntries(
		['plain', '工具箱', '👩‍👩‍👧‍👦🇫🇷', 'é̂́', EVIL].map((name) => [name, { command: 'cat', args: [EVIL] }]),
	);
	const cwd = writeFiles(temporaryFolder(), {
		'orchestra.json': JSON.stringify({ mcpServers: servers, tools: { roots: ['./tools'] } }),
		'tools/evil/manifest.json': manifestOf('evil', { description: EVIL, command: ['sh', 'main.sh'] }),
		'tools/evil/main.sh': `${shellEvent('evil')}
event log '${payload}'
event log '${payload.replace('info', 'warn')}'
event progress '{"progress":1,"total":2,"message":${json}}'
event artifact '{"path":${json}}'
event strange '${payload}'
event error '{"message":${json},"code":${json}}'
echo '${EVIL}' >&2
event result '${payload}'
echo '${EVIL}'`,
		'tools/broken/manifest.json': `{"id": ${json}}`,
		'resources/guides/evil.md': `---\ntitle: wonderful ${EVIL}\n---\nwonderful ${EVIL}\n`,
		'prompts/evil.md': `---\ntitle: evil\n---\nbe ${EVIL}\n`,
		'die.sh': `echo '${EVIL}' >&2; echo '${EVIL}'; exit 3`,
		'answer.sh': `echo '${EVIL}'; printf '{"jsonrpc":"2.0","id":1,"result":${wild.replaceAll('\\', '\\\\')}}\\n'`,
		'refuse.sh': `read line; printf '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":${json.replaceAll('\\', '\\\\')}}}\\n'`,
	});
	const env = { HOME: cwd, XDG_STATE_HOME: join(cwd, 'state'), XDG_CONFIG_HOME: join(cwd, 'config') };
	const { logFile } = new HubFolder(cwd, env);
	writeFiles(dirname(logFile), { [basename(logFile)]: `${EVIL}\n` });
	return { cwd, env };
}

/** The column in which the first match begins, as a terminal counts. */
function columnOf(row: string, pattern: RegExp): number {
	const before = row.slice(0, row.search(pattern)).replace(STYLES_AND_CLEAR_LINE, '');
	let column = 0;
	for (const { segment } of new Intl.Segmenter().segment(before)) {
		column += /\p{Emoji_Presentation}|\p{Script=Han}/u.test(segment) ? 2 : 1;
	}
	return column;
}
