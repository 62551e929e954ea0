/* What `mctl init` shows: the servers of all clients, what stands in the way, the changes. */

import type { ClientFiles } from '../../config/clients/client-files.ts';
import type { ImportEdits, PlannedFile } from '../../config/clients/import-edits.ts';
import type { FoundServer, ServerSource } from '../../config/clients/import-plan.ts';
import { maskSecrets, plainSecrets, secretValues } from '../../config/clients/plain-secrets.ts';
import { printableLine } from '../../printable.ts';
import { redact } from '../../redact.ts';
import type { Output } from '../terminal/output.ts';
import { formatCounted } from '../terminal/quantity.ts';
import { printTable } from '../terminal/table.ts';
import { unifiedDiff } from '../terminal/unified-diff.ts';
import type { ClientImport } from './import-servers.ts';

/** Other projects with servers that a warning names. */
const NAMED_PROJECTS = 20;

/** The table of servers, and the clients that have none. */
export function showServers(out: Output, { files }: ClientFiles, found: readonly FoundServer[]): void {
	if (found.length > 0)
		printTable(out, found, undefined, {
			'#': (server) => found.indexOf(server) + 1,
			SERVER: 'name',
			ENTRIES: verdictOf,
			CLIENTS: (server) => clientsOf(server).join(', '),
		});
	const titles = new Set(files.map(({ client }) => client.title));
	for (const { sources } of found) for (const { file } of sources) titles.delete(file.client.title);
	if (titles.size > 0) out.line(`No servers to import: ${[...titles].join(', ')}`);
}

/** `same` in several clients, `different` from one of the same name, or in one client only. */
function verdictOf({ sources, differsFrom }: FoundServer): string {
	if (differsFrom !== undefined) return 'different';
	return sources.length > 1 ? 'same' : 'one';
}

/** The titles of the clients that have it. */
function clientsOf({ sources }: FoundServer): string[] {
	return [...new Set(sources.map(sourceName))];
}

function sourceName({ file, server }: ServerSource): string {
	return server.scope === 'project' ? `${file.client.title} (project)` : file.client.title;
}

/** The client whose file this is. */
export function clientTitle({ files }: ClientFiles, path: string): string | undefined {
	return files.find((file) => file.path === path)?.client.title;
}

/** Broken files, servers that stay with their client, secrets in plain text. */
export function warningsOf({ files, broken }: ClientFiles, found: readonly FoundServer[]): string[] {
	const warnings: string[] = [];
	const warn = (text: string): number => warnings.push(printableLine(text));
	for (const { location, error } of broken) warn(`${location.client.title} is skipped: ${error.message}`);
	for (const { client, servers, otherProjects } of files) {
		for (const { name, reason, lost = [], isSelf } of servers) {
			if (reason !== undefined) warn(`"${name}" stays in ${client.title}: it ${reason}`);
			else if (lost.length > 0 && !isSelf)
				warn(`"${name}" of ${client.title} is imported without ${lost.join(', ')}`);
		}
		if (otherProjects.length > 0) {
			const count = formatCounted(otherProjects.length, 'other project');
			const more = otherProjects.length - NAMED_PROJECTS;
			const names = [...otherProjects.slice(0, NAMED_PROJECTS), ...(more > 0 ? [`and ${more} more`] : [])];
			warn(`${client.title} has servers of ${count} (${names.join(', ')}); run mctl init there`);
		}
	}
	for (const { name, equals } of found) {
		if (equals !== undefined) warn(`${name} is the same server as ${equals}; --merge imports one of them`);
	}
	for (const { name, entry } of found) {
		const { headersHelper } = entry;
		if (typeof headersHelper === 'string')
			warn(`${name} runs a command for its headers: ${redact(headersHelper)}`);
		for (const where of plainSecrets(entry)) {
			const variable = variableFor(name, where);
			warn(`${name}: ${where} looks like a secret in plain text; write \${${variable}} and set ${variable}`);
		}
	}
	return warnings;
}

/** `env.TOKEN` → `TOKEN`; a header or an argument gets the name of the server. */
function variableFor(server: string, where: string): string {
	const [map, key = ''] = where.split('.');
	const name = map === 'env' ? key : `${server}_TOKEN`;
	return name
		.toUpperCase()
		.replace(/\W/g, '_')
		.replace(/^(?=\d)/, '_');
}

/** A unified diff of every planned file, with secrets masked. */
export function showDiff(out: Output, { files }: ImportEdits, found: readonly FoundServer[]): void {
	for (const file of files) for (const line of diffOf(file, found)) out.foreign(line);
}

/** The lines of the diff of one file. */
function diffOf({ path, before, after }: PlannedFile, found: readonly FoundServer[]): string[] {
	const known = found.flatMap(({ entry }) => secretValues(entry).map(({ value }) => value));
	const lines = unifiedDiff(before?.toString('utf8') ?? '', after.toString('utf8'));
	return [
		`--- ${before === undefined ? '/dev/null' : printableLine(path)}`,
		`+++ ${printableLine(path)}`,
		...lines.map((line) => maskSecrets(line, known)),
	];
}

/** The chosen servers, and the outcome of each. */
interface ImportResult {
	readonly plan: ImportEdits;
	readonly chosen: readonly FoundServer[];
	readonly warnings: readonly string[];
	readonly isDryRun: boolean;
}

/** One object: the servers that were found, the files that changed or would change, what to look at. */
export function importObject(
	{ clients, found }: ClientImport,
	{ plan, chosen, warnings, isDryRun }: ImportResult,
): object {
	return {
		schema: 'orchestra.init/1',
		isDryRun,
		servers: found.map((server) => ({
			name: server.name,
			original: server.original,
			entries: verdictOf(server),
			...(server.equals !== undefined && { equals: server.equals }),
			clients: clientsOf(server),
			isChosen: chosen.includes(server),
		})),
		files: plan.files.map((file) => ({
			path: file.path,
			client: clientTitle(clients, file.path),
			isNew: file.before === undefined,
			...(isDryRun && { diff: `${diffOf(file, found).join('\n')}\n` }),
		})),
		warnings: [...warnings, ...plan.refused.map(({ message }) => message)],
	};
}
