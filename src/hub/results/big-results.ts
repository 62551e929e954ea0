/*
 * A result above the limit would fill the context of an agent. Its large parts are
 * kept on disk, and the client gets the beginning of each and a link that
 * `resources/read` reads in parts.
 *
 * Structured content of a tool with an output schema stays in the result: a client
 * must find it there.
 */
import { RESULT_BYTES } from '../../config/defaults.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { resourceNotFound } from '../../mcp/define/defined-provider.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { targetName } from '../../mcp/server/methods.ts';
import type { Call, Capability } from '../../mcp/server/provider.ts';
import type { Item } from '../../protocol/item-lists.ts';
import {
	type Answer,
	type Awaitable,
	type CallToolResult,
	type ContentBlock,
	exactAnswer,
	type ReadResourceResult,
	type Tool,
} from '../../protocol/mcp-types.ts';
import { encodeJson } from '../../wire/json-text.ts';
import { clientName } from '../calls/hub-call.ts';
import type { KeptSessions, OwnUris, Source } from '../source.ts';
import type { ResultDocument, ResultStore } from './result-store.ts';
import { isLarger } from './value-size.ts';

/** Characters of the beginning that the client gets. */
export const PREVIEW_CHARACTERS = 2000;
/** A part up to this size stays in the result. */
const SMALL_PART_CHARACTERS = 16 * 1024;
/** Bytes of a page when the client names no length. */
export const PAGE_BYTES: number = 64 * 1024;
const SCHEME = 'orchestra-result://';

export interface BigResultsOptions {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
	/** The current limit. Default `RESULT_BYTES`. */
	readonly limitBytes: () => number | undefined;
}

export class BigResults implements Source, OwnUris, KeptSessions {
	readonly id = 'results';
	readonly kind = 'results';
	readonly status = { state: 'ready' } as const;
	readonly capabilities: readonly Capability[] = ['resources'];
	readonly #options: BigResultsOptions;
	/** Loaded with the first large result. */
	#store: Promise<ResultStore> | undefined;

	constructor(options: BigResultsOptions) {
		this.#options = options;
	}

	/** The result, or a shorter one when it is above the limit. A person at a terminal and another hub get all of it. */
	shorten(answer: Answer, tool: Tool | undefined, context: CallContext): Awaitable<Answer> {
		const limit = this.limitFor(context);
		if (!isLarger(answer, limit)) return answer;
		const result = exactAnswer(answer);
		return isToolResult(result) ? this.#shortened(result, tool, context.sessionId, limit) : answer;
	}

	/** Characters of a result that the client of a call gets whole. */
	limitFor(context: CallContext): number {
		const getsAll = context.passesResultsOn || clientName(context) === 'mctl';
		return getsAll ? Number.POSITIVE_INFINITY : (this.#options.limitBytes() ?? RESULT_BYTES);
	}

	ownsUri(uri: string): boolean {
		return uri.startsWith(SCHEME);
	}

	/** Results are not listed: their URIs are in the results that were shortened. */
	list(): readonly Item[] {
		return [];
	}

	/** Only `resources/read`: it has no other capability. */
	async request(call: Call): Promise<ReadResourceResult> {
		const uri = targetName(call);
		const store = await this.#store;
		const kept = store?.find(uri.slice(SCHEME.length).split('?')[0] ?? '');
		if (kept === undefined) throw resourceNotFound(uri);
		const { readResultPage } = await import('./result-page.ts');
		return { contents: [await readResultPage(uri, kept)] };
	}

	endSession(sessionId: string): void {
		void this.#store?.then((store) => store.endSession(sessionId));
	}

	async close(): Promise<void> {
		await (await this.#store)?.close();
	}

	async #shortened(
		result: CallToolResult,
		tool: Tool | undefined,
		sessionId: string,
		limit: number,
	): Promise<CallToolResult> {
		try {
			const { structuredContent, ...rest } = result;
			const isKept = structuredContent !== undefined && tool?.outputSchema !== undefined;
			const content = await this.#shortContent(result.content, sessionId, limit);
			if (isKept || structuredContent === undefined || !isLarger(structuredContent, SMALL_PART_CHARACTERS))
				return { ...result, content };
			const json = jsonDocument(structuredContent);
			const isRepeated = result.content.some(
				(block) => block.type === 'text' && json.content.equals(Buffer.from(block.text)),
			);
			return isRepeated
				? { ...rest, content }
				: { ...rest, content: [...content, ...(await this.#preview(json, sessionId))] };
		} catch (error) {
			// The client gets the whole result rather than none.
			this.#options.log.warn(`a large result could not be kept on disk: ${messageOf(error)}`);
			return result;
		}
	}

	async #shortContent(
		blocks: readonly ContentBlock[],
		sessionId: string,
		limit: number,
	): Promise<ContentBlock[]> {
		const short: ContentBlock[] = [];
		for (const block of blocks) {
			const document = isLarger(block, SMALL_PART_CHARACTERS) ? documentOf(block) : undefined;
			if (document === undefined) short.push(block);
			else short.push(...(await this.#preview(document, sessionId)));
		}
		if (!isLarger(short, limit)) return short;
		// Many small blocks: all of them become one document.
		return this.#preview(jsonDocument(blocks), sessionId);
	}

	/** The beginning of a document and the link to all of it. */
	async #preview(document: ResultDocument, sessionId: string): Promise<ContentBlock[]> {
		this.#store ??= this.#openStore();
		const uri = SCHEME + (await (await this.#store).keep(document, sessionId));
		const { content, mimeType, isText } = document;
		const link: ContentBlock = {
			type: 'resource_link',
			uri,
			name: 'the whole result',
			mimeType,
			size: content.length,
		};
		if (!isText) return [link];
		const start = content.toString('utf8', 0, PREVIEW_CHARACTERS * 4).slice(0, PREVIEW_CHARACTERS);
		const how =
			`[This is the beginning of ${content.length} bytes. Read more with resources/read of ` +
			`${uri}?offset=${Buffer.byteLength(start)}&length=${PAGE_BYTES}, or search it with ${uri}?grep=text]`;
		return [{ type: 'text', text: `${start}\n…\n${how}` }, link];
	}

	async #openStore(): Promise<ResultStore> {
		const { ResultStore: Store } = await import('./result-store.ts');
		return new Store(this.#options.environment);
	}
}

function isToolResult(result: object): result is CallToolResult {
	return 'content' in result && Array.isArray(result.content);
}

function jsonDocument(value: unknown): ResultDocument {
	return { content: Buffer.from(encodeJson(value)), mimeType: 'application/json', isText: true };
}

/** The content of a large block; undefined for a block that has none of its own. */
function documentOf(block: ContentBlock): ResultDocument | undefined {
	if (block.type === 'text') return textDocument(block.text, 'text/plain');
	if (block.type === 'image' || block.type === 'audio') return binaryDocument(block.data, block.mimeType);
	if (block.type !== 'resource') return undefined;
	const { mimeType, text, blob } = block.resource;
	if (text !== undefined) return textDocument(text, mimeType ?? 'text/plain');
	return blob === undefined ? undefined : binaryDocument(blob, mimeType ?? 'application/octet-stream');
}

function textDocument(text: string, mimeType: string): ResultDocument {
	return { content: Buffer.from(text), mimeType, isText: true };
}

function binaryDocument(base64: string, mimeType: string): ResultDocument {
	return { content: Buffer.from(base64, 'base64'), mimeType, isText: false };
}
