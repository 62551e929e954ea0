/*
 * Which messages may pass through a hub as text, and how the text changes where client and
 * server are of different eras: calls of tools and their results that need no value of
 * theirs. Everything else is parsed.
 *
 * The reserved members of `_meta` belong to one connection: they are written anew, by a
 * text that is made once for each client and server. All other members pass.
 */

import type { Implementation } from '../../protocol/mcp-types.ts';
import {
	CLIENT_CAPABILITIES,
	CLIENT_INFO,
	LOG_LEVEL,
	PROTOCOL_VERSION,
	SERVER_INFO,
} from '../../protocol/meta.ts';
import { isObject } from '../../wire/json.ts';
import type { MessageView, ViewMember } from '../../wire/message-view.ts';

/** Ids and tokens that a double holds, or strings without escapes: their text is their only form. */
const SIMPLE_KEY = /^(?:0|[1-9]\d{0,14}|"[^"\\]*")$/;
/** A request with one of these needs values. */
const requestValues: readonly ViewMember[] = ['inputResponses', 'requestState', 'task'];
/** Members of a result that are adapted for a legacy client, and that few servers send. */
const adaptedMembers: readonly ViewMember[] = ['ttlMs', 'cacheScope', 'tools'];
const COMPLETE = '"complete"';
const completeMember = `"resultType":${COMPLETE}`;
const EMPTY = /^\{\s*\}$/;

type Era = 'legacy' | 'modern';
type Values = Readonly<Record<string, unknown>>;

/** The members of `_meta` that belong to one connection. */
const connectionMeta: readonly ViewMember[] = [
	'protocolVersion',
	'clientCapabilities',
	'clientInfo',
	'logLevel',
	'progressToken',
];

/** Whether a request is a call of a tool that may be passed on as text. */
export function isPlainToolCall(view: MessageView): boolean {
	return (
		view.is('method', '"tools/call"') &&
		view.is('jsonrpc', '"2.0"') &&
		!view.isAmbiguous &&
		!view.hasLineBreak &&
		isSimpleKey(view.source('id')) &&
		view.firstCharacter('name') === '"' &&
		isObjectOrAbsent(view, 'arguments') &&
		isObjectOrAbsent(view, 'meta') &&
		(!view.has('progressToken') || isSimpleKey(view.source('progressToken'))) &&
		!hasAny(view, requestValues)
	);
}

/** A client and a server, as far as texts between them depend on it. */
export interface EraPair {
	readonly client: Era;
	readonly server: Era;
	/** What a modern server is to know of the client, without the extensions that the hub does not route. */
	readonly envelope: {
		readonly version: string;
		readonly capabilities: Values;
		readonly clientInfo: unknown;
		readonly logLevel: string | undefined;
	};
	/** Whether these capabilities differ from those that a modern client declares. */
	readonly isReduced: boolean;
	/** The name and version of the hub, for modern clients. */
	readonly serverInfo: Implementation;
}

/** Changes the texts between one client and one server. */
export class EraPatch {
	readonly #pair: EraPair;
	/** The members of the envelope that a legacy client does not send. */
	readonly #envelope: string;
	readonly #capabilities: string;
	readonly #identity: string;
	/** The last `_meta` of a result, and whether it is ours alone to change. */
	#meta = { text: '', names: noNames };

	constructor(pair: EraPair) {
		const { version, capabilities, clientInfo, logLevel } = pair.envelope;
		const envelope = {
			[PROTOCOL_VERSION]: version,
			[CLIENT_CAPABILITIES]: capabilities,
			[CLIENT_INFO]: clientInfo,
			[LOG_LEVEL]: logLevel,
		};
		this.#pair = pair;
		this.#envelope = JSON.stringify(envelope).slice(1, -1);
		this.#capabilities = JSON.stringify(capabilities);
		this.#identity = `"_meta":${JSON.stringify({ [SERVER_INFO]: pair.serverInfo })}`;
	}

	/**
	 * What `request` needs for a call: the beginning of its `_meta` for a server of the other era, else an empty text.
	 * Undefined when the call must be parsed.
	 */
	prepare(view: MessageView): string | undefined {
		const { client, server } = this.#pair;
		if (client === server) return client === 'legacy' || view.has('clientInfo') ? '' : undefined;
		const others = view.has('meta') ? view.without('meta', connectionMeta)?.slice(0, -1) : '{';
		if (others === undefined) return undefined;
		const begun = others === '{' ? '{' : `${others},`;
		return server === 'modern' ? `${begun}${this.#envelope},` : begun;
	}

	/** A call as the server gets it: with our id and its own name of the tool. */
	request(view: MessageView, begun: string, { id, name }: { id: string; name: string }): string {
		const changes: [ViewMember, string][] = [
			['id', id],
			['name', name],
			begun === '' ? ['progressToken', id] : ['meta', `${begun}"progressToken":${id}}`],
		];
		const { client, isReduced } = this.#pair;
		if (begun === '' && client === 'modern' && isReduced)
			changes.push(['clientCapabilities', this.#capabilities]);
		return view.with(changes);
	}

	/** The `result` of a response as the client gets it; undefined when it must be parsed. */
	result(view: MessageView): string | undefined {
		if (view.firstCharacter('result') !== '{' || view.hasLineBreak) return undefined;
		const isForLegacy = this.#pair.client === 'legacy';
		if (isForLegacy && !isKnownToLegacy(view)) return undefined;
		if (view.has('resultType') && !view.is('resultType', COMPLETE)) return undefined;
		const names = view.has('resultMeta') ? this.#namesOf(view.source('resultMeta') ?? '') : undefined;
		if (names?.isObject === false) return undefined;
		return isForLegacy ? legacyResult(view, names) : this.#modernResult(view, names);
	}

	#modernResult(view: MessageView, names: MetaNames | undefined): string | undefined {
		const result = view.source('result') ?? '';
		if (names !== undefined && !names.hasServerInfo) return undefined;
		const hasType = view.has('resultType');
		if (hasType && names !== undefined) return result;
		if (EMPTY.test(result)) return undefined;
		const added = [hasType ? '' : completeMember, names === undefined ? this.#identity : ''];
		return `{${added.filter((member) => member !== '').join(',')},${result.slice(1)}`;
	}

	/** The `_meta` of a server is the same in most of its results. */
	#namesOf(text: string): MetaNames {
		if (this.#meta.text !== text) this.#meta = { text, names: readNames(text) };
		return this.#meta.names;
	}
}

/** What the `_meta` of a result has. */
interface MetaNames {
	readonly isObject: boolean;
	readonly hasServerInfo: boolean;
	readonly isAlone: boolean;
}

const noNames: MetaNames = { isObject: false, hasServerInfo: false, isAlone: false };

function readNames(text: string): MetaNames {
	const value: unknown = JSON.parse(text);
	if (!isObject(value)) return noNames;
	const hasServerInfo = SERVER_INFO in value;
	return { isObject: true, hasServerInfo, isAlone: hasServerInfo && Object.keys(value).length === 1 };
}

/** Whether nothing in a result has to be changed for a legacy client but its modern members. */
function isKnownToLegacy(view: MessageView): boolean {
	return !hasAny(view, adaptedMembers) && isObjectOrAbsent(view, 'structuredContent');
}

function legacyResult(view: MessageView, names: MetaNames | undefined): string | undefined {
	const hasServerInfo = names?.hasServerInfo === true;
	if (!view.has('resultType') && !hasServerInfo) return view.source('result');
	if (hasServerInfo && !names.isAlone) return undefined;
	return view.without('result', hasServerInfo ? ['resultType', 'resultMeta'] : ['resultType']);
}

/** A loop: this is done for every call. */
function hasAny(view: MessageView, members: readonly ViewMember[]): boolean {
	for (const member of members) if (view.has(member)) return true;
	return false;
}

function isSimpleKey(source: string | undefined): boolean {
	return source !== undefined && SIMPLE_KEY.test(source);
}

function isObjectOrAbsent(view: MessageView, member: ViewMember): boolean {
	return !view.has(member) || view.firstCharacter(member) === '{';
}
