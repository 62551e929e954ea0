/* Our own configuration files, that of the project and that of the user, as the targets of an import. */
import { attempt } from '../../errors.ts';
import { readIfPresent } from '../../files/replace-file.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { isObject } from '../../wire/json.ts';
import { parseJsonc } from '../jsonc.ts';
import type { TargetFile } from './import-edits.ts';
import { type NormalEntry, normalEntry } from './normal-entry.ts';

/** Read a target; `text` is that of a new file. Throws `bad_input` naming the line of a broken file. */
export function readTarget(path: string, text: string, mode: number): TargetFile {
	const before = readIfPresent(path);
	const current = before?.toString('utf8');
	if (current === undefined || current.trim() === '') return { path, before, text, servers: {}, mode };
	const { value } = parseJsonc(current, path);
	const servers = isObject(value) && isObject(value['mcpServers']) ? value['mcpServers'] : {};
	const normal = Object.entries(servers).map(([name, raw]) => [name, comparableEntry(raw)]);
	return { path, before, text: current, servers: Object.fromEntries(normal), mode };
}

/** An entry that is not right is like no other. */
function comparableEntry(raw: unknown): NormalEntry {
	// It may be a string that is no stdio: URI.
	return attempt(() => {
		const entry = normalEntry(typeof raw === 'string' ? parseStdioUri(raw) : raw, 'claude-code');
		return typeof entry === 'string' ? {} : entry;
	}, {});
}
