/*
 * `orchestra.lock`: one line for each tool, sorted, so that a change of one tool is one
 * line in a diff and two branches merge by lines. Every character outside ASCII is
 * escaped: a name cannot reorder or hide a line in a review.
 *
 * The file comes with a project of another user: one that is not a plain lock file is a
 * problem, and is never replaced.
 */
import { lstatSync } from 'node:fs';
import { attempt, isCode, OrchestraError } from '../../errors.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { printableName } from '../../printable.ts';
import { LOCK_TEXT_CHARACTERS } from '../trust-limits.ts';
import type { ToolHashes } from './tool-pin.ts';

/** A lock file and the bytes that it was read from; no bytes when there is none. */
export interface LockFile extends LockContent {
	readonly bytes: Buffer | undefined;
}

/** Read a lock file. Throws `bad_input` when it is damaged, or no plain file. */
export function readLockFile(path: string): LockFile {
	try {
		if (lstatSync(path).isSymbolicLink()) {
			throw new OrchestraError(
				'bad_input',
				`${path} is a symbolic link, and a lock file must be a plain file`,
				{
					hint: 'Remove the link.',
					data: { path },
				},
			);
		}
		const bytes = readRegularFile(path);
		return { ...parseLock(bytes.toString('utf8'), path), bytes };
	} catch (error) {
		if (isCode(error, 'ENOENT', 'ENOTDIR'))
			return { servers: new Map(), packages: new Map(), bytes: undefined };
		throw OrchestraError.from(error, 'io');
	}
}

/** Replace a lock file that was read before. Throws when it has other bytes now; errors of the system pass through. */
export function writeLockFile(path: string, content: LockContent, { bytes }: Pick<LockFile, 'bytes'>): void {
	const text = Buffer.from(formatLock(content));
	if (bytes?.equals(text) === true) return;
	replaceFile(path, text, { expected: { bytes } });
}

/** Which package of a registry a server is. */
export interface PinnedPackage {
	/** The name of the registry. */
	readonly registry: string;
	/** Its name there. */
	readonly name: string;
	readonly version: string;
	/** `npm`, `pypi`, `oci`, …; `remote` for an address. */
	readonly type: string;
	readonly identifier: string;
	/** The hash of the file or image, when the registry names one. */
	readonly sha256: string | undefined;
}

/** Keyed by the name of the server. */
export type PinnedPackages = ReadonlyMap<string, PinnedPackage>;

/** The content of a lock file. */
export interface LockContent {
	readonly servers: PinnedServers;
	readonly packages: PinnedPackages;
}

/** The hashes of the tools of each server, by the name of the server. */
export type PinnedServers = ReadonlyMap<string, ToolHashes>;

const FIRST_LINE = 'orchestra-lock 1';
const header = [
	'# The tools of each MCP server, as they were accepted. Commit this file.',
	'# A changed line: a server changed a tool. "mctl trust diff" shows how, "mctl trust accept <server>" accepts it.',
	FIRST_LINE,
];
const packageLine = /^package ((?:"(?:[^"\\]|\\.)*" ){5}"(?:[^"\\]|\\.)*")(?: sha256:([\da-f]{64}))?$/;
const quotedText = /"(?:[^"\\]|\\.)*"/g;
const serverLine = /^server ("(?:[^"\\]|\\.)*")$/;
const toolLine = /^ {2}("(?:[^"\\]|\\.)*") sha256:([\da-f]{64})$/;

/** The text of a lock file. */
export function formatLock({ servers, packages }: LockContent): string {
	const lines = [...header];
	if (packages.size > 0) lines.push('');
	for (const [server, { registry, name, version, type, identifier, sha256 }] of sorted(packages)) {
		const strings = [server, registry, name, version, type, identifier].map(quoted).join(' ');
		lines.push(`package ${strings}${sha256 === undefined ? '' : ` sha256:${sha256}`}`);
	}
	for (const [server, tools] of sorted(servers)) {
		lines.push('', `server ${quoted(server)}`);
		for (const [tool, hash] of sorted(tools)) lines.push(`  ${quoted(tool)} sha256:${hash}`);
	}
	return `${lines.join('\n')}\n`;
}

/** Read a text. Throws `bad_input` with the line that is wrong. */
export function parseLock(text: string, file: string): LockContent {
	const servers = new Map<string, Map<string, string>>();
	const packages = new Map<string, PinnedPackage>();
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
		const pinned = packageIn(line);
		if (pinned !== undefined) {
			if (packages.has(pinned.server)) throw broken(file, at + 1, line, 'each package once');
			packages.set(pinned.server, pinned.item);
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
	return { servers, packages };
}

function packageIn(line: string): { server: string; item: PinnedPackage } | undefined {
	const [, strings = '', sha256] = packageLine.exec(line) ?? [];
	const names = (strings.match(quotedText) ?? []).map(nameIn);
	const [server, registry, name, version, type, identifier] = names;
	if (server === undefined || registry === undefined || name === undefined) return undefined;
	if (version === undefined || type === undefined || identifier === undefined) return undefined;
	return { server, item: { registry, name, version, type, identifier, sha256 } };
}

function nameIn(text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	// A JSON string.
	// It may have an unknown escape.
	return attempt(() => JSON.parse(text) as string);
}

function broken(file: string, line: number, found: string, allowed: string): OrchestraError {
	const isConflict = /^(?:<{7}|={7}|>{7})/.test(found);
	const fix = isConflict ? 'Resolve the conflict' : 'Restore it from version control';
	return new OrchestraError(
		'bad_input',
		`${file}:${line} is "${printableName(found.slice(0, LOCK_TEXT_CHARACTERS))}", expected ${allowed}`,
		{ hint: `${fix}, or remove the file to accept the tools as they are now.`, data: { file, line } },
	);
}

function sorted<T>(entries: ReadonlyMap<string, T>): [string, T][] {
	return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}

function quoted(name: string): string {
	return JSON.stringify(name).replace(
		/[^\u0020-\u007E]/g,
		(char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
