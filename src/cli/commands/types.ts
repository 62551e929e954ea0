/* `mctl types`: TypeScript types of the tools, and a client that uses them. */
import { writeFileSync } from 'node:fs';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { nearest } from '../../search/text/nearest.ts';
import { chosenFilter } from '../chosen-view.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { isOfServer, nameOf } from '../find-target.ts';
import { listAll, type Offered } from '../hub-offers.ts';
import { START_WAIT_MS, withHub } from '../hub-session.ts';
import { typedClient } from '../typed-client.ts';

export const types: Command = {
	usage: 'mctl types [SERVER] [--out FILE] [--view NAME]',
	examples: ['mctl types > tools.ts', 'mctl types files --out src/files.ts'],
	flags: {
		out: { type: 'string', value: 'FILE', help: 'write to this file (default: stdout)' },
		view: { type: 'string', value: 'NAME', help: 'only the tools of this view' },
	},

	async run(input) {
		const { words, flags, out } = input;
		if (words.length > 1) throw usageError(types, `mctl types takes one server, not ${words.length}`);
		const tools = await chosenTools(input, words[0]);
		const text = typedClient(tools, ['mctl', 'serve']);
		if (typeof flags['out'] !== 'string') return out.write(text);
		writeFileSync(flags['out'], text);
		out.note(`mctl: ${tools.length} tools written to ${flags['out']}`);
	},
};

async function chosenTools(input: CommandInput, server: string | undefined): Promise<Offered[]> {
	const isIn = chosenFilter(input, types);
	const { configuration } = loadConfiguration({ cwd: process.cwd(), environment: input.environment });
	const servers = configuration.mcpServers.filter(({ isEnabled }) => isEnabled).map(({ name }) => name);
	if (server !== undefined && !servers.includes(server)) throw unknownServer(server, servers);
	const needs = server === undefined ? undefined : { servers: [server], hasPlugins: false };
	const all = await withHub(input, (session) => listAll(session, 'tools'), {
		listWaitMs: START_WAIT_MS,
		needs,
	});
	const tools = all.filter(
		(tool) => isIn(nameOf(tool)) && (server === undefined || isOfServer(tool, server)),
	);
	if (tools.length > 0) return tools;
	throw new OrchestraError(
		'not_found',
		`there are no tools${server === undefined ? ' here' : ` of ${server}`}`,
		{
			hint: '`mctl list servers --check` shows which servers start, and why others do not.',
		},
	);
}

function unknownServer(server: string, servers: readonly string[]): OrchestraError {
	const [guess] = nearest(server, servers);
	const known = servers.length === 0 ? 'none is configured' : `the servers are ${servers.join(', ')}`;
	return usageError(types, `there is no server "${server}"; ${guess ? `did you mean ${guess}` : known}`);
}
