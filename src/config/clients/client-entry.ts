/* A server in the file of a client as an entry of our configuration, to connect to it without importing it. */
import { OrchestraError } from '../../errors.ts';
import type { ServerEntry } from '../configuration.ts';
import { parseJsonc } from '../jsonc.ts';
import type { ConfigProblem } from '../problem.ts';
import { readSections } from '../sections/sections.ts';
import type { ServerSource } from './import-plan.ts';

export interface ClientEntryOptions {
	/** The folder that relative paths count from, and that the server runs in. */
	readonly folder: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** Throws `bad_input` when only its client can run it, or a variable is not set. */
export function readClientEntry(
	{ file: { path, client }, server }: ServerSource,
	{ folder, environment }: ClientEntryOptions,
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
	const sections = readSections({ file: path, document, environment, problems }, false, folder);
	const [found] = sections.mcpServers;
	if (found !== undefined) return found;
	throw new OrchestraError('bad_input', problems[0]?.message ?? `${name} in ${path} cannot be used`, {
		hint: `Correct it in ${path}.`,
	});
}
