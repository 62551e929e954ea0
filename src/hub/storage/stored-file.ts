/*
 * The format of a stored file: front matter with version and metadata, then the content.
 *
 *     ---
 *     storage_version: 3
 *     title: Login
 *     ---
 *     The content, byte for byte as it was given.
 *
 * A file that was written with an editor may have no version or no front matter: it has
 * version 1. A block that is not YAML is part of the content, so that nothing is lost.
 */
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { attempt, messageOf, OrchestraError } from '../../errors.ts';
import { parseBoundedYaml } from '../../files/bounded-yaml.ts';
import { assertBounded } from '../../files/value-bounds.ts';
import { parsePlain } from '../../library/files/front-matter.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { FILE_OPENING_BYTES, FRONT_MATTER_LIMIT_BYTES, METADATA_LIMIT_VALUES } from './storage-limits.ts';

/** The reserved key of the front matter; metadata cannot have it. */
export const VERSION_KEY = 'storage_version';
/** The version of a file without a version. */
export const UNMARKED_VERSION = 1n;

export interface StoredFile {
	content: Uint8Array;
	metadata: JsonObject;
	version: bigint;
}

const VERSION_LINE = /^storage_version: ([1-9]\d{0,17})\r?$/m;

/** Decode the bytes of a file. */
export function decodeFile(bytes: Uint8Array): StoredFile {
	const block = blockOf(bytes);
	const version = decodeVersion(bytes);
	const metadata = block && parseBlock(block.text);
	if (!block || !metadata) return { content: bytes, metadata: {}, version };
	delete metadata[VERSION_KEY];
	return { content: bytes.subarray(block.end), metadata, version };
}

/** The version alone, from the first `FRONT_MATTER_LIMIT_BYTES` of a file or all of it. */
export function decodeVersion(head: Uint8Array): bigint {
	const digits = VERSION_LINE.exec(blockOf(head)?.text ?? '')?.[1];
	return digits === undefined ? UNMARKED_VERSION : BigInt(digits);
}

/** Whether the front matter may extend beyond these first bytes of a file. */
export function isBlockCut(head: Uint8Array): boolean {
	return OPENING.test(textOf(head.subarray(0, FILE_OPENING_BYTES))) && blockOf(head) === undefined;
}

/** Encode a file. Throws `bad_input` when the metadata is invalid or too large. */
export function encodeFile({ content, metadata, version }: StoredFile): Buffer {
	if (Object.hasOwn(metadata, VERSION_KEY)) {
		throw bad(`the metadata may not have a key "${VERSION_KEY}": the storage writes the version there`);
	}
	const head = Buffer.from(`---\n${VERSION_KEY}: ${version}\n${yamlOf(metadata)}---\n`);
	if (head.length > FRONT_MATTER_LIMIT_BYTES) {
		throw bad(`the metadata is ${head.length} bytes long, more than ${FRONT_MATTER_LIMIT_BYTES}`);
	}
	return Buffer.concat([head, content]);
}

const OPENING = /^(?:\u00EF\u00BB\u00BF)?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m;

/** The YAML between the fences and where the content begins; undefined without both fences. */
function blockOf(bytes: Uint8Array): { text: string; end: number } | undefined {
	// Latin-1: one character per byte, so that offsets in the text are offsets in the file.
	const text = textOf(bytes.subarray(0, FRONT_MATTER_LIMIT_BYTES));
	const opening = OPENING.exec(text);
	if (!opening) return undefined;
	const start = opening[0].length;
	const closing = CLOSING.exec(text.slice(start));
	if (!closing) return undefined;
	const end = start + closing.index + closing[0].length;
	// A closing fence without a newline is valid only at the end of the file.
	if (!closing[0].endsWith('\n') && end < bytes.length) return undefined;
	const block = Buffer.from(text.slice(start, start + closing.index), 'latin1').toString('utf8');
	return { text: block, end };
}

function textOf(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function parseBlock(block: string): JsonObject | undefined {
	// A block that is not YAML, or over a bound, is content.
	return attempt(() => {
		const value: unknown = parsePlain(block) ?? parseBoundedYaml(block) ?? {};
		// Through JSON, because YAML also has dates, infinities and cycles.
		return isObject(value) ? (JSON.parse(JSON.stringify(value)) as JsonObject) : undefined;
	});
}

/** Strings on one line, quoted as in JSON: block and folded styles do not always round-trip. */
const yamlStyle = {
	lineWidth: 0,
	blockQuote: false,
	doubleQuotedAsJSON: true,
	aliasDuplicateObjects: false,
} as const;

function yamlOf(metadata: JsonObject): string {
	if (Object.keys(metadata).length === 0) return '';
	try {
		assertBounded(metadata, { count: METADATA_LIMIT_VALUES });
		return yaml().stringify(metadata, yamlStyle);
	} catch (cause) {
		throw bad(`the metadata cannot be written as YAML: ${messageOf(cause)}`, cause);
	}
}

/** Loaded on first use: reading plain metadata does not need it. */
function yaml(): typeof Yaml {
	return createRequire(import.meta.url)('yaml') as typeof Yaml;
}

function bad(message: string, cause?: unknown): OrchestraError {
	return new OrchestraError('bad_input', message, { cause, data: { code: 'storage_error' } });
}
