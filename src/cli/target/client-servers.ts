/*
 * The servers that the MCP clients of this machine have, before they are imported. They
 * are named by client and server: `cursor:github`. Nothing is changed.
 */
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { type ClientFiles, readClientFiles } from '../../config/clients/client-files.ts';
import { type ClientId, clientIds } from '../../config/clients/client-table.ts';
import type { ServerSource } from '../../config/clients/import-plan.ts';
import { readTarget } from '../../config/clients/import-targets.ts';
import { isSameEntry, type NormalEntry } from '../../config/clients/normal-entry.ts';
import { maskSecrets, secretValues } from '../../config/clients/plain-secrets.ts';
import type { ServerEntry } from '../../config/configuration.ts';
import { parseJsonc } from '../../config/jsonc.ts';
import { userFile } from '../../config/load.ts';
import { type ConfigProblem, unreadableProblem } from '../../config/problem.ts';
import { readSections } from '../../config/sections/sections.ts';
import { attempt, OrchestraError } from '../../errors.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { printableLine } from '../../printable.ts';
import { publicUrl } from '../../transport/http/http-errors.ts';
import type { CommandPlace } from '../command.ts';
import type { Listing } from '../list/listing.ts';

/** The action of `mctl init` for a server, planned or done. */
type ClientServerState = 'not imported' | 'imported' | 'disabled' | 'client only' | 'orchestra' | 'gone';

export const clientListing: Listing = {
	headings: ['SERVER', 'STATE', 'FILE', 'COMMAND'],
	narrow: ['SERVER', 'STATE', 'FILE'],
	whenEmpty: 'No MCP client of this machine has a server.',

	async list({ cwd, environment }) {
		const read = clientFilesHere({ cwd, environment });
		const existing = existingServers({ cwd, environment });
		const items = sourcesOf(read).map((source) => {
			const { file, server } = source;
			return {
				name: addressOf(source),
				client: file.client.id,
				server: server.name,
				scope: server.scope,
				state: clientServerState(source, existing),
				file: file.path,
				reason: server.reason ?? null,
				command: commandText(server.entry),
			};
		});
		const home = environment['HOME'] || homedir();
		return {
			items,
			rows: items.map(({ name, state, file, command }) => [name, state, shortPath(file, home), command]),
			problems: read.broken.map(({ location, error }) => unreadableProblem(location.path, error)),
			messages: items.flatMap(({ name, reason }) => (reason === null ? [] : [`${name} ${reason}`])),
		};
	},
};

/** The server that an argument like `cursor:github` names; undefined when the argument is not of this form. Throws `bad_input` when it names none that can be used. */
export function clientServerNamed(arg: string, { cwd, environment }: CommandPlace): ServerEntry | undefined {
	const [, client = '', name = ''] = /^([a-z-]+):(.+)$/.exec(arg) ?? [];
	if (!clientIds.some((id) => id === client)) return undefined;
	const sources = sourcesOf(clientFilesHere({ cwd, environment }));
	// What a project says counts before what the user says everywhere.
	const named = sources.filter((source) => addressOf(source) === `${client}:${name}`);
	const source = named.find(({ server }) => server.scope === 'project') ?? named[0];
	if (source === undefined) throw unknownServer(arg, sources.map(addressOf));
	return readEntry(source, { cwd, environment });
}

/** Its entry as one of our configuration, which runs in the folder of the command. Throws `bad_input` when only its client can run it, or a variable is not set. */
function readEntry(
	{ file: { path, client }, server }: ServerSource,
	{ cwd, environment }: CommandPlace,
): ServerEntry {
	const { name, entry, reason } = server;
	if (entry === undefined) {
		throw new OrchestraError('bad_input', `"${name}" of ${client.title} ${reason ?? 'cannot be used'}`, {
			hint: `Use it in ${client.title}, or write it for mctl: mctl add ${name}`,
		});
	}
	const { disabled: _, ...enabled } = entry;
	const problems: ConfigProblem[] = [];
	const document = parseJsonc(JSON.stringify({ mcpServers: { [name]: enabled } }), path);
	const sections = readSections({ file: path, document, environment, problems }, false, cwd);
	const [found] = sections.mcpServers;
	if (found !== undefined) return found;
	throw new OrchestraError('bad_input', problems[0]?.message ?? `${name} in ${path} cannot be used`, {
		hint: `Correct it in ${path}.`,
	});
}

function unknownServer(arg: string, all: readonly string[]): OrchestraError {
	const guesses = nearest(arg, all);
	return new OrchestraError('bad_input', `no client has a server ${arg}`, {
		hint: didYouMean(guesses, 'mctl list --clients shows them.'),
		data: { server: arg, nearest: guesses },
	});
}

function clientFilesHere({ cwd, environment }: CommandPlace): ClientFiles {
	const home = environment['HOME'] || homedir();
	return readClientFiles({ platform: process.platform, home, project: cwd, environment });
}

function sourcesOf({ files }: ClientFiles): ServerSource[] {
	return files.flatMap((file) => file.servers.map((server) => ({ file, server })));
}

function addressOf({ file, server }: ServerSource): `${ClientId}:${string}` {
	return `${file.client.id}:${server.name}`;
}

/** The servers of our own files; one that cannot be read has none here, and other commands report it. */
function existingServers({ cwd, environment }: CommandPlace): NormalEntry[] {
	const files = [join(cwd, 'orchestra.json'), userFile(environment)];
	return files.flatMap((path) => {
		return attempt(() => (path === undefined ? [] : Object.values(readTarget(path, '', 0o600).servers)), []);
	});
}

function clientServerState({ server }: ServerSource, existing: readonly NormalEntry[]): ClientServerState {
	const { entry, isSelf, isStale } = server;
	if (isSelf) return isStale ? 'gone' : 'orchestra';
	if (entry === undefined) return 'client only';
	if (existing.some((other) => isSameEntry(other, entry))) return 'imported';
	return entry['disabled'] === true ? 'disabled' : 'not imported';
}

/** Without secrets. */
function commandText(entry: NormalEntry | undefined): string {
	const { command, args, url } = entry ?? {};
	if (typeof url === 'string') return URL.canParse(url) ? publicUrl(new URL(url)) : '';
	const commandLine = [command, ...(Array.isArray(args) ? args : [])].filter(
		(arg) => typeof arg === 'string',
	);
	const known = secretValues(entry).map(({ value }) => value);
	return printableLine(maskSecrets(commandLine.join(' '), known));
}

function shortPath(path: string, home: string): string {
	const inside = relative(home, path);
	return inside.startsWith('..') ? path : `~/${inside}`;
}
