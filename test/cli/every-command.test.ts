/*
 * Every command of the table, once with right and once with wrong words. A new command
 * without a row here fails. Wrong words are tried on a narrow terminal, and right ones on a
 * wide one, within this process where the command can run there; `npm run test:all` tries
 * everything on both, and right words in a process of their own.
 */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/command-table.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { callServer, callServerUri, mcpFolder } from '../support/mcp-folder.ts';
import { mctl, mctlProcess } from '../support/mctl.ts';
import { hasTerminal, mctlInTerminal, mctlOnScreen, type Typed } from '../support/terminal.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

interface Row {
	/** Words that do the job, and a part of the answer. */
	readonly right: readonly [words: readonly string[], answer: RegExp];
	/** The exit code of the right words; 0 unless the answer is a "no". */
	readonly code?: number;
	/** Words that do not, and a part of the sentence that helps. */
	readonly wrong: readonly [words: readonly string[], sentence: RegExp];
	readonly wrongCode?: number;
	/** Changes its folder or its hub: it gets a folder of its own. */
	readonly isChange?: boolean;
	/** The change needs a hub. */
	readonly hasHub?: boolean;
	/** Read from a pipe in place of a terminal. */
	readonly input?: string;
	readonly typed?: readonly Typed[];
}

const listTools = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
const CTRL_C = '\u0003';

const rows: Readonly<Record<string, Row>> = {
	// demo.test.ts runs it.
	demo: {
		right: [['help', 'demo'], /Usage: mctl demo/],
		wrong: [['demo', 'x'], /mctl demo takes flags only/],
	},
	list: { right: [['list'], /py__add/], wrong: [['list', 'toolz'], /did you mean tools/] },
	run: {
		right: [['run', 'hello-world', 'name=you'], /Hello, you!/],
		wrong: [['run', 'helo-world'], /did you mean: hello-world/],
	},
	call: {
		right: [['call', 'py', 'add', 'numbers=1,2'], /3/],
		wrong: [['call', 'py', 'ad'], /did you mean: add/],
	},
	show: { right: [['show', 'py', 'add'], /numbers/], wrong: [['show', 'py', 'ad'], /did you mean: .*add/] },
	types: { right: [['types'], /add/], wrong: [['types', 'pi'], /py/] },
	find: { right: [['find', 'server hangs'], /server-hangs/], wrong: [['find'], /needs some words/] },
	read: {
		right: [['read', 'orchestr8://guides/server-hangs'], /hang/],
		wrong: [['read', 'orchestr8://guides/nothing'], /mctl find/],
		wrongCode: 1,
	},
	prompt: {
		right: [['prompt', 'explain-failure', 'error=refused'], /refused/],
		wrong: [['prompt', 'explain-failur'], /explain-failure/],
		wrongCode: 1,
	},
	request: {
		right: [['request', callServerUri, 'tools/list'], /"add"/],
		wrong: [['request', 'stdio:no-such-program', 'x'], /Install no-such-program/],
		wrongCode: 69,
	},
	pipe: {
		right: [['pipe', 'stdio:cat'], /\{"a":1\}/],
		input: '{"a":1}\n',
		wrong: [['pipe'], /needs the URI of a program/],
	},
	serve: {
		right: [['serve'], /py__add/],
		input: listTools,
		wrong: [['serve', '--config', 'none.json'], /no configuration file none\.json/],
	},
	record: {
		right: [['record', '--to', 'recordings', '--', callServer.command, ...callServer.args], /"result"/],
		input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
		isChange: true,
		wrong: [['record', '--to='], /--to is empty/],
	},
	replay: {
		right: [['replay'], /there are no recordings/],
		wrong: [['replay', 'none.ndjson'], /there is no recording .*none\.ndjson/],
	},
	bridge: {
		right: [['bridge'], /py__add/],
		input: listTools,
		wrong: [['bridge', '--certs-dir', 'none'], /none is not a folder/],
	},
	auth: {
		right: [['auth', 'https://example.com/mcp', '--status'], /not signed in/],
		code: 1,
		wrong: [['auth', 'py'], /py/],
	},
	log: { right: [['log'], /./], wrong: [['log', '--since', 'soon'], /soon/] },
	'skills ls': { right: [['skills', 'ls'], /./], wrong: [['skills', 'ls', 'all'], /takes flags only/] },
	'skills show': {
		right: [['skills', 'show', 'notes'], /Write notes/],
		wrong: [['skills', 'show'], /needs one skill/],
	},
	'skills install': {
		isChange: true,
		right: [['skills', 'install', 'notes', '--yes'], /notes is in/],
		wrong: [['skills', 'install'], /needs one skill/],
	},
	plan: { right: [['plan'], /no plans/], wrong: [['plan', 'stop'], /no "mctl plan stop"/] },
	tasks: { right: [['tasks'], /no tasks/], wrong: [['tasks', 'stop'], /no "mctl tasks stop"/] },
	usage: { right: [['usage'], /./], wrong: [['usage', '--by', 'day'], /server, tool or client/] },
	'results ls': {
		right: [['results', 'ls'], /no results are stored/],
		wrong: [['results', 'ls', 'x'], /takes flags only/],
	},
	'results show': {
		right: [['help', 'results', 'show'], /Usage: mctl results show/],
		wrong: [['results', 'show'], /needs the handle of a result/],
	},
	'results look': {
		right: [['help', 'results', 'look'], /Usage: mctl results look/],
		wrong: [['results', 'look', 'r-0', 'head'], /no result is stored as r-0/],
		wrongCode: 1,
	},
	'results drop': {
		right: [['help', 'results', 'drop'], /Usage: mctl results drop/],
		wrong: [['results', 'drop'], /needs the handle of a result/],
	},
	'results keep': {
		right: [['help', 'results', 'keep'], /Usage: mctl results keep/],
		wrong: [['results', 'keep'], /needs the handle of a result/],
	},
	worker: {
		right: [['help', 'worker'], /Usage: mctl worker/],
		wrong: [['worker'], /advertises nothing to a fabric/],
	},
	'fabric status': {
		right: [['help', 'fabric', 'status'], /Usage: mctl fabric status/],
		wrong: [['fabric', 'status'], /has no fabric/],
	},
	'fabric config': {
		isChange: true,
		right: [['fabric', 'config'], /authorization/],
		wrong: [['fabric', 'config', '--listen', '0.0.0.0:4222'], /needs --cert and --key/],
	},
	'fabric invite': {
		isChange: true,
		right: [['fabric', 'invite', 'laptop'], /nkey: U/],
		wrong: [['fabric', 'invite'], /needs one name/],
	},
	'fabric drain': {
		right: [['help', 'fabric', 'drain'], /Usage: mctl fabric drain/],
		wrong: [['fabric', 'drain'], /needs the name of one worker/],
	},
	'fabric revoke': {
		right: [['help', 'fabric', 'revoke'], /Usage: mctl fabric revoke/],
		wrong: [['fabric', 'revoke'], /needs one name/],
	},
	'fabric rotate': {
		right: [['help', 'fabric', 'rotate'], /Usage: mctl fabric rotate/],
		wrong: [['fabric', 'rotate'], /needs one name/],
	},
	'fabric setup': {
		right: [['help', 'fabric', 'setup'], /Usage: mctl fabric setup/],
		wrong: [['fabric', 'setup'], /has no fabric/],
	},
	'log verify': { right: [['log', 'verify'], /./], wrong: [['log', 'verify', 'x'], /takes flags only/] },
	trust: { right: [['trust', '--dry-run'], /server py/], wrong: [['trust', 'it'], /takes flags only/] },
	approve: { right: [['approve'], /./], wrong: [['approve', 'maybe'], /maybe/] },
	'trust diff': {
		right: [['trust', 'diff'], /No tool differs/],
		wrong: [['trust', 'diff', 'nobody'], /nobody/],
	},
	'trust accept': {
		right: [['trust', 'accept', 'py'], /Accepted the tools of py/],
		wrong: [['trust', 'accept'], /mctl trust accept/],
	},
	'trust quarantine': {
		isChange: true,
		right: [['trust', 'quarantine', 'py'], /quarantined until you accept/],
		wrong: [['trust', 'quarantine', 'pi'], /py/],
	},
	'policy add': {
		isChange: true,
		right: [['policy', 'add', 'py__*', 'ask'], /is the first rule of/],
		wrong: [['policy', 'add', 'py__add', 'maybe'], /allow, ask or deny/],
	},
	'policy test': {
		right: [['policy', 'test', 'py__add'], /allow/],
		wrong: [['policy', 'test'], /mctl policy test/],
	},
	'hub start': {
		right: [['hub', 'start'], /The hub was running already: pid \d+/],
		wrong: [['hub', 'strt'], /start/],
	},
	'hub stop': {
		isChange: true,
		hasHub: true,
		right: [['hub', 'stop'], /stopped/],
		wrong: [['hub', 'stop', 'x'], /takes flags only/],
	},
	'hub status': {
		right: [['hub', 'status'], /pid/],
		wrong: [['hub', 'status'], /Start it with: mctl hub start/],
		wrongCode: 69,
	},
	'hub ls': { right: [['hub', 'ls'], /PID/], wrong: [['hub', 'ls', 'x'], /takes flags only/] },
	'hub ps': {
		right: [['hub', 'ps'], /PID/],
		wrong: [['hub', 'ps'], /Start it with: mctl hub start/],
		wrongCode: 69,
	},
	'hub logs': {
		right: [['hub', 'logs'], /INFO/],
		wrong: [['hub', 'logs', 'pi'], /did you mean: py/],
	},
	'hub token': {
		right: [['hub', 'token'], /^\S{20,}$/m],
		wrong: [['hub', 'token', 'x'], /takes flags only/],
	},
	'hub install-service': {
		right: [['hub', 'install-service', '--print'], /^ExecStart=.*"hub" "run"$/m],
		wrong: [['hub', 'install-service', 'x'], /takes flags only/],
	},
	'hub run': {
		isChange: true,
		right: [['hub', 'run'], /INFO/],
		typed: [['[INFO]', CTRL_C]],
		wrong: [['hub', 'run', '--http=nowhere'], /nowhere/],
	},
	'new tool': {
		isChange: true,
		right: [['new', 'tool', 'mine', '--lang', 'sh'], /mctl run mine/],
		wrong: [['new', 'tool', 'Bad_Id'], /Bad_Id/],
	},
	'new server': {
		isChange: true,
		right: [['new', 'server', 'mine'], /mctl add mine -- node mine\/server\.mjs/],
		wrong: [['new', 'server', '../x'], /no name of a server/],
	},
	'new plugin': {
		isChange: true,
		right: [['new', 'plugin', 'tools.mine'], /plugin\.mjs/],
		wrong: [['new', 'plugin'], /mctl new plugin/],
	},
	'new prompt': {
		isChange: true,
		right: [['new', 'prompt', 'mine'], /mine/],
		wrong: [['new', 'prompt'], /mctl new prompt/],
	},
	'new resource': {
		isChange: true,
		right: [['new', 'resource', 'guides/mine'], /mine/],
		wrong: [['new', 'resource', 'mine'], /category/],
	},
	check: { right: [['check', 'hello-world'], /ok/], wrong: [['check', './nowhere'], /manifest\.json/] },
	init: { right: [['init', '--dry-run'], /./], wrong: [['init', 'me'], /takes flags only/] },
	add: {
		isChange: true,
		right: [['add', 'files', '--', 'npx', 'x'], /files/],
		wrong: [['add'], /a name, and a command or a URL/],
	},
	search: { right: [['help', 'search'], /Usage: mctl search/], wrong: [['search'], /needs a word/] },
	outdated: {
		right: [['outdated'], /No server here came from a registry/],
		wrong: [['outdated', 'x'], /takes flags only/],
	},
	upgrade: {
		right: [['help', 'upgrade'], /Usage: mctl upgrade/],
		wrong: [['upgrade', 'py'], /did not come from a registry/],
	},
	learn: { isChange: true, right: [['learn', 'py'], /py/], wrong: [['learn', 'pi'], /py/] },
	remove: { isChange: true, right: [['remove', 'py'], /py/], wrong: [['remove', 'pi'], /py/] },
	enable: { isChange: true, right: [['enable', 'py'], /py/], wrong: [['enable', 'pi'], /py/] },
	dashboard: {
		isChange: true,
		hasHub: true,
		right: [['dashboard', '--no-open'], /\/dashboard\/enter\?code=/],
		wrong: [['dashboard', 'x'], /takes flags only/],
	},
	server: {
		isChange: true,
		hasHub: true,
		right: [['server', 'restart', 'py'], /py was restarted/],
		wrong: [['server', 'explode', 'py'], /start, stop or restart/],
	},
	disable: { isChange: true, right: [['disable', 'py'], /py/], wrong: [['disable', 'pi'], /py/] },
	doctor: { right: [['doctor'], /Node\.js \d/], wrong: [['doctor', 'me'], /takes flags only/] },
	completion: { right: [['completion', 'bash'], /mctl/], wrong: [['completion', 'tcsh'], /bash, zsh, fish/] },
};

it('has a row for every command and no other', () => {
	expect(Object.keys(rows).sort()).toEqual([...commands.keys()].sort());
});

const skillFiles = { 'skills/notes/SKILL.md': '---\nname: notes\ndescription: Notes\n---\nWrite notes.\n' };
const NARROW = 60;
const WIDE = 120;

describe.skipIf(!hasTerminal).each([NARROW, WIDE])('on a terminal with %i columns', (columns) => {
	const empty = place();
	const served = place();
	beforeAll(async () => {
		expect((await mctl(['hub', 'start'], served)).code).toBe(0);
	});
	afterAll(async () => {
		await mctl(['hub', 'stop', '--all', '--force'], served);
	});

	it.each(columns === NARROW || runsAllTests ? Object.entries(rows) : [])(
		'mctl %s explains wrong arguments',
		async (_, { wrong, wrongCode = 64 }) => {
			const { screen, code } = await mctlOnScreen([...wrong[0]], { ...empty, columns });
			expect(screen).toMatch(/^mctl: .+/m);
			expect(screen).toMatch(/^hint: .+/m);
			expect(screen.replaceAll('\n', ' ')).toMatch(wrong[1]);
			expect(screen).not.toMatch(/^ {4}at /m);
			expect(code).toBe(wrongCode);
		},
		30_000,
	);

	it.each([
		[['list']],
		[['list', 'servers']],
		[['list', '--tokens']],
		[['hub', 'ls']],
		[['hub', 'ps']],
		[['log']],
	])(
		'the table of mctl %s fits',
		async (words) => {
			await mctl(['call', 'py', 'add', 'numbers=1,2'], served);
			const { screen } = await mctlOnScreen(words, { ...served, columns });
			expect(screen.split('\n').filter((line) => line.length > columns)).toEqual([]);
		},
		60_000,
	);

	it.each(columns === WIDE || runsAllTests ? Object.entries(rows) : [])(
		'mctl %s accepts right arguments',
		async (_, { right: [words, answer], code = 0, isChange, hasHub, input, typed = [] }) => {
			const { cwd, env } = isChange ? mcpFolder({ py: callServer }, skillFiles) : served;
			if (hasHub) await mctl(['hub', 'start'], { cwd, env });
			if (input === undefined) {
				const answered =
					runsAllTests || typed.length > 0
						? await mctlInTerminal([...words], { cwd, env, columns, typed })
						: await mctlOnScreen([...words], { cwd, env, columns });
				expect(answered.screen).toMatch(answer);
				expect(answered.code).toBe(code);
			} else {
				const piped = await mctlProcess([...words], { cwd, env, input });
				expect(piped.stdout).toMatch(answer);
				expect(piped.code).toBe(code);
			}
		},
		60_000,
	);
});

/** A project with one server, for commands that change nothing. */
function place(): { cwd: string; env: Record<string, string> } {
	const home = temporaryFolder();
	const cwd = writeFiles(join(home, 'work'), {
		'orchestra.json': JSON.stringify({ mcpServers: { py: callServer } }),
		...skillFiles,
	});
	return {
		cwd,
		env: { HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') },
	};
}
