/*
 * The text of `orchestra.lock`: one line for each tool, sorted, so that a change of one
 * tool is one line in a diff and two branches merge by lines. Every character outside
 * ASCII is escaped: a name cannot reorder or hide a line in a review.
 */
import { OrchestraError } from '../../errors.ts';
import { printableName } from '../../printable.ts';
import type { ToolHashes } from './pinned-tool.ts';

/** The hashes of the tools of each server, by the name of the server. */
export type PinnedServers = ReadonlyMap<string, ToolHashes>;

const FIRST_LINE = 'orchestra-lock 1';
const header = [
	'# The tools of each MCP server, as they were accepted. Commit this file.',
	'# A changed line: a server changed a tool. "mctl trust diff" shows how, "mctl trust accept <server>" accepts it.',
	FIRST_LINE,
];
const serverLine = /^server ("(?:[^"\\]|\\.)*")$/;
const toolLine = /^ {2}("(?:[^"\\]|\\.)*") sha256:([\da-f]{64})$/;

/** The text for these servers. */
export function formatLock(servers: PinnedServers): string {
	const lines = [...header];
	for (const [server, tools] of sorted(servers)) {
		lines.push('', `server ${quoted(server)}`);
		for (const [tool, hash] of sorted(tools)) lines.push(`  ${quoted(tool)} sha256:${hash}`);
	}
	return `${lines.join('\n')}\n`;
}

/** Read a text. Throws `bad_input` with the line that is wrong. */
export function parseLock(text: string, file: string): PinnedServers {
	const servers = new Map<string, Map<string, string>>();
	let current: Map<string, string> | undefined;
	let hasFirst = false;
	for (const [at, whole] of text.split('\n').entries()) {
		const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
		if (line.trim() === '' || line.startsWith('#')) continue;
		if (!hasFirst) {
			if (line !== FIRST_LINE) throw broken(file, at + 1, line, `"${FIRST_LINE}"`);
			hasFirst = true;
			continue;
		}
		const server = nameIn(serverLine.exec(line)?.[1]);
		if (server !== undefined) {
			if (servers.has(server)) throw broken(file, at + 1, line, 'each server once');
			current = new Map();
			servers.set(server, current);
			continue;
		}
		const [, quotedName, hash] = toolLine.exec(line) ?? [];
		const tool = nameIn(quotedName);
		if (tool === undefined || hash === undefined || current === undefined)
			throw broken(file, at + 1, line, 'server "name", or a tool with its hash');
		if (current.has(tool)) throw broken(file, at + 1, line, 'each tool once');
		current.set(tool, hash);
	}
	return servers;
}

function nameIn(text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	try {
		// A JSON string.
		return JSON.parse(text) as string;
	} catch {
		return undefined; // an unknown escape
	}
}

function broken(file: string, line: number, found: string, allowed: string): OrchestraError {
	const isConflict = /^(?:<{7}|={7}|>{7})/.test(found);
	const fix = isConflict ? 'Resolve the conflict' : 'Restore it from version control';
	return new OrchestraError(
		'bad_input',
		`${file}:${line} is "${printableName(found.slice(0, SHOWN_CHARACTERS))}", expected ${allowed}`,
		{ hint: `${fix}, or remove the file to accept the tools as they are now.`, data: { file, line } },
	);
}

const SHOWN_CHARACTERS = 80;

function sorted<T>(entries: ReadonlyMap<string, T>): [string, T][] {
	return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}

function quoted(name: string): string {
	return JSON.stringify(name).replace(
		/[^\u0020-\u007E]/g,
		(char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
