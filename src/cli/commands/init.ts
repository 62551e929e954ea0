/*
 * `mctl init`: a configuration to start from, and the servers of your MCP clients in it.
 *
 * Without a terminal and without flags it writes `orchestra.json` alone, which keeps what
 * an `.mcp.json` says already: a script never changes the clients by accident.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { undoLatestMove } from '../../config/clients/move-backup.ts';
import { parseJsonc } from '../../config/jsonc.ts';
import { newConfigurationText } from '../../config/new-configuration.ts';
import { importTrust } from '../../config/trust/import-trust.ts';
import { OrchestraError } from '../../errors.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { isObject } from '../../wire/json.ts';
import { type Command, type CommandInput, refuseWords, usageError } from '../command.ts';
import { noteUntrusted } from '../edit-servers.ts';
import { hubFolderHere } from '../hub-location.ts';
import { type MoveIn, moveIn, openMoveIn } from '../move-in.ts';

const FILE = 'orchestra.json';

export const init: Command = {
	usage: 'mctl init [--yes | --only NAMES] [--user] [--keep] [--dry-run] [--json] | --undo [--force]',
	examples: [
		'mctl init --dry-run               # what would change in which file',
		'mctl init --yes                   # import all servers, connect all clients',
		'mctl init --only files,github',
		'mctl init --undo                  # every file as it was',
	],
	flags: {
		yes: { type: 'boolean', short: 'y', help: 'import all servers of all clients' },
		only: { type: 'string', value: 'NAMES', help: 'import these servers, as in a,b' },
		user: { type: 'boolean', help: 'all into your own configuration, not into orchestra.json' },
		keep: { type: 'boolean', help: 'leave the servers in the clients too' },
		'dry-run': { type: 'boolean', help: 'print a diff and write nothing' },
		undo: { type: 'boolean', help: 'restore every file that the last init changed' },
		force: { type: 'boolean', help: 'with --undo: also files that were changed since' },
		json: { type: 'boolean', help: 'print one JSON object on stdout, and ask nothing' },
	},

	async run(input) {
		refuseWords(input, init);
		checkFlags(input);
		const { flags, environment, out } = input;
		if (flags['undo'] === true) return undo(input);
		const home = environment['HOME'] || homedir();
		const isTerminal = process.stdin.isTTY && out.hasLiveStderr && flags['json'] !== true;
		const imports = ['yes', 'only', 'user', 'keep', 'dry-run'].some((name) => flags[name] !== undefined);
		if (!imports && !isTerminal) return startProject(input, home);
		const move = openMoveIn(environment, { home, isForUser: flags['user'] === true });
		if (!imports && move.survey.files.length === 0) return startProject(input, home);
		return moveIn(move, input);
	},
};

function checkFlags({ flags }: CommandInput): void {
	const others = ['yes', 'only', 'user', 'keep', 'dry-run'].filter((name) => flags[name] !== undefined);
	if (flags['undo'] === true && others.length > 0)
		throw usageError(init, `--undo and --${others[0]} exclude each other`);
	if (flags['force'] === true && flags['undo'] !== true) throw usageError(init, '--force is for --undo only');
	if (flags['yes'] === true && flags['only'] !== undefined)
		throw usageError(init, '--yes and --only exclude each other');
}

function undo({ flags, environment, out }: CommandInput): void {
	const hub = hubFolderHere(environment).running();
	const restored = undoLatestMove(stateFolder(environment), flags['force'] === true);
	if (flags['json'] === true) return out.json({ schema: 'orchestra.init/1', restored });
	for (const path of restored) out.line(`${out.style('green', '↺')} ${path}`);
	if (restored.length === 0) out.line('Every file was as before already.');
	if (hub !== undefined)
		out.note(`note: the hub, process ${hub.pid}, still runs; mctl hub stop --all stops it`);
}

async function startProject(input: CommandInput, home: string): Promise<void> {
	const { out, flags, environment } = input;
	if (existsSync(FILE)) {
		throw new OrchestraError('bad_input', `${join(process.cwd(), FILE)} exists already`, {
			hint: 'Edit it; `mctl doctor` says whether it is right. `mctl init --yes` imports the servers of your clients.',
		});
	}
	const source = existsSync('.mcp.json') ? readRegularFile('.mcp.json') : undefined;
	const servers = source === undefined ? {} : serversIn(source);
	const count = Object.keys(servers).length;
	const after = Buffer.from(newConfigurationText(servers));
	const sources = source && count > 0 ? [{ path: join(process.cwd(), '.mcp.json'), bytes: source }] : [];
	const edit = { path: join(process.cwd(), FILE), before: undefined, after };
	const untrusted = await importTrust(edit, sources, environment);
	writeFileSync(FILE, after, { flag: 'wx' });
	const hasTools = existsSync('tools');
	makeFolders('tools');
	const more = foundElsewhere(input, home);
	if (flags['json'] === true) {
		const files = [{ path: resolve(FILE), isNew: true }];
		return out.json({ schema: 'orchestra.init/1', files, imported: Object.keys(servers), elsewhere: more });
	}
	out.line(
		`${out.style('green', '+')} ${FILE}${count > 0 ? ` (with ${count} ${count === 1 ? 'server' : 'servers'} of .mcp.json)` : ''}`,
	);
	if (!hasTools) out.line(`${out.style('green', '+')} tools/`);
	noteUntrusted(out, FILE, untrusted);
	out.line('\nNext: mctl new tool my-tool');
	out.line('Then: mctl doctor');
	if (more > 0) out.line(`Your MCP clients have ${more} more: mctl init --dry-run shows how to import them`);
}

/** Servers of clients that the new configuration does not have. A broken file is no reason to fail here. */
function foundElsewhere({ environment }: CommandInput, home: string): number {
	try {
		const { found, targets }: MoveIn = openMoveIn(environment, { home, isForUser: false });
		return found.filter(({ name }) => !Object.hasOwn(targets.project?.servers ?? {}, name)).length;
	} catch {
		return 0;
	}
}

function serversIn(bytes: Buffer): Record<string, unknown> {
	const { value } = parseJsonc(bytes.toString('utf8'), '.mcp.json');
	const servers = isObject(value) ? value['mcpServers'] : undefined;
	return isObject(servers) ? servers : {};
}
