/*
 * The last lists of an MCP server, stored on disk, so that lists are answered without
 * starting it.
 *
 * The file is named by a fingerprint of the entry: another name or command has another
 * catalogue. Only the names of environment variables count, because values are
 * often secrets that change. A user-level entry is the same server in every folder. A
 * damaged file counts as absent.
 *
 * A second link to the file is named by the entry's name and program alone. It stands in
 * for an entry that was never seen, until its server answers: the same server of another
 * folder, with other arguments, or of an older version of this program. A third file has
 * the reason why the last start failed, and a mark of the entry with all its values: a
 * failure of an entry that was edited since says nothing about the next start.
 */
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ServerEntry, StdioServerEntry } from '../../../config/configuration.ts';
import { attempt, isCode, messageOf, OrchestraError } from '../../../errors.ts';
import { makeFolders } from '../../../files/make-folders.ts';
import { packageVersion } from '../../../files/package-version.ts';
import { assertPrivate, makePrivate } from '../../../files/private-path.ts';
import { readRegularText } from '../../../files/regular-file.ts';
import { hashedName, sha256 } from '../../../files/sha256.ts';
import { readState, writeState } from '../../../files/state-file.ts';
import { stateFolder } from '../../../files/state-folder.ts';
import type { LeftOutItem } from '../../../mcp/client/list-pages.ts';
import type {
	Implementation,
	Prompt,
	Resource,
	ResourceTemplate,
	ServerCapabilities,
	Skill,
	Tool,
} from '../../../protocol/mcp-types.ts';
import { SKILLS } from '../../../protocol/meta.ts';
import { entryKey } from '../../../secrets/secret-text.ts';
import { isObject } from '../../../wire/json.ts';
import { encodeJson, JsonText, rewritesNumbers } from '../../../wire/json-text.ts';
import { KNOWN_LIMIT_BYTES } from '../../hub-limits.ts';
import { KNOWN_TTL_LEAST_MS, KNOWN_TTL_MS } from '../source-limits.ts';
import { serversFolder } from './server-files.ts';

/** The format of the file. */
const FORMAT = 1;
/** Too short to test guesses of a secret value with. */
const MARK_CHARACTERS = 4;
/** Two hubs of one process may write the same file. */
let draftCount = 0;

/** The lists of a server. */
export interface ServerLists {
	readonly tools: readonly Tool[];
	readonly prompts: readonly Prompt[];
	readonly resources: readonly Resource[];
	readonly templates: readonly ResourceTemplate[];
	readonly skills: readonly Skill[];
}

/** The lists of a server, and what it said about itself. */
export interface CachedServer extends ServerLists {
	/** Tools that are left out of the list. */
	readonly leftOut?: readonly LeftOutItem[] | undefined;
	readonly era: 'legacy' | 'modern';
	/** When the server showed last that it is legacy, in milliseconds since 1970; undefined when it never did. */
	readonly eraProvenAt?: number | undefined;
	readonly revision: string;
	readonly serverInfo: Implementation | undefined;
	readonly capabilities: ServerCapabilities;
	readonly instructions: string | undefined;
	/** Milliseconds since 1970. */
	readonly listedAt: number;
	/** How long the lists are fresh, when the server said so. */
	readonly ttlMs: number | undefined;
	/** Set in the file when it has a number that must stay as it is written. */
	readonly keepsNumbers?: true | undefined;
}

/** Where the state of a server is on disk. */
export interface CacheFiles {
	/** The fingerprint of its entry. */
	readonly key: string;
	/** Its last lists. */
	readonly file: string;
	/** The last lists of a server of the same name and program. */
	readonly latest: string;
	/** Why its last start failed. */
	readonly failed: string;
	/** Changes with the values of the entry, also those that are not in the fingerprint. */
	readonly mark: string;
	/** The file that marks a server that sends client requests. */
	readonly asks: string;
}

/** Why a start failed. */
export interface StoredFailure {
	/** Without secrets. */
	readonly message: string;
	/** True when the server refused us for lack of authorization: it answers at once, and a sign-in may have come since. */
	readonly needsSignIn: boolean;
}

/** The files of a server. @param folder the state folder @param version of this program */
export function cacheFilesOf(folder: string, entry: ServerEntry, version: string): CacheFiles {
	const servers = serversFolder(folder);
	const key = fingerprintOf(entry, version);
	const path = join(servers, key);
	const latest = join(
		servers,
		'latest',
		`${hashedName(JSON.stringify([entry.name, programOf(entry)]))}.json`,
	);
	const mark = markOf(entry);
	return { key, file: `${path}.json`, latest, failed: `${path}.failed`, mark, asks: `${path}.asks` };
}

/** Whether the lists should be read again. */
export function isStale({ listedAt, ttlMs = KNOWN_TTL_MS }: CachedServer, now: number = Date.now()): boolean {
	return now - listedAt >= Math.max(ttlMs, KNOWN_TTL_LEAST_MS) || listedAt > now;
}

/**
 * The era for the next start; undefined when the server has to be probed. A legacy verdict expires, because a server
 * that was upgraded still answers `initialize`.
 */
export function cachedEraOf(
	known: CachedServer | undefined,
	now: number = Date.now(),
): CachedServer['era'] | undefined {
	if (known?.era !== 'legacy') return known?.era;
	const ageMs = now - (known.eraProvenAt ?? 0);
	return ageMs >= 0 && ageMs < KNOWN_TTL_MS ? 'legacy' : undefined;
}

/** The cached lists of this server; undefined when it was never seen. Throws `bad_input` when the file is damaged or not private. */
export function readKnown({ file }: Pick<CacheFiles, 'file'>): CachedServer | undefined {
	let text: string;
	try {
		assertPrivate(file);
		text = readRegularText(file, KNOWN_LIMIT_BYTES);
	} catch (error) {
		if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
		throw error;
	}
	try {
		const value: unknown = JSON.parse(text);
		// A file of before skills.
		if (isObject(value)) value['skills'] ??= [];
		if (isKnown(value)) return value.keepsNumbers ? (new JsonText(text, value).exact as CachedServer) : value;
	} catch (cause) {
		throw damaged(file, messageOf(cause));
	}
	throw damaged(file, 'it does not have the expected form');
}

/** The last lists of a server of the same name and program; undefined when there is none that can be used. */
export function readLatest({ latest }: CacheFiles): CachedServer | undefined {
	// It is written again when a server was listed.
	return attempt(() => readKnown({ file: latest }));
}

/** Why the last start of the server failed; undefined when it did not, and when its entry was edited since. */
export function readFailure({ failed, mark }: CacheFiles): StoredFailure | undefined {
	// The file may be of another user.
	return attempt(() => {
		const state = readState(failed);
		if (!isObject(state) || typeof state['message'] !== 'string' || state['mark'] !== mark) return undefined;
		return { message: state['message'], needsSignIn: state['needsSignIn'] === true };
	});
}

/** Remember that a start failed. Throws the error of the system. */
export function writeFailure({ failed, mark }: CacheFiles, failure: StoredFailure): void {
	makeServerFolder(dirname(failed));
	writeState(failed, { ...failure, mark, at: Date.now() });
}

/** The user did something about the server: the next list waits for it again. Throws the error of the system. */
export function forgetFailure({ failed }: CacheFiles): void {
	rmSync(failed, { force: true });
}

/** Whether the server sent a client request while several had calls in flight. */
export function isAsking({ asks }: CacheFiles): boolean {
	// The file may be of another user.
	return attempt(() => readState(asks) !== undefined, false);
}

/** Remember that it did. Throws the error of the system. */
export function writeAsking({ asks }: CacheFiles): void {
	makeServerFolder(dirname(asks));
	writeState(asks, { at: Date.now() });
}

/** Replace the file. Throws `io` when it cannot be written or would be too large. */
export function writeKnown(files: CacheFiles, known: CachedServer): void {
	const text = textOf(known);
	const draft = draftOf(files.file);
	try {
		writeFileSync(draft, text, { mode: 0o600 });
		replaceKnown(draft, files);
	} finally {
		rmSync(draft, { force: true }); // a full disk leaves the beginning
	}
}

/** The same without blocking the event loop. Nothing is replaced when `isCurrent` is false by then. */
export async function writeKnownLater(
	files: CacheFiles,
	known: CachedServer,
	isCurrent: () => boolean,
): Promise<void> {
	if (!isCurrent()) return;
	const text = textOf(known);
	const draft = draftOf(files.file);
	try {
		await writeFile(draft, text, { mode: 0o600 });
		if (isCurrent()) replaceKnown(draft, files);
	} finally {
		rmSync(draft, { force: true }); // it is not current, or a full disk has only its beginning
	}
}

function replaceKnown(draft: string, { file, latest, failed }: CacheFiles): void {
	renameSync(draft, file);
	rmSync(failed, { force: true });
	const link = draftOf(latest);
	// On a file system without links a server that was never seen has no stand-in.
	attempt(() => {
		linkSync(file, link);
		renameSync(link, latest);
		rmSync(link, { force: true }); // a rename between two links of one file does nothing
	});
}

function textOf(known: CachedServer): string {
	const written = encodeJson({ format: FORMAT, ...known, keepsNumbers: undefined });
	const text = rewritesNumbers(written) ? `{"keepsNumbers":true,${written.slice(1)}` : written;
	if (Buffer.byteLength(text) <= KNOWN_LIMIT_BYTES) return text;
	throw new OrchestraError('io', `the lists are larger than ${KNOWN_LIMIT_BYTES} bytes`, {
		hint: 'The server is started for each list; list fewer tools with `allow` or `deny`.',
	});
}

/** A new file beside `file`, in a folder that only the user can read. */
function draftOf(file: string): string {
	makeServerFolder(dirname(file));
	return join(dirname(file), `.${basename(file)}.${process.pid}.${++draftCount}`);
}

function makeServerFolder(folder: string): void {
	makeFolders(folder, 0o700);
	makePrivate(folder, 0o700);
}

/** Where the state of a server is, for the user of this environment. */
export function cacheFilesHere(entry: ServerEntry, environment: Readonly<NodeJS.ProcessEnv>): CacheFiles {
	return cacheFilesOf(stateFolder(environment), entry, packageVersion());
}

function fingerprintOf(entry: ServerEntry, version: string): string {
	const start = entry.kind === 'stdio' ? startOf(entry) : remoteOf(entry);
	return hashedName(JSON.stringify([version, entry.name, start]));
}

/** A user-level entry is the same in every folder. */
function markOf(entry: ServerEntry): string {
	const isAnywhere = entry.kind === 'stdio' && entry.isOfUser;
	const same = isAnywhere ? { ...entry, record: { ...entry.record, cwd: '' } } : entry;
	return sha256(entryKey(same)).slice(0, MARK_CHARACTERS);
}

function startOf({ record, secrets, isOfUser = false }: StdioServerEntry): unknown[] {
	const { command, args = [], env, cwd = '' } = record;
	return [command, args, names({ ...env, ...secrets }), ...(isOfUser ? [] : [cwd])];
}

function remoteOf({ kind, url, headers, secrets }: Exclude<ServerEntry, StdioServerEntry>): unknown[] {
	return [kind, url, names({ ...headers, ...secrets })];
}

/** Arguments of a command line before the program that it means: `docker run image`, `uv tool run package`. */
const launchArgs: ReadonlySet<string> = new Set(['run', 'exec', 'dlx', 'x', 'tool']);

/** The program or address of an entry, without arguments, folders and versions. */
function programOf(entry: ServerEntry): unknown[] {
	if (entry.kind !== 'stdio') return [entry.kind, entry.url.replace(/[?#].*$/s, '')];
	const { command, args = [] } = entry.record;
	const program = args.find((word) => !word.startsWith('-') && !launchArgs.has(word)) ?? '';
	return ['stdio', basename(command), basename(program).replace(/(?<=.)(@|==).*$/s, '')];
}

function names(values: Readonly<Record<string, unknown>>): string[] {
	return Object.keys(values).sort();
}

function isKnown(value: unknown): value is CachedServer {
	if (!isObject(value) || value['format'] !== FORMAT) return false;
	const { era, revision, capabilities, instructions, listedAt } = value;
	const { tools, prompts, resources, templates, skills, leftOut = [] } = value;
	return (
		(era === 'legacy' || era === 'modern') &&
		typeof revision === 'string' &&
		isObject(capabilities) &&
		(instructions === undefined || typeof instructions === 'string') &&
		typeof listedAt === 'number' &&
		isListOf(tools, 'name') &&
		isListOf(prompts, 'name') &&
		isListOf(resources, 'uri') &&
		isListOf(templates, 'uriTemplate') &&
		isListOf(skills, 'uri') &&
		isListOf(leftOut, 'name') &&
		isListOf(leftOut, 'reason')
	);
}

/** Whether a value is a list of objects with this string. */
function isListOf(value: unknown, key: string): boolean {
	return Array.isArray(value) && value.every((item) => isObject(item) && typeof item[key] === 'string');
}

function damaged(file: string, reason: string): OrchestraError {
	return new OrchestraError('bad_input', `${file} is damaged: ${reason}`, {
		hint: 'It is written again when the server was listed.',
	});
}

/** A sentence about a tool that is left out of the list of its server. */
export function leftOutText(server: string, { name, reason }: LeftOutItem): string {
	return `"${name}" of ${server} is left out: ${reason}`;
}

/** What the user can do about it. */
export const LEFT_OUT_HINT = 'Only a new version of the server can change that: report it to its author.';

/** Whether the server declares skills, as far as it is known. */
export function declaresSkills(
	known: CachedServer | undefined,
): Readonly<Record<string, unknown>> | undefined {
	const settings = known?.capabilities.extensions?.[SKILLS];
	return isObject(settings) ? settings : undefined;
}

/** Whether a URI, as the server has it, is a file of one of its skills. */
export function isSkillFile(known: CachedServer | undefined, own: string): boolean {
	return (known?.skills ?? []).some(
		({ uri, resources }) =>
			uri === own || (Array.isArray(resources) && resources.some((file) => file.uri === own)),
	);
}

/** True when a resource or a template of the server has the scheme of this URI. */
export function hasScheme(known: CachedServer | undefined, uri: string): boolean {
	const scheme = /^[^:]+:/.exec(uri)?.[0];
	if (known === undefined || scheme === undefined) return false;
	return (
		known.resources.some((resource) => resource.uri.startsWith(scheme)) ||
		known.templates.some(({ uriTemplate }) => uriTemplate.startsWith(scheme))
	);
}
