/*
 * What an MCP server offered last, kept on disk, so that lists are answered without
 * starting it.
 *
 * The file is named by a fingerprint of the entry: another name or command has another
 * catalogue. Only the names of environment variables count, because values are
 * often secrets that change. A damaged file counts as absent.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ServerEntry } from '../../../config/configuration.ts';
import { isCode, messageOf, OrchestraError } from '../../../errors.ts';
import { makeFolders } from '../../../files/make-folders.ts';
import { assertPrivate, makePrivate } from '../../../files/private-path.ts';
import { readRegularText } from '../../../files/regular-file.ts';
import { sha256 } from '../../../files/sha256.ts';
import type {
	Implementation,
	Prompt,
	Resource,
	ResourceTemplate,
	ServerCapabilities,
	Tool,
} from '../../../protocol/mcp-types.ts';
import { isObject, rewritesNumbers } from '../../../wire/json.ts';
import { encodeJson } from '../../../wire/json-rpc.ts';
import { keepNumbers } from '../../../wire/keep-numbers.ts';
import { serversFolder } from './server-files.ts';

/** The format of the file. */
const FORMAT = 1;
/** Largest file. */
const KNOWN_LIMIT_BYTES: number = 8 * 1024 * 1024;
const FINGERPRINT_CHARACTERS = 24;
/** Two hubs of one process may write the same file. */
let draftCount = 0;
/** How long a catalogue without a TTL of its own is fresh, in milliseconds. */
export const KNOWN_TTL_MS: number = 24 * 60 * 60 * 1000;
/** The least TTL: some servers say 0, and each list would start them. */
const KNOWN_TTL_LEAST_MS = 60_000;

/** What a server offers. */
export interface ServerLists {
	readonly tools: readonly Tool[];
	readonly prompts: readonly Prompt[];
	readonly resources: readonly Resource[];
	readonly templates: readonly ResourceTemplate[];
}

/** What a server offered, and what it said about itself. */
export interface KnownServer extends ServerLists {
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
	/** Set in the file when it has a number that must be kept as it is written. */
	readonly keepsNumbers?: true | undefined;
}

/** The file with what is known of this server. @param folder the state folder @param version of this program */
export function knownFileOf(folder: string, entry: ServerEntry, version: string): string {
	return join(serversFolder(folder), `${fingerprintOf(entry, version)}.json`);
}

/** Whether the lists should be read again. */
export function isStale({ listedAt, ttlMs = KNOWN_TTL_MS }: KnownServer, now: number = Date.now()): boolean {
	return now - listedAt >= Math.max(ttlMs, KNOWN_TTL_LEAST_MS) || listedAt > now;
}

/**
 * The era for the next start; undefined when the server has to be probed. A legacy verdict expires, because a server
 * that was upgraded still answers `initialize`.
 */
export function knownEraOf(
	known: KnownServer | undefined,
	now: number = Date.now(),
): KnownServer['era'] | undefined {
	if (known?.era !== 'legacy') return known?.era;
	const ageMs = now - (known.eraProvenAt ?? 0);
	return ageMs >= 0 && ageMs < KNOWN_TTL_MS ? 'legacy' : undefined;
}

/** Read the file; undefined when there is none. Throws `bad_input` when it is damaged or not private. */
export function readKnown(file: string): KnownServer | undefined {
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
		if (isKnown(value)) {
			if (value.keepsNumbers) keepNumbers(value, text);
			return value;
		}
	} catch (cause) {
		throw damaged(file, messageOf(cause));
	}
	throw damaged(file, 'it does not have the expected form');
}

/** Replace the file. Throws `io` when it cannot be written or would be too large. */
export function writeKnown(file: string, known: KnownServer): void {
	const text = textOf(known);
	const draft = draftOf(file);
	writeFileSync(draft, text, { mode: 0o600 });
	renameSync(draft, file);
}

/** The same without blocking the event loop. Nothing is replaced when `isCurrent` is false by then. */
export async function writeKnownLater(
	file: string,
	known: KnownServer,
	isCurrent: () => boolean,
): Promise<void> {
	if (!isCurrent()) return;
	const text = textOf(known);
	const draft = draftOf(file);
	await writeFile(draft, text, { mode: 0o600 });
	if (isCurrent()) renameSync(draft, file);
	else rmSync(draft, { force: true });
}

function textOf(known: KnownServer): string {
	const written = encodeJson({ format: FORMAT, ...known, keepsNumbers: undefined });
	const text = rewritesNumbers(written) ? `{"keepsNumbers":true,${written.slice(1)}` : written;
	if (Buffer.byteLength(text) <= KNOWN_LIMIT_BYTES) return text;
	throw new OrchestraError('io', `the lists are larger than ${KNOWN_LIMIT_BYTES} bytes`, {
		hint: 'The server is started for each list; offer fewer tools with `allow` or `deny`.',
	});
}

/** A new file beside `file`, in a folder that only the user can read. */
function draftOf(file: string): string {
	makeFolders(dirname(file), 0o700);
	makePrivate(dirname(file), 0o700);
	return join(dirname(file), `.${basename(file)}.${process.pid}.${++draftCount}`);
}

function fingerprintOf(entry: ServerEntry, version: string): string {
	const start =
		entry.kind === 'stdio'
			? [
					entry.record.command,
					entry.record.args ?? [],
					names({ ...entry.record.env, ...entry.secrets }),
					entry.record.cwd ?? '',
				]
			: [entry.kind, entry.url, names({ ...entry.headers, ...entry.secrets })];
	return sha256(JSON.stringify([version, entry.name, start])).slice(0, FINGERPRINT_CHARACTERS);
}

function names(values: Readonly<Record<string, unknown>>): string[] {
	return Object.keys(values).sort();
}

function isKnown(value: unknown): value is KnownServer {
	if (!isObject(value) || value['format'] !== FORMAT) return false;
	const { era, revision, capabilities, instructions, listedAt } = value;
	const { tools, prompts, resources, templates } = value;
	return (
		(era === 'legacy' || era === 'modern') &&
		typeof revision === 'string' &&
		isObject(capabilities) &&
		(instructions === undefined || typeof instructions === 'string') &&
		typeof listedAt === 'number' &&
		isListOf(tools, 'name') &&
		isListOf(prompts, 'name') &&
		isListOf(resources, 'uri') &&
		isListOf(templates, 'uriTemplate')
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

/** True when a resource or a template of the server has the scheme of this URI. */
export function hasScheme(known: KnownServer | undefined, uri: string): boolean {
	const scheme = /^[^:]+:/.exec(uri)?.[0];
	if (known === undefined || scheme === undefined) return false;
	return (
		known.resources.some((resource) => resource.uri.startsWith(scheme)) ||
		known.templates.some(({ uriTemplate }) => uriTemplate.startsWith(scheme))
	);
}
