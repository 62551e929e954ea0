/*
 * `mctl init`: a configuration to start from, and the servers of your MCP clients in it.
 *
 * Without a terminal and without flags it writes `orchestra.json` alone, which keeps what
 * an `.mcp.json` says already: a script never changes the clients by accident.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ClientId, clientIds } from '../../config/clients/client-table.ts';
import { type UndoReport, undoLatestImport } from '../../config/clients/undo-import.ts';
import { parseJsonc } from '../../config/jsonc.ts';
import { newConfigurationText } from '../../config/new-configuration.ts';
import { importTrust } from '../../config/trust/trust-edit.ts';
import { attempt, OrchestraError } from '../../errors.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { nearest } from '../../nearest.ts';
import { removeStored } from '../../secrets/store-secret.ts';
import { isObject } from '../../wire/json.ts';
import { type Command, type CommandInput, canAskUser, usageError } from '../command.ts';
import { warnUntrusted } from '../edit/edit-servers.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { learnHere } from '../learn/learn.ts';
import { formatCounted } from '../terminal/quantity.ts';
import { type ClientImport, openImport, runImport } from './import-servers.ts';

const FILE = 'orchestra.json';

/** Flags that import from clients. */
const importFlags = ['yes', 'only', 'client', 'merge', 'user', 'keep', 'dry-run'];

export const init: Command = {
	usage: 'mctl init [--yes | --only NAMES | --client NAME] [--dry-run] [--json] | --undo [--force]',
	examples: [
		'mctl init --dry-run               # what would change in which file',
		'mctl init --yes                   # import all servers, connect all clients',
		'mctl init --only files,github',
		'mctl init --client cursor --yes   # one client, and leave the others alone',
		'mctl init --undo                  # every file as it was',
	],
	flags: {
		yes: { short: 'y', help: 'import all servers of all clients' },
		only: { value: 'NAMES', help: 'import these servers, as in a,b' },
		client: { value: 'NAME', help: 'one client: cursor, codex, claude-code…' },
		merge: { help: 'import equal servers of different names once' },
		user: { help: 'all into your own configuration, not into orchestra.json' },
		keep: { help: 'leave the servers in the clients too' },
		'dry-run': { help: 'print a diff and write nothing' },
		undo: { help: 'restore every file that the last init changed' },
		force: { help: 'with --undo: the old file also where the present one is unreadable' },
		json: { help: 'print one JSON object on stdout, and ask nothing' },
	},

	async run(input) {
		checkFlags(input);
		const { flags } = input;
		if (flags['undo'] === true) return undo(input);
		await start(input);
		if (flags['dry-run'] !== true) await learnHere(input);
	},
};

async function start(input: CommandInput): Promise<void> {
	const { flags, cwd, environment } = input;
	const home = environment['HOME'] || homedir();
	const imports = importFlags.some((name) => flags[name] !== undefined);
	if (!imports && !canAskUser(input)) return startProject(input, home);
	const clientImport = openImport(
		{ cwd, environment },
		{
			home,
			isForUser: flags['user'] === true,
			client: chosenClient(input),
			isMerged: flags['merge'] === true,
			canAsk: canAskUser(input),
		},
	);
	if (!imports && clientImport.clients.files.length === 0) return startProject(input, home);
	return runImport(clientImport, input);
}

function checkFlags({ flags }: CommandInput): void {
	const others = importFlags.filter((name) => flags[name] !== undefined);
	if (flags['undo'] === true && others.length > 0)
		throw usageError(init, `--undo and --${others[0]} exclude each other`);
	if (flags['force'] === true && flags['undo'] !== true) throw usageError(init, '--force is for --undo only');
	if (flags['yes'] === true && flags['only'] !== undefined)
		throw usageError(init, '--yes and --only exclude each other');
}

function chosenClient({ flags }: CommandInput): ClientId | undefined {
	const { client } = flags;
	if (client === undefined) return undefined;
	const found = clientIds.find((id) => id === client);
	if (found !== undefined) return found;
	const [guess] = nearest(String(client), clientIds);
	throw usageError(
		init,
		`there is no client "${String(client)}"; ${guess ? `did you mean ${guess}` : `there are: ${clientIds.join(', ')}`}`,
	);
}

async function undo({ flags, cwd, environment, out }: CommandInput): Promise<void> {
	const hub = hubFolderHere({ cwd, environment }).running();
	const options = { environment, isForced: flags['force'] === true };
	const report = await undoLatestImport(stateFolder(environment), options);
	const { restored, kept, failed, waiting, copies, backup } = report;
	await removeStored(report.references, environment);
	if (flags['json'] === true) {
		const reasons = failed.map(({ path, error }) => ({ path, message: error.message }));
		out.json({ schema: 'orchestra.init/1', restored, kept, failed: reasons, waiting, copies });
	} else {
		for (const path of restored) out.line(`${out.style('green', '↺')} ${path}`);
		if (restored.length === 0 && failed.length === 0) out.line('Every file was as before already.');
	}
	for (const { path, names } of kept)
		out.info(
			`note: ${path} has its own ${names.join(', ')} by now, which stays; the old one is in ${backup}`,
		);
	if (copies.length > 0) out.info(`note: changed files were copied before: ${copies.join(', ')}`);
	if (failed.length > 0) throw notRestored(report);
	if (hub !== undefined)
		out.info(`note: the hub, process ${hub.pid}, still runs; mctl hub stop --all stops it`);
}

function notRestored({ failed, waiting, backup }: UndoReport): OrchestraError {
	const count = formatCounted(failed.length, 'file was', 'files were');
	const reasons = failed.map(({ path, error }) =>
		error.message.includes(path) ? error.message : `${path}: ${error.message}`,
	);
	const rest =
		waiting.length === 0
			? ''
			: ` ${waiting.join(' and ')} ${waiting.length === 1 ? 'stays' : 'stay'} until then.`;
	return new OrchestraError('bad_input', `${count} not restored: ${reasons.join('; ')}`, {
		hint: `Correct it and run mctl init --undo again, or add --force for the old file.${rest} Backup: ${backup}`,
		data: { files: failed.map(({ path }) => path), backup },
	});
}

async function startProject(input: CommandInput, home: string): Promise<void> {
	const { out, flags, cwd, environment } = input;
	if (existsSync(join(cwd, FILE))) {
		throw new OrchestraError('bad_input', `${join(cwd, FILE)} exists already`, {
			hint: 'Edit it; `mctl doctor` says whether it is right. `mctl init --yes` imports the servers of your clients.',
		});
	}
	const source = existsSync(join(cwd, '.mcp.json')) ? readRegularFile(join(cwd, '.mcp.json')) : undefined;
	const servers = source === undefined ? {} : serversIn(source);
	const count = Object.keys(servers).length;
	const after = Buffer.from(newConfigurationText(cwd, servers));
	const sources = source && count > 0 ? [{ path: join(cwd, '.mcp.json'), bytes: source }] : [];
	const edit = { path: join(cwd, FILE), before: undefined, after };
	const untrusted = await importTrust(edit, sources, environment);
	writeFileSync(join(cwd, FILE), after, { flag: 'wx' });
	const hasTools = existsSync(join(cwd, 'tools'));
	makeFolders(join(cwd, 'tools'));
	const more = foundElsewhere(input, home);
	if (flags['json'] === true) {
		const files = [{ path: join(cwd, FILE), isNew: true }];
		return out.json({ schema: 'orchestra.init/1', files, imported: Object.keys(servers), elsewhere: more });
	}
	out.line(
		`${out.style('green', '+')} ${FILE}${count > 0 ? ` (with ${formatCounted(count, 'server')} of .mcp.json)` : ''}`,
	);
	if (!hasTools) out.line(`${out.style('green', '+')} tools/`);
	warnUntrusted(out, FILE, untrusted);
	out.line('\nNext: mctl new tool my-tool');
	out.line('Then: mctl doctor');
	if (more > 0) out.line(`Your MCP clients have ${more} more: mctl init --dry-run shows how to import them`);
}

/** Servers of clients that the new configuration does not have. A broken file is no reason to fail here. */
function foundElsewhere({ cwd, environment }: CommandInput, home: string): number {
	return attempt(() => {
		const { found, targets }: ClientImport = openImport({ cwd, environment }, { home, isForUser: false });
		return found.filter(({ name }) => !Object.hasOwn(targets.project?.servers ?? {}, name)).length;
	}, 0);
}

function serversIn(bytes: Buffer): Record<string, unknown> {
	const { value } = parseJsonc(bytes.toString('utf8'), '.mcp.json');
	const servers = isObject(value) ? value['mcpServers'] : undefined;
	return isObject(servers) ? servers : {};
}
