/*
 * A stored file as bytes: front matter with version and metadata, then the content.
 *
 *     ---
 *     storage_version: 3
 *     title: Login
 *     ---
 *     The content, byte for byte as it was given.
 *
 * A file that somebody made with an editor may have front matter without a
 * version, or none at all: it is at version 1. A block that is not YAML is
 * served as content like the rest, so that nothing gets lost.
 */
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { messageOf, OrchestraError } from '../../errors.ts';
import { parseBoundedYaml } from '../../files/bounded-yaml.ts';
import { assertBounded } from '../../files/value-bounds.ts';
import { parsePlain } from '../../library/files/front-matter.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { FRONT_MATTER_LIMIT_BYTES, METADATA_LIMIT_VALUES } from './storage-limits.ts';

/** The key of the front matter that is ours; metadata cannot have it. */
export const VERSION_KEY = 'storage_version';
/** The version of a file that does not say. */
export const UNMARKED_VERSION = 1n;

export interface StoredFile {
	content: Uint8Array;
	metadata: JsonObject;
	version: bigint;
}

const VERSION_LINE = /^storage_version: ([1-9]\d{0,17})\r?$/m;

/** Take the bytes of a file apart. */
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

/** Could the front matter reach beyond these first bytes of a file? */
export function isBlockCut(head: Uint8Array): boolean {
	return OPENING.test(textOf(head.subarray(0, OPENING_BYTES))) && blockOf(head) === undefined;
}

/** Put a file together. Throws `bad_input` when the metadata does not fit. */
export function encodeFile({ content, metadata, version }: StoredFile): Buffer {
	if (Object.hasOwn(metadata, VERSION_KEY)) {
		throw bad(`the metadata may not have a key "${VERSION_KEY}": the storage keeps the version there`);
	}
	const head = Buffer.from(`---\n${VERSION_KEY}: ${version}\n${yamlOf(metadata)}---\n`);
	if (head.length > FRONT_MATTER_LIMIT_BYTES) {
		throw bad(`the metadata is ${head.length} bytes long, more than ${FRONT_MATTER_LIMIT_BYTES}`);
	}
	return Buffer.concat([head, content]);
}

const OPENING = /^(?:\u00EF\u00BB\u00BF)?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m;
const OPENING_BYTES = 64;

/** The YAML between the fences and where the content begins; undefined without both fences. */
function blockOf(bytes: Uint8Array): { text: string; end: number } | undefined {
	// One character a byte, so that places in the text are places in the file.
	const text = textOf(bytes.subarray(0, FRONT_MATTER_LIMIT_BYTES));
	const opening = OPENING.exec(text);
	if (!opening) return undefined;
	const start = opening[0].length;
	const closing = CLOSING.exec(text.slice(start));
	if (!closing) return undefined;
	const end = start + closing.index + closing[0].length;
	// A fence without a newline is a fence only where the file ends.
	if (!closing[0].endsWith('\n') && end < bytes.length) return undefined;
	const block = Buffer.from(text.slice(start, start + closing.index), 'latin1').toString('utf8');
	return { text: block, end };
}

function textOf(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function parseBlock(block: string): JsonObject | undefined {
	try {
		const value: unknown = parsePlain(block) ?? parseBoundedYaml(block) ?? {};
		// Through JSON, because YAML can also say dates, infinities and circles.
		return isObject(value) ? (JSON.parse(JSON.stringify(value)) as JsonObject) : undefined;
	} catch {
		return undefined; // not YAML, or over a bound: the block is content
	}
}

/** Texts on one line, quoted as in JSON: blocks and folded lines do not always come back as they were. */
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

/** Loaded on first need: a storage with plain metadata that is only read never pays for it. */
function yaml(): typeof Yaml {
	return createRequire(import.meta.url)('yaml') as typeof Yaml;
}

function bad(message: string, cause?: unknown): OrchestraError {
	return new OrchestraError('bad_input', message, { cause, data: { code: 'storage_error' } });
}
